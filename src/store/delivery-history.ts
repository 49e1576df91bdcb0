// What an account's own mail has shown of an address: the last time it was taken, or refused for good.

import { beforeIdsOf } from '../lib/ids.ts'
import type { BounceCategory } from '../model/bounce-category.ts'
import type { Read } from './dialect.ts'

/** How the account's newest settled mail to an address ended. */
export type LastDelivery =
  | { readonly status: 'delivered' }
  | { readonly status: 'bounced'; readonly hard: boolean; readonly category: BounceCategory | undefined }

/** Of the mail that this account submitted since then; undefined when none is settled. */
export async function findLastDelivery(
  read: Read,
  accountId: string,
  email: string,
  since: number,
): Promise<LastDelivery | undefined> {
  const domains = read.selectFrom('domains').select('id').where('account_id', '=', accountId)
  const row = await read
    .selectFrom('recipients')
    .select(['message_id', 'status'])
    .where('domain_id', 'in', domains)
    .where('email', '=', email)
    .where('message_id', '>=', beforeIdsOf('msg', since))
    .where('status', 'in', ['delivered', 'bounced'])
    .orderBy('last_event_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return undefined
  if (row.status === 'delivered') return { status: 'delivered' }
  const event = await read
    .selectFrom('events')
    .select('detail')
    .where('message_id', '=', row.message_id)
    .where('account_id', '=', accountId)
    .where('type', '=', 'bounced')
    .where('email', '=', email)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  const detail = JSON.parse(event?.detail ?? '{}') as { hard?: boolean; category?: BounceCategory }
  return { status: 'bounced', hard: detail.hard === true, category: detail.category }
}
