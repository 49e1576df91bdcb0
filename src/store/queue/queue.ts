// The queue: recipients that wait for their next attempt and are claimed under a lease. The file is long because one
// claim chooses among all flows and indexes of the queue.

import { sql } from 'kysely'
import type { Lease } from '../../model/lease.ts'
import type { ContentFormat } from '../../model/message.ts'
import { type Flow, QUARANTINED, READY, type Standing, SUSPECT, throttled } from '../../model/queue-state.ts'
import type { SendRequest } from '../../model/send-request.ts'
import { refillOf, type SlotsAvailable, SMALL_BYTES, triage } from '../../model/triage.ts'
import { type Database, isPostgres, LOCK_CLAIMED } from '../database/dialect.ts'
import { findRows, updateRows } from '../database/rows.ts'
import type { SealedText } from '../database/secrets.ts'
import { together } from '../database/together.ts'
import { readContents } from '../messages/contents.ts'
import { endRecipients, eventOf, keepEvents } from '../messages/history.ts'
import { withEmails } from '../messages/recipients.ts'
import { endAsSuppressed, suppressedAmong } from '../workspace/suppressions.ts'
import { findSendingDomains } from './immediate.ts'
import { leased, QUEUED, releaseAbandoned } from './leases.ts'
import type { LowWater } from './low-water.ts'
import { listPaused } from './pauses.ts'
import { endAsCancelled } from './queue-control.ts'
import { holdsFrom, takeOverLeases, wakeDue, wakeResumed } from './queue-moves.ts'

/** A recipient that was claimed for one attempt. */
export interface Claimed {
  readonly messageId: string
  readonly position: number
  readonly accountId: string
  readonly domainId: string
  readonly domainName: string
  readonly stream: string
  readonly email: string
  readonly destination: string
  /** Start tag: the position of the recipient in the fair order of the queue. */
  readonly startTag: number
  /** Number of this attempt, from 1. */
  readonly attempt: number
  /** Number of consecutive processes that ended while this recipient was active. */
  readonly faults: number
  /** True if an earlier attempt was interrupted after the final dot. */
  readonly possibleDuplicate: boolean
  /** Time at which the message was to be sent; used for the Date field and as the start of the retry schedule. */
  readonly createdAt: number
  /** Time at which delivery is given up, regardless of the number of attempts. */
  readonly expiresAt: number | null
  readonly size: number
  /** Tag of the message; statistics count events under this tag. */
  readonly tag?: string | null
  readonly recipientCount: number
  /** True if the message may be sent only over TLS, to a host with a verified certificate. */
  readonly requireTls: boolean
  /** Relay URL of the sending domain, which contains a secret; null if the domain has no relay. */
  readonly relayUrl: SealedText | null
  /** Test inbox to which the message goes; null for a live message. */
  readonly inboxId: string | null
}

/** Content of a message as submitted; JSON is given as a string or as UTF-8 bytes. */
export interface Content {
  readonly format: ContentFormat
  readonly content: string | Uint8Array
  /** Parsed form of the content, if already available. */
  readonly request?: SendRequest | undefined
}

/** Result of a claim: the claimed recipients, and the content of each of their messages. */
export interface Claim {
  readonly recipients: readonly Claimed[]
  readonly contents: Map<string, Content>
  /** True if more ready recipients may exist. */
  readonly more: boolean
  /** Flows of the recipients that this claim throttled. */
  readonly throttled: readonly Flow[]
  /** IDs of messages with a recipient that failed because its attempts had crashed a process too often. */
  readonly failed: readonly string[]
  /** Value of `holdsFrom` for the next claim. */
  readonly holdsNext: string
  /**
   * Position of the first row read in each index (`LowWater`), and first start tag read in each flow; infinity if no
   * row was read. `throttled` has, for each flow, the lowest start tag of the recipients that this claim throttled.
   */
  readonly lowest: LowWater & {
    readonly flows: ReadonlyMap<Flow, number>
    readonly throttled: ReadonlyMap<Flow, number>
  }
}

