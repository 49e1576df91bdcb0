// Reports of receivers: takes mail with reports, keeps what was read, and lists reports.

import { createHash } from 'node:crypto'
import { beforeIdsOf } from '../../lib/ids.ts'
import type { ReportKind } from '../../model/report.ts'
import { type Database, databaseMoment, isPostgres, type Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { keepObjectEvents } from '../events/object-events.ts'
import type { Owner } from '../messages/owner.ts'
import { isFree } from '../node/node-leases.ts'

export type StoredReport = Tables['reports']
export type StoredDmarcRow = Tables['dmarc_rows']

/** Maximum number of mails with reports that a domain gets in a day, and maximum number of bytes that it stores. */
const MAX_A_DAY = 2_000
const MAX_STORED_BYTES = 512 * 1024 * 1024
const DAY_MS = 86_400_000

/** A mail to the address for reports of a domain. */
export interface TakenReport {
  readonly id: string
  readonly owner: Owner
  readonly mailFrom: string
  readonly clientAddress: string
  readonly helo: string
  readonly raw: Uint8Array
  readonly now: number
}

/** Stores mails; the result is false for a domain that has too many reports. A later step reads the mails. */
export async function takeReport(db: Database, items: readonly TakenReport[]): Promise<boolean[]> {
  const results: boolean[] = []
  for (const item of items) {
    const fits = await hasRoom(db, item)
    if (fits) {
      const { id, owner, mailFrom: mail_from, clientAddress: client_address, helo, raw, now } = item
      await insertReport(
        db,
        {
          ...NOTHING,
          ...{ id, account_id: owner.accountId, domain_id: owner.domainId, state: 'received' as const },
          ...{ received_at: now, size: raw.length, mail_from, client_address, helo, authenticated: 0 },
        },
        raw,
      )
    }
    results.push(fits)
  }
  return results
}
takeReport.bytesIn = 'raw' as const
takeReport.unaudited = true

const NOTHING = {
  ...{ kind: null, submitter: '', external_id: '', begin_at: null, end_at: null, authenticated: null },
  ...{ messages: 0, failed: 0, warnings: '[]', detail: '{}', identity: null, duplicate_of: null },
  ...{ mail_from: '', client_address: '', helo: '', tries: 0, lease: null, lease_until: null },
} satisfies Partial<StoredReport>

async function hasRoom(db: Database, { owner, raw, now }: TakenReport): Promise<boolean> {
  const ofDomain = db
    .selectFrom('reports')
    .innerJoin('report_contents', 'report_contents.report_id', 'reports.id')
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      fn.sum<number | null>('reports.size').as('bytes'),
    ])
    .where('reports.domain_id', '=', owner.domainId)
  const today = await ofDomain.where('reports.id', '>', beforeIdsOf('rpt', now - DAY_MS)).executeTakeFirst()
  if (Number(today?.count ?? 0) >= MAX_A_DAY) return false
  const all = await ofDomain.executeTakeFirst()
  return Number(all?.bytes ?? 0) + raw.length <= MAX_STORED_BYTES
}

async function insertReport(db: Database, report: StoredReport, raw: Uint8Array): Promise<void> {
  await insertRows(db, 'reports', [report])
  const { id: report_id, account_id, domain_id } = report
  await insertRows(db, 'report_contents', [{ report_id, account_id, domain_id, raw }])
}

/** A mail with a report that a node reads. */
export type ClaimedReport = Pick<
  StoredReport,
  | 'id'
  | 'account_id'
  | 'domain_id'
  | 'mail_from'
  | 'client_address'
  | 'helo'
  | 'tries'
  | 'size'
  | 'received_at'
>

export interface ClaimReports {
  readonly lease: string
  readonly limit: number
  readonly now: number
  /** Time at which the claim ends unless the claim is renewed. */
  readonly until: number
}

/** Claims unread reports for a limited time, oldest first. */
export async function claimReports(db: Database, items: readonly ClaimReports[]): Promise<ClaimedReport[][]> {
  const results: ClaimedReport[][] = []
  for (const { lease, limit, now, until } of items) {
    let free = db
      .selectFrom('reports')
      .select('id')
      .where('state', '=', 'received')
      .where(isFree(db, now))
      .orderBy('tries')
      .orderBy('id')
      .limit(limit)
    if (isPostgres(db)) free = free.forUpdate().skipLocked()
    const ids = (await free.execute()).map(({ id }) => id)
    results.push(ids.length === 0 ? [] : await claim(db, ids, lease, until))
  }
  return results
}
claimReports.unaudited = true

