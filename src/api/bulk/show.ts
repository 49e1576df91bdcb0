// GET /v1/bulk, GET /v1/bulk/{bulk_id}: returns bulks and their progress.

import { Type } from 'typebox'
import type { BulkSending } from '../../bulk/bulk-sending.ts'
import { Problem } from '../../model/problem.ts'
import { countBulkRecipients } from '../../store/bulk/bulk-results.ts'
import { listBulks as listStored } from '../../store/bulk/bulks.ts'
import { type Read, reading } from '../../store/database/store.ts'
import { senderOfRequest } from '../caller.ts'
import { BulkList, BulkView } from '../contract/bulk.ts'
import { PageQuery } from '../contract/common.ts'
import { listById, pageOfDomains } from '../domain-pages.ts'
import { defineRoute } from '../route.ts'
import type { TimeLeft } from '../time-left.ts'
import { bulkView, requireBulk } from './view.ts'

const tags = ['Mail to many']

export const listBulks = (read: Read, timeLeft: TimeLeft) =>
  defineRoute({
    method: 'GET',
    url: '/v1/bulk',
    schema: {
      tags,
      summary: 'List bulks',
      description: 'Newest first.',
      querystring: Type.Object(PageQuery, { additionalProperties: false }),
      response: { 200: BulkList },
    },
    refusals: ['malformed_request', 'validation_failed'],
    scope: 'messages:read',
    domains: 'all',
    async handler(request) {
      return pageOfDomains(request, request.query, {
        ...listById('blk', (owner, limit, cursor) => reading(listStored(read, owner, limit, cursor))),
        view: (bulk) => bulkView(bulk, timeLeft),
      })
    },
  })

const Query = Type.Object(
  {
    include: Type.Optional(
      Type.Enum(['recipients'], {
        description: 'recipients: adds the number of messages by recipient status',
      }),
    ),
  },
  { additionalProperties: false },
)

export const showBulk = (read: Read, timeLeft: TimeLeft) =>
  defineRoute({
    method: 'GET',
    url: '/v1/bulk/:bulk_id',
    schema: {
      tags,
      summary: 'Retrieve the progress of a bulk',
      params: Type.Object({ bulk_id: Type.String({ maxLength: 100 }) }),
      querystring: Query,
      response: { 200: BulkView },
    },
    refusals: ['validation_failed', 'not_found'],
    scope: 'messages:read',
    domains: 'one',
    async handler(request) {
      const bulk = await requireBulk(read, senderOfRequest(request), request.params.bulk_id)
      if (request.query.include === undefined) return bulkView(bulk, timeLeft)
      const counts = await reading(countBulkRecipients(read, bulk.id))
      return { ...bulkView(bulk, timeLeft), recipients: Object.fromEntries(counts) }
    },
  })

export const cancelBulk = (read: Read, bulks: BulkSending, timeLeft: TimeLeft) =>
  defineRoute({
    method: 'POST',
    url: '/v1/bulk/:bulk_id/cancel',
    // Cancelling a bulk requires no recent login, because stopping mail has to be quick and deletes no content.
    consequence: 'none',
    schema: {
      tags: ['Mail to many'],
      summary: 'Cancel a bulk',
      description:
        'Stops turning rows into messages, and cancels waiting messages (scheduled, queued or deferred), also if the bulk is `done`. The status is `cancelling` until all these messages are cancelled, then `cancelled`. Delivered messages and messages in an attempt are not affected. The response is 409 if no message is waiting.',
      params: Type.Object({ bulk_id: Type.String({ maxLength: 100 }) }),
      response: { 200: BulkView },
    },
    refusals: ['not_found', 'conflict'],
    scope: 'messages:write',
    domains: 'one',
    audit: 'bulk.cancel',
    auditOf: 'people',
    async handler(request) {
      const owner = senderOfRequest(request)
      const { id } = await requireBulk(read, owner, request.params.bulk_id)
      if (!(await bulks.cancel(owner, id))) {
        const { status } = await requireBulk(read, owner, id)
        throw new Problem(
          'conflict',
          `This bulk is ${status}, and none of its messages is waiting: every message is final or in an attempt.`,
        )
      }
      return bulkView(await requireBulk(read, owner, id), timeLeft)
    },
  })
