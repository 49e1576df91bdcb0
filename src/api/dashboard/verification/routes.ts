// /api/verification: credits and what became of them, and the account's lists of addresses.

import { Type } from 'typebox'
import { reading } from '../../../store/database/store.ts'
import {
  countCredits,
  listCreditGrants,
  listCreditUses,
} from '../../../store/verification/verification-credits.ts'
import { listVerifications } from '../../../store/verification/verifications.ts'
import { PageQuery } from '../../contract/common.ts'
import { CreditsView } from '../../contract/dashboard-keys.ts'
import { ListView } from '../../contract/verification.ts'
import { idCursor, page } from '../../page.ts'
import { listView } from '../../verifications/lists.ts'
import { type DashboardRoute, defineDashboardRoute, sessionOf } from '../route.ts'
import type { DashboardServices } from '../services.ts'

const DAYS = 90
const DAY_MS = 86_400_000

export const verificationRoutes = ({ read, clock }: DashboardServices): readonly DashboardRoute[] => [
  defineDashboardRoute({
    method: 'GET',
    url: '/api/verification/credits',
    role: 'viewer',
    schema: { response: { 200: CreditsView } },
    async handler(request): Promise<CreditsView> {
      const { account_id } = sessionOf(request)
      const balance = await reading(countCredits(read, account_id))
      const grants = await reading(listCreditGrants(read, account_id, 100))
      const uses = await reading(listCreditUses(read, account_id, DAYS))
      const byDay = new Map(uses.map(({ day, credits }) => [day, credits]))
      return {
        balance,
        grants: grants.map(({ id, credits, note, granted_at }) => ({
          grant_id: id,
          credits,
          note,
          granted_at: new Date(granted_at).toISOString(),
        })),
        uses: lastDays(clock.now()).map((day) => ({ day, credits: byDay.get(day) ?? 0 })),
      }
    },
  }),
  defineDashboardRoute({
    method: 'GET',
    url: '/api/verification/verifications',
    role: 'viewer',
    schema: {
      querystring: Type.Object(PageQuery, { additionalProperties: false }),
      response: { 200: Type.Object({ data: Type.Array(ListView) }) },
    },
    handler: (request) =>
      page(
        request.query,
        idCursor('ver'),
        (limit, cursor) => reading(listVerifications(read, sessionOf(request).account_id, limit, cursor)),
        (list) => list.id,
        listView,
      ),
  }),
]

/** Each of the last days, the oldest first. */
const lastDays = (now: number): string[] =>
  Array.from({ length: DAYS }, (_, index) =>
    new Date(now - (DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  )
