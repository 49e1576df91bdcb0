// Detects problems of an account, for the home page and for mail to the owners of the account.

import { domainToUnicode } from 'node:url'
import { allowanceLeft } from '../model/allowance.ts'
import { GRACE_MS } from '../model/domain.ts'
import { type Holding, heldView } from '../model/held.ts'
import { type IncidentCause, incidentTitle, OWN_CAUSES } from '../model/incident.ts'
import { isWholeAccount } from '../store/messages/owner.ts'
import type { DomainFacts, ProblemFacts } from '../store/problems/problem-facts.ts'
import type { DisabledWebhook } from '../store/webhooks/webhooks.ts'
import { isHigh, ratesOf } from './rates.ts'

/** Period over which mail is counted, in milliseconds. */
export const LOOKED_BACK_MS = 7 * 86_400_000

/** Time after which a due message without an attempt counts as stuck, in milliseconds. */
const STUCK_MS = 15 * 60_000
/** Number of days for which the remaining allowance or credits should last. */
const LOW_DAYS = 3

/** Share of the limit of stored bytes at which an account gets a warning. */
const STORED_SHARE = 0.9

const SEVERITIES = ['error', 'warning', 'info'] as const

/** Kinds of problems, which concern a domain or the whole account. */
type ProblemKind =
  | 'domain_unverified'
  | 'domain_flagged'
  | 'domain_closed'
  | 'dmarc_missing'
  | 'bounce_rate'
  | 'complaint_rate'
  | 'queue_held'
  | 'queue_stuck'
  | 'webhook_disabled'
  | 'allowance_low'
  | 'stored_bytes_high'
  | 'credits_low'
  | 'account_suspended'
  | 'incident'

/** Description of a problem for which the account's owners have to act. */
export interface AccountProblem {
  readonly kind: ProblemKind
  readonly severity: (typeof SEVERITIES)[number]
  readonly title: string
  readonly what_to_do: string
  /** Path of the dashboard page about the problem. */
  readonly link: string
  /**
   * Name of the dashboard text that describes the problem in the language of the user; `values` fills its placeholders.
   */
  readonly wording: string
  readonly values: ProblemValues
}

/** Values for the text of a problem: numbers are counts, fractions of 1 or bytes, and times are in RFC 3339 format. */
type ProblemValues = Readonly<Record<string, string | number>>

/**
 * Returns the problems of an account, the most severe first. `storedBytesPerAccount` is the limit for an account
 * without its own limit.
 */
export function problemsOf(
  facts: ProblemFacts,
  now: number,
  storedBytesPerAccount: number | undefined,
): AccountProblem[] {
  const problems = [
    ...accountProblems(facts, now),
    ...storedBytesProblems(facts, storedBytesPerAccount),
    ...incidentProblems(facts),
    ...facts.disabledWebhooks.map(webhookProblem),
    ...facts.domains.flatMap((domain) => [
      ...recordProblems(domain),
      ...rateProblems(domain),
      ...queueProblems(domain, now),
    ]),
  ]
  return problems.sort((one, other) => SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity))
}

function accountProblems(facts: ProblemFacts, now: number): AccountProblem[] {
  const { account } = facts
  const problems: AccountProblem[] = []
  if (account.status === 'suspended') {
    problems.push({
      kind: 'account_suspended',
      severity: 'error',
      title: 'The account is suspended and cannot send',
      what_to_do: 'The operator of this installation knows the reason and can resume the account.',
      link: '/account',
      wording: 'account_suspended',
      values: {},
    })
  }
  return [...problems, ...allowanceProblems(facts, now), ...creditProblems(facts)]
}

function allowanceProblems({ account, domains }: ProblemFacts, now: number): AccountProblem[] {
  const left = allowanceLeft(account, now)
  const renews = account.allowance_renews_at ?? Number.POSITIVE_INFINITY
  const days = renews <= now ? LOW_DAYS : Math.min(LOW_DAYS, (renews - now) / 86_400_000)
  const accepted = domains.reduce((sum, domain) => sum + domain.accepted, 0)
  const aDay = accepted / (LOOKED_BACK_MS / 86_400_000)
  if (left === null || (left > 0 && left >= aDay * days)) return []
  return [
    {
      kind: 'allowance_low',
      severity: left === 0 ? 'error' : 'warning',
      title:
        left === 0
          ? 'The sending allowance is used up'
          : `The sending allowance has ${number(left)} recipients left`,
      what_to_do: 'Ask the operator of this installation for more. Until then, messages are refused.',
      link: '/account',
      wording: left === 0 ? 'allowance_used_up' : 'allowance_low',
      values: { left },
    },
  ]
}

