// A list as one CSV file, where a client asks for it.

import type { FastifyReply, FastifyRequest } from 'fastify'

/** True if the query says so, or `Accept` where it says nothing. */
export const wantsCsv = ({ headers }: FastifyRequest, format: 'json' | 'csv' | undefined): boolean =>
  format === undefined ? /^\s*text\/csv\b/i.test(headers.accept ?? '') : format === 'csv'

/** Prepares the answer for a file that is sent as a stream. */
export function sendCsv(reply: FastifyReply, filename: string): void {
  reply
    .type('text/csv; charset=utf-8; header=present')
    .header('content-disposition', `attachment; filename="${filename}"`)
    // Past the schema of the JSON answer.
    .serializer(String)
}
