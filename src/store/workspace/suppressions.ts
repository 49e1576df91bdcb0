// Suppressions: addresses to which a stream no longer sends, and the recipients that end as suppressed.

import { newId } from '../../lib/ids.ts'
import type { AccountEventType } from '../../model/account-event.ts'
import { inAnyCase } from '../../model/address.ts'
import type { Outcome } from '../../model/attempt.ts'
import { isAboutAddress } from '../../model/bounce-category.ts'
import { isServiceStream } from '../../model/stream.ts'
import { type SuppressionReason, WHOLE_DOMAIN } from '../../model/suppression.ts'
import type { Database, Read } from '../database/dialect.ts'
import { findKeys, findRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { together } from '../database/together.ts'
import { keepAccountEvents } from '../events/account-events.ts'
import { endRecipients, eventOf, keepEvents, type NewEvent } from '../messages/history.ts'
import { isWholeAccount, wholeAccount } from '../messages/owner.ts'
import { findErased } from './erased-suppressions.ts'

export type Suppression = Tables['suppressions']

/** An address, with the stream and the domain that send to the address. */
export interface StreamAddress {
  /** Account whose list applies too; undefined if no list of an account applies. */
  readonly accountId?: string
  readonly domainId: string
  readonly stream: string
  /** Address in the spelling of `Address.email`; suppressions match the address case-insensitively. */
  readonly email: string
}

/** A suppression to add. */
export type NewSuppression = Omit<Suppression, 'id' | 'replaced'>

/**
 * Returns the row of a new suppression, with the address in lower case. Hardly any host distinguishes `Ann@` from
 * `ann@` (RFC 5321 §2.4 advises against the distinction), and a recipient who has unsubscribed must not get mail at
 * another spelling of the address.
 */
export const suppressionRow = (item: NewSuppression): Suppression => ({
  id: newId('sup', item.created_at),
  replaced: null,
  ...item,
  email: inAnyCase(item.email),
})

/** Returns the key of an address on a suppression list. */
export const listedKey = ({ domainId: domain_id, stream, email }: StreamAddress) => ({
  domain_id,
  stream,
  email: inAnyCase(email),
})

/** Number of suppressions of one list above which one event counts them. */
export const LISTED_SUPPRESSIONS = 100

/**
 * Writes the events of suppressions that were added, or removed at the time `at`. Many suppressions of one list cause one
 * event that counts them. The service's own mail belongs to no account and causes no event.
 */
export async function tellSuppressions(
  db: Database,
  type: AccountEventType & `suppression.${string}`,
  suppressions: readonly Suppression[],
  at?: number,
): Promise<void> {
  const shown = suppressions.filter(({ stream }) => !isServiceStream(stream))
  const lists = Map.groupBy(shown, ({ domain_id, stream, reason }) => `${domain_id} ${stream} ${reason}`)
  for (const list of lists.values()) {
    const isCounted = list.length > LISTED_SUPPRESSIONS
    await keepAccountEvents(
      db,
      list.slice(0, isCounted ? 1 : undefined).map((suppression) => {
        const { id, account_id: accountId, domain_id: domainId, stream, email, reason } = suppression
        return {
          ...{ accountId, type, at: at ?? suppression.created_at, objectId: isCounted ? domainId : id },
          domainId: isWholeAccount({ accountId, domainId }) ? null : domainId,
          email: isCounted ? undefined : email,
          detail: {
            ...{ stream, reason, count: isCounted ? list.length : 1 },
            ...(type === 'suppression.added'
              ? { message_id: isCounted ? null : suppression.message_id }
              : {}),
          },
        }
      }),
    )
  }
}

/**
 * Adds addresses to their suppression lists; the result is false for an address that is already listed, and the listed
 * entry keeps its reason.
 */
export async function suppress(db: Database, items: readonly NewSuppression[]): Promise<boolean[]> {
  if (items.length === 0) return []
  const rows = items.map(suppressionRow)
  const added = await db
    .insertInto('suppressions')
    .values(rows)
    .onConflict((on) => on.columns(['domain_id', 'stream', 'email']).doNothing())
    .returning('id')
    .execute()
  const ids = new Set(added.map((row) => row.id))
  await tellSuppressions(
    db,
    'suppression.added',
    rows.filter(({ id }) => ids.has(id)),
  )
  return rows.map((row) => ids.has(row.id))
}

/**
 * Adds an address to its suppression list for a reason given by the recipient; this reason replaces a lower-ranking
 * reason. Returns whether the entry changed. A reason given by the recipient ranks higher than a refusal by a host.
 */
export async function suppressForOwner(
  db: Database,
  item: NewSuppression & { readonly reason: 'unsubscribe' | 'complaint' },
): Promise<boolean> {
  const row = suppressionRow(item)
  const { reason, message_id, created_at } = row
  const lesser: readonly SuppressionReason[] = ['hard_bounce', 'manual', 'unsubscribe']
  const kept = await db
    .insertInto('suppressions')
    .values(row)
    .onConflict((on) =>
      on
        .columns(['domain_id', 'stream', 'email'])
        .doUpdateSet((eb) => ({ reason, message_id, created_at, replaced: eb.ref('suppressions.reason') }))
        .where('suppressions.reason', 'in', lesser)
        .where('suppressions.reason', '!=', item.reason),
    )
    .returning('id')
    .execute()
  await tellSuppressions(
    db,
    'suppression.added',
    kept.map(({ id }) => ({ ...row, id })),
  )
  return kept.length > 0
}

/** Returns the keys of all lists that suppress an address: of the stream, of the whole domain, and of the account. */
function listsOf({ accountId, domainId: domain_id, stream, email: given }: StreamAddress) {
  const email = inAnyCase(given)
  const ofStream = { domain_id, stream, email }
  if (isServiceStream(stream)) return [ofStream]
  const ofDomain = { domain_id, stream: WHOLE_DOMAIN, email }
  if (accountId === undefined) return [ofStream, ofDomain]
  return [ofStream, ofDomain, { domain_id: wholeAccount(accountId).domainId, stream: WHOLE_DOMAIN, email }]
}

/**
 * Returns the rows with the last row repeated until the number of rows is a power of two, because SQLite looks up rows
 * in groups of such sizes, and each group is a statement.
 */
function filled<Row>(rows: readonly Row[]): readonly Row[] {
  const size = 2 ** Math.ceil(Math.log2(Math.max(1, rows.length)))
  const last = rows.at(-1)
  return last === undefined || rows.length > MAX_FILLED
    ? rows
    : rows.concat(Array(size - rows.length).fill(last))
}

/** Maximum number of rows that are filled up; more rows take several statements in any case. */
const MAX_FILLED = 128

/**
 * Returns the suppression of each suppressed address by index of the address: for the stream, for the whole domain, or
 * for the whole account.
 */
export async function findSuppressions(
  db: Database,
  addresses: readonly StreamAddress[],
): Promise<ReadonlyMap<number, Suppression>> {
  return (await findListed(db, addresses)).byIndex
}

/** Suppressions of addresses, by the index of the address. */
export interface Listed {
  readonly byIndex: ReadonlyMap<number, Suppression>
  /** Indices of the suppressed addresses and of the addresses that any other list of their account has. */
  readonly onAnyList: ReadonlySet<number>
}

/**
 * Returns the suppression of each suppressed address, and the addresses that any list of their account has. Most
 * addresses are on no list of their account, which one look at an index tells; only the others are looked up on their
 * lists, because an address may be on thousands of lists of an account.
 */
export async function findListed(db: Database, addresses: readonly StreamAddress[]): Promise<Listed> {
  const find = async () => {
    const known = await listedInAccounts(db, addresses)
    const listed = addresses.filter((one) => one.accountId === undefined || known.has(nameInAccount(one)))
    const keys = filled(listed.flatMap(listsOf))
    return { known, rows: await findRows(db, 'suppressions', ['domain_id', 'stream', 'email'], keys) }
  }
  const [{ known, rows }, erased] = await together(
    find(),
    findErased(db, () => addresses.flatMap(listsOf)),
  )
  const found = [...rows, ...erased]
  const byIndex = found.length === 0 ? new Map<number, Suppression>() : applyingTo(addresses, found)
  const inAccount =
    known.size === 0 ? [] : addresses.flatMap((one, index) => (known.has(nameInAccount(one)) ? [index] : []))
  return { byIndex, onAnyList: new Set([...byIndex.keys(), ...inAccount]) }
}

/** Returns the account ID, a space and the address in lower case. */
const nameInAccount = ({ accountId, email }: Pick<StreamAddress, 'accountId' | 'email'>): string =>
  `${accountId} ${inAnyCase(email)}`

/** Returns the addresses that any list of their account has, by `nameInAccount`. */
async function listedInAccounts(
  db: Database,
  addresses: readonly StreamAddress[],
): Promise<ReadonlySet<string>> {
  const asked = addresses.flatMap(({ accountId, email }) =>
    accountId === undefined ? [] : [{ account_id: accountId, email: inAnyCase(email) }],
  )
  const known = await findKeys(db, 'suppressions', ['account_id', 'email'], filled(asked))
  return new Set(known.map(({ account_id, email }) => `${account_id} ${email}`))
}

/** Returns the row that applies to each address with a row, by index of the address: of the narrowest list. */
function applyingTo(
  addresses: readonly StreamAddress[],
  rows: readonly Suppression[],
): ReadonlyMap<number, Suppression> {
  const keyOf = ({ domain_id, stream, email }: ReturnType<typeof listedKey>): string =>
    `${domain_id} ${stream} ${inAnyCase(email)}`
  const byKey = new Map(rows.map((row) => [keyOf(row), row]))
  const byIndex = new Map<number, Suppression>()
  for (const [index, address] of addresses.entries()) {
    const list = listsOf(address).find((one) => byKey.has(keyOf(one)))
    const row = list && byKey.get(keyOf(list))
    if (row !== undefined) byIndex.set(index, row)
  }
  return byIndex
}

/** Returns the indices of the addresses that are suppressed. */
export async function suppressedAmong(
  db: Database,
  addresses: readonly StreamAddress[],
): Promise<Set<number>> {
  return new Set((await findSuppressions(db, addresses)).keys())
}

/** Result of a look at the suppression lists of an account for one address. */
export interface ListsOfAddress {
  /** Suppression that applies to the stream. */
  readonly suppression: Suppression | undefined
  /** True if any domain of the account suppresses the address after a hard bounce. */
  readonly hasBounced: boolean
}

/** Returns what the lists of the accounts say about addresses, in the order of the addresses. */
export async function findInAccounts(
  read: Read,
  addresses: readonly (StreamAddress & { readonly accountId: string })[],
): Promise<ListsOfAddress[]> {
  const db = read as unknown as Database
  const { byIndex, onAnyList } = await findListed(db, addresses)
  const asked = addresses
    .filter((_, index) => onAnyList.has(index))
    .map(({ accountId, email }) => ({
      ...{ account_id: accountId, email: inAnyCase(email) },
      reason: 'hard_bounce' as const,
    }))
  const rows = await findKeys(db, 'suppressions', ['account_id', 'email', 'reason'], filled(asked))
  const bounced = new Set(rows.map(({ account_id, email }) => `${account_id} ${email}`))
  return addresses.map((one, index) => ({
    suppression: byIndex.get(index),
    hasBounced: bounced.has(nameInAccount(one)),
  }))
}

/** A recipient that waits in the queue or is being claimed. */
interface WaitingRecipient extends StreamAddress {
  readonly messageId: string
  readonly position: number
  readonly accountId: string
  readonly inboxId: string | null
}

/**
 * Ends recipients as suppressed, with their events and the statuses of their messages. Includes recipients whose
 * suppression was removed meanwhile.
 */
export async function endAsSuppressed(
  db: Database,
  rows: readonly WaitingRecipient[],
  now: number,
): Promise<void> {
  if (rows.length === 0) return
  const suppressions = await findSuppressions(db, rows)
  await endRecipients(db, rows, 'suppressed', now)
  const events = rows.map((row, index) => suppressedEvent(row, suppressions.get(index), now))
  await keepEvents(db, events)
}

/** Returns the event that states why nothing was sent to a recipient. */
export function suppressedEvent(
  recipient: Omit<WaitingRecipient, 'position'>,
  suppression: Suppression | undefined,
  now: number,
): NewEvent {
  return eventOf(recipient, 'suppressed', now, {
    reason: `The address is on the suppression list of ${listInWords(recipient, suppression)}.`,
    suppression: suppression?.reason,
    since: suppression && new Date(suppression.created_at).toISOString(),
  })
}

function listInWords(
  { accountId, stream }: Pick<WaitingRecipient, 'accountId' | 'stream'>,
  suppression: Suppression | undefined,
): string {
  if (suppression?.stream !== WHOLE_DOMAIN) return `the stream ${stream}`
  return suppression.domain_id === wholeAccount(accountId).domainId ? 'the whole account' : 'the whole domain'
}

/**
 * Suppresses addresses that a host has just refused permanently; ignores all other outcomes, and test messages, which no
 * host has refused.
 */
export async function suppressHardBounces(
  db: Database,
  items: readonly {
    readonly claimed: Omit<WaitingRecipient, 'position'>
    readonly outcome: Outcome
    readonly now: number
  }[],
): Promise<void> {
  const hard = items.filter(
    ({ claimed, outcome }) => claimed.inboxId === null && outcome.status === 'bounced' && suppresses(outcome),
  )
  await suppress(
    db,
    hard.map(({ claimed, now }) => ({
      account_id: claimed.accountId,
      domain_id: claimed.domainId,
      stream: claimed.stream,
      email: claimed.email,
      reason: 'hard_bounce',
      message_id: claimed.messageId,
      created_at: now,
    })),
  )
}

/** True if a bounce is caused by the address itself, and not by the sender or the message. */
export const suppresses = ({ hard, category }: Pick<Outcome, 'hard' | 'category'>): boolean =>
  hard === true && category !== undefined && isAboutAddress(category)