function storedBytesProblems(
  { account, storedBytes }: ProblemFacts,
  perAccount: number | undefined,
): AccountProblem[] {
  const limit = account.stored_bytes_limit ?? perAccount
  if (limit === undefined || storedBytes < limit * STORED_SHARE) return []
  return [
    {
      kind: 'stored_bytes_high',
      severity: storedBytes >= limit ? 'error' : 'warning',
      title: `Stored messages take up ${number(storedBytes)} of ${number(limit)} bytes`,
      what_to_do:
        'Ask the operator of this installation for a higher limit; messages that exceed it are refused.',
      link: '/account',
      wording: 'stored_bytes_high',
      values: { stored: storedBytes, limit },
    },
  ]
}

function webhookProblem({
  id,
  account_id,
  domain_id,
  name,
  url,
  disabled_reason,
}: DisabledWebhook): AccountProblem {
  const place = isWholeAccount({ accountId: account_id, domainId: domain_id })
    ? '/account'
    : `/domains/${domain_id}`
  const reason =
    disabled_reason === 'gone' ? 'its receiver answered 410 (gone)' : 'every attempt failed for three days'
  return {
    kind: 'webhook_disabled',
    severity: 'warning',
    title: `The webhook ${name || new URL(url).host} is disabled: ${reason}`,
    what_to_do: 'Fix the receiver, enable the webhook, and replay the missed events; or delete the webhook.',
    link: `${place}/webhooks/${id}`,
    wording: disabled_reason === 'gone' ? 'webhook_gone' : 'webhook_failed',
    values: { webhook: name || new URL(url).host },
  }
}

function incidentProblems({ incidents, domains }: ProblemFacts): AccountProblem[] {
  return incidents.flatMap((row) => {
    const domain = domains.find((one) => one.domain.id === row.domain_id)?.domain
    if (domain === undefined) return []
    const [attempts, failed, beganAt] = [Number(row.attempts), Number(row.failed), Number(row.began_at)]
    const { cause, provider, code } = row
    const name = domainToUnicode(domain.name)
    const incident = { cause, provider, code, scope: JSON.parse(row.scope), attempts, failed, beganAt }
    return {
      kind: 'incident',
      severity: 'error',
      title: incidentTitle(incident, name),
      what_to_do: 'The incident shows its cause, an example and what to do.',
      link: `/deliverability/incidents/${row.id}`,
      wording: `incident_${wordingOf(cause, provider)}`,
      values: {
        ...{ domain: name, provider: provider ?? '', share: attempts === 0 ? 0 : failed / attempts },
        ...{ code: code ?? '', address: incident.scope.source_address ?? name },
        since: new Date(beganAt).toISOString(),
      },
    }
  })
}

/** Returns the name of the text about a cause; all categories of replies share one text. */
function wordingOf(cause: IncidentCause, provider: string | null): string {
  if (cause === 'alignment' && provider === null) return 'alignment_several'
  if ((OWN_CAUSES as readonly string[]).includes(cause)) return cause
  return provider === null ? 'hosts' : 'replies'
}

function creditProblems({ account, creditsADay, everHadCredits }: ProblemFacts): AccountProblem[] {
  const left = account.verification_credits
  if (!everHadCredits || (left > 0 && left >= creditsADay * LOW_DAYS)) return []
  return [
    {
      kind: 'credits_low',
      severity: left === 0 ? 'error' : 'warning',
      title:
        left === 0 ? 'The verification credits are used up' : `${number(left)} verification credits are left`,
      what_to_do: 'Ask the operator of this installation for more. Until then, verifications are refused.',
      link: '/verification/credits',
      wording: left === 0 ? 'credits_used_up' : 'credits_low',
      values: { left },
    },
  ]
}

