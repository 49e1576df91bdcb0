// /api/domains/:domain_id/messages/:message_id/…: the dashboard's views of a message beyond the public API.

import type { FastifyRequest } from 'fastify'
import { FOREIGN_HTML_HEADERS, foreignDocument } from '../../../lib/foreign-html.ts'
import { isId } from '../../../lib/ids.ts'
import { Problem } from '../../../model/problem.ts'
import { attemptDocument } from '../../../operator/inspected-document.ts'
import { reading } from '../../../store/database/store.ts'
import { findMessage, listResends } from '../../../store/messages/messages.ts'
import { type AttemptOfRecipient, listAttempts } from '../../../store/messages/recipients.ts'
import { countMessages } from '../../../store/search/message-search.ts'
import { senderOfRequest } from '../../caller.ts'
import {
  AttachmentListView,
  AttemptListView,
  type AttemptView,
  MessageCountView,
  ResendBody,
  ResendListView,
} from '../../contract/dashboard-messages.ts'
import { SendAnswer } from '../../contract/message.ts'
import { domainOf } from '../../domain-of-request.ts'
import { readIdempotencyKey } from '../../messages/idempotency-key.ts'
import { MessageFilterQuery, readMessageFilter } from '../../messages/list.ts'
import type { RequestOf } from '../../route.ts'
import { type DashboardRoute, defineDashboardRoute } from '../route.ts'
import type { DashboardServices } from '../services.ts'
import { sharedRoutes } from './shared.ts'

export const messageRoutes = (services: DashboardServices): readonly DashboardRoute[] => [
  count(services),
  attempts(services),
  resends(services),
  resend(services),
  html(services),
  attachments(services),
  ...sharedRoutes(services),
]

type MessageRequest = RequestOf<typeof BASE, unknown>

const BASE = '/api/domains/:domain_id/messages/:message_id'
const notFound = (): Problem => new Problem('not_found', 'There is no such message in this domain.')

function messageIdOf({ params: { message_id: id } }: MessageRequest): string {
  if (!isId('msg', id)) throw notFound()
  return id
}

const ownerOf = (request: FastifyRequest) => {
  const { id: domainId, account_id: accountId, name: domainName } = domainOf(request)
  return { domainId, accountId, domainName }
}

const count = ({ read }: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/domains/:domain_id/messages/count',
    role: 'viewer',
    schema: { querystring: MessageFilterQuery, response: { 200: MessageCountView } },
    async handler(request) {
      return reading(countMessages(read, ownerOf(request), readMessageFilter(request.query)))
    },
  })

const attempts = ({ read }: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: `${BASE}/attempts`,
    role: 'viewer',
    schema: { response: { 200: AttemptListView } },
    async handler(request) {
      const id = messageIdOf(request)
      const owner = ownerOf(request)
      const found = await reading(listAttempts(read, owner, id))
      if (found.length === 0 && (await reading(findMessage(read, owner, id))) === undefined) throw notFound()
      return { data: found.map(attemptView) }
    },
  })

const attemptView = (attempt: AttemptOfRecipient): AttemptView => ({
  email: attempt.email,
  ...attemptDocument(attempt),
})

const resend = ({ resending }: DashboardServices) =>
  defineDashboardRoute({
    method: 'POST',
    url: `${BASE}/resend`,
    consequence: 'none',
    role: 'developer',
    audit: 'message.resend',
    once: 'handler',
    schema: { body: ResendBody, response: { 202: SendAnswer } },
    async handler(request, reply) {
      const id = messageIdOf(request)
      const key = readIdempotencyKey(request.headers['idempotency-key'])
      const submitted = await resending.resend(senderOfRequest(request), id, request.body.recipients, key)
      reply.code(202)
      return submitted
    },
  })

const MAX_RESENDS = 50

const resends = ({ read }: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: `${BASE}/resends`,
    role: 'viewer',
    schema: { response: { 200: ResendListView } },
    async handler(request) {
      const owner = ownerOf(request)
      const id = messageIdOf(request)
      const found = await reading(listResends(read, owner, id, MAX_RESENDS))
      if (found.length === 0 && (await reading(findMessage(read, owner, id))) === undefined) throw notFound()
      return {
        data: found.map((one) => ({
          message_id: one.id,
          created_at: new Date(one.created_at).toISOString(),
        })),
      }
    },
  })

/** Endpoint that returns only names and sizes of attachments; the files can be downloaded with the whole message. */
const attachments = ({ showContent }: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: `${BASE}/attachments`,
    role: 'viewer',
    schema: { response: { 200: AttachmentListView } },
    async handler(request, reply) {
      const admit = (bytes: number): Promise<void> => request.holdAnswer(reply, bytes)
      const content = await showContent(ownerOf(request), messageIdOf(request), admit)
      if (content === undefined) throw notFound()
      return {
        data: content.attachments.map(({ filename, contentType, size }) => ({
          filename: filename ?? null,
          content_type: contentType,
          size,
        })),
        mail_size: content.mailSize,
      }
    },
  })

const html = ({ showContent }: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: `${BASE}/html`,
    role: 'viewer',
    schema: {},
    async handler(request, reply) {
      const admit = (bytes: number): Promise<void> => request.holdAnswer(reply, bytes)
      const content = await showContent(ownerOf(request), messageIdOf(request), admit, true)
      if (content?.html == null) throw notFound()
      return reply.headers(FOREIGN_HTML_HEADERS).send(foreignDocument(content.html, content.files))
    },
  })