export interface ClaimRequest extends SlotsAvailable {
  readonly now: number
  /** Lease under which the recipients are claimed. */
  readonly lease: Lease
  /** Flows of throttled recipients whose shares have free slots again, in the order of their turns. */
  readonly refill: readonly Flow[]
  /** Positions from which the indexes are read, and the start tag from which each flow is read. */
  readonly from: LowWater & { readonly flows: ReadonlyMap<Flow, number> }
  /** Lease tokens of earlier claims of this node whose commits may or may not have succeeded. */
  readonly abandoned: readonly string[]
  /** Pause from which the claim checks whether pauses have ended. */
  readonly holdsFrom: string
}

/**
 * Claims the recipients with the lowest start tags, under a lease that ends if this node dies. A recipient whose
 * destination has no slot moves to a flow of its stream, and the flows take turns. No recipient is read twice, so the
 * cost of a claim does not depend on the number of waiting recipients. The selection reads only the narrow table of the
 * queue; messages are read by key, and only for the claimed recipients.
 */
export async function claimRecipients(db: Database, items: readonly ClaimRequest[]): Promise<Claim[]> {
  const claims: Claim[] = []
  for (const item of items) claims.push(await claim(db, item))
  return claims
}

claimRecipients.buffersOf = ({ contents }: Claim): ArrayBuffer[] =>
  [...contents.values()].flatMap(({ content }) =>
    typeof content !== 'string' && content.length > SMALL_BYTES && content.buffer instanceof ArrayBuffer
      ? content.buffer
      : [],
  )

async function claim(db: Database, request: ClaimRequest): Promise<Claim> {
  const { now } = request
  const { from } = request
  const [woken, takenOver, abandonedTag, { paused, resumed }] = await together(
    wakeDue(db, now, from.due),
    takeOverLeases(db, now, from.leases),
    releaseAbandoned(db, request.abandoned),
    pausesAndResumed(db, request.holdsFrom),
  )
  const refill = await selectRefill(db, request)
  // Recipients that have just become ready may have start tags below the low-water mark.
  const firstTag = Math.min(from.ready, woken.firstTag, takenOver.firstTag, abandonedTag, resumed.firstTag)
  const first = await selectWaiting(db, [
    { standing: READY, limit: request.limit, fromTag: firstTag },
    { standing: SUSPECT, limit: request.suspects },
    { standing: QUARANTINED, limit: request.isolated ? 1 : 0 },
  ])
  const inOrder = mergeByTag(
    inTurns([...refill.values()]),
    first.sort((a, b) => a.startTag - b.startTag),
  )
  const ready = first.filter(({ state }) => state === READY.state)
  const { taken, moved, failed } = triage(await withDomains(db, inOrder, now), paused, request)
  const [claimed] = await together(withMessages(db, taken), move(db, moved))
  await endAsFailed(db, await withMessages(db, failed), now)
  const wanted = await withoutSuppressed(db, claimed, now)
  return {
    ...(await lease(db, wanted, request)),
    // Throttled recipients that this claim took from their flows may have taken the slots of ready recipients.
    more: Math.max(ready.length, taken.length) === request.limit,
    throttled: [...new Set(moved.flatMap(({ to }) => (to.state === 'throttled' ? [to.waitsFor] : [])))],
    failed: failed.map((row) => row.messageId),
    holdsNext: resumed.next,
    lowest: {
      ready: ready[0]?.startTag ?? Number.POSITIVE_INFINITY,
      due: woken.lowest,
      leases: takenOver.lowest,
      flows: new Map([...refill].map(([flow, rows]) => [flow, firstTagOf(rows)])),
      throttled: firstThrottled(moved),
    },
  }
}

/** Returns the pauses, and the result of releasing recipients whose pause has ended. */
async function pausesAndResumed(db: Database, from: string) {
  const [paused, holds] = await together(listPaused(db), holdsFrom(db, from))
  return { paused, resumed: await wakeResumed(db, paused, holds) }
}

/** Returns for each flow the lowest start tag of the recipients that become throttled. */
function firstThrottled(moved: readonly Moved[]): ReadonlyMap<Flow, number> {
  const tags = new Map<Flow, number>()
  for (const { row, to } of moved) {
    if (to.state !== 'throttled') continue
    tags.set(to.waitsFor, Math.min(tags.get(to.waitsFor) ?? row.startTag, row.startTag))
  }
  return tags
}

