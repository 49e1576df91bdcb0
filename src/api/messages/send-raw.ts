// POST /v1/messages/raw: accepts a complete message (message/rfc822).

import { BodyBytes, otherBodyWanted } from '../../http/body-rule.ts'
import { callerOfTrace } from '../../lib/traces.ts'
import type { SubmitRaw } from '../../submission/raw-request.ts'
import { RAW_FILES, RawBody } from '../contract/body-files.ts'
import { SendAnswer } from '../contract/message.ts'
import { RawQuery } from '../contract/message-requests.ts'
import { senderFrom } from '../domain-of-request.ts'
import { defineRoute } from '../route.ts'
import { readIdempotencyKey } from './idempotency-key.ts'

export const sendRawMessage = (submitRaw: SubmitRaw, maxBytes: number) =>
  defineRoute({
    method: 'POST',
    url: '/v1/messages/raw',
    consequence: 'none',
    schema: {
      tags: ['Messages'],
      summary: 'Send a complete message',
      description:
        'Takes a message with its header and its MIME parts, and treats the message like mail by SMTP: fields such as `X-Stream`, `X-Tag`, `X-Metadata-<key>` and `X-Template-Alias` have the same effect and are removed, faults that are safe to repair are repaired, and the same messages are refused; `line` in `errors` is the line of the message. Lines end with CRLF. The recipients of the envelope get the message; `To` and `Cc` are only shown, and `Bcc` is removed.',
      body: RawBody,
      bodies: RAW_FILES,
      querystring: RawQuery,
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
    body: { kinds: ['mail'], maxBytes },
    audit: 'message.create',
    auditOf: 'people',
    async handler(request, reply) {
      const { body, query, headers } = request
      if (!(body instanceof BodyBytes)) throw otherBodyWanted(request)
      const submitted = await submitRaw({
        content: body.bytes,
        ...{ from: query.from, to: query.to, stream: query.stream, tags: query.tag },
        idempotencyKey: readIdempotencyKey(headers['idempotency-key']),
        traceCaller: callerOfTrace(headers.traceparent),
        senderOf: (from) => senderFrom(request, from),
      })
      reply.code(202).header('location', `/v1/messages/${submitted.message_id}`)
      return submitted
    },
  })
