// GET /v1/account-events and GET /v1/account-events/stream: the events of the caller's account.

import type { FastifyRequest } from 'fastify'
import { nulProblems, readTime } from '../../http/filters.ts'
import { wrongCursor } from '../../http/page.ts'
import { ACCOUNT_EVENT_TYPES, accountEventDocument } from '../../model/account-event.ts'
import { type FieldProblem, invalidFields } from '../../model/problem.ts'
import { type Read, reading } from '../../store/database/store.ts'
import {
  type AccountEventFilter,
  type AccountFeedEvent,
  followAccountEvents,
  listAccountEvents,
} from '../../store/events/account-feed.ts'
import { wholeAccount } from '../../store/messages/owner.ts'
import { isPosition } from '../../store/search/event-search.ts'
import { callerOf } from '../caller.ts'
import { AccountEventList, AccountEventQuery, AccountEventStreamQuery } from '../contract/account-event.ts'
import type { EventStreams } from '../events/event-streams.ts'
import { readTypes } from '../events/filter.ts'
import { sendStream } from '../events/stream.ts'
import { defineRoute } from '../route.ts'

const tags = ['Account events']

const FOLLOWING = [
  'Returns the events of the account and of its domains, keys, limits and lists, newest first. With `order=asc` a client',
  'can follow the events, as with `GET /v1/events`: `next_cursor` is never null, and the next request with the cursor',
  'returns the events since then, each once. A page may have fewer than `limit` events. A key of some domains gets the',
  'events of these domains and of the whole account. Events stay readable as long as records of messages are kept.',
].join(' ')

export const listOfAccountEvents = (read: Read) =>
  defineRoute({
    method: 'GET',
    url: '/v1/account-events',
    schema: {
      tags,
      summary: 'List or follow account events',
      description: FOLLOWING,
      querystring: AccountEventQuery,
      response: { 200: AccountEventList },
    },
    refusals: ['malformed_request', 'validation_failed'],
    scope: 'account:read',
    async handler(request) {
      const { order, limit = 50, cursor } = request.query
      const problems = nulProblems(request.query)
      const filter = filterOf(request, request.query, problems)
      if (problems.length > 0) throw invalidFields(problems)
      if (cursor !== undefined && !isPosition(cursor)) throw wrongCursor()
      const { domainId: feedId } = wholeAccount(callerOf(request).accountId)
      if (order === 'asc') {
        const from = { after: Number(cursor ?? 0), limit }
        const { events, position } = await reading(followAccountEvents(read, feedId, filter, from))
        return { data: events.map(accountEventDocument), next_cursor: String(position) }
      }
      const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor)
      const { events, next } = await reading(listAccountEvents(read, feedId, filter, { before, limit }))
      return { data: events.map(accountEventDocument), next_cursor: next === null ? null : String(next) }
    },
  })

export const streamAccountEvents = (streams: EventStreams) =>
  defineRoute({
    method: 'GET',
    url: '/v1/account-events/stream',
    schema: {
      tags,
      summary: 'Stream account events',
      description:
        'Sends server-sent events, as `GET /v1/events/stream` does: `event` is the type, `data` is the event as in `GET /v1/account-events`, and `id` is its position.',
      querystring: AccountEventStreamQuery,
      produces: ['text/event-stream'],
    },
    refusals: ['malformed_request', 'validation_failed'],
    scope: 'account:read',
    handler: (request, reply) =>
      sendStream<AccountFeedEvent>(streams, request, reply, {
        feedIds: async () => [wholeAccount(callerOf(request).accountId).domainId],
        readFollow(query, problems) {
          const filter = filterOf(request, query, problems)
          return {
            after: filter.after,
            // The domains of a key of some domains change when the key changes during the stream.
            follow: (read, [feedId = ''], from) =>
              followAccountEvents(read, feedId, { ...filter, domains: callerOf(request).domains }, from),
          }
        },
        document: accountEventDocument,
      }),
  })

interface FilterQuery {
  readonly type?: string
  readonly object_id?: string
  readonly after?: string
  readonly before?: string
}

/** Returns the filter of a query within the domains of the caller, and adds invalid values to the problems. */
const filterOf = (
  request: FastifyRequest,
  { type, object_id: objectId, after, before }: FilterQuery,
  problems: FieldProblem[],
): AccountEventFilter => ({
  types: type === undefined ? undefined : readTypes(ACCOUNT_EVENT_TYPES, type, problems),
  objectId,
  domains: callerOf(request).domains,
  after: readTime('after', after, problems),
  before: readTime('before', before, problems),
})
