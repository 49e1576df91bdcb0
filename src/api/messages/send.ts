// POST /v1/messages: accepts a message.

import { bodyProblems } from '../../http/body-rule.ts'
import { isChangedBody } from '../../http/shape.ts'
import { callerOfTrace } from '../../lib/traces.ts'
import type { SendRequest } from '../../model/send-request.ts'
import type { Submission } from '../../submission/submit.ts'
import { SendAnswer } from '../contract/message.ts'
import { SendBody } from '../contract/message-requests.ts'
import { senderFrom } from '../domain-of-request.ts'
import { isGone } from '../read-turns.ts'
import { defineRoute } from '../route.ts'
import { readIdempotencyKey } from './idempotency-key.ts'

export const sendMessage = (submission: Submission) =>
  defineRoute({
    method: 'POST',
    url: '/v1/messages',
    consequence: 'none',
    schema: {
      tags: ['Messages'],
      summary: 'Send a message',
      description: 'Responds when the message is on stable storage.',
      body: SendBody,
      response: { 202: SendAnswer },
    },
    refusals: [
      'malformed_request',
      'domain_not_permitted',
      'conflict',
      'body_too_large',
      'content_refused',
      'validation_failed',
    ],
    scope: 'messages:send',
    domains: 'from',
    once: 'handler',
    // The handler reports problems of the schema together with problems of parsing the addresses.
    body: { maxBytes: 'content', problems: 'handler' },
    audit: 'message.create',
    auditOf: 'people',
    async handler(request, reply) {
      const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key'])
      const sent = request.body as SendRequest
      const submitted = await submission.submitRequest(senderFrom(request, sent.from), {
        request: sent,
        raw: isChangedBody(request.body) ? JSON.stringify(request.body) : (request.rawBody ?? ''),
        shapeProblems: bodyProblems(request),
        idempotencyKey,
        isGone: () => isGone(request),
        traceCaller: callerOfTrace(request.headers.traceparent),
      })
      reply.code(202).header('location', `/v1/messages/${submitted.message_id}`)
      return submitted
    },
  })
