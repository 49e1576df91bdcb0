// GET /v1/deliverability: the deliverability of mail in a period by receiving provider, with the open incidents.

import type { Static } from 'typebox'
import { nulProblems, readTime } from '../../http/filters.ts'
import { dayOf, formatTime } from '../../lib/rfc3339.ts'
import { COUNTED_EVENTS } from '../../model/event.ts'
import { type FieldProblem, invalidFields } from '../../model/problem.ts'
import { type Read, reading } from '../../store/database/store.ts'
import {
  listIncidents,
  type ProviderFailures,
  type ProviderReplies,
  readReplies,
} from '../../store/incidents/incident-reads.ts'
import { COUNTS_KEPT_MS, type IncidentRow } from '../../store/incidents/incidents.ts'
import { type CountsQuery, HOUR_MS } from '../../store/readers/message-counts.ts'
import {
  type GroupedCounts,
  LOOP_MS,
  listComplaintLoops,
  readGroups,
} from '../../store/readers/message-parts.ts'
import { STEP_MS } from '../../store/readers/reply-counts.ts'
import { ownMailByProvider, type ReportedMail } from '../../store/reports/authentication.ts'
import { callerOf } from '../caller.ts'
import { DeliverabilityQuery, DeliverabilityView, type ProviderDeliverability } from '../contract/incident.ts'
import { defineRoute } from '../route.ts'
import { domainsOf, type IncidentServices, shownIncidents } from './view.ts'

const USUAL_MS = 7 * 24 * HOUR_MS
/** Number of attempts in the last hour below which nothing can be told. */
const FEW = 20
const MAX_SHOWN = 50
/** Incidents are counted by provider up to this number. */
const MAX_COUNTED = 500

export const deliverability = ({ read, clock }: IncidentServices) =>
  defineRoute({
    method: 'GET',
    url: '/v1/deliverability',
    schema: {
      tags: ['Deliverability'],
      summary: 'Retrieve deliverability by provider',
      description:
        'Figures of the receiving providers in a period, whose ends are rounded to the hour, and the open incidents. Figures that nobody has reported are null.',
      querystring: DeliverabilityQuery,
      response: { 200: DeliverabilityView },
    },
    refusals: ['domain_not_permitted', 'not_found', 'validation_failed'],
    scope: 'incidents:read',
    readsLong: true,
    async handler(request): Promise<DeliverabilityView> {
      const now = clock.now()
      const period = periodOf(request.query, now)
      const names = await domainsOf(read, request, request.query.domain)
      const { stream } = request.query
      const domainIds = [...names.keys()]
      const found = await figuresOf(
        read,
        { accountId: callerOf(request).accountId, domainIds, stream },
        period,
        now,
      )
      const shown = found.incidents.slice(0, MAX_SHOWN)
      const last = shown.at(-1)
      return {
        from: formatTime(period.from),
        to: formatTime(period.to),
        providers: found.providers,
        totals: { ...totalsOf(found.providers), open_incidents: found.incidents.length },
        data: await shownIncidents(read, shown, names),
        next_cursor: found.incidents.length > MAX_SHOWN && last !== undefined ? last.id : null,
      }
    },
  })

interface Period {
  readonly from: number
  readonly to: number
}

/** Reads the period of a query, rounded outwards to whole hours. Throws `validation_failed`. */
function periodOf(query: Static<typeof DeliverabilityQuery>, now: number): Period {
  const problems: FieldProblem[] = nulProblems(query)
  const to = readTime('to', query.to, problems) ?? now
  const from = readTime('from', query.from, problems) ?? to - USUAL_MS
  if (problems.length === 0 && from < 0)
    problems.push({ path: 'from', code: 'invalid_time', message: 'Give a time after 1970.' })
  else if (problems.length === 0 && to <= from)
    problems.push({ path: 'to', code: 'invalid_time', message: '`to` has to be after `from`.' })
  else if (problems.length === 0 && to - from > COUNTS_KEPT_MS)
    problems.push({ path: 'from', code: 'too_long', message: 'Give a period of at most 35 days.' })
  if (problems.length > 0) throw invalidFields(problems)
  return { from: from - (from % HOUR_MS), to: Math.ceil(to / HOUR_MS) * HOUR_MS }
}

interface OfDomains {
  readonly accountId: string
  readonly domainIds: readonly string[]
  readonly stream: string | undefined
}

