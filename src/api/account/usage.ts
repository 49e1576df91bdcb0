// Usage of an account: recipients, verified addresses and stored bytes by day or month, and what is left of the limits.

import { readTime } from '../../http/filters.ts'
import { dayOf, formatTime } from '../../lib/rfc3339.ts'
import { allowanceLeft, givenAllowance } from '../../model/allowance.ts'
import { type FieldProblem, invalidFields, Problem } from '../../model/problem.ts'
import { countObjects, findAccount } from '../../store/access/accounts.ts'
import { MAX_KEYS } from '../../store/access/keys.ts'
import { reading } from '../../store/database/store.ts'
import { namesOfDomains } from '../../store/domains/domain-rows.ts'
import { MAX_DOMAINS } from '../../store/domains/domains.ts'
import { readStoredBytes } from '../../store/messages/stored-bytes.ts'
import { readUsage, type Used } from '../../store/readers/message-counts.ts'
import { readCreditUses } from '../../store/verification/verification-credits.ts'
import type { UsagePeriod, UsageQuery, UsageView } from '../contract/account.ts'
import type { AccountShowing } from './view.ts'

const DAY_MS = 86_400_000
/** Maximum number of periods, and of entries, in one response. */
const MAX_PERIODS = { day: 100, month: 36 } as const
const MAX_ENTRIES = 20_000

/** Account whose usage is read; `domainIds` restricts the mail to some domains of the account. */
interface UsageOwner {
  readonly accountId: string
  readonly domainIds: readonly string[] | undefined
}

/** Period with its beginning and its end, exclusive, in milliseconds since the epoch. */
interface Period {
  readonly from: number
  readonly to: number
}

/** Returns the usage of an account. Throws `validation_failed`, and `not_found` for an account that does not exist. */
export async function usageView(
  services: AccountShowing,
  owner: UsageOwner,
  query: UsageQuery,
  now: number,
): Promise<UsageView> {
  const { read } = services
  const { by = 'day', group } = query
  const periods = readPeriods(query, now)
  const [first, last] = [periods[0] as Period, periods.at(-1) as Period]
  // Days of one span are read together; months, which differ in length, one after the other.
  const spans = by === 'day' ? [{ from: first.from, to: last.to }] : periods
  const used: Used[] = []
  for (const span of spans) {
    used.push(
      ...(await reading(readUsage(read, { ...owner, ...span, bucket: by === 'day' ? DAY_MS : null, group }))),
    )
  }
  if (used.length > MAX_ENTRIES) {
    throw invalidFields([
      {
        path: 'from',
        code: 'too_long',
        message: `The usage has more than ${MAX_ENTRIES} entries; give a shorter span.`,
      },
    ])
  }
  const data =
    group === undefined
      ? await wholePeriods(services, owner, periods, used, now)
      : await groupsOf(services, owner, periods, used)
  return { data, ...(await limitsOf(services, owner.accountId, now)) }
}

/** Returns the periods of a query, oldest first and without gaps. Throws `validation_failed`. */
function readPeriods(query: UsageQuery, now: number): Period[] {
  const { by = 'day' } = query
  const problems: FieldProblem[] = []
  const to = readTime('to', query.to, problems) ?? now
  const from = readTime('from', query.from, problems) ?? (by === 'day' ? to - 30 * DAY_MS : monthOf(to, -12))
  if (problems.length === 0 && from < 0) {
    problems.push({ path: 'from', code: 'invalid_time', message: 'Give a time after 1970.' })
  } else if (problems.length === 0 && to <= from) {
    problems.push({ path: 'to', code: 'invalid_time', message: '`to` has to be after `from`.' })
  }
  const periods: Period[] = []
  for (let at = begin(from, by); problems.length === 0 && at < to; ) {
    const end = by === 'day' ? at + DAY_MS : monthOf(at, 1)
    periods.push({ from: at, to: end })
    at = end
    if (periods.length <= MAX_PERIODS[by]) continue
    const message = `The span has more than ${MAX_PERIODS[by]} periods; give a shorter span, or read it in parts.`
    problems.push({ path: 'from', code: 'too_long', message })
  }
  if (problems.length > 0) throw invalidFields(problems)
  return periods
}

