// POST /v1/verifications, GET /v1/verifications/{id} and …/results: many addresses at once.

import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { invalidFields, Problem } from '../../model/problem.ts'
import { type Read, reading } from '../../store/database/store.ts'
import {
  findVerification,
  listAnswers,
  type VerificationList,
} from '../../store/verification/verifications.ts'
import type { AddressLists } from '../../verification/address-lists.ts'
import { MAX_LISTED, readAddresses, resultsAsCsv } from '../../verification/csv.ts'
import { bodyProblems } from '../body.ts'
import { PageQuery } from '../contract/common.ts'
import { AddressList, ListAnswer, ListResults, ListView } from '../contract/verification.ts'
import { defineRoute, type RequestOf } from '../route.ts'
import { verifierOf } from './verification-key.ts'

const tags = ['Verification']
const params = Type.Object({ verification_id: Type.String({ maxLength: 100 }) })

type ListRequest = RequestOf<string, { body: typeof AddressList }, { kinds: 'csv'[] }>

/** Answers when the whole list is on stable storage. */
export const verifyList = (lists: AddressLists) =>
  defineRoute({
    method: 'POST',
    url: '/v1/verifications',
    schema: {
      tags,
      summary: 'Verify many addresses',
      description:
        'Accepts a JSON array of addresses, or `text/csv` with a column named `email`. Each address is verified once, and takes one credit when it is done. Without credits the list is paused until some are granted.',
      consumes: ['application/json', 'text/csv'],
      body: AddressList,
      response: { 202: ListAnswer },
    },
    refusals: [
      'malformed_request',
      'account_suspended',
      'verification_credits_exhausted',
      'body_too_large',
      'validation_failed',
    ],
    key: 'verification',
    // A CSV is looked at here.
    body: { kinds: ['csv'], maxBytes: 'content', problems: 'handler' },
    audit: 'verification.create',
    auditOf: 'people',
    async handler(request, reply) {
      const addresses = await addressesOf(request)
      const { accountId, id: keyId } = verifierOf(request)
      const verification_id = await lists.accept({ accountId, keyId }, addresses)
      reply.code(202).header('location', `/v1/verifications/${verification_id}`)
      return { verification_id }
    },
  })

async function addressesOf(request: ListRequest): Promise<string[]> {
  if (typeof request.body === 'string') return readAddresses(request.body)
  const problems = bodyProblems(request)
  if (problems.length > 0) throw invalidFields(problems)
  // Of a long list the schema's checks tell about the beginning only.
  const given = request.body
  if (given.length > MAX_LISTED) {
    throw invalidFields([{ path: '', code: 'too_many', message: `It must hold at most ${MAX_LISTED}.` }])
  }
  const wrong = given.findIndex((one) => typeof one !== 'string')
  if (wrong < 0) return given
  throw invalidFields([{ path: `[${wrong}]`, code: 'invalid_type', message: 'It must be a string.' }])
}

/** Endpoint for the progress of a list. */
export const showList = (read: Read) =>
  defineRoute({
    method: 'GET',
    url: '/v1/verifications/:verification_id',
    schema: {
      tags,
      summary: 'Retrieve the progress of an address list',
      params,
      response: { 200: ListView },
    },
    refusals: ['not_found'],
    key: 'verification',
    async handler(request) {
      return listView(await findList(read, request))
    },
  })

const ResultsQuery = Type.Object(
  {
    ...PageQuery,
    format: Type.Optional(
      Type.Enum(['json', 'csv'], {
        description: 'csv: all of them in one file; also what `Accept: text/csv` asks for',
      }),
    ),
  },
  { additionalProperties: false },
)

/** Positions for which there are results are read in steps of this. */
const CSV_PAGE = 1_000

/** Endpoint for the results of the addresses that are done by now, in the order of the list. */
export const showResults = (read: Read) =>
  defineRoute({
    method: 'GET',
    url: '/v1/verifications/:verification_id/results',
    schema: {
      tags,
      summary: 'Retrieve the results of an address list',
      description: 'Those that are done by now, in the order of the list: as JSON pages, or as one CSV file.',
      params,
      querystring: ResultsQuery,
      produces: ['application/json', 'text/csv'],
      response: { 200: ListResults },
    },
    refusals: ['malformed_request', 'validation_failed', 'not_found'],
    key: 'verification',
    async handler(request, reply) {
      const query = request.query
      const after = readCursor(query.cursor)
      const { account_id, id } = await findList(read, request)
      if (query.format === 'csv' || (query.format === undefined && wantsCsv(request))) {
        reply
          .type('text/csv; charset=utf-8; header=present')
          .header('content-disposition', `attachment; filename="${id}.csv"`)
          // Past the schema of the JSON answer.
          .serializer(String)
        return reply.send(resultsAsCsv(allAnswers(read, account_id, id)))
      }
      const limit = query.limit ?? 50
      const found = await reading(listAnswers(read, account_id, id, after, limit + 1))
      const page = found.slice(0, limit)
      return {
        data: page.map(({ answer }) => JSON.parse(answer ?? '{}')),
        next_cursor: found.length > limit ? String(page.at(-1)?.position) : null,
      }
    },
  })

const wantsCsv = ({ headers }: FastifyRequest): boolean => /^\s*text\/csv\b/i.test(headers.accept ?? '')

function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return -1
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor)
  throw new Problem(
    'malformed_request',
    'The cursor is not one that this list gave; leave it out to start from the beginning.',
  )
}

async function* allAnswers(read: Read, accountId: string, id: string): AsyncGenerator<object> {
  for (let after = -1; ; ) {
    const page = await listAnswers(read, accountId, id, after, CSV_PAGE)
    for (const { answer } of page) yield JSON.parse(answer ?? '{}')
    if (page.length < CSV_PAGE) return
    after = page.at(-1)?.position ?? after
  }
}

async function findList(
  read: Read,
  request: RequestOf<string, { params: typeof params }>,
): Promise<VerificationList> {
  const found = await reading(
    findVerification(read, verifierOf(request).accountId, request.params.verification_id),
  )
  if (found === undefined) throw new Problem('not_found', 'There is no address list with this ID.')
  return found
}

export function listView(list: VerificationList): Static<typeof ListView> {
  const { deliverable, undeliverable, risky, unknown } = list
  return {
    verification_id: list.id,
    status: list.status as Static<typeof ListView>['status'],
    total: list.total,
    duplicates: list.duplicates,
    done: deliverable + undeliverable + risky + unknown,
    results: { deliverable, undeliverable, risky, unknown },
    created_at: new Date(list.created_at).toISOString(),
    finished_at: list.finished_at === null ? null : new Date(list.finished_at).toISOString(),
  }
}
