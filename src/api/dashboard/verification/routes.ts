// /api/verification: credits and their use, and the account's verifications of lists and single addresses.

import { type Static, Type } from 'typebox'
import { idCursor, page } from '../../../http/page.ts'
import { reading } from '../../../store/database/store.ts'
import { listChecks, type NamedCheck } from '../../../store/verification/verification-checks.ts'
import {
  countCredits,
  listCreditGrants,
  listCreditUses,
} from '../../../store/verification/verification-credits.ts'
import { listVerifications, readListQueue } from '../../../store/verification/verifications.ts'
import { PageQuery } from '../../contract/common.ts'
import { CreditsView } from '../../contract/dashboard-keys.ts'
import { CheckView, type DetailedVerification, ListView, RESULT_NAMES } from '../../contract/verification.ts'
import { listView } from '../../verifications/view.ts'
import { type DashboardRoute, defineDashboardRoute, sessionOf } from '../route.ts'
import type { DashboardServices } from '../services.ts'

const DAYS = 90
const DAY_MS = 86_400_000

export const verificationRoutes = ({
  read,
  clock,
  timeLeft,
}: DashboardServices): readonly DashboardRoute[] => [
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
    async handler(request) {
      const { account_id: accountId } = sessionOf(request)
      const queue = await reading(readListQueue(read, accountId))
      return page(
        request.query,
        idCursor('ver'),
        (limit, cursor) => reading(listVerifications(read, accountId, limit, cursor)),
        (list) => list.id,
        (list) => listView(list, queue, timeLeft),
      )
    },
  }),
  defineDashboardRoute({
    method: 'GET',
    url: '/api/verification/checks',
    role: 'viewer',
    schema: {
      querystring: Type.Object(
        { ...PageQuery, result: Type.Optional(Type.Enum([...RESULT_NAMES])) },
        { additionalProperties: false },
      ),
      response: { 200: Type.Object({ data: Type.Array(CheckView) }) },
    },
    handler: (request) =>
      page(
        request.query,
        idCursor('chk'),
        (limit, cursor) =>
          reading(listChecks(read, sessionOf(request).account_id, request.query.result, limit, cursor)),
        ({ id }) => id,
        checkView,
      ),
  }),
]

const checkView = ({ id, answer, key_name, user_email, checked_at }: NamedCheck): CheckView => ({
  ...(JSON.parse(answer) as Static<typeof DetailedVerification>),
  ...{ check_id: id, by: user_email ?? key_name, checked_at: new Date(checked_at).toISOString() },
})

/** Returns the dates of the last days, oldest first. */
const lastDays = (now: number): string[] =>
  Array.from({ length: DAYS }, (_, index) =>
    new Date(now - (DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  )
