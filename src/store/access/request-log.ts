// Log of the API requests of each account, with the key of each request; entries are kept for some days.

import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import { beforeIdsOf } from '../../lib/ids.ts'
import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'

export type RequestRow = Tables['request_log']

/** A recipient of a refused request, or of a refused message of an accepted request. */
export type RefusedRecipient = Pick<Tables['refused_recipients'], 'hash' | 'status' | 'code' | 'problems'>

/** An entry of the request log with the recipients to whom the request would have sent. */
export interface LoggedRequest extends RequestRow {
  /** Recipients with distinct hashes; only for a refusal to send. */
  readonly refused?: readonly RefusedRecipient[]
}

/** Writes entries of the request log; one item contains the entries of about a second. */
export async function recordRequests(
  db: Database,
  items: readonly { readonly rows: readonly LoggedRequest[] }[],
): Promise<true[]> {
  const all = items.flatMap(({ rows }) => rows)
  await insertRows(
    db,
    'request_log',
    all.map(({ refused: _, ...row }) => row),
  )
  await insertRows(
    db,
    'refused_recipients',
    all.flatMap(({ account_id, id: request_id, refused = [] }) =>
      refused.map((one) => ({ account_id, request_id, ...one })),
    ),
  )
  return items.map(() => true)
}
recordRequests.unaudited = true
recordRequests.isJson = true

/** Method of the entries of refused SMTP commands, whose status is the reply code. */
export const SMTP = 'SMTP'

/**
 * Outcome of a request by its HTTP status: `answered` below 400, `refused` for 4xx and every entry of SMTP, `failed` for
 * 5xx.
 */
type RequestOutcome = 'answered' | 'refused' | 'failed'

/** Optional conditions on an entry of the request log. */
export interface RequestFilter {
  readonly keyId?: string | undefined
  readonly domainId?: string | undefined
  /** IDs of the domains of the entries; undefined for all entries of the account. */
  readonly within?: readonly string[] | undefined
  readonly method?: string | undefined
  /** Prefix of the path. */
  readonly path?: string | undefined
  readonly outcome?: RequestOutcome | undefined
  /** Code of the problem document in the response. */
  readonly code?: string | undefined
  /** Start of the time range, inclusive, in milliseconds since the epoch. */
  readonly after?: number | undefined
  /** End of the time range, exclusive, in milliseconds since the epoch. */
  readonly before?: number | undefined
}

const STATUSES: Readonly<Record<RequestOutcome, readonly [from: number, to: number]>> = {
  answered: [100, 400],
  refused: [400, 500],
  failed: [500, 1_000],
}

/** Maximum number of entries that one call of `listRequests` reads. */
const MAX_LOOKED_AT = 10_000
/** Maximum difference between the time in the ID of an entry and the time of the entry itself. */
const SLACK_MS = 60_000

/** Entries of the request log, and the cursor of the next page; the cursor is null on the last page. */
export interface RequestPage {
  readonly rows: readonly RequestRow[]
  readonly next: string | null
}

/**
 * Returns the entries of an account before the ID `cursor` (if given), newest first. A page ends early, with a cursor
 * for the next page, if only few of very many entries match the filter.
 */
export async function listRequests(
  read: Read,
  accountId: string,
  filter: RequestFilter,
  { limit, cursor }: { readonly limit: number; readonly cursor: string | undefined },
): Promise<RequestPage> {
  const { after, before } = filter
  let looked = read.selectFrom('request_log').selectAll().where('account_id', '=', accountId)
  if (cursor !== undefined) looked = looked.where('id', '<', cursor)
  if (before !== undefined)
    looked = looked.where('id', '<', beforeIdsOf('rql', Math.max(0, before + SLACK_MS)))
  if (after !== undefined)
    looked = looked.where('id', '>=', beforeIdsOf('rql', Math.max(0, after - SLACK_MS)))
  const newest = looked.orderBy('id', 'desc').limit(MAX_LOOKED_AT).as('newest')
  const [rows, end] = await Promise.all([
    read
      .selectFrom(newest)
      .selectAll()
      .where((eb) => eb.and(conditionsOf(eb, filter)))
      .orderBy('id', 'desc')
      .limit(limit + 1)
      .execute(),
    read
      .selectFrom(newest)
      .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('id').as('last')])
      .executeTakeFirstOrThrow(),
  ])
  if (rows.length > limit) return { rows: rows.slice(0, limit), next: rows[limit - 1]?.id ?? null }
  return { rows, next: Number(end.count) < MAX_LOOKED_AT ? null : end.last }
}

function conditionsOf(
  eb: ExpressionBuilder<{ newest: RequestRow }, 'newest'>,
  { keyId, domainId, within, method, path, outcome, code, after, before }: RequestFilter,
): Expression<SqlBool>[] {
  const all: Expression<SqlBool>[] = []
  if (keyId !== undefined) all.push(eb('key_id', '=', keyId))
  if (domainId !== undefined) all.push(eb('domain_id', '=', domainId))
  if (within !== undefined) all.push(within.length === 0 ? eb.lit(false) : eb('domain_id', 'in', within))
  if (method !== undefined) all.push(eb('method', '=', method))
  if (path !== undefined) all.push(eb('path', '>=', path), eb('path', '<', `${path}\u{10ffff}`))
  if (outcome !== undefined) {
    const [from, to] = STATUSES[outcome]
    const ofHttp = eb.and([eb('status', '>=', from), eb('status', '<', to), eb('method', '!=', SMTP)])
    all.push(outcome === 'refused' ? eb.or([ofHttp, eb('method', '=', SMTP)]) : ofHttp)
  }
  if (code !== undefined) all.push(eb('code', '=', code))
  if (after !== undefined) all.push(eb('at', '>=', after))
  if (before !== undefined) all.push(eb('at', '<', before))
  return all
}

/** Columns that an entry of the request log and each of its refused messages share. */
const OF_ENTRY = [
  ...(['account_id', 'id', 'at', 'key_id', 'domain_id', 'method', 'path'] as const),
  ...(['problem_count', 'message_id', 'duration_ms', 'missed', 'ignored'] as const),
] as const

/**
 * Returns the newest refused requests of an account that would have sent to the address with this hash; for a refused
 * message of an accepted request with the status, the code and the problems of the message.
 */
export const refusedRequestsTo = (
  read: Read,
  accountId: string,
  hash: string,
  limit: number,
): Promise<RequestRow[]> =>
  read
    .selectFrom('refused_recipients as refused')
    .innerJoin('request_log', (join) =>
      join
        .onRef('request_log.account_id', '=', 'refused.account_id')
        .onRef('request_log.id', '=', 'refused.request_id'),
    )
    .select(OF_ENTRY.map((column) => `request_log.${column}` as const))
    .select(({ fn, ref }) => [
      fn.coalesce(ref('refused.status'), ref('request_log.status')).as('status'),
      fn.coalesce(ref('refused.code'), ref('request_log.code')).as('code'),
      fn.coalesce(ref('refused.problems'), ref('request_log.problems')).as('problems'),
    ])
    .where('refused.account_id', '=', accountId)
    .where('refused.hash', '=', hash)
    .orderBy('refused.request_id', 'desc')
    .limit(limit)
    .execute()
