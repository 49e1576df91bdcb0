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
      Type.Enum(['recipients'], { description: 'recipients: adds how far the messages have come' }),
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
    // Cancelling a bulk stops mail, which has to be quick, and deletes no content.
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
          `This bulk is ${status}, and none of its messages waits any more: each is final or in an attempt.`,
        )
      }
      return bulkView(await requireBulk(read, owner, id), timeLeft)
    },
  })
