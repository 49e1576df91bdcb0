// Shows incidents in the API, and finds the domains whose incidents a caller may see.

import type { FastifyRequest } from 'fastify'
import type { Clock } from '../../lib/clock.ts'
import { formatTime } from '../../lib/rfc3339.ts'
import { incidentTitle } from '../../model/incident.ts'
import { evidenceText, sentencesOf } from '../../model/incident-catalogue.ts'
import { type Read, reading, type Store } from '../../store/database/store.ts'
import { listDomains } from '../../store/domains/domain-rows.ts'
import { type IncidentView as Found, incidentViews } from '../../store/incidents/incident-reads.ts'
import type { IncidentRow } from '../../store/incidents/incidents.ts'
import { callerOf } from '../caller.ts'
import type { IncidentView } from '../contract/incident.ts'
import { permittedDomain } from '../domain-of-request.ts'

/** Services of the routes of incidents. */
export interface IncidentServices {
  readonly store: Store
  readonly read: Read
  readonly clock: Clock
}

/** Names of domains by ID. */
export type DomainNames = ReadonlyMap<string, string>

/**
 * Returns the domains of a request: the domain that the query names, or all domains of the caller. Throws `not_found`
 * and `domain_not_permitted`.
 */
export async function domainsOf(read: Read, request: FastifyRequest, named?: string): Promise<DomainNames> {
  const caller = callerOf(request)
  if (named !== undefined) {
    const { id, name } = await permittedDomain(read, caller, named)
    return new Map([[id, name]])
  }
  const all = await reading(listDomains(read, caller.accountId))
  return new Map(all.filter(({ id }) => caller.domains?.has(id) !== false).map(({ id, name }) => [id, name]))
}

/** Returns incidents in their public form, in order. */
export async function shownIncidents(
  read: Read,
  rows: readonly IncidentRow[],
  names: DomainNames,
): Promise<IncidentView[]> {
  const views = await reading(incidentViews(read, rows))
  return views.map((view) => shown(view, names.get(view.domainId) ?? ''))
}

const timeOrNull = (at: number | null): string | null => (at === null ? null : formatTime(at))

function shown(view: Found, domain: string): IncidentView {
  const { attempts, failed, example } = view
  const { meaning, whatToDo, wording, values } = sentencesOf(view)
  return {
    incident_id: view.id,
    domain_id: view.domainId,
    domain,
    state: view.state,
    title: incidentTitle(view, domain),
    cause: view.cause,
    provider: view.provider,
    code: view.code,
    scope: view.scope,
    began_at: formatTime(view.beganAt),
    noticed_at: formatTime(view.noticedAt),
    ended_at: timeOrNull(view.endedAt),
    muted_until: timeOrNull(view.mutedUntil),
    attempts,
    failed,
    share: attempts === 0 ? 0 : Math.min(1, failed / attempts),
    usual_share: view.usualShare,
    recipients: view.recipients,
    example:
      example === null
        ? null
        : {
            ...{ message_id: example.messageId, email: example.email, smtp_code: example.smtpCode },
            ...{ smtp_response: example.smtpResponse, mx: example.mx },
          },
    ...{ meaning, what_to_do: whatToDo, wording, values: { ...values } },
    evidence: view.evidence.map((fact) => ({
      ...{ kind: fact.wording.startsWith('check') ? 'check' : fact.wording, text: evidenceText(fact) },
      ...{ link: fact.link, wording: fact.wording, values: { ...fact.values } },
    })),
  }
}
