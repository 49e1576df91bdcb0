// Sends a list as one CSV file to a client that asks for CSV.

import type { FastifyReply, FastifyRequest } from 'fastify'

/** True if the query asks for CSV, or if the query contains no format and the `Accept` header asks for CSV. */
export const wantsCsv = ({ headers }: FastifyRequest, format: 'json' | 'csv' | undefined): boolean =>
  format === undefined ? /^\s*text\/csv\b/i.test(headers.accept ?? '') : format === 'csv'

/** Prepares a response with a CSV file that is sent as a stream. */
export function sendCsv(reply: FastifyReply, filename: string): void {
  reply
    .type('text/csv; charset=utf-8; header=present')
    .header('content-disposition', `attachment; filename="${filename}"`)
    // This serializer bypasses the response schema, which describes only JSON.
    .serializer(String)
}