const POISON =
  'Delivery was given up: the process ended during each attempt, the last three times without any other suspect recipient in progress.'

/** Ends recipients as failed that crashed a process too often, with an event that states the reason. */
async function endAsFailed(db: Database, rows: readonly Claimed[], now: number): Promise<void> {
  if (rows.length === 0) return
  await endRecipients(db, rows, 'failed', now)
  await keepEvents(
    db,
    rows.map((row) => eventOf(row, 'failed', now, { reason: POISON, category: 'other' })),
  )
}

/** A row of the queue with the fields that triage needs. */
type Row = Standing &
  Pick<
    Claimed,
    | 'messageId'
    | 'position'
    | 'accountId'
    | 'domainId'
    | 'destination'
    | 'stream'
    | 'size'
    | 'startTag'
    | 'attempt'
    | 'faults'
  > & { readonly possibleDuplicate: number }

/** A row of the queue that moves to another state. */
interface Moved {
  readonly row: Row
  readonly to: Standing
}

type RowOfDomain = Row & Pick<Claimed, 'domainName' | 'relayUrl'>

/**
 * Returns throttled recipients for which slots are free, by flow; the recipients of a flow are in the order of start
 * tags.
 */
async function selectRefill(db: Database, request: ClaimRequest): Promise<ReadonlyMap<Flow, readonly Row[]>> {
  const byFlow = new Map<Flow, readonly Row[]>()
  let left = request.limit
  for (const flow of request.refill) {
    const limit = Math.min(refillOf(flow, request), left)
    if (limit <= 0) continue
    const fromTag = request.from.flows.get(flow)
    const rows = await selectWaiting(db, [{ standing: throttled(flow), limit, fromTag }])
    byFlow.set(
      flow,
      rows.sort((a, b) => a.startTag - b.startTag),
    )
    left -= rows.length
  }
  return byFlow
}

const firstTagOf = (rows: readonly Row[]): number => rows[0]?.startTag ?? Number.POSITIVE_INFINITY

/** Interleaves the rows of flows: the first row of each flow, then the second row of each flow, and so on. */
function inTurns(flows: readonly (readonly Row[])[]): Row[] {
  const longest = Math.max(0, ...flows.map((rows) => rows.length))
  return Array.from({ length: longest }, (_, turn) => flows.flatMap((rows) => rows[turn] ?? [])).flat()
}

/** Merges two lists: takes the head with the lower start tag each time, and keeps the order within each list. */
function mergeByTag(one: readonly Row[], other: readonly Row[]): Row[] {
  const merged: Row[] = []
  let [at, otherAt] = [0, 0]
  while (at < one.length || otherAt < other.length) {
    const [head, otherHead] = [one[at], other[otherAt]]
    const isOther = head === undefined || (otherHead !== undefined && otherHead.startTag < head.startTag)
    merged.push(isOther ? (other[otherAt++] as Row) : (one[at++] as Row))
  }
  return merged
}

/** Selection of the first `limit` rows with a standing, from a start tag on. */
interface FirstOf {
  readonly standing: Standing
  readonly limit: number
  readonly fromTag?: number | undefined
}

/**
 * Returns the first rows of each standing, unordered. One statement reads all standings, each by the index of its
 * state.
 */
async function selectWaiting(db: Database, firsts: readonly FirstOf[]): Promise<Row[]> {
  const [one, ...more] = firsts.filter(({ limit }) => limit > 0).map((first) => firstOf(db, first))
  if (one === undefined) return []
  return more.reduce((all, another) => all.unionAll(another), one).execute()
}

