// postrider credits: grants verification credits, and shows their history.

import { formatTime } from '../lib/rfc3339.ts'
import { Problem } from '../model/problem.ts'
import { grantCredits, listCreditGrants, listCreditUses } from '../store/verification/verification-credits.ts'
import type { Answer, Context } from './command.ts'
import { withAccount } from './open.ts'
import { counted, table } from './text.ts'

export function grant(
  context: Context,
  given: {
    readonly credits: number
    readonly note: string | undefined
    readonly account: string | undefined
  },
): Promise<Answer> {
  return withAccount(context, given.account, async ({ store, account, clock }) => {
    const granted = await store.write(grantCredits, {
      accountId: account.id,
      credits: given.credits,
      note: given.note ?? null,
      now: clock.now(),
    })
    if (granted === undefined) throw new Problem('not_found', `The account ${account.id} no longer exists.`)
    const { balance } = granted
    return {
      document: { account_id: account.id, granted: given.credits, verification_credits: balance },
      text: `${account.name} was granted ${counted(given.credits, 'verification credit')} and now has ${balance}.`,
    }
  })
}

const MAX_LINES = 90

/** Lists the grants of credits, and the credits that verifications used on each day. */
export function history(
  context: Context,
  given: { readonly limit: number | undefined; readonly account: string | undefined },
): Promise<Answer> {
  const limit = given.limit ?? MAX_LINES
  return withAccount(context, given.account, async ({ store, account }) => {
    const [grants, uses] = await Promise.all([
      listCreditGrants(store.read, account.id, limit),
      listCreditUses(store.read, account.id, limit),
    ])
    const lines = [
      ...grants.map(({ granted_at, credits, note }) => ({
        at: formatTime(granted_at) as string,
        credits,
        what: note ?? 'granted',
      })),
      // The `~` sorts the use of a day after the grants of the same day.
      ...uses.map(({ day, credits }) => ({ at: `${day}~`, credits: -credits, what: 'verifications' })),
    ]
      .sort((a, b) => (a.at < b.at ? 1 : -1))
      .slice(0, limit)
    const rows = lines.map(({ at, credits, what }) => [
      at.slice(0, 10),
      credits > 0 ? `+${credits}` : credits,
      what,
    ])
    return {
      document: {
        account_id: account.id,
        verification_credits: account.verification_credits,
        granted: grants.map(({ id, credits, note, granted_at }) => ({
          id,
          credits,
          note,
          granted_at: formatTime(granted_at),
        })),
        used: uses.map(({ day, credits }) => ({ day, credits })),
      },
      text: `${account.name} has ${counted(account.verification_credits, 'verification credit')}.\n\n${table(['day', 'credits', 'what'], rows, 'Nothing has been granted or used.')}`,
    }
  })
}
