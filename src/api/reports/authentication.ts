// GET /v1/authentication and PUT /v1/authentication/sources/{source_id}: who sends mail of a domain, as receivers
// report.

import type { Static } from 'typebox'
import { nameProblems } from '../../access/accounts.ts'
import { describeAuditAction } from '../../access/audit.ts'
import { bodyProblems, MAX_SMALL_BODY } from '../../http/body-rule.ts'
import { nulProblems } from '../../http/filters.ts'
import type { Clock } from '../../lib/clock.ts'
import { type FieldProblem, invalidFields, Problem } from '../../model/problem.ts'
import { REPORT_DAYS } from '../../model/report.ts'
import { GROUPS, type Group, readAuthentication } from '../../reports/authentication-view.ts'
import { isSourceId, type SourceKind } from '../../reports/sources.ts'
import { type Read, reading, type Store } from '../../store/database/store.ts'
import type { Owner } from '../../store/messages/owner.ts'
import { type DayRange, nameSource } from '../../store/reports/authentication.ts'
import { senderOfRequest } from '../caller.ts'
import {
  AuthenticationList,
  AuthenticationQuery,
  NamedSourceView,
  SourceBody,
  SourceParams,
} from '../contract/report.ts'
import { defineRoute, type Route } from '../route.ts'
import { authenticationRow } from './view.ts'

const tags = ['Deliverability']
const DAY_MS = 86_400_000
/** Number of days of the usual range, and of the attempts whose own addresses count. */
const USUAL_DAYS = 30
const USED_DAYS = 35

export interface AuthenticationServices {
  readonly read: Read
  readonly store: Store
  readonly clock: Clock
  readonly ownAddresses: readonly string[]
}

export const authenticationRoutes = (services: AuthenticationServices): readonly Route[] => [
  showRoute(services),
  nameRoute(services),
]

const showRoute = ({ read, clock, ownAddresses }: AuthenticationServices) =>
  defineRoute({
    method: 'GET',
    url: '/v1/authentication',
    schema: {
      tags,
      summary: 'Retrieve the authentication of mail by source',
      description:
        'Sums the DMARC reports of a domain by the source of the mail: this service, forwarders, known services and unknown senders. `failing_since` is the day since which a source that passed before fails.',
      querystring: AuthenticationQuery,
      response: { 200: AuthenticationList },
    },
    refusals: ['domain_not_permitted', 'validation_failed'],
    scope: 'incidents:read',
    domains: 'one',
    // The endpoint reads no single object whose ID would tell its domain.
    readsLong: true,
    async handler(request) {
      const now = clock.now()
      const { groupBy, ...range } = readQuery(request.query, now)
      const owner = senderOfRequest(request)
      const usedSince = now - USED_DAYS * DAY_MS
      const view = await reading(
        readAuthentication(read, { owner, groupBy, ownAddresses, usedSince, ...range }),
      )
      return {
        data: view.rows.map(authenticationRow),
        next_cursor: null,
        coverage: { reporters: view.reporters, share_of_own_mail: view.shareOfOwnMail },
      }
    },
  })

const shown = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** Reads the days and the groups of a query. Throws `validation_failed`. */
function readQuery(
  { from, to, group_by, ...rest }: Static<typeof AuthenticationQuery>,
  now: number,
): DayRange & { readonly groupBy: readonly Group[] } {
  const problems: FieldProblem[] = nulProblems({ ...rest, from, to, group_by })
  const last = readDay('to', to, problems) ?? shown(now)
  const first = readDay('from', from, problems) ?? shown(Date.parse(last) - USUAL_DAYS * DAY_MS)
  const names = (group_by ?? 'source').split(',').map((name) => name.trim())
  const unknown = names.find((name) => !(GROUPS as readonly string[]).includes(name))
  if (unknown !== undefined) {
    const message = `There is no group "${unknown.slice(0, 40)}"; give ${GROUPS.join(', ')}.`
    problems.push({ path: 'group_by', code: 'invalid_value', message })
  }
  if (problems.length === 0 && last < first) {
    problems.push({
      path: 'to',
      code: 'invalid_time',
      message: '`to` has to be the day of `from` or a later day.',
    })
  } else if (problems.length === 0 && Date.parse(last) - Date.parse(first) > REPORT_DAYS.rows * DAY_MS) {
    const message = `Give at most ${REPORT_DAYS.rows} days, for which reports are kept.`
    problems.push({ path: 'from', code: 'too_long', message })
  }
  if (problems.length > 0) throw invalidFields(problems)
  return { from: first, to: last, groupBy: [...new Set(names)] as Group[] }
}

/** Reads a day, or the day of a time (RFC 3339). */
function readDay(path: string, text: string | undefined, problems: FieldProblem[]): string | undefined {
  if (text === undefined) return undefined
  const at = /^\d{4}-\d\d-\d\d(?:T\S{1,40})?$/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(at)) return shown(at)
  problems.push({ path, code: 'invalid_time', message: 'Give a day such as 2026-01-31.' })
  return undefined
}

const nameRoute = ({ store, read, clock, ownAddresses }: AuthenticationServices) =>
  defineRoute({
    method: 'PUT',
    url: '/v1/authentication/sources/:source_id',
    consequence: 'none',
    schema: {
      tags,
      summary: 'Name a source of mail',
      description:
        'Marks a source as known, with a name, or as unknown. This service and forwarders keep their kinds.',
      params: SourceParams,
      body: SourceBody,
      response: { 200: NamedSourceView },
    },
    refusals: [
      'malformed_request',
      'not_found',
      'domain_not_permitted',
      'conflict',
      'body_too_large',
      'validation_failed',
    ],
    scope: 'incidents:write',
    domains: 'one',
    readsLong: true,
    body: { maxBytes: MAX_SMALL_BODY, problems: 'handler' },
    audit: 'source.name',
    async handler(request) {
      const { source_id } = request.params
      const { kind, name } = request.body
      // A name that is no text has a problem of its shape already.
      const problems = [...bodyProblems(request), ...(typeof name === 'string' ? nameProblems(name) : [])]
      if (problems.length > 0) throw invalidFields(problems)
      const owner = senderOfRequest(request)
      const now = clock.now()
      const found = isSourceId(source_id)
        ? await findSource(read, owner, source_id, ownAddresses, now)
        : undefined
      if (found === undefined) throw new Problem('not_found', 'There is no source with this ID.')
      if (found === 'ours' || found === 'forwarded') {
        throw new Problem('conflict', 'This service and forwarders keep their kinds.')
      }
      const { accountId: account_id, domainId: domain_id } = owner
      describeAuditAction({ detail: { kind, name: name ?? '' } })
      await store.write(nameSource, {
        domain_id,
        source_id,
        account_id,
        kind,
        name: name ?? '',
        changed_at: now,
      })
      return { source_id, kind, name: name ?? '' }
    },
  })

/** Returns the kind of a source of a domain; undefined if no report names the source. */
async function findSource(
  read: Read,
  owner: Owner,
  sourceId: string,
  ownAddresses: readonly string[],
  now: number,
): Promise<SourceKind | undefined> {
  const range = { from: shown(now - REPORT_DAYS.rows * DAY_MS), to: shown(now + DAY_MS) }
  const usedSince = now - USED_DAYS * DAY_MS
  const view = await reading(
    readAuthentication(read, { owner, ...range, groupBy: ['source'], ownAddresses, usedSince }),
  )
  return view.rows.find(({ source }) => source?.sourceId === sourceId)?.source?.kind
}
