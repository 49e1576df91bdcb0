// GET /v1/suppressions: returns suppressed addresses, as pages or as one CSV file.

import { sendCsv, wantsCsv } from '../../http/csv-answer.ts'
import { addressBeginning, nulProblems, readTime } from '../../http/filters.ts'
import { isAddress, parseAddress } from '../../model/address.ts'
import { invalidFields } from '../../model/problem.ts'
import { type Read, reading } from '../../store/database/store.ts'
import type { Owner } from '../../store/messages/owner.ts'
import {
  listSuppressions as listStored,
  type SuppressionFilter,
} from '../../store/workspace/suppression-list.ts'
import type { Suppression } from '../../store/workspace/suppressions.ts'
import { suppressionsAsCsv, suppressionView } from '../../streams/suppression-csv.ts'
import { SuppressionList, SuppressionQuery } from '../contract/suppression.ts'
import { oneSenderOf } from '../domain-of-request.ts'
import { listById, pageOfDomains } from '../domain-pages.ts'
import { rowsInTurn } from '../file-rows.ts'
import { defineRoute } from '../route.ts'

/** Number of rows that are read from the store at a time for a file. */
const CSV_PAGE = 1_000

export const listSuppressions = (read: Read) =>
  defineRoute({
    method: 'GET',
    url: '/v1/suppressions',
    schema: {
      tags: ['Suppressions'],
      summary: 'List suppressions',
      querystring: SuppressionQuery,
      produces: ['application/json', 'text/csv'],
      response: { 200: SuppressionList },
    },
    refusals: ['malformed_request', 'validation_failed'],
    scope: 'suppressions:read',
    domains: 'all',
    async handler(request, reply) {
      const query = request.query
      const problems = nulProblems(query)
      const { stream, reason, origin } = query
      const filter = {
        ...{ stream, reason, origin },
        ...addressFilter(query.email),
        after: readTime('after', query.after, problems),
        before: readTime('before', query.before, problems),
      }
      if (problems.length > 0) throw invalidFields(problems)
      if (wantsCsv(request, query.format)) {
        const owner = oneSenderOf(request)
        sendCsv(reply, 'suppressions.csv')
        return suppressionsAsCsv(rowsInTurn(owner.accountId, all(read, owner, filter)))
      }
      return pageOfDomains(request, query, {
        ...listById('sup', (owner, limit, cursor) => reading(listStored(read, owner, filter, limit, cursor))),
        view: suppressionView,
      })
    },
  })

/** Returns a filter for a complete address, which an index can find, or for the prefix of an address. */
export function addressFilter(text: string | undefined): Pick<SuppressionFilter, 'email' | 'emailBegins'> {
  if (text === undefined) return {}
  const email = addressBeginning(text)
  return isAddress(parseAddress(email)) ? { email } : { emailBegins: email }
}

async function* all(read: Read, owner: Owner, filter: SuppressionFilter): AsyncGenerator<Suppression> {
  for (let cursor: string | undefined; ; ) {
    const rows = await listStored(read, owner, filter, CSV_PAGE, cursor)
    yield* rows
    if (rows.length < CSV_PAGE) return
    cursor = rows.at(-1)?.id
  }
}
