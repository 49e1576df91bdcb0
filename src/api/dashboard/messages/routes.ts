// /api/domains/:domain_id/messages/:message_id/…: what people see of a message beyond the public API.

import type { FastifyRequest } from 'fastify'
import { FOREIGN_HTML_HEADERS, foreignDocument } from '../../../lib/foreign-html.ts'
import { isId } from '../../../lib/ids.ts'
import { wholeTranscript } from '../../../model/attempt-transcript.ts'
import { Problem } from '../../../model/problem.ts'
import { reading } from '../../../store/database/store.ts'
import { type AttemptOfRecipient, listAttempts } from '../../../store/messages/attempts.ts'
import { findMessage } from '../../../store/messages/messages.ts'
import { senderOfRequest } from '../../caller.ts'
import { AttemptListView, type AttemptView, ResendBody } from '../../contract/dashboard-messages.ts'
import { SendAnswer, SendHeaders } from '../../contract/message.ts'
import { readIdempotencyKey } from '../../messages/idempotency-key.ts'
import type { RequestOf } from '../../route.ts'
import { type DashboardRoute, defineDashboardRoute, domainOf } from '../route.ts'
import type { DashboardServices } from '../services.ts'

export const messageRoutes = (services: DashboardServices): readonly DashboardRoute[] => [
  attempts(services),
  resend(services),
  html(services),
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

const attemptView = ({ started_at, ...attempt }: AttemptOfRecipient): AttemptView => ({
  email: attempt.email,
  number: attempt.number,
  started_at: new Date(started_at).toISOString(),
  duration_ms: attempt.duration_ms,
  status: attempt.status,
  reason: attempt.reason,
  mx: attempt.mx,
  address: attempt.address,
  tls: attempt.tls,
  smtp_code: attempt.smtp_code,
  smtp_enhanced: attempt.smtp_enhanced,
  smtp_response: attempt.smtp_response,
  transcript: wholeTranscript(attempt),
})

const resend = ({ resending }: DashboardServices) =>
  defineDashboardRoute({
    method: 'POST',
    url: `${BASE}/resend`,
    role: 'developer',
    audit: 'message.resend',
    schema: { headers: SendHeaders, body: ResendBody, response: { 202: SendAnswer } },
    async handler(request, reply) {
      const id = messageIdOf(request)
      const key = readIdempotencyKey(request.headers['idempotency-key'])
      const submitted = await resending.resend(senderOfRequest(request), id, request.body.recipients, key)
      reply.code(202)
      return submitted
    },
  })

const html = ({ showContent }: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: `${BASE}/html`,
    role: 'viewer',
    schema: {},
    async handler(request, reply) {
      const admit = (octets: number): Promise<void> => request.holdAnswer(reply, octets)
      const content = await showContent(ownerOf(request), messageIdOf(request), admit, true)
      if (content?.html == null) throw notFound()
      return reply.headers(FOREIGN_HTML_HEADERS).send(foreignDocument(content.html, content.files))
    },
  })
