// POST /v1/verifications, GET /v1/verifications/{id} and …/results, POST …/cancel: verification of address lists.

import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { bodyProblems } from '../../http/body-rule.ts'
import { nulProblems } from '../../http/filters.ts'
import { wrongCursor } from '../../http/page.ts'
import { tableAttachment } from '../../http/table-attachment.ts'
import { invalidFields, Problem } from '../../model/problem.ts'
import { type Read, reading } from '../../store/database/store.ts'
import {
  findVerification,
  listAnswers,
  type ResultName,
  type VerificationList,
} from '../../store/verification/verifications.ts'
import { WORKBOOK_TYPE, writeWorkbook } from '../../tables/workbook-writer.ts'
import type { AddressLists } from '../../verification/address-lists.ts'
import { type AddressTable, type ResultRow, resultRows, resultsAsCsv } from '../../verification/csv.ts'
import { readAddressTable } from '../../verification/table-in.ts'
import { tableFiles } from '../contract/body-files.ts'
import { PageQuery } from '../contract/common.ts'
import { AddressList, ListAnswer, ListResults, ListView, RESULT_NAMES } from '../contract/verification.ts'
import { rowsInTurn } from '../file-rows.ts'
import { defineRoute, type RequestOf } from '../route.ts'
import { verifierOf } from './verification-key.ts'
import { columnsOf, type ListViewing, pendingDomains, viewOfList } from './view.ts'

const tags = ['Verification']
const params = Type.Object({ verification_id: Type.String({ maxLength: 100 }) })

const NewListQuery = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Name of the list, for example a file name',
      }),
    ),
    column: Type.Optional(
      Type.String({
        ...{ minLength: 1, maxLength: 200 },
        description: 'Table only: column of the addresses; required without a usual name such as `email`',
      }),
    ),
  },
  { additionalProperties: false },
)

type ListRequest = RequestOf<
  string,
  { body: typeof AddressList; querystring: typeof NewListQuery },
  { kinds: 'csv'[] }
>

/** Endpoint that accepts an address list, and responds when the whole list is on stable storage. */
export const verifyList = (lists: AddressLists) =>
  defineRoute({
    method: 'POST',
    url: '/v1/verifications',
    consequence: 'none',
    schema: {
      tags,
      summary: 'Verify many addresses',
      description:
        'Accepts a JSON array of addresses, `text/csv` (separated by commas, semicolons or tabs) or the first sheet of an XLSX workbook. A table contains a column named `email` or similar, or only addresses. The other columns, at most 499, are kept and included in the result files; a row with more cells than the first line makes the list invalid. Each address is verified once, and takes one credit when it is verified. Without credits the list is paused until the account has credits.',
      body: AddressList,
      bodies: {
        'application/json': AddressList,
        ...tableFiles('name,email\nAnn,ann@example.net\nBob,bob@example.org\n'),
      },
      querystring: NewListQuery,
      response: { 202: ListAnswer },
    },
    refusals: [
      'malformed_request',
      'account_suspended',
      'verification_credits_exhausted',
      'body_too_large',
      'validation_failed',
    ],
    scope: 'verifications:check',
    // The handler parses tables of addresses.
    body: { kinds: ['csv'], maxBytes: 'content', problems: 'handler' },
    audit: 'verification.create',
    auditOf: 'people',
    async handler(request, reply) {
      const { name = null } = request.query
      const problems = nulProblems(request.query)
      if (problems.length > 0) throw invalidFields(problems)
      const addresses = await addressesOf(request)
      const { accountId, id: keyId } = verifierOf(request)
      const verification_id = await lists.accept({ accountId, keyId }, addresses, name)
      reply.code(202).header('location', `/v1/verifications/${verification_id}`)
      return { verification_id }
    },
  })

async function addressesOf(request: ListRequest): Promise<AddressTable> {
  if (typeof request.body === 'string') return readAddressTable(request.body, request.query.column)
  const problems = bodyProblems(request)
  if (problems.length > 0) throw invalidFields(problems)
  return { columns: [], rows: request.body.map((email) => ({ email, cells: [] })) }
}

const ProgressQuery = Type.Object(
  {
    include: Type.Optional(
      Type.Enum(['pending_domains'], {
        description: 'pending_domains: adds the domains of the addresses that are verified next',
      }),
    ),
  },
  { additionalProperties: false },
)

/** Endpoint that returns the progress of an address list. */
export const showList = (views: ListViewing) =>
  defineRoute({
    method: 'GET',
    url: '/v1/verifications/:verification_id',
    schema: {
      tags,
      summary: 'Retrieve the progress of an address list',
      params,
      querystring: ProgressQuery,
      response: { 200: ListView },
    },
    refusals: ['validation_failed', 'not_found'],
    scope: 'verifications:read',
    async handler(request) {
      const list = await findList(views.read, request)
      const shown = await viewOfList(views, list)
      if (request.query.include === undefined) return shown
      return { ...shown, pending_domains: await pendingDomains(views.read, list) }
    },
  })

