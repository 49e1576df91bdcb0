// GET /api/requests: requests that the account's keys made of the API, refused ones included.

import { listRequests, type RequestRow } from '../../../store/access/request-log.ts'
import { reading } from '../../../store/database/store.ts'
import { RequestListView, RequestQuery, type RequestView } from '../../contract/dashboard-requests.ts'
import { idCursor, page } from '../../page.ts'
import { defineDashboardRoute, sessionOf } from '../route.ts'
import type { DashboardServices } from '../services.ts'

const viewOf = ({ id, account_id: _, at, ...row }: RequestRow): RequestView => ({
  request_log_id: id,
  at: new Date(Number(at)).toISOString(),
  ...row,
})

export const listOfRequests = ({ read }: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/requests',
    role: 'viewer',
    schema: { querystring: RequestQuery, response: { 200: RequestListView } },
    handler(request) {
      const { key_id: keyId, refused } = request.query
      const { account_id: accountId } = sessionOf(request)
      return page(
        request.query,
        idCursor('rql'),
        (limit, cursor) => reading(listRequests(read, accountId, { keyId, refused }, limit, cursor)),
        ({ id }) => id,
        viewOf,
      )
    },
  })
