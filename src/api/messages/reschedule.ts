// PATCH /v1/messages/{message_id}: changes the time of a scheduled message.

import { Type } from 'typebox'
import { MAX_SMALL_BODY } from '../../http/body-rule.ts'
import type { Read } from '../../store/database/store.ts'
import type { Rescheduling } from '../../submission/rescheduling.ts'
import { senderOfRequest } from '../caller.ts'
import { MessageView } from '../contract/message.ts'
import { MessagePatch } from '../contract/message-requests.ts'
import { defineRoute } from '../route.ts'
import { shownMessage } from './view.ts'

export const rescheduleMessage = (read: Read, rescheduling: Rescheduling) =>
  defineRoute({
    method: 'PATCH',
    url: '/v1/messages/:message_id',
    consequence: 'none',
    schema: {
      tags: ['Messages'],
      summary: 'Change the time of a message',
      description:
        'Changes the time of a message that is `scheduled`, or sends the message now. The response is 409 if the message no longer waits for its time, for example because sending has begun, and 200 if the change is repeated.',
      params: Type.Object({ message_id: Type.String({ maxLength: 100 }) }),
      body: MessagePatch,
      response: { 200: MessageView },
    },
    refusals: ['malformed_request', 'not_found', 'conflict', 'validation_failed'],
    scope: 'messages:write',
    domains: 'one',
    body: { maxBytes: MAX_SMALL_BODY },
    audit: 'message.reschedule',
    auditOf: 'people',
    check: (_request, { send_at }) => rescheduling.problemsOf(send_at),
    async handler(request) {
      const { message_id: id } = request.params
      const { send_at: sendAt } = request.body
      return shownMessage(read, await rescheduling.change(senderOfRequest(request), id, sendAt))
    },
  })