const claim = (
  db: Database,
  ids: readonly string[],
  lease: string,
  until: number,
): Promise<ClaimedReport[]> =>
  db
    .updateTable('reports')
    .set((eb) => ({ lease, lease_until: databaseMoment(db, until), tries: eb('tries', '+', 1) }))
    .where('id', 'in', ids)
    .returning([
      ...(['id', 'account_id', 'domain_id', 'mail_from', 'client_address', 'helo'] as const),
      ...(['tries', 'size', 'received_at'] as const),
    ])
    .execute()

/** Reports that one holder has claimed. */
export interface HeldReports {
  readonly lease: string
  readonly ids: readonly string[]
}

/** Extends claims, or ends them if `until` is null; returns the IDs that the holder still held. */
export async function renewReports(
  db: Database,
  items: readonly (HeldReports & { readonly until: number | null })[],
): Promise<string[][]> {
  const results: string[][] = []
  for (const { lease, ids, until } of items) {
    const held = await db
      .updateTable('reports')
      .set(
        until === null
          ? { lease: null, lease_until: null }
          : { lease, lease_until: databaseMoment(db, until) },
      )
      .where('state', '=', 'received')
      .where('lease', '=', lease)
      .where('id', 'in', ids.length === 0 ? [''] : ids)
      .returning('id')
      .execute()
    results.push(held.map(({ id }) => id))
  }
  return results
}
renewReports.unaudited = true

/** Content of a report to store; `raw` is present for a report that is not stored yet. */
export interface KeepReport {
  readonly owner: Owner
  readonly report: Pick<StoredReport, 'id' | 'received_at' | 'size'> &
    Partial<
      Pick<
        StoredReport,
        'kind' | 'submitter' | 'external_id' | 'begin_at' | 'end_at' | 'authenticated' | 'messages' | 'failed'
      >
    > &
    Pick<StoredReport, 'state' | 'warnings' | 'detail'>
  /** Parts of the identity of the report; undefined for a report that is never repeated. */
  readonly identity: readonly (string | number)[] | undefined
  readonly rows: readonly Omit<StoredDmarcRow, 'domain_id' | 'account_id' | 'report_id' | 'position'>[]
  readonly raw: Uint8Array | undefined
}

/** Result of keeping a report: the report, or the first report with the same identity. */
export interface KeptReport {
  readonly report: StoredReport
  readonly isNew: boolean
}

/**
 * Keeps reports with their rows. A repeated report changes nothing if it was uploaded, and is kept without rows and
 * content if it came by mail. The result is undefined for a mail that another node has read.
 */
export async function keepReport(
  db: Database,
  items: readonly KeepReport[],
): Promise<(KeptReport | undefined)[]> {
  const results: (KeptReport | undefined)[] = []
  for (const item of items) results.push(await keepOne(db, item))
  return results
}
keepReport.bytesIn = 'raw' as const
keepReport.auditTarget = ({ report }: KeepReport): string => report.id

async function keepOne(db: Database, item: KeepReport): Promise<KeptReport | undefined> {
  const { owner, report, raw } = item
  const identity = item.identity && hashOf(item.identity)
  const first = identity === undefined ? undefined : await findByIdentity(db, owner, identity)
  if (raw === undefined) return keepTaken(db, item, identity, first)
  if (first !== undefined) return { report: first, isNew: false }
  const row: StoredReport = {
    ...NOTHING,
    ...report,
    ...{ account_id: owner.accountId, domain_id: owner.domainId, identity: identity ?? null },
  }
  await insertReport(db, row, raw)
  await addRows(db, item)
  await tellReceived(db, row)
  return { report: row, isNew: true }
}

