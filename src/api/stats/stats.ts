// GET /v1/stats: returns statistics of the mail of the key's domain.

import type { Clock } from '../../lib/clock.ts'
import type { Read } from '../../store/database/store.ts'
import { senderOfRequest } from '../caller.ts'
import { StatsQuery, StatsView } from '../contract/stats.ts'
import { defineRoute } from '../route.ts'
import { readFigures, readFiguresQuery } from './figures.ts'

const DESCRIPTION = [
  'Returns the number of recipients by the hour or day in which an event happened: a recipient may be accepted on one day and',
  'delivered on the next day. Statistics are delayed by about one second.',
].join(' ')

export const showStats = (read: Read, clock: Clock) =>
  defineRoute({
    method: 'GET',
    url: '/v1/stats',
    schema: {
      tags: ['Statistics'],
      summary: 'Retrieve figures',
      description: DESCRIPTION,
      querystring: StatsQuery,
      response: { 200: StatsView },
    },
    refusals: ['validation_failed'],
    key: 'sending',
    readsLong: true,
    handler: (request): Promise<StatsView> =>
      readFigures(read, readFiguresQuery(senderOfRequest(request), request.query, clock.now())),
  })
