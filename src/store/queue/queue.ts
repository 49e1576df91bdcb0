// The queue: recipients waiting for their next attempt, claimed under a lease.

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
import { leased, releaseAbandoned } from './leases.ts'
import type { LowWater } from './low-water.ts'
import { listPaused } from './pauses.ts'
import { endAsCancelled } from './queue-control.ts'
import { holdsFrom, takeOverLeases, wakeDue, wakeResumed } from './queue-moves.ts'

/** A recipient as it was claimed for one attempt. */
export interface Claimed {
  readonly messageId: string
  readonly position: number
  readonly accountId: string
  readonly domainId: string
  readonly domainName: string
  readonly stream: string
  readonly email: string
  readonly destination: string
  /** Its order in the queue. */
  readonly startTag: number
  /** Number of this attempt, from 1. */
  readonly attempt: number
  /** Ends of our process in a row while it was active. */
  readonly faults: number
  /** An earlier attempt was cut off after the final dot. */
  readonly possibleDuplicate: boolean
  /** Time at which it was to be sent: its date, and the start of its waiting. */
  readonly createdAt: number
  /** Time at which it is given up, however many attempts there were. */
  readonly expiresAt: number | null
  readonly size: number
  /** The message's tag, by which its events are counted. */
  readonly tag?: string | null
  readonly recipientCount: number
  /** 1: only by TLS to a host whose certificate was verified. */
  readonly requireTls: boolean
  /** The relay of the sending domain, if it has one of its own; holds a secret. */
  readonly relayUrl: SealedText | null
}

/** The content of a message as it was submitted; JSON as text, or as its bytes in UTF-8. */
export interface Content {
  readonly format: ContentFormat
  readonly content: string | Uint8Array
  /** The same, where a request has been read already. */
  readonly request?: SendRequest | undefined
}

/** The result of a claim: recipients, and once for each message the content that they are to receive. */
export interface Claim {
  readonly recipients: readonly Claimed[]
  readonly contents: Map<string, Content>
  /** There may be more that are ready. */
  readonly more: boolean
  /** Flows in which recipients wait that were throttled. */
  readonly throttled: readonly Flow[]
  /** Messages of recipients that have failed because they ended our process too often. */
  readonly failed: readonly string[]
  /** `holdsFrom` of the next claim. */
  readonly holdsNext: string
  /**
   * The first place in each index that was read, and the first start tag of each flow that was read: infinite where there
   * was none; and the first start tag of those that this claim throttled, by flow.
   */
  readonly lowest: LowWater & {
    readonly flows: ReadonlyMap<Flow, number>
    readonly throttled: ReadonlyMap<Flow, number>
  }
}

export interface ClaimRequest extends SlotsAvailable {
  readonly now: number
  /** Under which the recipients are to be held. */
  readonly lease: Lease
  /** Flows with throttled recipients whose shares have slots again, the one whose turn it is first. */
  readonly refill: readonly Flow[]
  /** Reads the indexes from these places on, and a flow from its start tag. */
  readonly from: LowWater & { readonly flows: ReadonlyMap<Flow, number> }
  /** Tokens of this node's claims of which it does not know whether they were committed. */
  readonly abandoned: readonly string[]
  /** The pause from which on those that hold recipients are looked at. */
  readonly holdsFrom: string
}

/**
 * Takes the recipients with the first start tags, under a lease that frees them when this node is gone. A recipient
 * whose destination has no slot moves to a flow of its stream, and the flows take turns: nothing is looked at twice, so that
 * a claim costs the same with all that waits behind it. Keys come from the narrow table of the queue alone; only of recipients that are taken are
 * the messages read, by their keys.
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
  // What has become ready just now may come before all that was.
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
    // Refilled ones may have taken the slots of those that are ready.
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

/** The pauses, and what has become ready of those who waited for one that is over. */
async function pausesAndResumed(db: Database, from: string) {
  const [paused, holds] = await together(listPaused(db), holdsFrom(db, from))
  return { paused, resumed: await wakeResumed(db, paused, holds) }
}

/** The first start tag of those that become throttled, by flow. */
function firstThrottled(moved: readonly Moved[]): ReadonlyMap<Flow, number> {
  const tags = new Map<Flow, number>()
  for (const { row, to } of moved) {
    if (to.state !== 'throttled') continue
    tags.set(to.waitsFor, Math.min(tags.get(to.waitsFor) ?? row.startTag, row.startTag))
  }
  return tags
}

const POISON =
  'Given up: our process ended each time while this was delivered, at last three times with nothing else suspect beside it.'

/** Ends the rows that have ended our process too often, with an event that says so. */
async function endAsFailed(db: Database, rows: readonly Claimed[], now: number): Promise<void> {
  if (rows.length === 0) return
  await endRecipients(db, rows, 'failed', now)
  await keepEvents(
    db,
    rows.map((row) => eventOf(row, 'failed', now, { reason: POISON, category: 'other' })),
  )
}

/** A row of the queue, as triage needs it. */
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

/** A row that is moved to another state. */
interface Moved {
  readonly row: Row
  readonly to: Standing
}

type RowOfDomain = Row & Pick<Claimed, 'domainName' | 'relayUrl'>

/** Throttled recipients for which there are slots, by flow, each in its order. */
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

/** The rows of flows by turns: the first of each, then the second of each. */
function inTurns(flows: readonly (readonly Row[])[]): Row[] {
  const longest = Math.max(0, ...flows.map((rows) => rows.length))
  return Array.from({ length: longest }, (_, turn) => flows.flatMap((rows) => rows[turn] ?? [])).flat()
}

/** Of two lists always the head with the lower start tag, each list in its order. */
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

/** Rows of a standing: the first `limit` of them from a start tag on. */
interface FirstOf {
  readonly standing: Standing
  readonly limit: number
  readonly fromTag?: number | undefined
}

/** The first rows of standings, in any order, each by the index that has just these; all of them by one statement. */
async function selectWaiting(db: Database, firsts: readonly FirstOf[]): Promise<Row[]> {
  const [one, ...more] = firsts.filter(({ limit }) => limit > 0).map((first) => firstOf(db, first))
  if (one === undefined) return []
  return more.reduce((all, another) => all.unionAll(another), one).execute()
}

function firstOf(db: Database, { standing: { state, waitsFor }, limit, fromTag = 0 }: FirstOf) {
  const first = db
    .selectFrom('queue')
    .select([
      'message_id as messageId',
      'position',
      'account_id as accountId',
      'domain_id as domainId',
      'destination',
      'stream',
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

/** Adds what is known of the sending domains; ends the rows of those that were deleted while they waited. */
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

/** Adds the addresses and what an attempt has to know of the messages. */
async function withMessages(db: Database, rows: readonly RowOfDomain[]): Promise<Claimed[]> {
  if (rows.length === 0) return []
  const keys = new Map(rows.map(({ messageId: id, domainId: domain_id }) => [id, { domain_id, id }]))
  const [found, addressed] = await together(
    findRows(
      db,
      'messages',
      ['domain_id', 'id'],
      [...keys.values()],
      ['id', 'send_at', 'created_at', 'expires_at', 'tag', 'recipient_count', 'require_tls'],
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

/** Ends the rows whose address was suppressed since they were accepted; answers the others. */
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

/** Puts the rows under the lease, and reads the content that they are to receive. */
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
