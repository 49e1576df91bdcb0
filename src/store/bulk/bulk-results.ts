// Results of the rows of a bulk: a refusal, or a message and its status.

import { sql } from 'kysely'
import { inAnyCase } from '../../model/address.ts'
import type { RecipientStatus } from '../../model/recipient.ts'
import type { Read } from '../database/dialect.ts'
import type { Owner } from '../messages/owner.ts'
import type { Bulk } from './bulks.ts'

/** Result of one row of a bulk. */
export interface BulkRowResult {
  readonly line: number
  /** Address of the recipient; empty if the message was removed. */
  readonly email: string
  readonly message_id: string | null
  /** Problems of a refused row as JSON. */
  readonly refusal: string | null
  /** Status of the message's recipient; null for a row without a message. */
  readonly status: RecipientStatus | null
  readonly smtp_code: number | null
  readonly smtp_response: string | null
}

/** Final statuses of recipients to whom the message was not delivered. */
const FAILED = ['bounced', 'failed', 'suppressed', 'cancelled'] as const

/** True if the remaining rows of a bulk will not become messages. */
export const isCancelled = ({ status }: Pick<Bulk, 'status'>): boolean =>
  status === 'cancelling' || status === 'cancelled'

/**
 * Returns rows of a bulk after a line, in order of their lines; only refused, cancelled and undelivered rows if
 * `failures` is true.
 */
export function listBulkResults(
  read: Read,
  bulk: Pick<Bulk, 'id' | 'status'>,
  { after, limit, failures }: { readonly after: number; readonly limit: number; readonly failures: boolean },
): Promise<BulkRowResult[]> {
  return read
    .selectFrom('bulk_rows')
    .leftJoin('recipients', (join) =>
      join.onRef('recipients.message_id', '=', 'bulk_rows.message_id').on('recipients.position', '=', 0),
    )
    .select(['bulk_rows.line', 'bulk_rows.message_id', 'bulk_rows.refusal'])
    .select(({ fn }) => fn.coalesce('recipients.email', 'bulk_rows.email').as('email'))
    .select(['recipients.status', 'recipients.smtp_code', 'recipients.smtp_response'])
    .where('bulk_rows.bulk_id', '=', bulk.id)
    .where('bulk_rows.line', '>', after)
    .$if(failures, (query) =>
      query.where((eb) =>
        eb.or([
          eb('bulk_rows.refusal', 'is not', null),
          eb('recipients.status', 'in', [...FAILED]),
          ...(isCancelled(bulk) ? [eb('bulk_rows.message_id', 'is', null)] : []),
        ]),
      ),
    )
    .orderBy('bulk_rows.line')
    .limit(limit)
    .execute()
}

/** Returns the number of messages of a bulk by the status of their recipient. */
export async function countBulkRecipients(
  read: Read,
  bulkId: string,
): Promise<ReadonlyMap<RecipientStatus, number>> {
  const rows = await read
    .selectFrom('bulk_rows')
    .innerJoin('recipients', 'recipients.message_id', 'bulk_rows.message_id')
    .select((eb) => ['recipients.status', eb.fn.countAll<number>().as('count')])
    .where('bulk_rows.bulk_id', '=', bulkId)
    .where('recipients.position', '=', 0)
    .groupBy('recipients.status')
    .execute()
  return new Map(rows.map(({ status, count }) => [status, Number(count)]))
}

/** A row of a bulk that has not become a message, with its bulk. */
export interface RowWithoutMessage
  extends Pick<Bulk, 'status' | 'problem' | 'name' | 'stream' | 'created_at'> {
  readonly bulk_id: string
  readonly domain_id: string
  readonly line: number
  /** Problems of a refused row as JSON; null for a row that waits or belongs to a cancelled bulk. */
  readonly refusal: string | null
}

/** Maximum number of rows with an address that are read, in bulks of all accounts. */
const MAX_ROWS_OF_ADDRESS = 1_000

/** Returns the rows without a message for an address in these domains, of the newest bulks first. */
export function rowsWithoutMessageFor(
  read: Read,
  { accountId, domainIds }: Pick<Owner, 'accountId'> & { readonly domainIds: readonly string[] },
  email: string,
  limit: number,
): Promise<RowWithoutMessage[]> {
  if (domainIds.length === 0) return Promise.resolve([])
  const rows = read
    .selectFrom('bulk_rows')
    .select(['bulk_id', 'line', 'refusal', 'account_id', 'domain_id'])
    .where(sql<boolean>`lower(email) = ${inAnyCase(email)}`)
    .limit(MAX_ROWS_OF_ADDRESS)
    .as('found')
  return read
    .selectFrom(rows)
    .innerJoin('bulks', (join) =>
      join.onRef('bulks.account_id', '=', 'found.account_id').onRef('bulks.id', '=', 'found.bulk_id'),
    )
    .select(['found.bulk_id', 'found.line', 'found.refusal', 'found.domain_id'])
    .select(['bulks.status', 'bulks.problem', 'bulks.name', 'bulks.stream', 'bulks.created_at'])
    .where('found.account_id', '=', accountId)
    .where('found.domain_id', 'in', domainIds)
    .orderBy('found.bulk_id', 'desc')
    .limit(limit)
    .execute()
}
