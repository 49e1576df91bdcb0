// GET /v1/incidents, GET /v1/incidents/{incident_id} and POST …/mute: incidents of the domains of a key or an account.

import type { FastifyRequest } from 'fastify'
import { describeAuditAction } from '../../access/audit.ts'
import { MAX_SMALL_BODY } from '../../http/body-rule.ts'
import { emptyProblems, nulProblems, readTime } from '../../http/filters.ts'
import { idCursor, page } from '../../http/page.ts'
import { isId } from '../../lib/ids.ts'
import { parseTime } from '../../lib/rfc3339.ts'
import { INCIDENT_STATES, type IncidentState } from '../../model/incident.ts'
import { type FieldProblem, invalidFields, Problem } from '../../model/problem.ts'
import { type Read, reading } from '../../store/database/store.ts'
import { findIncident, type IncidentFilter, listIncidents } from '../../store/incidents/incident-reads.ts'
import { type IncidentRow, muteIncident } from '../../store/incidents/incidents.ts'
import { callerOf } from '../caller.ts'
import { IncidentList, IncidentParams, IncidentQuery, IncidentView, MuteBody } from '../contract/incident.ts'
import { defineRoute, paramsOf, type Route } from '../route.ts'
import { deliverability } from './deliverability.ts'
import { type DomainNames, domainsOf, type IncidentServices, shownIncidents } from './view.ts'

const tags = ['Deliverability']
const one = '/v1/incidents/:incident_id' as const

export const incidentRoutes = (services: IncidentServices): readonly Route[] => [
  deliverability(services),
  listRoute(services),
  showRoute(services),
  muteRoute(services),
]

const listRoute = ({ read }: IncidentServices) =>
  defineRoute({
    method: 'GET',
    url: '/v1/incidents',
    schema: {
      tags,
      summary: 'List incidents',
      description:
        'Newest first. An incident is opened when two looks, a minute apart, find a share of failed attempts that is high, unusual and improbable; it closes when at least 30 minutes and 20 attempts have less than half of the share.',
      querystring: IncidentQuery,
      response: { 200: IncidentList },
    },
    refusals: ['malformed_request', 'domain_not_permitted', 'not_found', 'validation_failed'],
    scope: 'incidents:read',
    async handler(request) {
      const filter = filterOf(request.query)
      const names = await domainsOf(read, request, request.query.domain)
      const { data: rows, next_cursor } = await page(
        request.query,
        idCursor('inc'),
        (limit, before) => reading(listIncidents(read, [...names.keys()], filter, { limit, before })),
        ({ id }) => id,
        (row: IncidentRow) => row,
      )
      return { data: await shownIncidents(read, rows, names), next_cursor }
    },
  })

/** Reads the filter of a query. Throws `validation_failed` with all problems. */
function filterOf(query: {
  readonly state?: string
  readonly provider?: string
  readonly from?: string
  readonly to?: string
}): IncidentFilter {
  const problems: FieldProblem[] = [...nulProblems(query), ...emptyProblems(query)]
  const states = query.state === undefined ? undefined : readStates(query.state, problems)
  const [from, to] = [readTime('from', query.from, problems), readTime('to', query.to, problems)]
  if (problems.length > 0) throw invalidFields(problems)
  return { states, provider: query.provider, from, to }
}

function readStates(text: string, problems: FieldProblem[]): IncidentState[] {
  const words = text.split(',').map((word) => word.trim())
  const unknown = words.find((word) => !(INCIDENT_STATES as readonly string[]).includes(word))
  if (unknown !== undefined) {
    const message = `There is no state "${unknown.slice(0, 40)}"; one of ${INCIDENT_STATES.join(', ')}.`
    problems.push({ path: 'state', code: 'invalid_value', message })
  }
  return words as IncidentState[]
}

const showRoute = ({ read }: IncidentServices) =>
  defineRoute({
    method: 'GET',
    url: one,
    schema: {
      tags,
      summary: 'Retrieve an incident',
      params: IncidentParams,
      response: { 200: IncidentView },
    },
    refusals: ['not_found'],
    scope: 'incidents:read',
    async handler(request) {
      const { row, names } = await incidentOf(read, request)
      return firstShown(read, row, names)
    },
  })

const muteRoute = ({ store, read, clock }: IncidentServices) =>
  defineRoute({
    method: 'POST',
    url: `${one}/mute`,
    consequence: 'none',
    schema: {
      tags,
      summary: 'Mute an incident',
      description:
        'A muted incident causes no mail, and is not on the home page. It stays open until it is over.',
      params: IncidentParams,
      body: MuteBody,
      response: { 200: IncidentView },
    },
    refusals: ['malformed_request', 'not_found', 'body_too_large', 'validation_failed'],
    scope: 'incidents:write',
    body: { maxBytes: MAX_SMALL_BODY },
    audit: 'incident.mute',
    check: (_request, fields) =>
      untilProblems((fields as { until?: string | null }).until ?? null, clock.now()),
    async handler(request) {
      const { until } = request.body
      const problems = untilProblems(until, clock.now())
      if (problems.length > 0) throw invalidFields(problems)
      const { row, names } = await incidentOf(read, request)
      const { accountId } = callerOf(request)
      const end = until === null ? null : (parseTime(until) ?? null)
      describeAuditAction({ detail: { until } })
      await store.write(muteIncident, { accountId, id: row.id, until: end })
      return firstShown(read, { ...row, muted_until: end }, names)
    },
  })

function untilProblems(until: string | null, now: number): FieldProblem[] {
  if (until === null) return []
  const at = parseTime(until)
  if (at === undefined) {
    return [{ path: 'until', code: 'invalid_time', message: 'Give a time such as 2026-01-31T12:00:00Z.' }]
  }
  if (at > now) return []
  const message = 'Give a time in the future; null ends the muting.'
  return [{ path: 'until', code: 'invalid_time', message }]
}

/** Returns the incident in the path. Throws `not_found` for an incident of a domain that is not the caller's. */
async function incidentOf(
  read: Read,
  request: FastifyRequest,
): Promise<{ readonly row: IncidentRow; readonly names: DomainNames }> {
  const { incident_id: id = '' } = paramsOf(request)
  const names = await domainsOf(read, request)
  const row = isId('inc', id) ? await reading(findIncident(read, [...names.keys()], id)) : undefined
  if (row === undefined) throw new Problem('not_found', 'There is no incident with this ID.')
  return { row, names }
}

async function firstShown(read: Read, row: IncidentRow, names: DomainNames): Promise<IncidentView> {
  const [view] = await shownIncidents(read, [row], names)
  return view as IncidentView
}
