// The queue: recipients waiting for their next attempt, claimed under a lease.

import { sql } from 'kysely'
import { fullLane, type Lane } from '../model/lane.ts'
import type { ContentFormat } from '../model/message.ts'
import { type Database, isPostgres, LOCK_CLAIMED, updateRows } from './dialect.ts'
import { eventOf, keepEvents } from './history.ts'
import { wakeDue, wakeResumed } from './lanes.ts'
import { pausedLanes, pauseOf } from './pauses.ts'
import { endAsCancelled } from './queue-control.ts'
import { endAsSuppressed, suppressedAmong } from './suppressions.ts'

/** A recipient that this worker now holds, until its lease ends. */
export interface Claimed {
  readonly messageId: string
  readonly position: number
  readonly accountId: string
  readonly domainId: string
  readonly domainName: string
  readonly stream: string
  readonly email: string
  readonly destination: string
  /** Which attempt this is, from 1. */
  readonly attempt: number
  /** Attempts in a row that ended with a node or in an error of ours. */
  readonly faults: number
  /** An earlier attempt was cut off after the final dot. */
  readonly possibleDuplicate: boolean
  /** Changes when the lease ran out and the same worker took the recipient again. */
  lease: string
  /** When that ends, by this node's clock; later with each renewal. */
  leaseUntil: number
  /** When it was to be sent: its date, and from when on it may wait. */
  readonly createdAt: number
  /** When it is given up, however many attempts there were. */
  readonly expiresAt: number | null
  readonly size: number
  readonly recipientCount: number
  /** 1: only by TLS to a host whose certificate was verified. */
  readonly requireTls: number
  /** The relay of the sending domain, if it has one of its own; holds a secret. */
  readonly relayUrl: string | null
}

/** The content of a message as it was submitted; JSON as text, or as its octets in UTF-8. */
export interface Content {
  readonly format: ContentFormat
  readonly content: string | Uint8Array
}

/** What a claim yields: recipients, and once for each message what they are to receive. */
export interface Claim {
  readonly recipients: readonly Claimed[]
  readonly contents: ReadonlyMap<string, Content>
  /** There may be more that are ready. */
  readonly more: boolean
  /** Destinations for which recipients were put aside, since they had no room. */
  readonly full: readonly string[]
  /** Recipients that were put aside for an operator. */
  readonly quarantined: readonly string[]
}

export interface ClaimRequest {
  readonly now: number
  readonly lease: string
  readonly leaseUntil: number
  /** At most this many recipients. */
  readonly limit: number
  /** At most this many octets of messages that are not small; one such message if there are any octets left. */
  readonly bytes: number
  /** At most this many recipients of a destination that `rooms` does not name. */
  readonly room: number
  /** What each of these destinations has room for. */
  readonly rooms: ReadonlyMap<string, number>
  /** Destinations that have room again for what was put aside. */
  readonly draw: readonly string[]
  /** How many suspects may be taken. */
  readonly suspects: number
  /** Whether leases that have ended are taken over. */
  readonly takeOver: boolean
}

/** A message of so many octets is taken even when larger ones find no place. */
export const SMALL_OCTETS = 65_536

/** Faults in a row after which a recipient goes with few others, and after which an operator has to look. */
const SUSPECT_FAULTS = 2
const QUARANTINE_FAULTS = 3

/** Whether it may be what ends our node, so that it goes with few others. */
export const isSuspect = ({ faults }: Pick<Claimed, 'faults'>): boolean => faults >= SUSPECT_FAULTS

/**
 * Takes recipients whose turn has come. The lease is their next due time, so that a crash frees them. What its
 * destination has no room for is put aside into a lane of its own: nothing is looked at twice, so that a claim costs
 * the same whatever waits behind it.
 */
export async function claimRecipients(db: Database, items: readonly ClaimRequest[]): Promise<Claim[]> {
  const claims: Claim[] = []
  for (const item of items) claims.push(await claim(db, item))
  return claims
}

