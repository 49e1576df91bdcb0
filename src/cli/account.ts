// postrider account: creates, lists, suspends and resumes accounts.

import { createAccount } from '../access/accounts.ts'
import { formatTime } from '../lib/rfc3339.ts'
import { givenAllowance } from '../model/allowance.ts'
import { type Account, listAccounts, setAccountStatus } from '../store/access/accounts.ts'
import type { Answer, Context } from './command.ts'
import { chooseAccount, untilNoticed, withStore } from './open.ts'
import { fields, table } from './text.ts'
import { shortTime } from './times.ts'

const accountDocument = (account: Account): object => ({
  account_id: account.id,
  name: account.name,
  status: account.status,
  sending_allowance: givenAllowance(account),
  stored_bytes_limit: account.stored_bytes_limit,
  verification_credits: account.verification_credits,
  created_at: formatTime(account.created_at),
})

/** Creates an account, and the store if there is none yet. */
export function create(context: Context, { name }: { readonly name: string }): Promise<Answer> {
  return withStore(
    context,
    async (opened) => {
      const account = await createAccount(opened, name)
      const text = [
        `The account ${account.name} has been created.`,
        '',
        fields([
          ['Account', account.id],
          ['Name', account.name],
        ]),
        '',
        'Next, add a domain to send from: postrider domain add example.com',
        'A login for the dashboard: postrider user create you@example.com',
      ]
      return { document: accountDocument(account), text: text.join('\n') }
    },
    { creates: true },
  )
}

export function list(context: Context): Promise<Answer> {
  return withStore(context, async ({ store }) => {
    const accounts = await listAccounts(store.read)
    const rows = accounts.map((one) => [
      one.id,
      one.name,
      one.status,
      givenAllowance(one) ?? 'unlimited',
      one.verification_credits,
      shortTime(one.created_at),
    ])
    return {
      document: { data: accounts.map(accountDocument) },
      text: table(
        ['account', 'name', 'status', 'allowance', 'credits', 'created'],
        rows,
        'There is no account yet; create one with: postrider account create NAME',
      ),
    }
  })
}

/** Suspends or resumes an account; returns when all running nodes apply the change. */
export function setStatus(
  context: Context,
  status: Account['status'],
  named: string | undefined,
): Promise<Answer> {
  return withStore(context, async ({ store, clock }) => {
    const account = await chooseAccount(store.read, named)
    await store.write(setAccountStatus, { id: account.id, status, now: clock.now() })
    await untilNoticed()
    const consequence =
      status === 'suspended'
        ? 'The account can no longer send or verify, and its queued messages are held.'
        : 'The account can send and verify again, and its queue is resumed.'
    return {
      document: accountDocument({ ...account, status }),
      text: `The account ${account.name} (${account.id}) is ${status}. ${consequence}`,
    }
  })
}