function firstOf(db: Database, { standing: { state, waitsFor }, limit, fromTag = 0 }: FirstOf) {
  const first = db
    .selectFrom('queue')
    .select([
      ...QUEUED,
      'size',
      'state',
      'waits_for as waitsFor',
      'start_tag as startTag',
      sql<number>`attempts + 1`.as('attempt'),
      'faults',
      'possible_duplicate as possibleDuplicate',
    ])
    .where('state', '=', state)
    .where('waits_for', '=', waitsFor)
    .where('start_tag', '>=', fromTag)
    .where('due_at', 'is', null)
    .where('lease_until', 'is', null)
    .orderBy('start_tag')
    .limit(limit)
    .modifyEnd(LOCK_CLAIMED[isPostgres(db) ? 'postgres' : 'sqlite'])
  return db.selectFrom(first.as('first')).selectAll()
}

/** Adds the data of the sending domains; cancels recipients of domains that were deleted meanwhile. */
async function withDomains(db: Database, rows: readonly Row[], now: number): Promise<RowOfDomain[]> {
  if (rows.length === 0) return []
  const domains = await findSendingDomains(db, new Set(rows.map(({ domainId }) => domainId)))
  const deleted: Row[] = []
  const kept: RowOfDomain[] = []
  for (const row of rows) {
    const domain = domains.get(row.domainId)
    if (domain === undefined) deleted.push(row)
    else kept.push({ ...row, ...domain })
  }
  if (deleted.length > 0) await endAsCancelled(db, deleted, 'domain', now)
  return kept
}

/** Adds the addresses and the message data that an attempt needs. */
async function withMessages(db: Database, rows: readonly RowOfDomain[]): Promise<Claimed[]> {
  if (rows.length === 0) return []
  const keys = new Map(rows.map(({ messageId: id, domainId: domain_id }) => [id, { domain_id, id }]))
  const [found, addressed] = await together(
    findRows(
      db,
      'messages',
      ['domain_id', 'id'],
      [...keys.values()],
      ['id', 'send_at', 'created_at', 'expires_at', 'tag', 'recipient_count', 'require_tls', 'inbox_id'],
    ),
    withEmails(db, rows),
  )
  const messages = new Map(found.map((message) => [message.id, message]))
  return addressed.flatMap(({ state: _, waitsFor: __, ...row }) => {
    const message = messages.get(row.messageId)
    if (message === undefined) return []
    return {
      ...row,
      possibleDuplicate: row.possibleDuplicate === 1,
      createdAt: message.send_at ?? message.created_at,
      expiresAt: message.expires_at,
      tag: message.tag,
      recipientCount: message.recipient_count,
      requireTls: message.require_tls === 1,
      inboxId: message.inbox_id,
    }
  })
}

/** Moves rows to other states of the queue. */
async function move(db: Database, rows: readonly Moved[]): Promise<void> {
  await updateRows(
    db,
    'queue',
    ['message_id', 'position'],
    rows.map(({ row, to }) => ({
      message_id: row.messageId,
      position: row.position,
      state: to.state,
      waits_for: to.waitsFor,
    })),
    { isUnread: true },
  )
}

/** Ends the recipients whose address was suppressed after acceptance; returns all other recipients. */
async function withoutSuppressed(
  db: Database,
  rows: readonly Claimed[],
  now: number,
): Promise<readonly Claimed[]> {
  const suppressed = await suppressedAmong(db, rows)
  if (suppressed.size === 0) return rows
  await endAsSuppressed(
    db,
    rows.filter((_, index) => suppressed.has(index)),
    now,
  )
  return rows.filter((_, index) => !suppressed.has(index))
}

/** Puts the recipients under the lease, and reads the contents of their messages. */
async function lease(
  db: Database,
  rows: readonly Claimed[],
  { now, lease }: ClaimRequest,
): Promise<Pick<Claim, 'recipients' | 'contents'>> {
  if (rows.length === 0) return { recipients: [], contents: new Map() }
  const columns = leased(lease, now)
  const [contents] = await together(
    readContents(db, [...new Set(rows.map(({ messageId }) => messageId))]),
    updateRows(
      db,
      'queue',
      ['message_id', 'position'],
      rows.map(({ messageId: message_id, position }) => ({ message_id, position, ...columns })),
      { isUnread: true },
    ),
    keepEvents(
      db,
      rows.map((row) => eventOf(row, 'sending', now, { attempt: row.attempt })),
    ),
  )
  return { recipients: rows, contents }
}
