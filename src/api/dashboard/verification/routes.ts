// /api/verification: the account's verifications of lists and single addresses.

import { type Static, Type } from 'typebox'
import { otherBodyWanted } from '../../../http/body-rule.ts'
import { sendCsv } from '../../../http/csv-answer.ts'
import { nulProblems } from '../../../http/filters.ts'
import { idCursor, page } from '../../../http/page.ts'
import { invalidFields } from '../../../model/problem.ts'
import { type Read, reading } from '../../../store/database/store.ts'
import {
  type CheckFilter,
  listChecks,
  type NamedCheck,
} from '../../../store/verification/verification-checks.ts'
import { listVerifications, readListQueue } from '../../../store/verification/verifications.ts'
import type { AddressLists } from '../../../verification/address-lists.ts'
import { type ResultRow, resultsAsCsv } from '../../../verification/csv.ts'
import { readAddressTable } from '../../../verification/table-in.ts'
import { PageQuery } from '../../contract/common.ts'
import {
  AddressTableView,
  CheckView,
  type DetailedVerification,
  ListView,
  RESULT_NAMES,
} from '../../contract/verification.ts'
import { rowsInTurn } from '../../file-rows.ts'
import { listView } from '../../verifications/view.ts'
import { type DashboardRoute, defineDashboardRoute, sessionOf } from '../route.ts'
import type { DashboardServices } from '../services.ts'

export const verificationRoutes = ({
  read,
  timeLeft,
  addressLists,
}: DashboardServices): readonly DashboardRoute[] => [
  defineDashboardRoute({
    method: 'GET',
    url: '/api/verification/verifications',
    role: 'viewer',
    schema: {
      querystring: Type.Object(PageQuery, { additionalProperties: false }),
      response: { 200: Type.Object({ data: Type.Array(ListView) }) },
    },
    async handler(request) {
      const { account_id: accountId } = sessionOf(request)
      const queue = await reading(readListQueue(read, accountId))
      return page(
        request.query,
        idCursor('ver'),
        (limit, cursor) => reading(listVerifications(read, accountId, limit, cursor)),
        (list) => list.id,
        (list) => listView(list, queue, timeLeft),
      )
    },
  }),
  checks(read),
  checkTable(addressLists),
]

const checkView = ({ id, answer, key_name, user_email, checked_at }: NamedCheck): CheckView => ({
  ...(JSON.parse(answer) as Static<typeof DetailedVerification>),
  ...{ check_id: id, by: user_email ?? key_name, checked_at: new Date(checked_at).toISOString() },
})

const ChecksQuery = Type.Object(
  {
    ...PageQuery,
    result: Type.Optional(Type.Enum([...RESULT_NAMES])),
    /** Part of the address. */
    text: Type.Optional(Type.String({ minLength: 1, maxLength: 320 })),
    format: Type.Optional(Type.Enum(['json', 'csv'])),
  },
  { additionalProperties: false },
)

/** Number of checks that are read from the store at a time for a CSV. */
const CSV_PAGE = 1_000

/** Endpoint that returns the verifications of single addresses, as pages or as one CSV file. */
const checks = (read: Read) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/verification/checks',
    role: 'viewer',
    schema: {
      querystring: ChecksQuery,
      response: { 200: Type.Object({ data: Type.Array(CheckView) }) },
    },
    async handler(request, reply) {
      const { account_id: accountId } = sessionOf(request)
      const { result, text, format, ...paging } = request.query
      const problems = nulProblems(request.query)
      if (problems.length > 0) throw invalidFields(problems)
      if (format === 'csv') {
        sendCsv(reply, 'checks.csv')
        const rows = rowsInTurn(accountId, allChecks(read, accountId, { result, text }))
        return resultsAsCsv(rows, ['checkedBy', 'checkedAt'])
      }
      return page(
        paging,
        idCursor('chk'),
        (limit, cursor) => reading(listChecks(read, accountId, { result, text }, limit, cursor)),
        ({ id }) => id,
        checkView,
      )
    },
  })

async function* allChecks(read: Read, accountId: string, filter: CheckFilter): AsyncGenerator<ResultRow> {
  for (let cursor: string | undefined; ; ) {
    const rows = await listChecks(read, accountId, filter, CSV_PAGE, cursor)
    for (const row of rows) {
      const { by, checked_at } = checkView(row)
      yield { answer: JSON.parse(row.answer), cells: [by ?? '', checked_at] }
    }
    if (rows.length < CSV_PAGE) return
    cursor = rows.at(-1)?.id
  }
}

/** Endpoint that reads a table of addresses without verifying them, so that the user sees the costs first. */
const checkTable = (lists: AddressLists) =>
  defineDashboardRoute({
    method: 'POST',
    url: '/api/verification/verifications/check',
    consequence: 'none',
    role: 'developer',
    effect: 'reads',
    body: { kinds: ['csv'], maxBytes: 'content', problems: 'handler' },
    schema: {
      querystring: Type.Object(
        { column: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })) },
        { additionalProperties: false },
      ),
      response: { 200: AddressTableView },
    },
    async handler(request): Promise<AddressTableView> {
      if (typeof request.body !== 'string') throw otherBodyWanted(request)
      const table = await readAddressTable(request.body, request.query.column)
      const { column, columns, rows } = table
      return {
        ...(await lists.summarize(table)),
        ...{ column, columns: [...columns] },
        first: rows.slice(0, SHOWN_ADDRESSES).map(({ email }) => email),
      }
    },
  })

/** Number of addresses that show the user whether the column is the right one. */
const SHOWN_ADDRESSES = 5