function recordProblems({ domain, dmarcFound }: DomainFacts): AccountProblem[] {
  const { id, status, verified_at, flagged_at } = domain
  const name = domainToUnicode(domain.name)
  const values = { domain: name }
  const link = `/domains/${id}/dns`
  if (status === 'paused') return []
  // A domain can send until the first DNS check after the deadline closes the domain; the records of the domain count
  // as missing until this check.
  if (flagged_at !== null && status === 'verified') {
    const at = new Date(flagged_at + GRACE_MS).toISOString()
    const until = at.slice(0, 16).replace('T', ' ')
    return [
      {
        kind: 'domain_flagged',
        severity: 'error',
        title: `Required DNS records of ${name} are missing`,
        what_to_do: `Publish them again before ${until} UTC; after that the domain cannot send.`,
        link,
        wording: 'domain_flagged',
        values: { ...values, until: at },
      },
    ]
  }
  if (status === 'pending') {
    const before = verified_at !== null
    return [
      {
        kind: before ? 'domain_closed' : 'domain_unverified',
        severity: before ? 'error' : 'warning',
        title: before ? `${name} can no longer send` : `${name} is not verified yet`,
        what_to_do: before
          ? 'The DNS records were missing for three days. Publish them again and verify the domain.'
          : 'Publish its DNS records and verify it; until then it cannot send.',
        link,
        wording: before ? 'domain_closed' : 'domain_unverified',
        values,
      },
    ]
  }
  if (dmarcFound) return []
  return [
    {
      kind: 'dmarc_missing',
      severity: 'warning',
      title: `${name} has no DMARC record`,
      what_to_do: 'Publish one: large receivers may refuse its mail, and its broadcast streams stay closed.',
      link,
      wording: 'dmarc_missing',
      values,
    },
  ]
}

function rateProblems(facts: DomainFacts): AccountProblem[] {
  return ratesOf(facts)
    .filter(isHigh)
    .map(({ kind, link, share, limit, severe }) => {
      const name = domainToUnicode(facts.domain.name)
      const { said, remedy } = ABOUT_RATES[kind]
      return {
        kind,
        severity: share > severe * limit ? 'error' : 'warning',
        title: `${percent(share)} of the ${said(name)} in the last 7 days`,
        what_to_do: remedy,
        link,
        wording: kind,
        values: { domain: name, share },
      }
    })
}

const ABOUT_RATES = {
  bounce_rate: {
    said: (name: string) => `finished deliveries of ${name} bounced`,
    remedy:
      'Check the bounced messages and remove bad addresses from your lists: receivers block senders with high bounce rates.',
  },
  complaint_rate: {
    said: (name: string) => `messages of ${name} to providers with a feedback loop were reported as spam`,
    remedy:
      'Send only to recipients who opted in, and make unsubscribing easy: above 0.3% large receivers block senders.',
  },
} as const

function queueProblems({ domain, oldest, oldestDeferred }: DomainFacts, now: number): AccountProblem[] {
  const name = domainToUnicode(domain.name)
  const holdings = [
    { held: oldest?.held ?? null, status: 'queued' },
    { held: oldestDeferred?.held ?? null, status: 'deferred' },
  ].flatMap(({ held, status }) => (held === null ? [] : [heldProblem(held, name, domain.id, status)]))
  // The problem about a suspended account already says that its mail waits.
  const told = holdings.filter(({ wording }) => wording !== 'held_account_suspended')
  const held = [...new Map(told.map((one) => [one.title + one.what_to_do, one])).values()]
  if (oldest === undefined || oldest.held !== null || now - oldest.dueAt < STUCK_MS) return held
  return [
    ...held,
    {
      kind: 'queue_stuck',
      severity: 'error',
      title: `The queue of ${name} is stuck`,
      what_to_do:
        'Messages have been due for more than 15 minutes. Ask the operator to check the queue and the health page.',
      link: `/domains/${domain.id}/messages?status=queued`,
      wording: 'queue_stuck',
      values: { domain: name },
    },
  ]
}

function heldProblem(held: Holding, domain: string, domainId: string, status: string): AccountProblem {
  const { cause, value, since, reason } = heldView(held)
  return {
    kind: 'queue_held',
    severity: 'info',
    title: `Messages of ${domain} are held since ${since.slice(0, 16).replace('T', ' ')} UTC`,
    what_to_do: `${reason} They are sent when the hold ends.`,
    link: `/domains/${domainId}/messages?status=${status}`,
    wording: `held_${cause}`,
    values: { domain, value, since },
  }
}

const number = (value: number): string => value.toLocaleString('en')
const percent = (share: number): string => `${(share * 100).toFixed(share < 0.01 ? 2 : 1)}%`
