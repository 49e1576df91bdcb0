// GET /v1/credits: the verification credits of an account, their grants and their uses by day.

import type { Clock } from '../../lib/clock.ts'
import { type Read, reading } from '../../store/database/store.ts'
import {
  countCredits,
  listCreditGrants,
  listCreditUses,
} from '../../store/verification/verification-credits.ts'
import { callerOf } from '../caller.ts'
import { CreditsView } from '../contract/credits.ts'
import { defineRoute } from '../route.ts'

const DAYS = 90
const DAY_MS = 86_400_000

export const showCredits = ({ read, clock }: { readonly read: Read; readonly clock: Clock }) =>
  defineRoute({
    method: 'GET',
    url: '/v1/credits',
    schema: {
      tags: ['Verification'],
      summary: 'Retrieve the verification credits',
      response: { 200: CreditsView },
    },
    refusals: [],
    scope: 'verifications:read',
    async handler(request): Promise<CreditsView> {
      const { accountId } = callerOf(request)
      const balance = await reading(countCredits(read, accountId))
      const grants = await reading(listCreditGrants(read, accountId, 100))
      const uses = await reading(listCreditUses(read, accountId, DAYS))
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
  })

/** Returns the dates of the last days, oldest first. */
const lastDays = (now: number): string[] =>
  Array.from({ length: DAYS }, (_, index) =>
    new Date(now - (DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  )
