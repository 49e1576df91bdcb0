// Streams of a domain: creates, changes, removes and reads streams.

import type { RecordPurpose } from '../../model/domain.ts'
import { type GuardColumns, NO_GUARD } from '../../model/finding.ts'
import type { InboundAddress } from '../../model/inbound-address.ts'
import type { InboundMx } from '../../model/inbound-policy.ts'
import { NO_RETENTION_DAYS, type RetentionDays } from '../../model/retention.ts'
import { FIRST_STREAMS } from '../../model/stream.ts'
import type { TrackingRecord } from '../../model/tracking.ts'
import { type Database, isPostgres, legalText, type Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import type { Owner } from '../messages/owner.ts'
import { markWorkspaceChanged } from '../node/installation.ts'
import { fitInboundRecords, setInboundAddresses } from './inbound-addresses.ts'
import { lockWorkspace } from './workspace-lock.ts'

export type Stream = Tables['streams']

/** Tracking settings of a stream that inherits the settings of its domain. */
const INHERITED_TRACKING = { track_opens: null, track_links: null } as const

/** Maximum number of streams of a domain, including archived streams. */
export const MAX_STREAMS = 50

/** Returns the streams that each new domain has. */
export const firstStreams = ({
  id,
  account_id,
  created_at,
}: Pick<Tables['domains'], 'id' | 'account_id' | 'created_at'>): Stream[] =>
  FIRST_STREAMS.map((stream) => ({
    ...stream,
    account_id,
    domain_id: id,
    rate: null,
    retry_for_ms: null,
    sending_allowance: null,
    headers: '{}',
    brand: null,
    unsubscribe: 'service',
    ...NO_RETENTION_DAYS,
    store_content: 1,
    ...INHERITED_TRACKING,
    ...NO_GUARD,
    used: 1,
    archived_at: null,
    created_at,
    updated_at: created_at,
  }))

/** Addresses of an inbound stream, and the MX host that receives mail for these addresses. */
export interface StreamAddresses {
  readonly addresses: readonly InboundAddress[]
  readonly mx: InboundMx
}

/** Error if another stream of the domain has this address. */
export interface AddressTaken {
  readonly kind: 'address_taken'
  readonly taken: InboundAddress
}

export type CreatedStream = 'created' | 'alias_taken' | 'too_many' | AddressTaken

/** Adds streams; an inbound stream is added with its addresses. */
export async function createStream(
  db: Database,
  items: readonly { readonly stream: Stream; readonly inbound?: StreamAddresses | undefined }[],
): Promise<CreatedStream[]> {
  const results: CreatedStream[] = []
  for (const { stream, inbound } of items) {
    const owner = { accountId: stream.account_id, domainId: stream.domain_id }
    await lockWorkspace(db, stream.domain_id)
    const all = await listStreams(db, owner)
    if (all.some(({ alias }) => alias === stream.alias)) results.push('alias_taken')
    else if (all.length >= MAX_STREAMS) results.push('too_many')
    else {
      const taken = inbound && (await setInboundAddresses(db, { ...owner, ...inbound, alias: stream.alias }))
      if (taken !== undefined) {
        results.push({ kind: 'address_taken', taken })
        continue
      }
      await insertRows(db, 'streams', [stream])
      if (inbound !== undefined) await fitInboundRecords(db, owner, inbound.mx)
      await markWorkspaceChanged(db, stream.created_at)
      results.push('created')
    }
  }
  return results
}
createStream.auditTarget = ({ stream }: { readonly stream: { readonly alias: string } }): string =>
  stream.alias

/** True if any domain has a stream with this alias. */
export async function isStreamOfAnyDomain(read: Read, alias: string): Promise<boolean> {
  const row = await read.selectFrom('streams').select('alias').where('alias', '=', alias).executeTakeFirst()
  return row !== undefined
}

/** Change of a stream, given by the columns to change. */
export interface ChangeStream extends Owner {
  readonly alias: string
  readonly changes: Partial<
    Pick<
      Stream,
      | 'name'
      | 'rate'
      | 'retry_for_ms'
      | 'sending_allowance'
      | 'headers'
      | 'brand'
      | 'unsubscribe'
      | 'store_content'
      | 'archived_at'
      | 'track_opens'
      | 'track_links'
      | keyof RetentionDays
      | keyof GuardColumns
    >
  >
  /** Changed addresses and the MX host, for an inbound stream only. */
  readonly inbound?: Partial<StreamAddresses> & Pick<StreamAddresses, 'mx'>
  /** `updated_at` of the only version to change; any version if undefined. */
  readonly seen?: number | undefined
  readonly now: number
}

export type ChangedStream =
  | { readonly kind: 'changed'; readonly stream: Stream }
  | { readonly kind: 'other_version' }
  | AddressTaken

/**
 * Changes streams; returns each changed stream, `other_version` for a stream with another `updated_at` than `seen`, or
 * undefined if the owner has no stream with this alias.
 */
export async function changeStream(
  db: Database,
  items: readonly ChangeStream[],
): Promise<(ChangedStream | undefined)[]> {
  const results: (ChangedStream | undefined)[] = []
  for (const item of items) results.push(await changeOne(db, item))
  return results
}
changeStream.auditTarget = ({ alias }: { readonly alias: string }): string => alias

async function changeOne(
  db: Database,
  { accountId, domainId, alias, changes, inbound, seen, now }: ChangeStream,
): Promise<ChangedStream | undefined> {
  const owner = { accountId, domainId }
  const addresses = inbound?.addresses
  if (addresses !== undefined) await lockWorkspace(db, domainId)
  const before = await lockStream(db, owner, alias)
  if (before === undefined) return undefined
  if (!isSeen(before, seen)) return { kind: 'other_version' }
  const taken = addresses && (await setInboundAddresses(db, { ...owner, alias, addresses }))
  if (taken !== undefined) return { kind: 'address_taken', taken }
  const changed = { ...changes, updated_at: Math.max(now, before.updated_at + 1) }
  await db
    .updateTable('streams')
    .set(changed)
    .where('domain_id', '=', domainId)
    .where('account_id', '=', accountId)
    .where('alias', '=', alias)
    .execute()
  await markWorkspaceChanged(db, now)
  if (inbound !== undefined) await fitInboundRecords(db, owner, inbound.mx)
  return { kind: 'changed', stream: { ...before, ...changed } }
}

/** Returns a stream, and locks its row until the transaction ends. */
async function lockStream(
  db: Database,
  { accountId, domainId }: Owner,
  alias: string,
): Promise<Stream | undefined> {
  const query = db
    .selectFrom('streams')
    .selectAll()
    .where('domain_id', '=', domainId)
    .where('account_id', '=', accountId)
    .where('alias', '=', alias)
  return (isPostgres(db) ? query.forUpdate() : query).executeTakeFirst()
}

/** True if a stream has the version that a caller has seen; also true if the caller names no version. */
const isSeen = ({ updated_at }: Stream, seen: number | undefined): boolean =>
  seen === undefined || updated_at === seen

export type RemovedStream = 'deleted' | 'archived' | 'not_found' | 'other_version'

/**
 * Deletes streams that never had a message, and archives all other streams; keeps a stream with another `updated_at`
 * than `seen`.
 */
export async function removeStream(
  db: Database,
  items: readonly (Owner & {
    readonly alias: string
    readonly mx: InboundMx
    readonly seen?: number | undefined
    readonly now: number
  })[],
): Promise<RemovedStream[]> {
  const results: RemovedStream[] = []
  for (const { accountId, domainId, alias, mx, seen, now } of items) {
    const owner = { accountId, domainId }
    await lockWorkspace(db, domainId)
    const before = await lockStream(db, owner, alias)
    if (before === undefined || !isSeen(before, seen)) {
      results.push(before === undefined ? 'not_found' : 'other_version')
      continue
    }
    if (before.used === 1) {
      await changeOne(db, { ...owner, alias, changes: { archived_at: now }, inbound: { mx }, now })
      results.push('archived')
      continue
    }
    await db
      .deleteFrom('streams')
      .where('domain_id', '=', domainId)
      .where('account_id', '=', accountId)
      .where('alias', '=', alias)
      .execute()
    await setInboundAddresses(db, { ...owner, alias, addresses: [] })
    await fitInboundRecords(db, owner, mx)
    await markWorkspaceChanged(db, now)
    results.push('deleted')
  }
  return results
}
removeStream.auditTarget = ({ alias }: { readonly alias: string }): string => alias

/** Returns all streams of a domain, including archived streams, newest first. */
export const listStreams = (read: Read | Database, { accountId, domainId }: Owner): Promise<Stream[]> =>
  (read as Read)
    .selectFrom('streams')
    .selectAll()
    .where('domain_id', '=', domainId)
    .where('account_id', '=', accountId)
    .orderBy('created_at', 'desc')
    .orderBy('alias')
    .execute()

/** A stream with the properties of its domain that affect messages. */
export interface FoundStream {
  readonly stream: Stream
  /** True if the last check found the domain's DMARC record. */
  readonly dmarcFound: boolean
  readonly tracking: Pick<Tables['domains'], 'track_opens' | 'track_links'> & {
    readonly record: TrackingRecord | undefined
  }
  /** Settings of the domain for the check of messages. */
  readonly guard: GuardColumns
}

/** Returns the stream with this alias; undefined if the owner has no such stream. */
export async function findStream(
  read: Read,
  { accountId, domainId }: Owner,
  alias: string,
): Promise<FoundStream | undefined> {
  const stream = await read
    .selectFrom('streams')
    .selectAll()
    .where('domain_id', '=', domainId)
    .where('account_id', '=', accountId)
    .where('alias', '=', legalText(alias))
    .executeTakeFirst()
  if (stream === undefined) return undefined
  const rows = await read
    .selectFrom('domains')
    .leftJoin('domain_records', (join) =>
      join
        .onRef('domain_records.domain_id', '=', 'domains.id')
        .on('domain_records.purpose', 'in', ['dmarc', 'tracking']),
    )
    .select(['track_opens', 'track_links', 'guard', 'ignored_findings', 'purpose', 'domain_records.status'])
    .select(['domain_records.name', 'domain_records.value'])
    .where('domains.id', '=', domainId)
    .execute()
  const [{ track_opens, track_links, guard, ignored_findings } = NOTHING_SET] = rows
  const recordOf = (wanted: RecordPurpose) => rows.find(({ purpose }) => purpose === wanted)
  return {
    stream,
    dmarcFound: recordOf('dmarc')?.status === 'found',
    tracking: {
      ...{ track_opens, track_links },
      record: recordOf('tracking') as TrackingRecord | undefined,
    },
    guard: { guard, ignored_findings },
  }
}

const NOTHING_SET = { track_opens: 0, track_links: 0, ...NO_GUARD } as const
