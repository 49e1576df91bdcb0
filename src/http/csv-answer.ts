// A list as one CSV file, for a client that asks for CSV.

import type { FastifyReply, FastifyRequest } from 'fastify'

/** Returns whether the query asks for CSV; without a format in the query, whether `Accept` does. */
export const wantsCsv = ({ headers }: FastifyRequest, format: 'json' | 'csv' | undefined): boolean =>
  format === undefined ? /^\s*text\/csv\b/i.test(headers.accept ?? '') : format === 'csv'

/** Prepares the answer for a file that is sent as a stream. */
export function sendCsv(reply: FastifyReply, filename: string): void {
  reply
    .type('text/csv; charset=utf-8; header=present')
    .header('content-disposition', `attachment; filename="${filename}"`)
    // The schema of the JSON answer does not apply.
    .serializer(String)
}
