// POST /v1/messages/{message_id}/cancel: cancels a message.

import { Type } from 'typebox'
import type { Read } from '../../store/database/store.ts'
import type { Cancellation } from '../../submission/cancel.ts'
import { senderOfRequest } from '../caller.ts'
import { MessageView } from '../contract/message.ts'
import { defineRoute } from '../route.ts'
import { shownMessage } from './view.ts'

export const cancelMessage = (read: Read, cancellation: Cancellation) =>
  defineRoute({
    method: 'POST',
    url: '/v1/messages/:message_id/cancel',
    // Cancelling requires no recent login, because stopping mail has to be quick and deletes no content.
    consequence: 'none',
    schema: {
      tags: ['Messages'],
      summary: 'Cancel a message',
      description:
        'Cancels every recipient that is neither final nor in an attempt; the response shows the new states. The response is 409 if no recipient can be cancelled, and 200 if the cancellation is repeated.',
      params: Type.Object({ message_id: Type.String({ maxLength: 100 }) }),
      response: { 200: MessageView },
    },
    refusals: ['not_found', 'conflict'],
    scope: 'messages:write',
    domains: 'one',
    audit: 'message.cancel',
    auditOf: 'people',
    async handler(request) {
      const { message_id: id } = request.params
      return shownMessage(read, await cancellation.cancel(senderOfRequest(request), id))
    },
  })
