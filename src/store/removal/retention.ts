// Retention: finds messages that exceed their retention, and removes the data of a few messages at a time.

import { beforeIdsOf } from '../../lib/ids.ts'
import { Problem } from '../../model/problem.ts'
import type { Sweep } from '../../model/retention.ts'
import {
  inWords,
  RETENTION_KINDS,
  type Retention,
  type RetentionKind,
  shortened,
} from '../../model/retention.ts'
import type { Database, Read } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'
import { messagesWithUnread } from '../events/event-log.ts'
import { removeContents } from '../messages/contents.ts'
import { waitingAmong } from '../queue/final.ts'
import { removeMessages, removeTranscripts } from './message-removal.ts'

/** Returns the sweeps for the retention rules in force. */
export async function listSweeps(read: Read, installation: Retention): Promise<Sweep[]> {
  const domains = await read
    .selectFrom('domains')
    .select(['id', ...DAYS])
    .where(hasDays)
    .execute()
  const streams = await read
    .selectFrom('streams')
    .select(['domain_id', 'alias', 'kind', 'store_content', ...DAYS])
    .where((eb) => eb.or([hasDays(eb), eb.and({ kind: 'inbound', store_content: 0 })]))
    .execute()
  const byDomain = new Map(domains.map((domain) => [domain.id, shortened(installation, domain)]))
  const sweeps = RETENTION_KINDS.map((kind) => ({
    ...{ kind, domainId: '', stream: '', keptMs: installation[kind] },
  }))
  const add = (domainId: string, stream: string, above: Retention, own: Retention): void => {
    for (const kind of RETENTION_KINDS) {
      if (own[kind] < above[kind]) sweeps.push({ kind, domainId, stream, keptMs: own[kind] })
    }
  }
  for (const [id, kept] of byDomain) add(id, '', installation, kept)
  for (const stream of streams) {
    const above = byDomain.get(stream.domain_id) ?? installation
    const own = shortened(above, stream)
    const keepsLittle = stream.kind === 'inbound' && stream.store_content === 0
    const content = keepsLittle ? Math.min(own.content, REDACTED_INBOUND_MS) : own.content
    add(stream.domain_id, stream.alias, above, { ...own, content })
  }
  return sweeps
}

/**
 * Maximum retention of contents in an inbound stream that is set to store no content: webhooks that deliver the content
 * are retried during this time.
 */
const REDACTED_INBOUND_MS = 3 * 86_400_000

const DAYS = ['content_retention_days', 'transcript_retention_days', 'record_retention_days'] as const

// biome-ignore lint/suspicious/noExplicitAny: the same for both tables
const hasDays = (eb: any) => eb.or(DAYS.map((column) => eb(column, 'is not', null)))

const keyOf = ({ kind, domainId, stream }: Sweep) => ({ kind, domain_id: domainId, stream })

/** A message to which a retention rule may apply. */
interface Candidate {
  readonly id: string
  /** True if the retention rule applies to the message. */
  readonly due: boolean
}

/**
 * Returns up to `limit` messages that a sweep has not reached yet, oldest first. Includes messages of other streams,
 * because the mark of the sweep must move past these messages as well.
 */
async function newCandidates(
  db: Database,
  sweep: Sweep,
  before: number,
  limit: number,
): Promise<Candidate[]> {
  const mark = await db
    .selectFrom('retention_marks')
    .select('message_id')
    .where((eb) => eb.and(keyOf(sweep)))
    .executeTakeFirst()
  const after = mark?.message_id ?? ''
  const [end = ''] = [beforeIdsOf('msg', before), sweep.until ?? '~'].sort()
  if (sweep.domainId === '') {
    // Recipients are ordered by message ID across all domains. The first recipient of a message may have been erased.
    const rows = await db
      .selectFrom('recipients')
      .select('message_id')
      .distinct()
      .where('message_id', '>', after)
      .where('message_id', '<', end)
      .orderBy('message_id')
      .limit(limit)
      .execute()
    return rows.map(({ message_id }) => ({ id: message_id, due: true }))
  }
  const rows = await db
    .selectFrom('messages')
    .select(['id', 'stream'])
    .where('domain_id', '=', sweep.domainId)
    .where('id', '>', after)
    .where('id', '<', end)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id, stream }) => ({ id, due: sweep.stream === '' || stream === sweep.stream }))
}

