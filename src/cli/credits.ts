// postrider credits: grant verification credits.

import { Problem } from '../model/problem.ts'
import type { Answer, Context } from './command.ts'
import { withAccount } from './open.ts'
import { counted } from './text.ts'

export function grant(
  context: Context,
  given: { readonly credits: number; readonly account: string | undefined },
): Promise<Answer> {
  return withAccount(context, given.account, async ({ store, account }) => {
    const balance = await store.write('grantCredits', { accountId: account.id, credits: given.credits })
    if (balance === undefined) throw new Problem('not_found', `The account ${account.id} is gone.`)
    return {
      document: { account_id: account.id, granted: given.credits, verification_credits: balance },
      text: `${account.name} has got ${counted(given.credits, 'verification credit')} and now has ${balance}.`,
    }
  })
}
