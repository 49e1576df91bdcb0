// Accepts rows of a bulk as messages; one transaction stores the messages and the state of the rows.

import type { Database } from '../database/dialect.ts'
import { findRows, updateRows } from '../database/rows.ts'
import { type HeldWork, updateHeld } from '../node/leased-work.ts'
import {
  type Accepted,
  type AcceptMessage,
  acceptMessage,
  type SuppressedRecipient,
  suppressedIn,
} from './accept-message.ts'

/** A row of a bulk that becomes a message. */
export interface RowMessage
  extends Pick<
    AcceptMessage,
    'message' | 'recipients' | 'counted' | 'streamRules' | 'detail' | 'messageIdHeader' | 'origin' | 'tags'
  > {
  readonly line: number
  /** End of this message's content, as an offset in `contents`. */
  readonly contentEnd: number
}

/** Rows of a bulk that are accepted under the lease of the bulk. */
export interface AcceptBulkRows extends HeldWork {
  readonly messages: readonly RowMessage[]
  /** Concatenated contents of all messages, each content a delta of the bulk's base content. */
  readonly contents: Uint8Array
  readonly refused: readonly {
    readonly line: number
    /** Problems of the row as JSON. */
    readonly refusal: string
  }[]
}

export type AcceptedRows =
  | {
      readonly kind: 'kept'
      /** Allowance that was too small to accept all rows. */
      readonly exhausted?: 'account' | 'stream'
      readonly accepted: number
      readonly suppressed: readonly SuppressedRecipient[]
    }
  /**
   * Nothing was written: another node holds the bulk, the bulk was cancelled, or a row was accepted or refused after
   * this node had read the row.
   */
  | { readonly kind: 'lost' }

/**
 * Accepts rows as messages, and records in the same commit which rows became messages. A repeated call accepts no row
 * twice.
 */
export async function acceptBulkRows(
  db: Database,
  items: readonly AcceptBulkRows[],
): Promise<AcceptedRows[]> {
  const results: AcceptedRows[] = []
  for (const item of items) results.push(await acceptPart(db, item))
  return results
}
acceptBulkRows.isJson = true
acceptBulkRows.bytesIn = 'contents'
acceptBulkRows.unaudited = true
acceptBulkRows.weightOf = ({ messages }: AcceptBulkRows): number => messages.length

async function acceptPart(
  db: Database,
  { accountId, id: bulk_id, lease, messages, contents, refused }: AcceptBulkRows,
): Promise<AcceptedRows> {
  if (!(await updateHeld(db, 'bulks', { accountId, id: bulk_id, lease }, { lease }))) return { kind: 'lost' }
  // An earlier commit of these rows with an unknown result may have been in progress when the rows were read. Holding
  // the lock on the bulk means that the earlier commit has ended.
  if (!(await arePending(db, bulk_id, [...messages, ...refused]))) return { kind: 'lost' }
  const accepted = await acceptMessage(db, withContents(messages, contents, bulk_id))
  const kept = messages.filter((_, index) => accepted[index]?.kind === 'accepted')
  await updateRows(
    db,
    'bulk_rows',
    ['bulk_id', 'line'],
    kept.map(({ line, message }) => ({ bulk_id, line, message_id: message.id, email: '' })),
    { clear: ['data'] },
  )
  await updateRows(
    db,
    'bulk_rows',
    ['bulk_id', 'line'],
    refused.map(({ line, refusal }) => ({ bulk_id, line, refusal })),
    { clear: ['data'] },
  )
  await db
    .updateTable('bulks')
    .set((eb) => ({
      accepted: eb('accepted', '+', kept.length),
      contents: eb('contents', '+', kept.length),
      refused: eb('refused', '+', refused.length),
    }))
    .where('account_id', '=', accountId)
    .where('id', '=', bulk_id)
    .execute()
  const exhausted = exhaustedOf(accepted)
  return {
    kind: 'kept',
    accepted: kept.length,
    suppressed: suppressedIn(accepted),
    ...(exhausted === undefined ? {} : { exhausted }),
  }
}

/** True if none of the rows was accepted or refused. */
async function arePending(
  db: Database,
  bulk_id: string,
  rows: readonly { readonly line: number }[],
): Promise<boolean> {
  const keys = rows.map(({ line }) => ({ bulk_id, line }))
  const found = await findRows(db, 'bulk_rows', ['bulk_id', 'line'], keys, ['message_id', 'refusal'])
  return found.every(({ message_id, refusal }) => message_id === null && refusal === null)
}

const exhaustedOf = (accepted: readonly Accepted[]): 'account' | 'stream' | undefined => {
  const refused = accepted.find(({ kind }) => kind === 'allowance_exhausted')
  return refused?.kind === 'allowance_exhausted' ? refused.of : undefined
}

function withContents(
  messages: readonly RowMessage[],
  contents: Uint8Array,
  bulkId: string,
): AcceptMessage[] {
  let start = 0
  return messages.map(({ contentEnd, line: _, ...message }) => {
    const content = contents.subarray(start, contentEnd)
    start = contentEnd
    return { ...message, format: 'json', content, bulkId, idempotency: undefined }
  })
}
