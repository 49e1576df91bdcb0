// POST /v1/bulk: sends one message to up to 100,000 rows, given as JSON lines or CSV.

import { createHash } from 'node:crypto'
import type { Static } from 'typebox'
import type { BulkSending } from '../../bulk/bulk-sending.ts'
import type { GivenContent } from '../../bulk/given-bulk.ts'
import { hashOfBody } from '../../http/body-hash.ts'
import { BodyBytes, otherBodyWanted } from '../../http/body-rule.ts'
import { nulProblems } from '../../http/filters.ts'
import { readJsonBody } from '../../http/json-body.ts'
import { requestProblemsOf } from '../../http/shape.ts'
import { parseWritten } from '../../lib/written-numbers.ts'
import { BULK_LIMITS, type BulkMessage } from '../../model/bulk.ts'
import { updateWithJson } from '../../model/json-hash.ts'
import { type FieldProblem, invalidFields, Problem } from '../../model/problem.ts'
import { Pacer } from '../../threads/pacer.ts'
import { BULK_FILES, BulkAnswer, BulkMessageBody, NewBulkQuery } from '../contract/bulk.ts'
import { senderFrom } from '../domain-of-request.ts'
import { readIdempotencyKey } from '../messages/idempotency-key.ts'
import { defineRoute } from '../route.ts'
import { linesOf, rowsOfCsv, rowsOfLines } from './rows-in.ts'

type Query = Static<typeof NewBulkQuery>

export const sendBulk = (bulks: BulkSending, maxBytes: number) =>
  defineRoute({
    method: 'POST',
    url: '/v1/bulk',
    consequence: 'none',
    schema: {
      tags: ['Mail to many'],
      summary: 'Send one message to many',
      description: `Sends a template, or content in the request, to up to ${BULK_LIMITS.rows.toLocaleString('en-US')} rows. Every row becomes a separate message. In JSON lines (\`application/x-ndjson\`), the first line is the message, a send request without recipients; each further line is a row \`{ "to", "template_model", "metadata" }\`. With \`text/csv\`, or the first sheet of an XLSX workbook, the query contains the message; one column contains the addresses (\`email\` or a similar name), \`to_name\` contains display names, and \`metadata.…\` contains metadata. All other columns, and the column of addresses, are variables; \`order.number\` is a field of \`order\`. The response is sent when all rows are on stable storage. Invalid rows are refused one by one, and listed with their line under \`/rows\`. The rows do not count against the rate limit of the key.`,
      body: BulkMessageBody,
      bodies: BULK_FILES,
      querystring: NewBulkQuery,
      response: { 202: BulkAnswer },
    },
    refusals: [
      'malformed_request',
      'domain_not_permitted',
      'conflict',
      'body_too_large',
      'validation_failed',
    ],
    scope: 'messages:send',
    domains: 'from',
    once: 'handler',
    // The handler parses the JSON lines one by one.
    body: { kinds: ['csv', 'lines'], maxBytes, problems: 'handler' },
    audit: 'bulk.create',
    auditOf: 'people',
    async handler(request, reply) {
      const { query } = request
      const body = request.body instanceof BodyBytes ? request.body.bytes : request.body
      const problems = nulProblems(query)
      if (problems.length > 0) throw invalidFields(problems)
      const key = readIdempotencyKey(request.headers['idempotency-key'])
      if (typeof body !== 'string' && !Buffer.isBuffer(body)) throw otherBodyWanted(request)
      const given = typeof body === 'string' ? givenByCsv(body, query) : ofLines(body, query)
      const idempotency = key === undefined ? undefined : { key, bodyHash: await hashOf(body, query) }
      const { name = null } = query
      const sender = senderFrom(request, given.message.from)
      const accepted = await bulks.accept(sender, { ...given, name, idempotency })
      reply.code(202).header('location', `/v1/bulk/${accepted.bulk_id}`)
      return accepted
    },
  })

function ofLines(body: Buffer, { name: _, ...fields }: Query): GivenContent {
  const [elsewhere] = Object.keys(fields)
  if (elsewhere !== undefined) {
    const message = 'With JSON lines, the first line contains the message; move this field to the first line.'
    throw invalidFields([{ path: elsewhere, code: 'conflict', message }])
  }
  const lines = linesOf(body)
  const first = lines.next()
  if (first.done) {
    throw new Problem(
      'malformed_request',
      'The body is empty; the first line must be the message, and each further line a row.',
    )
  }
  const { bytes } = first.value
  if (bytes.length > BULK_LIMITS.messageBytes) {
    throw new Problem(
      'body_too_large',
      `The first line, which contains the message, has at most ${BULK_LIMITS.messageBytes} bytes.`,
    )
  }
  const { value, fieldNameProblems } = readJsonBody(bytes, { takesArray: false })
  return { ...messageOf(value, fieldNameProblems ?? []), rows: rowsOfLines(lines) }
}

/** Returns the message of a query, and the rows of a CSV. */
export function givenByCsv(body: string, { name: _, column, ...message }: Query): GivenContent {
  return { ...messageOf(message), rows: rowsOfCsv(body, column) }
}

/** Returns the message for all rows, and the problems of its shape. */
const messageOf = (
  value: object,
  fieldNameProblems: readonly FieldProblem[] = [],
): Omit<GivenContent, 'rows'> => ({
  message: value as BulkMessage,
  shapeProblems: [...fieldNameProblems, ...requestProblemsOf(BulkMessageBody, value)],
})

/**
 * Returns the hash of a request, which is equal only for a repetition of the request. The hash covers the parsed JSON
 * lines, or the bytes of a CSV.
 */
async function hashOf(body: string | Buffer, query: Query): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(query))
  if (typeof body === 'string') return hashOfBody(hash, body)
  for (const { bytes } of linesOf(body)) {
    await pacer.turn()
    await updateWithJson(hash, lineValue(bytes))
  }
  return hash.digest('hex')
}

/** Returns the parsed value of a line, or the text of the line if the line is not JSON. */
function lineValue(bytes: Buffer): unknown {
  const text = bytes.toString('utf8')
  try {
    return parseWritten(text)
  } catch {
    return text
  }
}

/** Pacer that pauses between lines, so that other requests get turns of the event loop. */
const pacer = new Pacer()
