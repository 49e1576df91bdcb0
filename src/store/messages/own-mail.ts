// Evidence about addresses: the outcome of the newest mail to each address, by account or in the whole installation.

import { CompiledQuery } from 'kysely'
import { beforeIdsOf } from '../../lib/ids.ts'
import { inAnyCase } from '../../model/address.ts'
import type { BounceCategory } from '../../model/bounce-category.ts'
import { isPostgres, type Read } from '../database/dialect.ts'

/** An address, and the account whose mail to the address is evidence. */
export interface OwnAddress {
  readonly accountId: string
  /** The address in canonical spelling (`Address.email`). */
  readonly email: string
}

/** Outcome of a mail to an address. */
export interface EndedMail {
  /** The bounce; undefined if a host accepted the mail and the mail has not bounced. */
  readonly bounce: Bounce | undefined
  /** Host that sent the reply. */
  readonly mx: string | null
  readonly smtpCode: number | null
}

interface Bounce {
  readonly at: number
  /** True if the address itself was refused permanently and the account has not removed the suppression since. */
  readonly hard: boolean
  readonly category: BounceCategory | undefined
  /** Stage of the SMTP dialog at which the host refused the mail; undefined for an asynchronous bounce. */
  readonly stage: string | undefined
}

/** Evidence about one address from the account's own mail. */
export interface OwnMail {
  /** The latest outcome of a mail to the address; undefined if no mail was delivered or bounced. */
  readonly last?: EndedMail
  /** True if the address is suppressed after a hard bounce or a complaint. */
  readonly suppressed: boolean
}

interface Row {
  readonly account_id: string
  readonly email: string
  readonly status: 'delivered' | 'bounced' | 'suppressed'
  readonly last_event_at: number
  readonly message_id: string
  readonly mx: string | null
  readonly smtp_code: number | null
}

/**
 * Maximum number of mails of one domain to one address that are read, newest first: an address may have a thousand
 * mails.
 */
const NEWEST = 20
const ENDED = "status in ('delivered', 'bounced')"
const COLUMNS =
  'recipients.status, recipients.last_event_at, recipients.message_id, recipients.mx, recipients.smtp_code'

/** Returns a function that makes numbered parameters; a query can use a numbered parameter more than once. */
function parametersOf(read: Read): (count: number) => string[] {
  const mark = isPostgres(read) ? '$' : '?'
  let next = 1
  return (count) => Array.from({ length: count }, () => `${mark}${next++}`)
}

/**
 * Returns the subquery of the newest mails of a domain to an address, which uses the index `recipients_by_any_case`.
 * `asked` has the columns `email` and `folded`; `folded` is the result of `inAnyCase`. A mail that went to a test inbox
 * says nothing about its address.
 */
const newestMails = (domain: string, since: string): string => `(
  select message_id, status, last_event_at from recipients
  where domain_id = ${domain} and lower(email) = asked.folded and email = asked.email and message_id >= ${since}
    and substr(destination, 1, 4) <> 'inb_'
  order by message_id desc limit ${NEWEST}) as newest`

/** Returns the evidence about each address, in the order of the addresses, from mail submitted since a time. */
export async function findOwnMail(
  read: Read,
  addresses: readonly OwnAddress[],
  since: number,
): Promise<OwnMail[]> {
  const parameters = parametersOf(read)
  const asked = addresses.map(() => `(${parameters(3)})`).join()
  const newest = newestMails('domains.id', parameters(1)[0] as string)
  // SQLite would build an intermediate table for grouping, for sorting, for a list that is used twice, and for a list of
  // values of an indexed column, which is hidden by `coalesce`; each intermediate table costs more than all lookups.
  const text = `
    with asked(account_id, email, folded) as (values ${asked}), listed(account_id, email, folded) as (values ${asked})
    select asked.account_id, asked.email, ${COLUMNS}
    from asked join domains on domains.account_id = asked.account_id
    join recipients on recipients.message_id = (
        select max(message_id) from ${newest}
        where ${ENDED} and last_event_at = (select max(last_event_at) from ${newest} where ${ENDED}))
      and recipients.email = asked.email and recipients.account_id = asked.account_id and recipients.${ENDED}
    union all
    select listed.account_id, listed.email, 'suppressed', 0, '', null, null
    from listed where exists (
      select 1 from suppressions
      where suppressions.account_id = listed.account_id and suppressions.email = listed.folded
        and coalesce(suppressions.reason, '') in ('hard_bounce', 'complaint'))`
  const given = addresses.flatMap(({ accountId, email }) => [accountId, email, inAnyCase(email)])
  const query = CompiledQuery.raw(text, [...given, beforeIdsOf('msg', since)])
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
  const suppressed = rows.some(({ status }) => status === 'suppressed')
  const [last] = rows
    .filter(({ status }) => status !== 'suppressed')
    .sort((a, b) => b.last_event_at - a.last_event_at)
  return last === undefined ? { suppressed } : { suppressed, last: await endOf(read, last) }
}

