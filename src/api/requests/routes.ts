// GET /v1/requests: API requests made with the account's keys, including refused requests.

import { readTime } from '../../http/filters.ts'
import { wrongCursor } from '../../http/page.ts'
import { isId } from '../../lib/ids.ts'
import { type FieldProblem, invalidFields } from '../../model/problem.ts'
import { namedKeys } from '../../store/access/key-reads.ts'
import type { Key } from '../../store/access/keys.ts'
import { listRequests, type RequestRow } from '../../store/access/request-log.ts'
import { type Read, reading } from '../../store/database/store.ts'
import { callerOf } from '../caller.ts'
import { RequestListView, RequestQuery, type RequestView } from '../contract/request.ts'
import { defineRoute } from '../route.ts'

const viewOf = ({ id, account_id: _, at, problems, ignored, ...row }: RequestRow): RequestView => ({
  request_log_id: id,
  at: new Date(Number(at)).toISOString(),
  ...row,
  problems: problems === null ? [] : JSON.parse(problems),
  ignored: ignored === null ? [] : JSON.parse(ignored),
})

const keyOf = ({ id, kind, name, last4, revoked_at }: Key): RequestListView['keys'][number] => ({
  ...{ key_id: id, kind, name, last4, revoked: revoked_at !== null },
})

export const listOfRequests = ({ read }: { readonly read: Read }) =>
  defineRoute({
    method: 'GET',
    url: '/v1/requests',
    schema: {
      tags: ['Account'],
      summary: 'List the request log',
      description:
        'Requests of the keys of the account, newest first, including refused requests, and the refusals of SMTP credentials by SMTP. A key of some domains lists the requests in these domains.',
      querystring: RequestQuery,
      response: { 200: RequestListView },
    },
    refusals: ['malformed_request', 'validation_failed'],
    scope: 'requests:read',
    async handler(request): Promise<RequestListView> {
      const { key_id: keyId, domain_id: domainId, limit = 50, cursor, ...filter } = request.query
      const problems: FieldProblem[] = []
      const after = readTime('after', filter.after, problems)
      const before = readTime('before', filter.before, problems)
      if (problems.length > 0) throw invalidFields(problems)
      if (cursor !== undefined && !isId('rql', cursor)) throw wrongCursor()
      const { accountId, domains } = callerOf(request)
      const within = domains === null ? undefined : [...domains]
      const query = { ...filter, keyId, domainId, after, before, within }
      const { rows, next } = await reading(listRequests(read, accountId, query, { limit, cursor }))
      const used = new Set(rows.map(({ key_id }) => key_id))
      const keys = await reading(namedKeys(read, accountId, [...used]))
      const shown = domains === null ? keys : keys.filter(({ id }) => used.has(id))
      return { data: rows.map(viewOf), next_cursor: next, keys: shown.map(keyOf) }
    },
  })
