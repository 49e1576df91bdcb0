// GET /api/requests: API requests made with the account's keys, including refused requests.

import { readTime } from '../../../http/filters.ts'
import { wrongCursor } from '../../../http/page.ts'
import { isId } from '../../../lib/ids.ts'
import { type FieldProblem, invalidFields } from '../../../model/problem.ts'
import { type Key, namedKeys } from '../../../store/access/keys.ts'
import { listRequests, type RequestRow } from '../../../store/access/request-log.ts'
import { reading } from '../../../store/database/store.ts'
import { RequestListView, RequestQuery, type RequestView } from '../../contract/dashboard-requests.ts'
import { defineDashboardRoute, sessionOf } from '../route.ts'
import type { DashboardServices } from '../services.ts'

const viewOf = ({ id, account_id: _, at, problems, ...row }: RequestRow): RequestView => ({
  request_log_id: id,
  at: new Date(Number(at)).toISOString(),
  ...row,
  problems: problems === null ? [] : JSON.parse(problems),
})

const keyOf = ({ id, kind, name, last4, revoked_at }: Key): RequestListView['keys'][number] => ({
  ...{ key_id: id, kind, name, last4, revoked: revoked_at !== null },
})

export const listOfRequests = ({ read }: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/requests',
    role: 'viewer',
    schema: { querystring: RequestQuery, response: { 200: RequestListView } },
    async handler(request): Promise<RequestListView> {
      const { key_id: keyId, domain_id: domainId, limit = 50, cursor, ...filter } = request.query
      const problems: FieldProblem[] = []
      const after = readTime('after', filter.after, problems)
      const before = readTime('before', filter.before, problems)
      if (problems.length > 0) throw invalidFields(problems)
      if (cursor !== undefined && !isId('rql', cursor)) throw wrongCursor()
      const { account_id: accountId } = sessionOf(request)
      const query = { ...filter, keyId, domainId, after, before }
      const { rows, next } = await reading(listRequests(read, accountId, query, { limit, cursor }))
      const used = [...new Set(rows.map(({ key_id }) => key_id))]
      const keys = await reading(namedKeys(read, accountId, used))
      return { data: rows.map(viewOf), next_cursor: next, keys: keys.map(keyOf) }
    },
  })