/** True if a sweep has anything to do; only new messages matter for a sweep with an upper bound of IDs (`until`). */
export async function hasOld(read: Read, sweep: Sweep, now: number): Promise<boolean> {
  if ((await newCandidates(read, sweep, now - sweep.keptMs, 1)).length > 0) return true
  return sweep.until === undefined && hasSkipped(read, sweep)
}

/** True if a sweep has skipped messages that must be checked again. */
export async function hasSkipped(read: Read, sweep: Sweep): Promise<boolean> {
  const skipped = await read
    .selectFrom('retention_skipped')
    .select('message_id')
    .where((eb) => eb.and(keyOf(sweep)))
    .limit(1)
    .executeTakeFirst()
  return skipped !== undefined
}

/** One step of a sweep. */
export interface RemoveOld {
  readonly sweep: Sweep
  readonly now: number
  /** Maximum number of messages that the step checks. */
  readonly limit: number
  /** ID after which the step checks skipped messages; undefined to check new messages after the mark. */
  readonly skippedAfter: string | undefined
}

/** Result of one step of a sweep. */
export interface RemovedOld {
  /** Number of messages whose content or record was removed, or number of attempts whose transcript was removed. */
  readonly removed: number
  /** Number of messages that the step has checked; fewer than the limit at the end of the sweep. */
  readonly looked: number
  readonly lastId: string | undefined
  /** True if the step did nothing because the readers of the event log lag. */
  readonly waits: boolean
}

/**
 * Removes data that exceeds its retention. Removes only data of final messages, and only after every reader of the
 * event log has read the events of the message.
 */
export async function removeOld(db: Database, items: readonly RemoveOld[]): Promise<RemovedOld[]> {
  const results: RemovedOld[] = []
  for (const item of items) results.push(await step(db, item))
  return results
}
removeOld.unaudited = true

async function step(db: Database, { sweep, now, limit, skippedAfter }: RemoveOld): Promise<RemovedOld> {
  const unread = sweep.kind === 'record' ? await messagesWithUnread(db) : new Set<string>()
  if (unread === undefined) return { removed: 0, looked: 0, lastId: undefined, waits: true }
  const before = now - sweep.keptMs
  const candidates =
    skippedAfter === undefined
      ? await newCandidates(db, sweep, before, limit)
      : await skippedCandidates(db, sweep, skippedAfter, limit)
  const due = candidates.flatMap((one) => (one.due ? [one.id] : []))
  const waiting = await waitingAmong(db, due)
  const recent = sweep.kind === 'transcript' ? await scheduledAfter(db, due, before) : new Set<string>()
  const isKept = (id: string): boolean => waiting.has(id) || unread.has(id) || recent.has(id)
  const removable = due.filter((id) => !isKept(id))
  const removed = await REMOVE[sweep.kind](db, removable)
  const kept = due.filter(isKept)
  if (skippedAfter === undefined) await passOn(db, sweep, candidates.at(-1)?.id, kept)
  else await forgetSkipped(db, sweep, removable)
  return { removed, looked: candidates.length, lastId: candidates.at(-1)?.id, waits: false }
}

/**
 * Returns the messages that their senders scheduled for a time after `before`: the transcripts of a message that waited
 * for weeks are as new as its attempts.
 */
async function scheduledAfter(db: Database, ids: readonly string[], before: number): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('messages')
    .select('id')
    .where('domain_id', 'in', db.selectFrom('recipients').select('domain_id').where('message_id', 'in', ids))
    .where('id', 'in', ids)
    .where('send_at', '>', before)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

const REMOVE: Record<RetentionKind, (db: Database, ids: readonly string[]) => Promise<number>> = {
  content: removeContents,
  transcript: removeTranscripts,
  record: async (db, ids) => (await removeMessages(db, ids)).messages ?? 0,
}

async function skippedCandidates(
  db: Database,
  sweep: Sweep,
  after: string,
  limit: number,
): Promise<Candidate[]> {
  const rows = await db
    .selectFrom('retention_skipped')
    .select('message_id')
    .where((eb) => eb.and(keyOf(sweep)))
    .where('message_id', '>', after)
    .orderBy('message_id')
    .limit(limit)
    .execute()
  return rows.map(({ message_id }) => ({ id: message_id, due: true }))
}

