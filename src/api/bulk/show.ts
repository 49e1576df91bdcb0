// GET /v1/bulk, GET /v1/bulk/{bulk_id}: bulks and their progress.

import { Type } from 'typebox'
import { countBulkRecipients } from '../../store/bulk/bulk-results.ts'
import { type Bulk, listBulks as listStored } from '../../store/bulk/bulks.ts'
import { type Read, reading } from '../../store/database/store.ts'
import { senderOfRequest } from '../caller.ts'
import { BulkList, BulkView } from '../contract/bulk.ts'
import { PageQuery } from '../contract/common.ts'
import { idCursor, page } from '../page.ts'
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
    key: 'sending',
    async handler(request) {
      const owner = senderOfRequest(request)
      return page<Bulk, object>(
        request.query,
        idCursor('blk'),
        (limit, cursor) => reading(listStored(read, owner, limit, cursor)),
        ({ id }) => id,
        (bulk) => bulkView(bulk, timeLeft),
      )
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
    key: 'sending',
    async handler(request) {
      const bulk = await requireBulk(read, senderOfRequest(request), request.params.bulk_id)
      if (request.query.include === undefined) return bulkView(bulk, timeLeft)
      const counts = await reading(countBulkRecipients(read, bulk.id))
      return { ...bulkView(bulk, timeLeft), recipients: Object.fromEntries(counts) }
    },
  })