async function endOf(read: Read, row: Row): Promise<EndedMail> {
  const { mx, smtp_code: smtpCode } = row
  return { bounce: row.status === 'bounced' ? await bounceOf(read, row) : undefined, mx, smtpCode }
}

async function bounceOf(read: Read, { message_id, account_id, email }: Row): Promise<Bounce> {
  const event = await read
    .selectFrom('events')
    .select(['detail', 'at'])
    .where('message_id', '=', message_id)
    .where('account_id', '=', account_id)
    .where('type', '=', 'bounced')
    .where('email', '=', email)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  const { hard, category, stage } = JSON.parse(event?.detail ?? '{}') as Partial<Bounce>
  const stands = hard === true && (await isSuppressed(read, account_id, email))
  return { at: Number(event?.at ?? 0), hard: stands, category, stage }
}

/** True if the address is suppressed after a hard bounce; the bounce applies until the suppression is removed. */
async function isSuppressed(read: Read, accountId: string, email: string): Promise<boolean> {
  const row = await read
    .selectFrom('suppressions')
    .select('id')
    .where('account_id', '=', accountId)
    .where('email', '=', inAnyCase(email))
    .where('reason', '=', 'hard_bounce')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Returns domains of all accounts, ordered by their latest mail, latest first. */
export async function listDomainsBySending(read: Read, limit: number): Promise<string[]> {
  const text = `
    select id from domains order by coalesce(
      (select messages.id from messages where messages.domain_id = domains.id order by messages.id desc limit 1), ''
    ) desc limit ${parametersOf(read)(1)}`
  const { rows } = await read.executeQuery<{ id: string }>(CompiledQuery.raw(text, [limit]))
  return rows.map(({ id }) => id)
}

/**
 * Returns for each address, in order, the outcome of the newest mail that these domains submitted since the given time.
 * The domains may belong to any account, so the result must reveal no more than a host reveals to any client.
 */
export async function findAnybodysMail(
  read: Read,
  emails: readonly string[],
  domainIds: readonly string[],
  since: number,
): Promise<(EndedMail | undefined)[]> {
  if (domainIds.length === 0) return emails.map(() => undefined)
  const parameters = parametersOf(read)
  const rowsOf = (rows: readonly unknown[], columns: number): string =>
    rows.map(() => `(${parameters(columns)})`).join()
  const asked = rowsOf(emails, 2)
  const sending = rowsOf(domainIds, 1)
  const newest = newestMails('sending.id', parameters(1)[0] as string)
  // The query selects the mail by the time of submission and not by the time of the last event, because later events of
  // a mail are not replies to RCPT.
  const text = `
    with asked(email, folded) as (values ${asked}), sending(id) as (values ${sending})
    select recipients.account_id, asked.email, ${COLUMNS}
    from asked join recipients on recipients.message_id = (
        select max((select max(message_id) from ${newest} where ${ENDED})) from sending)
      and recipients.email = asked.email and recipients.${ENDED}`
  const query = CompiledQuery.raw(text, [
    ...emails.flatMap((email) => [email, inAnyCase(email)]),
    ...domainIds,
    beforeIdsOf('msg', since),
  ])
  const { rows } = await read.executeQuery<Row>(query)
  const byEmail = new Map(rows.map((row) => [row.email, row]))
  return Promise.all(
    emails.map((email) => {
      const row = byEmail.get(email)
      return row && endOf(read, row)
    }),
  )
}
