// GET /v1/bulk/{bulk_id}/rows: returns the result of each row, as pages or as one CSV file.

import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { stringify } from 'csv-stringify'
import { type Static, Type } from 'typebox'
import { page } from '../../http/page.ts'
import { tableAttachment } from '../../http/table-attachment.ts'
import { type Holding, heldView } from '../../model/held.ts'
import type { FieldProblem } from '../../model/problem.ts'
import { isFinal } from '../../model/recipient.ts'
import { type BulkRowResult, isCancelled, listBulkResults } from '../../store/bulk/bulk-results.ts'
import type { Bulk } from '../../store/bulk/bulks.ts'
import { type Read, reading } from '../../store/database/store.ts'
import { readRecipients } from '../../store/messages/recipients.ts'
import { senderOfRequest } from '../caller.ts'
import { BulkRows, BulkRowsQuery, type BulkRowView } from '../contract/bulk.ts'
import { rowsInTurn } from '../file-rows.ts'
import { defineRoute } from '../route.ts'
import { requireBulk } from './view.ts'

type RowView = Static<typeof BulkRowView>

/** Number of rows that are read from the store at a time for a CSV. */
const CSV_PAGE = 1_000

export const listBulkRows = (read: Read) =>
  defineRoute({
    method: 'GET',
    url: '/v1/bulk/:bulk_id/rows',
    schema: {
      tags: ['Mail to many'],
      summary: 'List the rows of a bulk',
      description:
        'Returns the result of each row in the order of the file, as JSON pages or as one CSV file.',
      params: Type.Object({ bulk_id: Type.String({ maxLength: 100 }) }),
      querystring: BulkRowsQuery,
      produces: ['application/json', 'text/csv'],
      response: { 200: BulkRows },
    },
    refusals: ['malformed_request', 'validation_failed', 'not_found'],
    scope: 'messages:read',
    domains: 'one',
    async handler(request, reply) {
      const { query } = request
      const bulk = await requireBulk(read, senderOfRequest(request), request.params.bulk_id)
      const failures = query.failures ?? false
      if (query.format === 'csv') {
        reply
          .type('text/csv; charset=utf-8; header=present')
          .header('content-disposition', tableAttachment(bulk, failures ? 'failures' : 'rows'))
          // This serializer bypasses the response schema, which describes only JSON.
          .serializer(String)
        return asCsv(rowsInTurn(senderOfRequest(request).accountId, allRows(read, bulk, failures)))
      }
      return page<HeldRow, RowView>(
        query,
        (cursor) => /^\d{1,9}$/.test(cursor),
        (limit, cursor = '0') =>
          reading(listHeldRows(read, bulk, { after: Number(cursor), limit, failures })),
        ({ line }) => String(line),
        ({ held, ...row }) => ({
          ...rowView(row, bulk),
          ...(held === null ? {} : { held: heldView(held) }),
        }),
      )
    },
  })

interface HeldRow extends BulkRowResult {
  /** Reason why no attempt is made; null if the message of the row is final or will be attempted. */
  readonly held: Holding | null
}

/** Returns rows of a bulk as `listBulkResults` does, each with the hold of its message. */
async function listHeldRows(
  read: Read,
  bulk: Bulk,
  wanted: Parameters<typeof listBulkResults>[2],
): Promise<HeldRow[]> {
  const rows = await listBulkResults(read, bulk, wanted)
  const waiting = rows.flatMap(({ message_id: id, status }) =>
    id === null || status === null || isFinal(status) ? [] : [id],
  )
  const recipients = await readRecipients(read, waiting)
  const holds = new Map(recipients.map(({ message_id, held }) => [message_id, held]))
  return rows.map((row) => ({ ...row, held: holds.get(row.message_id ?? '') ?? null }))
}

function rowView(row: BulkRowResult, bulk: Bulk): RowView {
  return {
    line: row.line,
    to: row.email,
    status: row.status ?? statusWithoutMessage(row, bulk),
    message_id: row.message_id,
    reason: reasonOf(row),
  }
}

function statusWithoutMessage({ refusal, message_id }: BulkRowResult, bulk: Bulk): RowView['status'] {
  if (refusal !== null) return 'refused'
  if (message_id !== null) return 'removed'
  return isCancelled(bulk) ? 'cancelled' : 'waiting'
}

function reasonOf({ refusal, smtp_code, smtp_response }: BulkRowResult): string | null {
  if (refusal === null) return smtp_response === null ? null : `${smtp_code} ${smtp_response}`
  const problems: readonly FieldProblem[] = JSON.parse(refusal)
  return problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join(' ')
}

async function* allRows(read: Read, bulk: Bulk, failures: boolean): AsyncGenerator<RowView> {
  for (let after = 0; ; ) {
    const rows = await listBulkResults(read, bulk, { after, limit: CSV_PAGE, failures })
    for (const row of rows) yield rowView(row, bulk)
    if (rows.length < CSV_PAGE) return
    after = rows.at(-1)?.line ?? after
  }
}

/** Returns rows as CSV with a header line. Cells that a spreadsheet would read as formulas are escaped. */
function asCsv(rows: AsyncIterable<RowView>): Readable {
  const columns: (keyof RowView)[] = ['line', 'to', 'status', 'message_id', 'reason']
  const writer = stringify({ header: true, columns, escape_formulas: true })
  // An error ends the stream early, so that the client notices the error.
  pipeline(Readable.from(rows), writer).catch(() => {})
  return writer
}
