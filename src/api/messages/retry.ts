// POST /v1/messages/{message_id}/retry: makes the waiting recipients of a message due at once.

import { Type } from 'typebox'
import { isId } from '../../lib/ids.ts'
import { Problem } from '../../model/problem.ts'
import type { QueueControl } from '../../operator/queue.ts'
import { type Read, reading } from '../../store/database/store.ts'
import { findMessage } from '../../store/messages/messages.ts'
import { senderOfRequest } from '../caller.ts'
import { RetryAnswer } from '../contract/message.ts'
import { defineRoute } from '../route.ts'

export const retryMessage = (read: Read, queue: QueueControl) =>
  defineRoute({
    method: 'POST',
    url: '/v1/messages/:message_id/retry',
    consequence: 'none',
    schema: {
      tags: ['Messages'],
      summary: 'Retry a message now',
      description:
        'Makes every recipient that waits for a further attempt due at once. The response is 409 if no recipient waits for an attempt: a scheduled message keeps its time (`PATCH /v1/messages/{message_id}` changes the time), and a held message waits until it is resumed.',
      params: Type.Object({ message_id: Type.String({ maxLength: 100 }) }),
      response: { 200: RetryAnswer },
    },
    refusals: ['not_found', 'conflict'],
    scope: 'messages:write',
    domains: 'one',
    audit: 'message.retry',
    auditOf: 'people',
    async handler(request) {
      const { message_id: message } = request.params
      const owner = senderOfRequest(request)
      const found = isId('msg', message) ? await reading(findMessage(read, owner, message)) : undefined
      if (found === undefined) throw new Problem('not_found', 'There is no such message in this domain.')
      return { recipients: await queue.act('retry', { owner, message }) }
    },
  })
