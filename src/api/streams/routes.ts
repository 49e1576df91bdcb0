// Endpoints of streams.

import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { MAX_SMALL_BODY } from '../../http/body-rule.ts'
import { wrongCursor } from '../../http/page.ts'
import { formatTime } from '../../lib/rfc3339.ts'
import { ignoredOf } from '../../model/finding.ts'
import type { StreamEditing, StreamWithAddresses } from '../../streams/stream-editing.ts'
import type { Sender } from '../../submission/authorize.ts'
import { senderOfRequest } from '../caller.ts'
import { NamedPageQuery } from '../contract/common.ts'
import { StreamBody, StreamList, StreamParams, StreamPatch, StreamView } from '../contract/stream.ts'
import { sendersOf, shownDomain } from '../domain-of-request.ts'
import { seenBy } from '../if-match.ts'
import { defineRoute, paramsOf, type Route } from '../route.ts'

const tags = ['Streams']
const params = StreamParams
const one = '/v1/streams/:alias'

export const streamRoutes = (editing: StreamEditing): readonly Route[] => [
  listStreams(editing),
  createStream(editing),
  showStream(editing),
  changeStream(editing),
  removeStream(editing),
]

const wish = (flag: number | null): boolean | null => (flag === null ? null : flag === 1)

const streamView = ({ stream, addresses }: StreamWithAddresses): Static<typeof StreamView> => ({
  alias: stream.alias,
  name: stream.name,
  kind: stream.kind,
  rate: stream.rate,
  retry_for_seconds: stream.retry_for_ms === null ? null : stream.retry_for_ms / 1_000,
  sending_allowance: stream.sending_allowance,
  headers: JSON.parse(stream.headers),
  addresses: [...addresses],
  unsubscribe: stream.unsubscribe,
  brand: stream.brand === null ? null : JSON.parse(stream.brand),
  content_retention_days: stream.content_retention_days,
  transcript_retention_days: stream.transcript_retention_days,
  record_retention_days: stream.record_retention_days,
  store_content: stream.store_content === 1,
  track_opens: wish(stream.track_opens),
  track_links: wish(stream.track_links),
  guard: stream.guard,
  ignore: ignoredOf(stream),
  archived: stream.archived_at !== null,
  created_at: formatTime(stream.created_at),
  updated_at: formatTime(stream.updated_at),
})

/** Returns a function that returns the stream in the path with its version for `If-Match`. */
const presentStream = (editing: StreamEditing) => async (request: FastifyRequest) => {
  const found = await editing.find(senderOfRequest(request), paramsOf(request).alias ?? '')
  return { shown: streamView(found), seen: found.stream.updated_at }
}

/** Returns what the version of a stream consists of; a message, which reduces the allowance, changes no version. */
const versionOf = (stream: object): object => ({ ...stream, sending_allowance: undefined })

const listStreams = (editing: StreamEditing) =>
  defineRoute({
    method: 'GET',
    url: '/v1/streams',
    schema: {
      tags,
      summary: 'List streams',
      description: 'Returns all streams, including archived streams.',
      querystring: NamedPageQuery,
      response: { 200: StreamList },
    },
    refusals: ['malformed_request', 'validation_failed'],
    scope: 'streams:read',
    domains: 'all',
    async handler(request) {
      const { limit = 50, cursor, name } = request.query
      const owners = sendersOf(request)
      // Aliases are unique in a domain, so the cursor of a list over several domains begins with the domain.
      const cursorOf = ({ domainId }: Sender, { stream }: StreamWithAddresses): string =>
        owners.length === 1 ? stream.alias : `${domainId} ${stream.alias}`
      const found: { readonly view: object; readonly at: string }[] = []
      let isAfter = cursor === undefined
      for (const owner of owners) {
        if (found.length > limit) break
        if (!isAfter && owners.length > 1 && !cursor?.startsWith(`${owner.domainId} `)) continue
        // The list of all streams of a domain fits on one page, and is cut off here for a smaller page.
        for (const one of await editing.list(owner)) {
          const at = cursorOf(owner, one)
          const isWanted = name === undefined || one.stream.name === name
          if (isAfter && isWanted)
            found.push({ view: { ...streamView(one), ...shownDomain(request, owner) }, at })
          isAfter ||= at === cursor
        }
      }
      if (!isAfter) throw wrongCursor()
      const rows = found.slice(0, limit)
      const more = found.length > limit
      return { data: rows.map(({ view }) => view), next_cursor: more ? (rows.at(-1)?.at ?? null) : null }
    },
  })

const createStream = (editing: StreamEditing) =>
  defineRoute({
    method: 'POST',
    url: '/v1/streams',
    // Creating a stream can give away data, because an inbound stream takes over the mail of an address.
    consequence: 'data',
    schema: { tags, summary: 'Create a stream', body: StreamBody, response: { 201: StreamView } },
    refusals: ['malformed_request', 'conflict', 'body_too_large', 'validation_failed'],
    scope: 'streams:write',
    domains: 'one',
    body: { maxBytes: MAX_SMALL_BODY },
    audit: 'stream.create',
    check: (request, fields) => editing.problemsOfNew(senderOfRequest(request), fields),
    async handler(request, reply) {
      const created = await editing.create(senderOfRequest(request), request.body)
      reply.code(201).header('location', `/v1/streams/${created.stream.alias}`)
      return streamView(created)
    },
  })

const showStream = (editing: StreamEditing) =>
  defineRoute({
    method: 'GET',
    url: one,
    schema: { tags, summary: 'Retrieve a stream', params, response: { 200: StreamView } },
    refusals: ['not_found'],
    scope: 'streams:read',
    domains: 'one',
    versioned: true,
    versionOf,
    async handler(request) {
      return streamView(await editing.find(senderOfRequest(request), request.params.alias))
    },
  })

const changeStream = (editing: StreamEditing) =>
  defineRoute({
    method: 'PATCH',
    url: one,
    // A change can destroy data, because a shorter retention removes older data.
    consequence: 'destruction',
    schema: {
      tags,
      summary: 'Change a stream',
      description:
        'Changes the given fields. Omitted fields stay unchanged; alias and kind cannot be changed.',
      params,
      body: StreamPatch,
      response: { 200: StreamView },
    },
    refusals: ['malformed_request', 'not_found', 'conflict', 'validation_failed'],
    scope: 'streams:write',
    domains: 'one',
    versioned: presentStream(editing),
    versionOf,
    body: { maxBytes: MAX_SMALL_BODY },
    audit: 'stream.change',
    check: (request, fields) =>
      editing.problemsOfChange(senderOfRequest(request), request.params.alias, fields),
    async handler(request) {
      const { alias } = request.params
      const seen = seenBy<number>(request)
      return streamView(await editing.change(senderOfRequest(request), alias, request.body, seen))
    },
  })

const removeStream = (editing: StreamEditing) =>
  defineRoute({
    method: 'DELETE',
    url: one,
    consequence: 'destruction',
    schema: {
      tags,
      summary: 'Delete or archive a stream',
      description: 'Archives and returns a stream with messages (200), or deletes an unused stream (204).',
      params,
      response: { 200: StreamView, 204: Type.Null() },
    },
    refusals: ['not_found', 'conflict'],
    scope: 'streams:write',
    domains: 'one',
    versioned: presentStream(editing),
    versionOf,
    audit: 'stream.delete',
    async handler(request, reply) {
      const seen = seenBy<number>(request)
      const archived = await editing.remove(senderOfRequest(request), request.params.alias, seen)
      return archived === undefined ? reply.code(204).send() : streamView(archived)
    },
  })
