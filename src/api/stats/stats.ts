// GET /v1/stats: returns statistics of the mail of the key's domains.

import type { Clock } from '../../lib/clock.ts'
import type { Read } from '../../store/database/store.ts'
import { callerOf } from '../caller.ts'
import { StatsQuery, StatsView } from '../contract/stats.ts'
import { sendersOf } from '../domain-of-request.ts'
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
    scope: 'stats:read',
    domains: 'all',
    readsLong: true,
    handler(request): Promise<StatsView> {
      const { accountId } = callerOf(request)
      const domainIds = sendersOf(request).map(({ domainId }) => domainId)
      return readFigures(read, readFiguresQuery({ accountId, domainIds }, request.query, clock.now()))
    },
  })
