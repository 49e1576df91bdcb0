// postrider account: creates, lists, suspends and resumes accounts.

import type { ListedAccount, NewAccountView, OperatedAccount } from '../api/contract/accounts.ts'
import { type Api, pathOf } from './api.ts'
import type { Answer, Context } from './command.ts'
import { onlyAccount, untilNoticed, withInstallation } from './open.ts'
import { fields, table } from './text.ts'
import { shortDate } from './times.ts'

/** Creates an account, and the store if there is none yet. */
export function create(context: Context, { name }: { readonly name: string }): Promise<Answer> {
  return withInstallation(
    context,
    async (api) => {
      const account = await api.post<NewAccountView>('/v1/accounts', { name })
      const text = [
        `The account ${account.name} has been created.`,
        '',
        fields([
          ['Account', account.account_id],
          ['Name', account.name],
        ]),
        '',
        'Next, add a domain to send from: postrider domain add example.com',
        'A login for the dashboard: postrider user create you@example.com',
      ]
      return { document: account, text: text.join('\n') }
    },
    { creates: true },
  )
}

export function list(context: Context): Promise<Answer> {
  return withInstallation(context, async (api) => {
    const accounts = await api.list<ListedAccount>('/v1/accounts')
    const rows = accounts.map((one) => [
      one.account_id,
      one.name,
      one.status,
      one.sending_allowance ?? 'unlimited',
      one.verification_credits,
      shortDate(one.created_at),
    ])
    return {
      document: { data: accounts },
      text: table(
        ['account', 'name', 'status', 'allowance', 'credits', 'created'],
        rows,
        'There is no account yet; create one with: postrider account create NAME',
      ),
    }
  })
}

/** Number of accounts that a refusal names, and one more. */
const SEVERAL = 6

/**
 * Returns the account with this ID or name, or the only account of the installation. Throws `not_found` or
 * `validation_failed`.
 */
export async function accountNamed(api: Api, named: string | undefined): Promise<OperatedAccount> {
  if (named === undefined)
    return onlyAccount(await api.list<ListedAccount>('/v1/accounts', {}, SEVERAL), named)
  if (/^acc_\w{26}$/.test(named)) return api.get<OperatedAccount>(pathOf`/v1/accounts/${named}`)
  const found = await api.list<ListedAccount>('/v1/accounts', { name: named }, SEVERAL)
  return onlyAccount(found.length > 0 ? found : [NOBODY], named)
}

/** Account that stands for those with other names, so that the refusal is about the name. */
const NOBODY = { account_id: '', name: '' } as ListedAccount

/** Suspends or resumes an account; returns when all running nodes apply the change. */
export function setStatus(
  context: Context,
  status: OperatedAccount['status'],
  named: string | undefined,
): Promise<Answer> {
  return withInstallation(context, async (api) => {
    const { account_id: id } = await accountNamed(api, named)
    const account = await api.patch<OperatedAccount>(pathOf`/v1/accounts/${id}`, { status })
    await untilNoticed()
    const consequence =
      status === 'suspended'
        ? 'The account can no longer send or verify, and its queued messages are held.'
        : 'The account can send and verify again, and its queue is resumed.'
    return {
      document: account,
      text: `The account ${account.name} (${id}) is ${status}. ${consequence}`,
    }
  })
}
