// What accounts' own mail has shown of addresses: the last time it was taken, came back, or was complained about.

import { CompiledQuery } from 'kysely'
import { beforeIdsOf } from '../lib/ids.ts'
import type { BounceCategory } from '../model/bounce-category.ts'
import { isPostgres, type Read } from './dialect.ts'

/** An address, and whose mail to it is asked about. */
export interface OwnAddress {
  readonly accountId: string
  /** In its only spelling (`Address.email`). */
  readonly email: string
}

/** What the account's mail has shown of one address. */
export interface OwnMail {
  /** How its newest mail since then ended, when any has. */
  readonly last?: 'delivered' | { readonly hard: boolean; readonly category: BounceCategory | undefined }
  /** It bounced for good or was complained about once, and is not sent to any more. */
  readonly suppressed: boolean
}

interface Row {
  readonly account_id: string
  readonly email: string
  readonly kind: 'delivered' | 'bounced' | 'suppressed'
  readonly at: number
  readonly message_id: string
}

/** Of the mail that was submitted since then, for each address in its place. */
export async function findOwnMail(
  read: Read,
  addresses: readonly OwnAddress[],
  since: number,
): Promise<OwnMail[]> {
  const postgres = isPostgres(read)
  const one = (index: number): string => (postgres ? `($${2 * index + 1}, $${2 * index + 2})` : '(?, ?)')
  const asked = addresses.map((_, index) => one(index)).join()
  const text = `
    with asked(account_id, email) as (values ${asked})
    select asked.account_id, asked.email, recipients.status as kind,
           max(recipients.last_event_at) as at, max(recipients.message_id) as message_id
    from asked
    join domains on domains.account_id = asked.account_id
    join recipients on recipients.domain_id = domains.id and recipients.email = asked.email
      and recipients.message_id >= ${postgres ? `$${2 * addresses.length + 1}` : '?'}
      and recipients.status in ('delivered', 'bounced')
    group by asked.account_id, asked.email, recipients.status
    union all
    select asked.account_id, asked.email, 'suppressed', max(suppressions.created_at), max(suppressions.id)
    from asked
    join suppressions on suppressions.account_id = asked.account_id and suppressions.email = asked.email
      and suppressions.reason in ('hard_bounce', 'complaint')
    group by asked.account_id, asked.email`
  const parameters = addresses.flatMap(({ accountId, email }) => [accountId, email])
  const query = CompiledQuery.raw(text, [...parameters, beforeIdsOf('msg', since)])
  const { rows } = await read.executeQuery<Row>(query)
  if (rows.length === 0) return addresses.map(() => ({ suppressed: false }))
  const byAddress = Map.groupBy(rows, keyOf)
  return Promise.all(
    addresses.map(({ accountId: account_id, email }) =>
      ownMail(read, byAddress.get(keyOf({ account_id, email })) ?? []),
    ),
  )
}

const keyOf = ({ account_id, email }: Pick<Row, 'account_id' | 'email'>): string => `${account_id} ${email}`

async function ownMail(read: Read, rows: readonly Row[]): Promise<OwnMail> {
  const suppressed = rows.some(({ kind }) => kind === 'suppressed')
  const [last] = rows.filter(({ kind }) => kind !== 'suppressed').sort((a, b) => b.at - a.at)
  if (last === undefined) return { suppressed }
  return { suppressed, last: last.kind === 'delivered' ? 'delivered' : await howItBounced(read, last) }
}

async function howItBounced(read: Read, { message_id, account_id, email }: Row) {
  const event = await read
    .selectFrom('events')
    .select('detail')
    .where('message_id', '=', message_id)
    .where('account_id', '=', account_id)
    .where('type', '=', 'bounced')
    .where('email', '=', email)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  const detail = JSON.parse(event?.detail ?? '{}') as { hard?: boolean; category?: BounceCategory }
  return { hard: detail.hard === true, category: detail.category }
}