async function keepTaken(
  db: Database,
  { owner, report: { id, ...read }, rows, ...item }: KeepReport,
  identity: string | undefined,
  first: StoredReport | undefined,
): Promise<KeptReport | undefined> {
  const isNew = first === undefined
  const [row] = await db
    .updateTable('reports')
    .set({
      ...read,
      ...{ identity: isNew ? (identity ?? null) : null, duplicate_of: first?.id ?? null },
      ...{ lease: null, lease_until: null },
    })
    .where('id', '=', id)
    .where('state', '=', 'received')
    .returningAll()
    .execute()
  if (row === undefined) return undefined
  if (isNew) {
    await addRows(db, { ...item, owner, rows, report: { id, ...read } })
    if (read.state === 'read') await tellReceived(db, row)
  } else await db.deleteFrom('report_contents').where('report_id', '=', id).execute()
  return { report: row, isNew }
}

async function addRows(db: Database, { owner, report, rows }: KeepReport): Promise<void> {
  if (rows.length === 0) return
  const ids = { domain_id: owner.domainId, account_id: owner.accountId, report_id: report.id }
  await insertRows(
    db,
    'dmarc_rows',
    rows.map((row, position) => ({ ...row, ...ids, position })),
  )
  const addresses = [...new Set(rows.map(({ address }) => address))].filter((address) => address !== '')
  await insertRows(
    db,
    'report_addresses',
    addresses.map((address) => ({ address, host: '', looked_at: null })),
    'on conflict do nothing',
  )
}

const tellReceived = (db: Database, row: StoredReport): Promise<void> =>
  keepObjectEvents(db, [
    {
      ...{ accountId: row.account_id, domainId: row.domain_id, type: 'report_received' as const },
      ...{ at: Number(row.received_at), objectId: row.id },
      detail: {
        ...{ report_id: row.id, kind: row.kind, submitter: row.submitter },
        ...{ messages: Number(row.messages), failed: Number(row.failed) },
      },
    },
  ])

const hashOf = (parts: readonly (string | number)[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url')

const findByIdentity = (
  db: Database,
  { domainId }: Owner,
  identity: string,
): Promise<StoredReport | undefined> =>
  db
    .selectFrom('reports')
    .selectAll()
    .where('domain_id', '=', domainId)
    .where('identity', '=', identity)
    .executeTakeFirst()

/** Filter of a list of reports; times in milliseconds since the epoch. */
export interface ReportFilter {
  readonly kind?: ReportKind | undefined
  readonly submitter?: string | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** Returns the reports of a domain, newest first; with `cursor`, only reports with lower IDs. */
export function listReports(
  read: Read,
  { accountId, domainId }: Owner,
  { kind, submitter, from, to }: ReportFilter,
  limit: number,
  cursor?: string,
): Promise<StoredReport[]> {
  let query = read
    .selectFrom('reports')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('domain_id', '=', domainId)
    .orderBy('id', 'desc')
    .limit(limit)
  if (cursor !== undefined) query = query.where('id', '<', cursor)
  if (kind !== undefined) query = query.where('kind', '=', kind)
  if (submitter !== undefined) query = query.where('submitter', '=', submitter)
  if (from !== undefined) query = query.where((eb) => eb(eb.fn.coalesce('end_at', 'received_at'), '>=', from))
  if (to !== undefined) query = query.where((eb) => eb(eb.fn.coalesce('begin_at', 'received_at'), '<', to))
  return query.execute()
}

export const findReport = (
  read: Read,
  { accountId, domainId }: Owner,
  id: string,
): Promise<StoredReport | undefined> =>
  read
    .selectFrom('reports')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('domain_id', '=', domainId)
    .executeTakeFirst()

/** Returns the file of a report as it was received; undefined once the file was removed. */
export async function findReportContent(read: Read, id: string): Promise<Uint8Array | undefined> {
  const row = await read
    .selectFrom('report_contents')
    .select('raw')
    .where('report_id', '=', id)
    .executeTakeFirst()
  return row?.raw
}

/** Returns the largest rows of a DMARC report. */
export const listRowsOfReport = (
  read: Read,
  { domain_id, id }: Pick<StoredReport, 'domain_id' | 'id'>,
  day: string,
  limit: number,
): Promise<StoredDmarcRow[]> =>
  read
    .selectFrom('dmarc_rows')
    .selectAll()
    .where('domain_id', '=', domain_id)
    .where('day', '=', day)
    .where('report_id', '=', id)
    .orderBy('messages', 'desc')
    .orderBy('position')
    .limit(limit)
    .execute()