async function figuresOf(
  read: Read,
  { accountId, domainIds, stream }: OfDomains,
  { from, to }: Period,
  now: number,
): Promise<{ readonly providers: ProviderDeliverability[]; readonly incidents: readonly IncidentRow[] }> {
  const counts: CountsQuery = { accountId, domainIds, stream, from, to, bucketMs: HOUR_MS }
  const lately = now - (now % STEP_MS) - HOUR_MS
  const days = { from: dayOf(from), to: dayOf(to - 1) }
  const repliesAndReports = async () => {
    const found = await reading(readReplies(read, domainIds, { from, to, lately }, stream))
    // Reports are about all streams, whose mail may come from other addresses.
    const used = stream === undefined ? found.sources : undefined
    const reported = await reading(ownMailByProvider(read, { accountId, domainIds }, days, used))
    return { replies: found.providers, failures: found.failures, reported }
  }
  const [groups, loops, { replies, failures, reported }, incidents] = await Promise.all([
    domainIds.length === 0 ? [] : reading(readGroups(read, counts, 'provider', COUNTED_EVENTS)),
    reading(listComplaintLoops(read, now - LOOP_MS, accountId)),
    repliesAndReports(),
    reading(listIncidents(read, domainIds, { states: ['open'] }, { limit: MAX_COUNTED })),
  ])
  const byName = new Map(groups.map((group) => [group.name, group]))
  const repliesOf = new Map(replies.map((one) => [one.provider === '' ? null : one.provider, one]))
  const withLoop = new Set(
    loops.filter(({ domainId }) => domainIds.includes(domainId)).map(({ provider }) => provider),
  )
  const openAt = Map.groupBy(incidents, ({ provider }) => provider)
  const failuresOf = Map.groupBy(failures, ({ provider }) => (provider === '' ? null : provider))
  const names = new Set([...byName.keys(), ...repliesOf.keys()])
  const providers = [...names].map((name) =>
    providerOf(
      name,
      {
        ...{ group: byName.get(name), replies: repliesOf.get(name), failures: failuresOf.get(name) ?? [] },
        reported: name === null ? undefined : reported.get(name),
      },
      { hasLoop: withLoop.has(name ?? ''), open: openAt.get(name)?.filter(isAboutProvider).length ?? 0 },
    ),
  )
  return { providers: providers.sort((one, other) => other.accepted - one.accepted), incidents }
}

/** True for an incident about mail to the hosts of one provider, or of no known provider. */
const isAboutProvider = ({ cause }: IncidentRow): boolean => cause !== 'list_quality' && cause !== 'listing'

interface ProviderFacts {
  readonly group: GroupedCounts | undefined
  readonly replies: ProviderReplies | undefined
  readonly failures: readonly ProviderFailures[]
  readonly reported: ReportedMail | undefined
}

function authenticatedOf(reported: ReportedMail | undefined): ProviderDeliverability['authenticated'] {
  if (reported === undefined) return null
  const { messages, dkim: dkim_aligned, spf: spf_aligned, either: dmarc_pass, lastDay } = reported
  return { dkim_aligned, spf_aligned, dmarc_pass, messages, as_of: `${lastDay}T00:00:00.000Z` }
}

/** Maximum number of failures that are shown for a provider. */
const MAX_FAILURES = 10

function providerOf(
  provider: string | null,
  { group, replies, failures, reported }: ProviderFacts,
  { hasLoop, open }: { readonly hasLoop: boolean; readonly open: number },
): ProviderDeliverability {
  const { delivered = 0, deferred = 0, bounced = 0, complained = 0 } = group?.counts ?? {}
  const isFew = (replies?.lately ?? 0) < FEW
  return {
    provider,
    ...{ accepted: replies?.recipients ?? 0, delivered, deferred, bounced },
    complained: hasLoop ? complained : null,
    complaint_share: hasLoop && delivered > 0 ? Math.min(1, complained / delivered) : null,
    complaint_source: hasLoop ? 'loop' : null,
    tls_share:
      replies === undefined || replies.delivered === 0 ? null : replies.encrypted / replies.delivered,
    ...{ authenticated: authenticatedOf(reported), placement: null },
    failures: failures
      .slice(0, MAX_FAILURES)
      .map(({ category, code, attempts }) => ({ category, code: code === '' ? null : code, attempts })),
    open_incidents: open,
    state: open > 0 ? 'incident' : isFew ? 'too_few' : 'no_incident',
  }
}

const totalsOf = (providers: readonly ProviderDeliverability[]) =>
  providers.reduce(
    (sum, one) => ({
      accepted: sum.accepted + one.accepted,
      delivered: sum.delivered + one.delivered,
      deferred: sum.deferred + one.deferred,
      bounced: sum.bounced + one.bounced,
    }),
    { accepted: 0, delivered: 0, deferred: 0, bounced: 0 },
  )