async function claim(db: Database, request: ClaimRequest): Promise<Claim> {
  await wakeDue(db, request.now, request.takeOver ? ['waiting', 'leased'] : ['waiting'])
  const paused = await pausedLanes(db)
  await wakeResumed(db, paused)
  const aside = await selectAside(db, request)
  const ready = await selectDue(db, 'ready', request.limit)
  // In the order of their turns, whether they were put aside before or not.
  const due = [...aside, ...ready].sort((a, b) => a.turn - b.turn)
  const { taken, elsewhere } = sort(await withoutDeleted(db, due, request.now), paused, request)
  await putAside(db, elsewhere)
  const wanted = await withoutSuppressed(db, taken, request.now)
  const quarantined = elsewhere.filter(({ lane }) => lane === 'quarantine').map(({ row }) => row)
  await keepEvents(
    db,
    quarantined.map((row) =>
      eventOf(row, 'deferred', request.now, { reason: QUARANTINED, category: 'other' }),
    ),
  )
  return {
    ...(await lease(db, wanted, request)),
    // What was drawn may have taken the room of what is ready.
    more: Math.max(ready.length, taken.length) === request.limit,
    full: [
      ...new Set(
        elsewhere.flatMap(({ row, lane }) => (lane === fullLane(row.destination) ? [row.destination] : [])),
      ),
    ],
    quarantined: quarantined.map((row) => row.messageId),
  }
}

/** Ends the rows whose domain was deleted while they waited; answers the others. */
async function withoutDeleted(db: Database, due: readonly Due[], now: number): Promise<readonly Due[]> {
  const deleted = due.filter((row) => row.domainDeletedAt !== null)
  if (deleted.length === 0) return due
  await endAsCancelled(db, deleted, 'domain', now)
  return due.filter((row) => row.domainDeletedAt === null)
}

const QUARANTINED =
  'Held back after three attempts that ended with our node or in an error of ours; the operator has to look.'

/** A row of the queue, with where it stands in it. */
type Due = Omit<Claimed, 'lease' | 'leaseUntil'> & {
  readonly lane: Lane
  readonly turn: number
  readonly domainDeletedAt: number | null
}

/** What was put aside and has room again. */
async function selectAside(db: Database, request: ClaimRequest): Promise<Due[]> {
  const rows: Due[] = []
  for (const destination of request.draw) {
    const room = Math.min(request.rooms.get(destination) ?? request.room, request.limit - rows.length)
    if (room > 0) rows.push(...(await selectDue(db, fullLane(destination), room)))
  }
  if (request.suspects > 0) rows.push(...(await selectDue(db, 'suspect', request.suspects)))
  return rows
}

function selectDue(db: Database, lane: Lane, limit: number): Promise<Due[]> {
  return db
    .selectFrom('recipients')
    .innerJoin('messages', (join) =>
      join
        .onRef('messages.domain_id', '=', 'recipients.domain_id')
        .onRef('messages.id', '=', 'recipients.message_id'),
    )
    .innerJoin('domains', 'domains.id', 'recipients.domain_id')
    .leftJoin('domain_relays', 'domain_relays.domain_id', 'recipients.domain_id')
    .select([
      'recipients.message_id as messageId',
      'recipients.position',
      'recipients.account_id as accountId',
      'recipients.domain_id as domainId',
      'domains.name as domainName',
      'domains.deleted_at as domainDeletedAt',
      'messages.stream',
      'recipients.email',
      'recipients.destination',
      sql<number>`recipients.attempts + 1`.as('attempt'),
      'recipients.faults',
      sql<boolean>`recipients.possible_duplicate = 1`.as('possibleDuplicate'),
      sql<number>`coalesce(messages.send_at, messages.created_at)`.as('createdAt'),
      'messages.expires_at as expiresAt',
      'messages.size',
      'messages.recipient_count as recipientCount',
      'messages.require_tls as requireTls',
      'domain_relays.url as relayUrl',
      sql<Lane>`recipients.lane`.as('lane'),
      sql<number>`recipients.next_attempt_at`.as('turn'),
    ])
    .where('recipients.lane', '=', lane)
    .orderBy('recipients.next_attempt_at')
    .limit(limit)
    .modifyEnd(LOCK_CLAIMED[isPostgres(db) ? 'postgres' : 'sqlite'])
    .execute()
}

interface Sorted {
  readonly taken: readonly Due[]
  readonly elsewhere: readonly { readonly row: Due; readonly lane: Lane }[]
}