const ResultsQuery = Type.Object(
  {
    ...PageQuery,
    format: Type.Optional(
      Type.Enum(['json', 'csv', 'xlsx'], {
        description:
          'csv, xlsx: all results in one file; `Accept` with their media types has the same effect',
      }),
    ),
    result: Type.Optional(Type.Enum([...RESULT_NAMES], { description: 'Only addresses with this result' })),
    include: Type.Optional(
      Type.Enum(['cells'], { description: 'cells: adds the other cells of each row to JSON pages' }),
    ),
  },
  { additionalProperties: false },
)

/** Number of positions that are read from the store at a time for a file of results. */
const CSV_PAGE = 1_000

/** Endpoint that returns the available results of an address list, in the order of the list. */
export const showResults = (read: Read) =>
  defineRoute({
    method: 'GET',
    url: '/v1/verifications/:verification_id/results',
    schema: {
      tags,
      summary: 'Retrieve the results of an address list',
      description:
        'Returns the available results in the order of the list, as JSON pages or as one CSV or XLSX file.',
      params,
      querystring: ResultsQuery,
      produces: ['application/json', 'text/csv', WORKBOOK_TYPE],
      response: { 200: ListResults },
    },
    refusals: ['malformed_request', 'validation_failed', 'not_found'],
    scope: 'verifications:read',
    async handler(request, reply) {
      const query = request.query
      const after = readCursor(query.cursor)
      const list = await findList(read, request)
      const { account_id, id } = list
      const { result } = query
      const format = query.format ?? formatAccepted(request)
      if (format !== 'json') {
        const answers = rowsInTurn(list.account_id, allAnswers(read, list, result))
        const columns = columnsOf(list)
        reply
          .type(FILE_TYPES[format])
          .header('content-disposition', tableAttachment(list, result, format))
          // This serializer bypasses the response schema, which describes only JSON.
          .serializer(String)
        return format === 'csv' ? resultsAsCsv(answers, columns) : writeWorkbook(resultRows(answers, columns))
      }
      const limit = query.limit ?? 50
      const found = await reading(listAnswers(read, account_id, id, { after, limit: limit + 1, result }))
      const page = found.slice(0, limit)
      return {
        data: page.map(({ answer, cells }) => ({
          ...JSON.parse(answer ?? '{}'),
          ...(query.include === undefined ? {} : { cells: JSON.parse(cells ?? '[]') }),
        })),
        next_cursor: found.length > limit ? String(page.at(-1)?.position) : null,
      }
    },
  })

const FILE_TYPES = { csv: 'text/csv; charset=utf-8; header=present', xlsx: WORKBOOK_TYPE }

function formatAccepted({ headers }: FastifyRequest): 'json' | keyof typeof FILE_TYPES {
  const [accepted = ''] = (headers.accept ?? '')
    .trim()
    .toLowerCase()
    .split(/[;,\s]/, 1)
  return accepted === 'text/csv' ? 'csv' : accepted === WORKBOOK_TYPE ? 'xlsx' : 'json'
}

function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return -1
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor)
  throw wrongCursor()
}

async function* allAnswers(
  read: Read,
  { account_id: accountId, id }: VerificationList,
  result: ResultName | undefined,
): AsyncGenerator<ResultRow> {
  for (let after = -1; ; ) {
    const page = await listAnswers(read, accountId, id, { after, limit: CSV_PAGE, result })
    for (const { answer, cells } of page)
      yield { answer: JSON.parse(answer ?? '{}'), cells: JSON.parse(cells ?? '[]') }
    if (page.length < CSV_PAGE) return
    after = page.at(-1)?.position ?? after
  }
}

/** Endpoint that cancels an address list. Existing results are kept, and no more credits are taken. */
export const cancelList = (views: ListViewing, lists: AddressLists) =>
  defineRoute({
    method: 'POST',
    url: '/v1/verifications/:verification_id/cancel',
    consequence: 'none',
    schema: {
      tags,
      summary: 'Cancel an address list',
      description: 'Verified addresses keep their results. The other addresses take no credits.',
      params,
      response: { 200: ListView },
    },
    refusals: ['not_found', 'conflict'],
    scope: 'verifications:check',
    audit: 'verification.cancel',
    auditOf: 'people',
    async handler(request) {
      const { account_id: accountId, id } = await findList(views.read, request)
      if (!(await lists.cancel(accountId, id))) {
        throw new Problem('conflict', 'This address list has already ended.')
      }
      return viewOfList(views, await findList(views.read, request))
    },
  })

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
