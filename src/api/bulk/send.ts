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
      description: `Sends a template, or content of its own, to up to ${BULK_LIMITS.rows} rows. As JSON lines (\`application/x-ndjson\`) the first line is the message, a send request without recipients, and each further line a row \`{ "to", "template_model", "metadata" }\`. As \`text/csv\`, or the first sheet of an XLSX workbook, the message is in the query; a column has the addresses (\`email\` or similar), \`to_name\` display names, \`metadata.…\` metadata, and all others are variables (\`order.number\` is a field of \`order\`), as the addresses are. Every row becomes a message of its own. Answers when all rows are on stable storage; rows that cannot be sent to are refused one by one, with their line, under \`/rows\`. The rows do not count against the rate limit of the key.`,
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
    // The handler parses the JSON lines one after the other.
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
    const message = 'With JSON lines the message is the first line; put it there.'
    throw invalidFields([{ path: elsewhere, code: 'conflict', message }])
  }
  const lines = linesOf(body)
  const first = lines.next()
  if (first.done) {
    throw new Problem(
      'malformed_request',
      'The body is empty: its first line is the message, the others are rows.',
    )
  }
  const { bytes } = first.value
  if (bytes.length > BULK_LIMITS.messageBytes) {
    throw new Problem(
      'body_too_large',
      `The first line, the message of all rows, has at most ${BULK_LIMITS.messageBytes} bytes.`,
    )
  }
  const { value, fieldNameProblems } = readJsonBody(bytes, { takesArray: false })
  return { ...messageOf(value, fieldNameProblems ?? []), rows: rowsOfLines(lines) }
}

/** Returns the message of a query, and the rows of a CSV. */
export function givenByCsv(body: string, { name: _, column, ...message }: Query): GivenContent {
  return { ...messageOf(message), rows: rowsOfCsv(body, column) }
}

/** Returns the message for all rows, and the problems of the message's shape. */
const messageOf = (
  value: object,
  fieldNameProblems: readonly FieldProblem[] = [],
): Omit<GivenContent, 'rows'> => ({
  message: value as BulkMessage,
  shapeProblems: [...fieldNameProblems, ...requestProblemsOf(BulkMessageBody, value)],
})

/**
 * Returns the hash that distinguishes a repeated request from another request, calculated from the parsed JSON lines or
 * from the bytes of a CSV.
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

/** Returns the parsed value of a line; the text of a line that is not JSON. */
function lineValue(bytes: Buffer): unknown {
  const text = bytes.toString('utf8')
  try {
    return parseWritten(text)
  } catch {
    return text
  }
}

/** Pacer that pauses between lines for turns of the event loop. */
const pacer = new Pacer()