/** Moves the mark of a sweep, and records the messages that must be checked again. */
async function passOn(
  db: Database,
  sweep: Sweep,
  messageId: string | undefined,
  kept: readonly string[],
): Promise<void> {
  if (messageId === undefined) return
  await db
    .insertInto('retention_marks')
    .values({ ...keyOf(sweep), message_id: messageId })
    .onConflict((on) => on.columns(['kind', 'domain_id', 'stream']).doUpdateSet({ message_id: messageId }))
    .execute()
  if (kept.length === 0) return
  await db
    .insertInto('retention_skipped')
    .values(kept.map((id) => ({ ...keyOf(sweep), message_id: id })))
    .onConflict((on) => on.doNothing())
    .execute()
}

/**
 * Removes up to `limit` records of skipped messages whose retention rule is no longer in force, because the domain or
 * stream was deleted, or because its retention is no longer shorter than the inherited retention. Returns the number of
 * removed records.
 */
export async function forgetNotesOfOtherRules(
  db: Database,
  items: readonly { readonly rules: readonly Sweep[]; readonly limit: number }[],
): Promise<number[]> {
  const forgotten: number[] = []
  for (const { rules, limit } of items) {
    const inForce = new Set(rules.map(nameOfRule))
    const noted = await db
      .selectFrom('retention_skipped')
      .select(['kind', 'domain_id', 'stream'])
      .distinct()
      .execute()
    const gone = noted.find(
      ({ kind, domain_id, stream }) => !inForce.has(nameOfRule({ kind, domainId: domain_id, stream })),
    )
    const sweep = gone && { kind: gone.kind, domainId: gone.domain_id, stream: gone.stream, keptMs: 0 }
    const found = sweep === undefined ? [] : await skippedCandidates(db, sweep, '', limit)
    if (sweep !== undefined)
      await forgetSkipped(
        db,
        sweep,
        found.map(({ id }) => id),
      )
    forgotten.push(found.length)
  }
  return forgotten
}
forgetNotesOfOtherRules.unaudited = true

const nameOfRule = ({ kind, domainId, stream }: Omit<Sweep, 'keptMs'>): string =>
  `${kind} ${domainId} ${stream}`

async function forgetSkipped(db: Database, sweep: Sweep, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db
    .deleteFrom('retention_skipped')
    .where((eb) => eb.and(keyOf(sweep)))
    .where('message_id', 'in', ids)
    .execute()
}

/** Returns the retention that the streams of a domain inherit, and the level that sets the retention. */
export async function findDomainRetention(
  read: Read,
  domainId: string,
  installation: Retention,
): Promise<{ readonly retention: Retention; readonly level: 'domain' | 'installation' }> {
  const domain = await read.selectFrom('domains').select(DAYS).where('id', '=', domainId).executeTakeFirst()
  const retention = shortened(installation, domain ?? {})
  const isShorter = RETENTION_KINDS.some((kind) => retention[kind] < installation[kind])
  return { retention, level: isShorter ? 'domain' : 'installation' }
}

/** Returns the retention of a message's stream, and whether the stream stores contents after delivery. */
async function findRetention(
  read: Read,
  { domain_id, stream }: Pick<Tables['messages'], 'domain_id' | 'stream'>,
  installation: Retention,
): Promise<{ readonly retention: Retention; readonly storesContent: boolean }> {
  const { retention: above } = await findDomainRetention(read, domain_id, installation)
  const own = await read
    .selectFrom('streams')
    .select([...DAYS, 'store_content'])
    .where('domain_id', '=', domain_id)
    .where('alias', '=', stream)
    .executeTakeFirst()
  return {
    retention: shortened(above, own ?? {}),
    storesContent: own?.store_content !== 0,
  }
}

/** Returns the error for a request to show or use a content that is no longer stored. */
export async function contentRemoved(
  read: Read,
  message: Pick<Tables['messages'], 'id' | 'domain_id' | 'stream' | 'recipient_count'>,
  installation: Retention,
): Promise<Problem> {
  const { retention, storesContent } = await findRetention(read, message, installation)
  const recipients = await read
    .selectFrom('recipients')
    .select('position')
    .where('message_id', '=', message.id)
    .execute()
  const byAge = storesContent
    ? `contents are kept for ${inWords(retention.content)}`
    : `the stream ${message.stream} stores no content after delivery`
  // An erasure removes the recipient and the content, because the content may contain the recipient's data.
  const isErased = recipients.length < message.recipient_count
  const why = isErased ? 'the data of one of its recipients was erased' : byAge
  return new Problem('content_removed', `The content of this message was removed: ${why}.`)
}
