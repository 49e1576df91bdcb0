// Reports a listing and its end: the lookup, the incidents of the domains that the listing concerns, and their events, in
// one commit.

import type { IncidentWords } from '../../model/incident.ts'
import type { Look, LookChange } from '../../model/list-look.ts'
import type { Database } from '../database/dialect.ts'
import { keepObjectEvents } from '../events/object-events.ts'
import { closeIncident, openIncident } from '../incidents/incidents.ts'
import { type LookKey, recordLook } from '../node/list-looks.ts'

/** A domain that a listing concerns. */
export interface ConcernedDomain {
  readonly accountId: string
  readonly domainId: string
}

/** A confirmed listing, or its confirmed end. */
export interface ReportedLook extends LookKey, LookChange, Pick<Look, 'answer'> {
  readonly event: 'listed' | 'delisted'
  /** True for an IP address, which is the scope of the incidents. */
  readonly isAddress: boolean
  /** Page for the removal; null if the page is not known. */
  readonly removalPage: string | null
  /** Domains that send from the address, or the listed domain; the end concerns the domains with an open incident. */
  readonly domains: readonly ConcernedDomain[]
  readonly words: IncidentWords
  readonly now: number
}

/** Reports listings and their ends. */
export async function reportLook(db: Database, items: readonly ReportedLook[]): Promise<true[]> {
  for (const item of items) {
    const { subject, zone, state, since, told_at, due_at, answer, now } = item
    await recordLook(db, [{ subject, zone, state, since, told_at, due_at, answer, checked_at: now }])
    if (item.event === 'listed') await open(db, item)
    else await close(db, item)
  }
  return items.map(() => true)
}
reportLook.unaudited = true

const nameOf = ({ subject, zone }: LookKey): string => `listing ${zone} ${subject}`

async function open(db: Database, item: ReportedLook): Promise<void> {
  const { subject, zone, since, answer, isAddress, removalPage, domains, words, now } = item
  const opened = await openIncident(
    db,
    domains.map((domain) => ({
      ...({ ...domain, name: nameOf(item), cause: 'listing', provider: null, code: zone } as const),
      scope: isAddress ? { source_address: subject } : {},
      ...{ beganAt: since, words, now },
      evidence: [
        { wording: 'listing', values: { subject, zone, answer: answer ?? '' }, link: removalPage } as const,
      ],
    })),
  )
  await keepEvents(
    db,
    item,
    domains.map((domain, at) => ({ ...domain, incidentId: opened[at]?.incidentId ?? '' })),
  )
}

async function close(db: Database, item: ReportedLook): Promise<void> {
  const { since: endedAt, now } = item
  const rows = await db
    .selectFrom('incidents')
    .select(['id as incidentId', 'account_id as accountId', 'domain_id as domainId'])
    .where('name', '=', nameOf(item))
    .where('state', '=', 'open')
    .execute()
  await closeIncident(
    db,
    rows.map(({ domainId }) => ({ domainId, name: nameOf(item), endedAt, now })),
  )
  await keepEvents(db, item, rows)
}

/** Writes the event of each domain, whose object is the incident. */
const keepEvents = (
  db: Database,
  { subject, zone, since, answer, isAddress, event, now }: ReportedLook,
  domains: readonly (ConcernedDomain & { readonly incidentId: string })[],
): Promise<void> =>
  keepObjectEvents(
    db,
    domains.map(({ accountId, domainId, incidentId }) => ({
      ...{ accountId, domainId, type: event, at: now, objectId: incidentId },
      detail: {
        ...{
          incident_id: incidentId,
          address: isAddress ? subject : null,
          domain: isAddress ? null : subject,
        },
        ...{ zone, answer, since: new Date(since).toISOString() },
      },
    })),
  )
