// Makes the facts about a domain from stored rows, and the panel with the requirements of the large receivers.

import { getDomain } from 'tldts'
import { dayOf } from '../lib/rfc3339.ts'
import { RECEIVER_NAMES, RECEIVERS, type Receiver } from '../model/requirement.ts'
import { type Read, reading } from '../store/database/store.ts'
import type { SendingDomain } from '../store/domains/domain-rows.ts'
import {
  listVolumes,
  type RequirementRows,
  type RequirementState,
  readRequirementRows,
} from '../store/problems/requirement-facts.ts'
import { ownMailByProvider } from '../store/reports/authentication.ts'
import {
  type RecordFact,
  type ReportFact,
  type RequirementFacts,
  type Verdict,
  verdictsOf,
} from './requirements.ts'

/** Settings of the installation that decide requirements. */
export interface RequirementSettings {
  /** True if a relay sends all mail. */
  readonly isRelayed: boolean
  /** Reason why one-click links do not work; undefined if they work. */
  readonly unreachableLinks: string | undefined
}

/** A verdict with the time since which it holds, in milliseconds; null before the first hourly check. */
type DatedVerdict = Verdict & { readonly since: number | null }

/** The requirements of one receiver, with the highest daily volume to the receiver. */
export interface ReceiverPanel {
  readonly provider: Receiver
  readonly bulk: {
    readonly threshold: number | null
    readonly highest: number
    readonly highest_day: string | null
    readonly since: string | null
  }
  readonly checks: readonly DatedVerdict[]
}

/** Registrable domain of a domain, over whose subdomains receivers sum the volume. */
export const organizationOf = (domain: string): string => getDomain(domain) ?? domain

/** Period whose DMARC reports count, because a fault may be repaired: a week in milliseconds. */
const REPORTED_MS = 7 * 86_400_000

/** Returns the panels of a domain, of all large receivers. */
export async function readPanels(
  read: Read,
  settings: RequirementSettings,
  { id: domainId, account_id: accountId, name }: SendingDomain,
  now: number,
): Promise<ReceiverPanel[]> {
  const range = { from: dayOf(now - REPORTED_MS), to: dayOf(now) }
  const [rows, volumes, reported] = await Promise.all([
    reading(readRequirementRows(read, { accountId, domainId, name }, now)),
    reading(listVolumes(read, accountId, organizationOf(name))),
    reading(ownMailByProvider(read, { accountId, domainIds: [domainId] }, range)),
  ])
  const reports = new Map(
    [...reported].map(([provider, { messages, dkim, spf, either, lastDay: asOf }]) => [
      provider,
      { messages, dkimPass: dkim, spfPass: spf, aligned: either, asOf },
    ]),
  )
  const facts = factsOf(name, settings, rows, reports)
  return RECEIVER_NAMES.map((provider) => {
    const volume = volumes.find(({ receiver }) => receiver === provider)
    return {
      provider,
      bulk: {
        threshold: RECEIVERS[provider].bulk,
        highest: volume?.highest ?? 0,
        highest_day: volume?.highest_day ?? null,
        since: volume?.bulk_since ?? null,
      },
      checks: verdictsOf(facts, provider).map((verdict) => ({
        ...verdict,
        since: sinceOf(rows.states, provider, verdict),
      })),
    }
  })
}

/** Returns the time since which a verdict holds; null if the stored verdict is another one. */
function sinceOf(states: readonly RequirementState[], receiver: Receiver, verdict: Verdict): number | null {
  const state = states.find((one) => one.receiver === receiver && one.requirement === verdict.requirement)
  return state?.status === verdict.status ? state.since : null
}

/** Makes the facts about a domain; `reports` are the DMARC reports of the receivers, if there are any. */
function factsOf(
  domain: string,
  { isRelayed, unreachableLinks }: RequirementSettings,
  rows: RequirementRows,
  reports: ReadonlyMap<string, ReportFact>,
): RequirementFacts {
  const { records, checks, refusals, encrypted, ownUnsubscribing, unsubscribed } = rows
  const recordOf = (purpose: string, isNamed: boolean): RecordFact => {
    const record = records.find((one) => one.purpose === purpose)
    if (record === undefined) return { status: 'pending', value: '' }
    const [found = ''] = JSON.parse(record.found) as string[]
    return { status: record.status, value: isNamed && record.status === 'found' ? record.name : found }
  }
  const ofKind = (kind: string) => checks.filter((check) => check.kind === kind)
  return {
    domain,
    records: {
      dkim: recordOf('dkim_rsa', true),
      returnPath: recordOf('return_path', true),
      dmarc: recordOf('dmarc', false),
    },
    isRelayed: isRelayed || rows.isRelayed,
    ptr: ofKind('ptr'),
    spf: ofKind('spf'),
    mailHost: ofKind('mail_host')[0],
    ...{ unreachableLinks, ownUnsubscribing, refusals, encrypted, reports },
    unsubscribed: unsubscribed.all,
    mailedAfter: unsubscribed.mailedAfter,
    figures: rows.figures.map(({ receiver, requirement, status, measured, source }) => ({
      ...{ receiver, requirement, status, source },
      measured: JSON.parse(measured) as number | string | null,
    })),
  }
}
