// POST /v1/bulk/{bulk_id}/cancel: end a bulk early.

import { Type } from 'typebox'
import type { BulkSending } from '../../bulk/bulk-sending.ts'
import { Problem } from '../../model/problem.ts'
import type { Read } from '../../store/database/store.ts'
import { senderOfRequest } from '../caller.ts'
import { BulkView } from '../contract/bulk.ts'
import { defineRoute } from '../route.ts'
import type { TimeLeft } from '../time-left.ts'
import { bulkView, requireBulk } from './view.ts'

export const cancelBulk = (read: Read, bulks: BulkSending, timeLeft: TimeLeft) =>
  defineRoute({
    method: 'POST',
    url: '/v1/bulk/:bulk_id/cancel',
    // Stops mail, which has to be quick; its content stays.
    consequence: 'none',
    schema: {
      tags: ['Mail to many'],
      summary: 'Cancel a bulk',
      description:
        'No more rows become messages, and messages that wait (scheduled, queued or deferred) are cancelled, also of a bulk that is `done`; the status is `cancelling` until that is done, then `cancelled`. Messages that were delivered or are in an attempt remain. 409 when none waits any more.',
      params: Type.Object({ bulk_id: Type.String({ maxLength: 100 }) }),
      response: { 200: BulkView },
    },
    refusals: ['not_found', 'conflict'],
    key: 'sending',
    audit: 'bulk.cancel',
    auditOf: 'people',
    async handler(request) {
      const owner = senderOfRequest(request)
      const { id } = await requireBulk(read, owner, request.params.bulk_id)
      if (!(await bulks.cancel(owner, id))) {
        const { status } = await requireBulk(read, owner, id)
        throw new Problem(
          'conflict',
          `This bulk is ${status}, and none of its messages waits any more: each is final or in an attempt.`,
        )
      }
      return bulkView(await requireBulk(read, owner, id), timeLeft)
    },
  })
