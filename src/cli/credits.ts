// postrider credits: grants verification credits, and shows their history.

import type { CreditBalance } from '../api/contract/accounts.ts'
import type { CreditsView } from '../api/contract/credits.ts'
import { accountNamed } from './account.ts'
import { pathOf } from './api.ts'
import type { Answer, Context } from './command.ts'
import { withApi, withInstallation } from './open.ts'
import { counted, table } from './text.ts'

export function grant(
  context: Context,
  given: {
    readonly credits: number
    readonly note: string | undefined
    readonly account: string | undefined
  },
): Promise<Answer> {
  return withInstallation(context, async (api) => {
    const { credits, note } = given
    const { account_id, name } = await accountNamed(api, given.account)
    const path = pathOf`/v1/accounts/${account_id}/credits`
    const { verification_credits } = await api.post<CreditBalance>(path, { credits, note })
    return {
      document: { account_id, granted: credits, verification_credits },
      text: `${name} was granted ${counted(credits, 'verification credit')} and now has ${verification_credits}.`,
    }
  })
}

const MAX_LINES = 90

/** Lists the grants of credits, and the credits that verifications used on each day. */
export function history(
  context: Context,
  given: { readonly limit: number | undefined; readonly account: string | undefined },
): Promise<Answer> {
  const { limit = MAX_LINES } = given
  return withApi(context, given.account, async (api) => {
    const credits = await api.get<CreditsView>('/v1/credits')
    const used = credits.uses.filter((one) => one.credits > 0)
    const lines = [
      ...credits.grants.map((one) => ({
        at: one.granted_at,
        credits: one.credits,
        what: one.note ?? 'granted',
      })),
      // The `~` sorts the use of a day after the grants of the same day.
      ...used.map((one) => ({ at: `${one.day}~`, credits: -one.credits, what: 'verifications' })),
    ]
      .sort((a, b) => (a.at < b.at ? 1 : -1))
      .slice(0, limit)
    const rows = lines.map((one) => [
      one.at.slice(0, 10),
      one.credits > 0 ? `+${one.credits}` : one.credits,
      one.what,
    ])
    const balance = counted(credits.balance, 'verification credit')
    return {
      document: { ...credits, uses: used },
      text: `The account has ${balance}.\n\n${table(['day', 'credits', 'what'], rows, 'Nothing has been granted or used.')}`,
    }
  })
}