/** Which rows are taken, and into which lane each other one goes. What is in neither stays where it is. */
function sort(due: readonly Due[], paused: ReadonlySet<Lane>, request: ClaimRequest): Sorted {
  const taken: Due[] = []
  const elsewhere: { row: Due; lane: Lane }[] = []
  const rooms = new Map(request.rooms)
  const octets = new Octets(request.bytes)
  let suspects = request.suspects
  for (const row of due) {
    const room = rooms.get(row.destination) ?? request.room
    const suspect = isSuspect(row)
    const lane = pauseOf(row, paused)
    if (lane !== undefined) elsewhere.push({ row, lane })
    else if (row.faults >= QUARANTINE_FAULTS) elsewhere.push({ row, lane: 'quarantine' })
    else if (suspect && suspects === 0) elsewhere.push({ row, lane: 'suspect' })
    else if (taken.length === request.limit) continue
    else if (room <= 0 || !octets.take(row)) elsewhere.push({ row, lane: fullLane(row.destination) })
    else {
      taken.push(row)
      rooms.set(row.destination, room - 1)
      if (suspect) suspects--
    }
  }
  return { taken, elsewhere: elsewhere.filter(({ row, lane }) => lane !== row.lane) }
}

/** The octets that a claim may take: each message once, and to one destination no more than half. */
class Octets {
  readonly #most: number
  readonly #taken = new Set<string>()
  readonly #byDestination = new Map<string, number>()
  #sum = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Takes the message of a row, if there is a place for it. */
  take({ messageId, destination, size }: Due): boolean {
    if (this.#taken.has(messageId)) return true
    const here = this.#byDestination.get(destination) ?? 0
    const first = this.#sum === 0 && this.#most > 0
    const fits = this.#sum + size <= this.#most && (here === 0 || here + size <= this.#most / 2)
    if (size > SMALL_OCTETS && !first && !fits) return false
    this.#taken.add(messageId)
    this.#byDestination.set(destination, here + size)
    this.#sum += size
    return true
  }
}

async function putAside(db: Database, rows: Sorted['elsewhere']): Promise<void> {
  await updateRows(
    db,
    'recipients',
    ['message_id', 'position'],
    rows.map(({ row, lane }) => ({ message_id: row.messageId, position: row.position, lane })),
  )
}

/** Ends the rows whose address was suppressed since they were accepted; answers the others. */
async function withoutSuppressed(db: Database, due: readonly Due[], now: number): Promise<readonly Due[]> {
  const suppressed = await suppressedAmong(db, due)
  if (suppressed.size === 0) return due
  await endAsSuppressed(
    db,
    due.filter((_, index) => suppressed.has(index)),
    now,
  )
  return due.filter((_, index) => !suppressed.has(index))
}

/** Makes the rows this worker's, and reads what they are to receive. */
async function lease(
  db: Database,
  due: readonly Due[],
  { now, lease, leaseUntil }: ClaimRequest,
): Promise<Pick<Claim, 'recipients' | 'contents'>> {
  if (due.length === 0) return { recipients: [], contents: new Map() }
  await updateRows(
    db,
    'recipients',
    ['message_id', 'position'],
    due.map((row) => ({
      message_id: row.messageId,
      position: row.position,
      status: 'sending' as const,
      lane: 'leased' as const,
      next_attempt_at: leaseUntil,
      lease,
      last_event_at: now,
    })),
  )
  const messages = new Map(due.map((row) => [row.messageId, row.domainId]))
  await updateRows(
    db,
    'messages',
    ['domain_id', 'id'],
    [...messages].map(([id, domain_id]) => ({ domain_id, id, status: 'sending' as const, updated_at: now })),
  )
  await keepEvents(
    db,
    due.map((row) => eventOf(row, 'sending', now, { attempt: row.attempt })),
  )
  const contents = await db
    .selectFrom('message_contents')
    .select(['message_id', 'format', 'content'])
    .where('message_id', 'in', [...messages.keys()])
    .execute()
  return {
    recipients: due.map((row) => ({
      ...row,
      possibleDuplicate: Boolean(row.possibleDuplicate),
      lease,
      leaseUntil,
    })),
    contents: new Map(contents.map(({ message_id, format, content }) => [message_id, { format, content }])),
  }
}
