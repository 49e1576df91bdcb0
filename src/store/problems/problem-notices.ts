// Notices by mail to the owners of an account: one notice when a problem has lasted for a while, and one notice after
// the problem is over.

import type { Database } from '../database/dialect.ts'
import { keepAccountEvents, type NewAccountEvent } from '../events/account-events.ts'

/** A problem with its current title. */
interface NoticedProblem {
  /** Name of the problem within the account; the name stays the same as long as the problem lasts. */
  readonly problem: string
  readonly title: string
}

export interface ProblemsNow {
  readonly accountId: string
  readonly problems: readonly NoticedProblem[]
  readonly now: number
  /** Time in milliseconds for which a problem must exist, or must be over, before a notice is sent. */
  readonly lastingMs: number
}

/** Problems that are due for a notice. A problem stays due at each check until `recordNotices` records the notice. */
export interface ProblemsDue {
  readonly begun: readonly string[]
  /** Problems that are over, with the titles from the last check. */
  readonly ended: readonly NoticedProblem[]
}

/** Records the current problems, and returns the problems that have lasted, or have been over, for `lastingMs`. */
export async function noteProblems(db: Database, items: readonly ProblemsNow[]): Promise<ProblemsDue[]> {
  const results: ProblemsDue[] = []
  for (const item of items) results.push(await noteOne(db, item))
  return results
}

async function noteOne(
  db: Database,
  { accountId: account_id, problems, now, lastingMs }: ProblemsNow,
): Promise<ProblemsDue> {
  const rows = await db
    .selectFrom('problem_notices')
    .selectAll()
    .where('account_id', '=', account_id)
    .execute()
  const known = new Map(rows.map((row) => [row.problem, row]))
  const begun: string[] = []
  for (const { problem, title } of problems) {
    const row = known.get(problem)
    known.delete(problem)
    if (row !== undefined && row.told_at === null && now - row.seen_at >= lastingMs) begun.push(problem)
    if (row?.title === title && row.gone_at === null) continue
    const fresh = { account_id, problem, title, seen_at: now, told_at: null, gone_at: null }
    await db
      .insertInto('problem_notices')
      .values(fresh)
      .onConflict((on) => on.columns(['account_id', 'problem']).doUpdateSet({ title, gone_at: null }))
      .execute()
  }
  const ended: NoticedProblem[] = []
  for (const { problem, title, told_at, gone_at } of known.values()) {
    const at = { account_id, problem }
    if (told_at === null) await forget(db, at)
    else if (gone_at === null) await update(db, at, { gone_at: now })
    else if (now - gone_at >= lastingMs) ended.push({ problem, title })
  }
  return { begun, ended }
}

/** Records sent notices with the account events about the same problems; removes the problems that are over. */
export async function recordNotices(
  db: Database,
  items: readonly {
    readonly accountId: string
    readonly begun: readonly string[]
    readonly ended: readonly string[]
    readonly events: readonly NewAccountEvent[]
    readonly now: number
  }[],
): Promise<true[]> {
  for (const { accountId: account_id, begun, ended, events, now } of items) {
    for (const problem of begun) await update(db, { account_id, problem }, { told_at: now })
    for (const problem of ended) await forget(db, { account_id, problem })
    await keepAccountEvents(db, events)
  }
  return items.map(() => true)
}

interface NoticeKey {
  readonly account_id: string
  readonly problem: string
}

const update = (
  db: Database,
  { account_id, problem }: NoticeKey,
  values: { told_at: number } | { gone_at: number },
): Promise<unknown> =>
  db
    .updateTable('problem_notices')
    .set(values)
    .where('account_id', '=', account_id)
    .where('problem', '=', problem)
    .execute()

const forget = (db: Database, { account_id, problem }: NoticeKey): Promise<unknown> =>
  db
    .deleteFrom('problem_notices')
    .where('account_id', '=', account_id)
    .where('problem', '=', problem)
    .execute()
