// Shares of bounces and of complaints of a domain: the limits, and the account events when a share passes its limit.

import type { AccountEventType } from '../model/account-event.ts'
import type { NewAccountEvent } from '../store/events/account-events.ts'
import type { DomainFacts } from '../store/problems/problem-facts.ts'

/** Share of the mail of a domain over the counted period. */
interface Rate {
  readonly kind: 'bounce_rate' | 'complaint_rate'
  readonly event: AccountEventType & ('bounces.high' | 'complaints.high')
  /** Path of the dashboard page about the share. */
  readonly link: string
  /** Share as a fraction of 1, and the share above which receivers object to a sender. */
  readonly share: number
  readonly limit: number
  /** Multiple of the limit from which the problem is an error. */
  readonly severe: number
  /** Number of recipients, and the minimum number, because a share of only a few mails is not meaningful. */
  readonly recipients: number
  readonly least: number
  /** Counts of the event. */
  readonly counts: Readonly<Record<string, number>>
}

/** Returns the shares of a domain. */
export function ratesOf(facts: DomainFacts): readonly Rate[] {
  const { domain, bounced, failed, complained } = facts
  // The bounce share is a fraction of the finished deliveries, as in the statistics. A recipient that bounced after
  // delivery counts as delivered and as bounced.
  const finished = facts.delivered + bounced + failed
  // Only providers with a feedback loop report complaints, so the share is one of the deliveries to these providers.
  const delivered = facts.deliveredWithLoop
  return [
    {
      ...{ kind: 'bounce_rate', event: 'bounces.high', severe: 2, counts: { bounced, finished } },
      ...{ share: bounced / Math.max(1, finished), limit: 0.05, recipients: bounced, least: 20 },
      link: `/domains/${domain.id}/messages?status=bounced`,
    },
    {
      ...{ kind: 'complaint_rate', event: 'complaints.high', severe: 3, counts: { complained, delivered } },
      ...{
        share: delivered === 0 ? 0 : complained / delivered,
        limit: 0.001,
        recipients: complained,
        least: 2,
      },
      link: `/domains/${domain.id}/suppressions`,
    },
  ]
}

/** True if a share counts as a problem. */
export const isHigh = ({ recipients, least, share, limit }: Rate): boolean =>
  recipients >= least && share > limit

/**
 * Returns the account events of shares that have become too high, and of shares that are no longer too high.
 * @param nameOf name of the problem, by which `begun` and `ended` contain the problem
 */
export const eventsOfRates = (
  domains: readonly DomainFacts[],
  { begun, ended }: { readonly begun: ReadonlySet<string>; readonly ended: ReadonlySet<string> },
  nameOf: (rate: Rate) => string,
  at: number,
): readonly NewAccountEvent[] =>
  domains.flatMap((facts) =>
    ratesOf(facts).flatMap((rate) => {
      const name = nameOf(rate)
      if (!begun.has(name) && !ended.has(name)) return []
      const { id, account_id: accountId } = facts.domain
      const { event: type, share, limit, counts } = rate
      const status = begun.has(name) ? 'begun' : 'ended'
      const detail = { status, share: Math.round(share * 1e5) / 1e5, limit, ...counts }
      return [{ accountId, domainId: id, objectId: id, type, at, detail }]
    }),
  )
