// Sending allowances of accounts and streams: each recipient of an accepted message reduces the allowances by one, and
// no allowance becomes negative.

import { sql } from 'kysely'
import { ALLOWANCE_STEPS } from '../../model/account-event.ts'
import { allowanceLeft, nextMonth } from '../../model/allowance.ts'
import type { Database } from '../database/dialect.ts'
import { keepAccountEvents } from '../events/account-events.ts'
import { type StreamRules, takeStreamAllowance } from '../workspace/stream-rules.ts'

/** A message that is about to be accepted. */
export interface Counted {
  readonly message: {
    readonly account_id: string
    readonly domain_id: string
    readonly stream: string
    readonly created_at: number
    readonly send_at: number | null
  }
  /** True if the message counts against an allowance of the account. */
  readonly counted: boolean
  readonly streamRules?: StreamRules
}

interface Wanted {
  readonly item: Counted
  readonly recipients: number
}

/** An allowance that is too small for a message. */
export interface Exhausted {
  readonly of: 'account' | 'stream'
  readonly left: number
  /** Number of recipients of the message that count against the allowance. */
  readonly needed: number
}

/**
 * Deducts the recipients of all messages of a commit from the allowances of accounts and streams. One statement deducts
 * all messages of an account or a stream, if the allowance covers these messages. Returns the exhausted allowance of
 * each refused message; a refused message reduces no allowance.
 *
 * @param recipients number of recipients of each message that count against an allowance
 * @param whole true to refuse all messages if one of them is refused
 */
export async function takeAllowances<Item extends Counted>(
  db: Database,
  recipients: ReadonlyMap<Item, number>,
  whole = false,
): Promise<ReadonlyMap<Item, Exhausted>> {
  const exhausted = new Map<Counted, Exhausted>()
  const wanted = [...recipients].map(([item, count]) => ({ item, recipients: count }))
  const ofAccounts = wanted.filter(({ item }) => item.counted)
  const takeOfAccount = ({ message }: Counted, count: number): Promise<boolean> =>
    takeAccountAllowance(db, message, count)
  const accountOf = ({ message }: Counted): string => message.account_id
  for (const { item, recipients: needed } of await takeTogether(ofAccounts, accountOf, takeOfAccount)) {
    exhausted.set(item, { of: 'account', left: await leftAtRefusal(db, item), needed })
  }
  const ofStreams = wanted.filter(({ item }) => !exhausted.has(item) && item.streamRules?.counted)
  const streamOf = ({ message }: Counted): string => `${message.domain_id} ${message.stream}`
  const takeOfStream = (item: Counted, count: number): Promise<boolean> =>
    takeStreamAllowance(db, item, count)
  for (const { item, recipients: count } of await takeTogether(ofStreams, streamOf, takeOfStream)) {
    exhausted.set(item, { of: 'stream', left: await leftOfStream(db, item), needed: count })
    if (item.counted) await takeOfAccount(item, -count)
  }
  const [first] = exhausted.values()
  if (whole && first !== undefined) {
    for (const { item, recipients: count } of wanted.filter(({ item }) => !exhausted.has(item))) {
      if (item.counted) await takeOfAccount(item, -count)
      if (item.streamRules?.counted) await takeOfStream(item, -count)
      exhausted.set(item, first)
    }
  }
  return exhausted as Map<Item, Exhausted>
}

/**
 * Deducts all messages of one account or stream together, or one by one if the allowance is too small for all messages.
 * Returns the refused messages.
 */
async function takeTogether(
  wanted: readonly Wanted[],
  nameOf: (item: Counted) => string,
  take: (item: Counted, count: number) => Promise<boolean>,
): Promise<Wanted[]> {
  const refused: Wanted[] = []
  const groups = Map.groupBy(wanted, ({ item }) => nameOf(item))
  // All nodes lock the accounts or streams in the same order, so deadlocks cannot occur.
  for (const name of [...groups.keys()].sort()) {
    const group = groups.get(name) ?? []
    const [first] = group
    if (first === undefined) continue
    const total = group.reduce((sum, { recipients }) => sum + recipients, 0)
    if (await take(first.item, total)) continue
    for (const one of group) {
      if (group.length === 1 || !(await take(one.item, one.recipients))) refused.push(one)
    }
  }
  return refused
}

