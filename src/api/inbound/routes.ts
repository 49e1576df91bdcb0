// GET /v1/inbound and GET /v1/inbound/{inbound_id}: returns inbound messages, also in raw form.

import { Type } from 'typebox'
import { readAddress, readTime } from '../../http/filters.ts'
import { type InboundShowing, inboundSummary, type ShownInbound } from '../../inbound/show.ts'
import { beforeIdsOf } from '../../lib/ids.ts'
import { INBOUND_KINDS } from '../../model/inbound-message.ts'
import { type FieldProblem, invalidFields, Problem } from '../../model/problem.ts'
import { type Read, reading } from '../../store/database/store.ts'
import { listInbound as listStored } from '../../store/inbound/inbound.ts'
import { callerOf, senderOfRequest } from '../caller.ts'
import { PageQuery } from '../contract/common.ts'
import { InboundList, InboundParams, InboundView } from '../contract/inbound.ts'
import { listById, pageOfDomains } from '../domain-pages.ts'
import { defineRoute, type Route } from '../route.ts'

const tags = ['Inbound']
const params = InboundParams

const notFound = (): Problem => new Problem('not_found', 'There is no inbound message with this ID.')

export const inboundRoutes = (read: Read, showing: InboundShowing): readonly Route[] => [
  listInbound(read),
  showInbound(showing),
  showRawInbound(showing),
]

const Query = Type.Object(
  {
    ...PageQuery,
    stream: Type.Optional(Type.String({ maxLength: 64 })),
    kind: Type.Optional(Type.Enum([...INBOUND_KINDS])),
    from: Type.Optional(Type.String({ maxLength: 400, description: 'Address of the author' })),
    recipient: Type.Optional(
      Type.String({ maxLength: 400, description: 'Address of a recipient of the message' }),
    ),
    after: Type.Optional(Type.String({ description: 'Received at or after this time (RFC 3339)' })),
    before: Type.Optional(Type.String({ description: 'Received before this time (RFC 3339)' })),
  },
  { additionalProperties: false },
)

const listInbound = (read: Read) =>
  defineRoute({
    method: 'GET',
    url: '/v1/inbound',
    schema: {
      tags,
      summary: 'List inbound messages',
      description: 'Newest first.',
      querystring: Query,
      response: { 200: InboundList },
    },
    refusals: ['malformed_request', 'validation_failed'],
    scope: 'inbound:read',
    domains: 'all',
    async handler(request) {
      const { stream, kind, from, recipient, after, before, ...paging } = request.query
      const problems: FieldProblem[] = []
      const bound = (path: string, text: string | undefined): string | undefined => {
        const at = readTime(path, text, problems)
        return at === undefined ? undefined : beforeIdsOf('inb', Math.max(0, at))
      }
      const filter = {
        stream,
        kind,
        from: readAddress('from', from, problems),
        recipient: readAddress('recipient', recipient, problems),
        after: bound('after', after),
        before: bound('before', before),
      }
      if (problems.length > 0) throw invalidFields(problems)
      return pageOfDomains(request, paging, {
        ...listById('inb', (owner, limit, cursor) => reading(listStored(read, owner, filter, limit, cursor))),
        view: inboundSummary,
      })
    },
  })

const showInbound = (showing: InboundShowing) =>
  defineRoute({
    method: 'GET',
    url: '/v1/inbound/:inbound_id',
    schema: {
      tags,
      summary: 'Retrieve an inbound message',
      description: 'Without the scope `content:read` the fields of the content are empty.',
      params,
      response: { 200: InboundView },
    },
    refusals: ['not_found', 'validation_failed'],
    scope: 'inbound:read',
    domains: 'one',
    async handler(request, reply) {
      const { inbound_id: id } = request.params
      const admit = (bytes: number): Promise<void> => request.holdAnswer(reply, bytes)
      const shown = await showing.show(senderOfRequest(request), id, admit)
      if (shown === undefined) throw notFound()
      return callerOf(request).scopes.has('content:read') ? shown : withoutContent(shown)
    },
  })

/** Returns a message without its content and without the links to its content. */
const withoutContent = (shown: ShownInbound) => ({
  ...shown,
  ...{ content: 'withheld', headers: [], text: null, html: null, reply_text: null, attachments: [] },
  ...{ raw_url: null, links_expire_at: null },
})

const showRawInbound = (showing: InboundShowing) =>
  defineRoute({
    method: 'GET',
    url: '/v1/inbound/:inbound_id/raw',
    schema: {
      tags,
      summary: 'Retrieve an inbound message as it was received',
      description: 'Returns the complete message (RFC 5322), byte for byte.',
      params,
      produces: ['message/rfc822'],
    },
    refusals: ['not_found', 'content_removed'],
    scope: 'content:read',
    domains: 'one',
    async handler(request, reply) {
      const { inbound_id: id } = request.params
      const admit = (bytes: number): Promise<void> => request.holdAnswer(reply, bytes)
      const raw = await showing.raw(senderOfRequest(request), id, admit)
      if (raw === undefined) throw notFound()
      if (raw === 'removed') {
        throw new Problem(
          'content_removed',
          'The content of this message was removed: its retention has ended.',
        )
      }
      // The message is sent as a download and never as a page, because the sender of the message is not trusted.
      reply
        .type('message/rfc822')
        .header('content-disposition', `attachment; filename="${id}.eml"`)
        .header('x-content-type-options', 'nosniff')
      return reply.send(raw)
    },
  })