const begin = (at: number, by: 'day' | 'month'): number =>
  by === 'day' ? at - (at % DAY_MS) : monthOf(at, 0)

/** Returns the beginning of a month in UTC, a number of months after the month of a time. */
function monthOf(at: number, months: number): number {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months)
}

const shown = ({ from, to }: Period) => ({ from: formatTime(from), to: formatTime(to) })

const NOTHING = { accepted: 0, delivered: 0, bounced: 0, complained: 0 } as const

/** Returns one entry for each period, with the addresses verified in the period and the bytes that are stored now. */
async function wholePeriods(
  { read }: AccountShowing,
  { accountId, domainIds }: UsageOwner,
  periods: readonly Period[],
  used: readonly Used[],
  now: number,
): Promise<UsagePeriod[]> {
  const [first, last] = [periods[0] as Period, periods.at(-1) as Period]
  const [uses, bytes] = await reading(
    Promise.all([
      readCreditUses(read, accountId, dayOf(first.from), dayOf(last.to)),
      readStoredBytes(read, accountId),
    ]),
  )
  const byBeginning = new Map(used.map(({ at, counts }) => [at, counts]))
  return periods.map((period) => {
    const isPresent = period.from <= now && now < period.to && domainIds === undefined
    const verified = uses
      .filter(({ day }) => day >= dayOf(period.from) && day < dayOf(period.to))
      .reduce((sum, { credits }) => sum + Number(credits), 0)
    return {
      ...shown(period),
      ...(byBeginning.get(period.from) ?? NOTHING),
      stored_bytes: isPresent ? bytes : null,
      verified: domainIds === undefined ? verified : null,
    }
  })
}

/** Returns one entry for each domain or stream of a period that has mail. */
async function groupsOf(
  { read }: AccountShowing,
  { accountId }: UsageOwner,
  periods: readonly Period[],
  used: readonly Used[],
): Promise<UsagePeriod[]> {
  const ids = [...new Set(used.map(({ domainId }) => domainId))]
  const names = await reading(namesOfDomains(read, accountId, ids))
  const byBeginning = new Map(periods.map((period) => [period.from, period]))
  const entries = used.flatMap(({ at, domainId, stream, counts }): UsagePeriod[] => {
    const period = byBeginning.get(at)
    if (period === undefined) return []
    const domain = names.get(domainId) ?? domainId
    const place = { domain, domain_id: domainId, ...(stream === '' ? {} : { stream }) }
    return [{ ...shown(period), ...place, ...counts, stored_bytes: null, verified: null }]
  })
  const placeOf = ({ from, domain, stream = '' }: UsagePeriod) => `${from} ${domain} ${stream}`
  return entries.sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1))
}

/** Returns the limits of an account, and what is left of the limits. Throws `not_found`. */
async function limitsOf(
  { read, storedBytesPerAccount }: AccountShowing,
  accountId: string,
  now: number,
): Promise<Pick<UsageView, 'limits' | 'left'>> {
  const [account, bytes, { domains, keys }] = await reading(
    Promise.all([
      findAccount(read, accountId),
      readStoredBytes(read, accountId),
      countObjects(read, accountId, now),
    ]),
  )
  if (account === undefined) throw new Problem('not_found', 'The account no longer exists.')
  const storedBytes = account.stored_bytes_limit ?? storedBytesPerAccount ?? null
  const domainsLimit = account.domains_limit ?? MAX_DOMAINS
  const keysLimit = account.keys_limit ?? MAX_KEYS
  const left = (limit: number, present: number): number => Math.max(0, limit - present)
  return {
    limits: {
      sending_allowance: givenAllowance(account),
      stored_bytes: storedBytes,
      domains: domainsLimit,
      keys: keysLimit,
    },
    left: {
      sending_allowance: allowanceLeft(account, now),
      stored_bytes: storedBytes === null ? null : left(storedBytes, bytes),
      domains: left(domainsLimit, domains),
      keys: left(keysLimit, keys),
      verification_credits: account.verification_credits,
    },
  }
}