/** Reduces the allowance of an account, which renews first if the month of the message has begun. */
async function takeAccountAllowance(
  db: Database,
  { account_id, created_at }: Counted['message'],
  count: number,
): Promise<boolean> {
  // A message without counted recipients is accepted even if the allowance was lowered below its use.
  if (count === 0) return true
  const renews = sql`allowance_renews_at <= ${created_at}`
  const left = sql<number>`case when ${renews} then monthly_allowance else sending_allowance end`
  const taken = await db
    .updateTable('accounts')
    .set({
      sending_allowance: sql<number>`${left} - ${count}`,
      allowance_renews_at: sql<number>`case when ${renews} then ${nextMonth(created_at)} else allowance_renews_at end`,
      allowance_total: sql<number>`case when ${renews} then monthly_allowance else allowance_total end`,
      allowance_told: sql<number>`case when ${renews} then 0 else allowance_told end`,
    })
    .where('id', '=', account_id)
    .where((eb) => eb.or([eb(left, '>=', count), eb('sending_allowance', 'is', null)]))
    .returning(['sending_allowance', 'allowance_total', 'allowance_told'])
    .executeTakeFirst()
  if (taken === undefined) return false
  const { sending_allowance: now, allowance_total: total, allowance_told: told } = taken
  const step = total === null || now === null ? 0 : stepOf(now, total)
  if (step > told) await tellUse(db, { account_id, created_at }, { step, left: Number(now), total })
  return true
}

/** Highest percentage of an allowance whose use is an event; the allowance is used up. */
const ALL = 100

/** Returns the highest percentage step that the use of an allowance has reached; 0 before the first step. */
function stepOf(left: number, total: number): number {
  const used = total <= 0 ? ALL : ((total - left) / total) * ALL
  return [...ALLOWANCE_STEPS, ALL].findLast((step) => used >= step) ?? 0
}

/** Writes the event of a step of use, once until the allowance is changed or renewed. */
async function tellUse(
  db: Database,
  { account_id: id, created_at: at }: Pick<Counted['message'], 'account_id' | 'created_at'>,
  { step, left, total }: { readonly step: number; readonly left: number; readonly total: number | null },
): Promise<void> {
  await db.updateTable('accounts').set({ allowance_told: step }).where('id', '=', id).execute()
  const isUsedUp = step === ALL
  const detail = { ...(isUsedUp ? {} : { used_percent: step }), left: Math.max(0, left), allowance: total }
  const type = isUsedUp ? 'allowance.exhausted' : 'allowance.low'
  await keepAccountEvents(db, [{ accountId: id, objectId: id, type, at, detail }])
}

/** Returns what is left of the allowance of a refused message; the first refusal is an event. */
async function leftAtRefusal(db: Database, { message }: Counted): Promise<number> {
  const found = await db
    .selectFrom('accounts')
    .select(['sending_allowance', 'monthly_allowance', 'allowance_renews_at'])
    .select(['allowance_total', 'allowance_told'])
    .where('id', '=', message.account_id)
    .executeTakeFirst()
  if (found === undefined) return 0
  const { allowance_total: total, allowance_told: told } = found
  const left = allowanceLeft(found, message.created_at) ?? 0
  if (told < ALL) await tellUse(db, message, { step: ALL, left, total })
  return left
}

async function leftOfStream(db: Database, { message }: Counted): Promise<number> {
  const found = await db
    .selectFrom('streams')
    .select('sending_allowance')
    .where('domain_id', '=', message.domain_id)
    .where('alias', '=', message.stream)
    .executeTakeFirst()
  return Number(found?.sending_allowance ?? 0)
}
