// postrider whoami: shows the key that commands use, with its rights.

import type { CurrentKey } from '../api/contract/key.ts'
import type { Answer, Context } from './command.ts'
import { withAnyApi } from './open.ts'
import { fields } from './text.ts'
import { shortDate } from './times.ts'

export function whoami(
  context: Context,
  { account }: { readonly account: string | undefined },
): Promise<Answer> {
  return withAnyApi(context, account, async (api) => {
    const key = await api.get<CurrentKey>('/v1/key')
    const { account_id, name } = key.account
    const where = api.at === undefined ? 'the store of this machine' : api.at
    const text = fields([
      ['Works on', where],
      ['Key', api.at === undefined ? key.name : `${key.name} (${key.key_id})`],
      ['Account', account_id === '' ? 'every account' : `${name} (${account_id})`],
      ['Scopes', key.scopes.join(', ')],
      ['Domains', key.domains?.join(', ') ?? 'every domain of the account'],
      ...(key.networks === null ? [] : [['Networks', key.networks.join(', ')] as const]),
      ...(key.recipients === null ? [] : [['Recipients', key.recipients.join(', ')] as const]),
      ['Expires', key.expires_at === null ? 'never' : shortDate(key.expires_at)],
    ])
    return { document: key, text }
  })
}
