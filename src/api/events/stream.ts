// GET /v1/events/stream: sends the events of the key's domains as the events happen.

import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { nulProblems } from '../../http/filters.ts'
import { wrongCursor } from '../../http/page.ts'
import { type FieldProblem, invalidFields } from '../../model/problem.ts'
import type { FeedEvent } from '../../store/events/feed.ts'
import { positionAt } from '../../store/events/position.ts'
import { followEvents, isPosition } from '../../store/search/event-search.ts'
import { callerOf } from '../caller.ts'
import { METADATA_FILTER } from '../contract/common.ts'
import { EventStreamQuery } from '../contract/event.ts'
import { sendersOf } from '../domain-of-request.ts'
import { defineRoute } from '../route.ts'
import type { EventStreamRequest, EventStreams, Follow } from './event-streams.ts'
import { readFilter } from './filter.ts'
import { documentFor } from './list.ts'

const DESCRIPTION = [
  'Sends server-sent events: `event` is the type, `data` is the event as in `GET /v1/events`, and `id` is its position. A',
  'client that reconnects with `Last-Event-ID`, as every `EventSource` does, gets all missed events, and no event twice.',
  'Comments keep the stream open until the key is revoked or the node stops.',
  METADATA_FILTER,
].join(' ')

export const streamEvents = (streams: EventStreams) =>
  defineRoute({
    method: 'GET',
    url: '/v1/events/stream',
    schema: {
      tags: ['Events'],
      summary: 'Stream events',
      description: DESCRIPTION,
      querystring: EventStreamQuery,
      produces: ['text/event-stream'],
    },
    refusals: ['malformed_request', 'validation_failed'],
    scope: 'messages:read',
    domains: 'all',
    handler(request, reply) {
      let { caller } = request
      let document = documentFor(request)
      return sendStream(streams, request, reply, {
        // The domains of a key of several domains change when the key or a domain changes during the stream.
        feedIds: async () => sendersOf(request).map(({ domainId }) => domainId),
        readFollow: followerOf(readFilter),
        document(event) {
          if (caller !== request.caller) {
            caller = request.caller
            document = documentFor(request)
          }
          return document(event)
        },
      })
    },
  })

/** Time after which a client that reads nothing is disconnected; must be longer than the interval of the comments. */
const UNREAD_MS = 60_000

/** Time from which a stream follows events, if the query gives one, and the function that returns the events. */
interface Followed<Event> {
  readonly after: number | undefined
  readonly follow: Follow<Event>
}

/** Returns what the query of a stream selects, and adds invalid values to the problems. */
type ReadFollow<Event> = (query: StreamQuery, problems: FieldProblem[]) => Followed<Event>

type StreamQuery = Readonly<Record<string, string>>

interface StreamOf<Event extends FeedPosition>
  extends Pick<EventStreamRequest<Event>, 'feedIds' | 'document'> {
  readonly readFollow: ReadFollow<Event>
}

type FeedPosition = Pick<FeedEvent, 'position'> & { readonly type: string }

/** Returns the function that reads which events of messages a query selects. */
export const followerOf =
  (read: typeof readFilter): ReadFollow<FeedEvent> =>
  (query, problems) => {
    const filter = read(query, problems)
    return { after: filter.after, follow: (from, ids, page) => followEvents(from, ids, filter, page) }
  }

/** Responds with a stream of the events that the query selects. */
export async function sendStream<Event extends FeedPosition>(
  streams: EventStreams,
  request: FastifyRequest,
  reply: FastifyReply,
  { readFollow, ...of }: StreamOf<Event>,
): Promise<unknown> {
  const query = request.query as StreamQuery
  const problems = nulProblems(query)
  const { after, follow } = readFollow(query, problems)
  if (problems.length > 0) throw invalidFields(problems)
  const last = request.headers['last-event-id'] ?? query.cursor
  if (last !== undefined && !isPosition(String(last))) throw wrongCursor()
  const { id: callerId, accountId } = callerOf(request)
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  if (reply.raw.destroyed) gone.abort()
  reply
    .type('text/event-stream; charset=utf-8')
    .header('cache-control', 'no-store')
    // This header field keeps proxies from buffering events.
    .header('x-accel-buffering', 'no')
  if (request.method === 'HEAD') return reply.send()
  const frames = streams.open({
    ...{ callerId, accountId, follow, ...of },
    position: last === undefined ? (after === undefined ? undefined : positionAt(after)) : Number(last),
    mayRead: async () => (await request.callerCheck?.isStillAdmitted(request)) ?? false,
    gone: gone.signal,
  })
  // The timeout ends the stream of a client that has read nothing for this long.
  reply.raw.setTimeout(UNREAD_MS)
  return reply.send(Readable.from(frames, { objectMode: false }))
}
