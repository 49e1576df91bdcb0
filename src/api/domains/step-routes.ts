// POST /v1/domains/{domain}/verify, …/pause, …/resume and …/dkim/{step}: actions on a sending domain.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Scope } from '../../access/scopes.ts'
import type { DomainWithRecords } from '../../domains/domains.ts'
import { parseDuration } from '../../lib/duration.ts'
import { invalidFields } from '../../model/problem.ts'
import { DomainParams, DomainView, VerifyQuery } from '../contract/domain.ts'
import { domainOf } from '../domain-of-request.ts'
import { defineRoute, type Route } from '../route.ts'
import { type DomainRouteServices, shownWithRecords } from './shown.ts'

const tags = ['Domains']
const params = DomainParams

/** Maximum time for which a request may wait for DNS records, in milliseconds. */
const MAX_WAIT_MS = 120_000

/** An action on a domain that takes no fields. */
interface Step {
  readonly path: string
  readonly audit: string
  readonly scope: Scope
  readonly summary: string
  readonly description: string
  act(request: FastifyRequest): Promise<DomainWithRecords>
}

export const stepRoutes = (services: DomainRouteServices): readonly Route[] => [
  verifyRoute(services),
  ...stepsOf(services).map((step) => stepRoute(services, step)),
]

const verifyRoute = (services: DomainRouteServices) =>
  defineRoute({
    method: 'POST',
    url: '/v1/domains/:domain/verify',
    consequence: 'none',
    schema: {
      tags,
      summary: 'Verify a domain',
      description:
        'Looks up all DNS records now, and answers with the expected and the found values. With `wait` the records are looked up again every 5 seconds until the domain is verified or the time is over; the answer has the last result. A domain is looked up at most 30 times a minute.',
      params,
      querystring: VerifyQuery,
      response: { 200: DomainView },
    },
    refusals: ['not_found', 'validation_failed', 'rate_limit_exceeded'],
    scope: 'domains:verify',
    audit: 'domain.verify',
    async handler(request, reply) {
      const { domains } = services
      const domain = domainOf(request)
      const ms = readWait(request.query.wait)
      const verified =
        ms === 0 ? await domains.verify(domain) : await domains.verifyWithin(domain, ms, goneOf(reply))
      return shownWithRecords(services, request, verified)
    },
  })

/** Returns a time to wait in milliseconds. Throws `validation_failed`. */
function readWait(text: string = '0s'): number {
  const ms = /^0[smhd]?$/.test(text) ? 0 : parseDuration(text)
  if (ms !== undefined && ms <= MAX_WAIT_MS) return ms
  const message = 'Give a duration of at most 120s, such as 60s.'
  throw invalidFields([{ path: 'wait', code: 'invalid_duration', message }])
}

/** Returns a signal that is aborted when the client disconnects. */
function goneOf(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return gone.signal
}

const stepsOf = ({ domains }: DomainRouteServices): readonly Step[] => [
  {
    path: 'pause',
    audit: 'domain.pause',
    scope: 'domains:write',
    summary: 'Pause a domain',
    description: 'A paused domain accepts no messages, and its queued messages wait.',
    act: (request) => domains.setPaused(domainOf(request), true),
  },
  {
    path: 'resume',
    audit: 'domain.resume',
    scope: 'domains:write',
    summary: 'Resume a domain',
    description: 'The domain sends again if its required records were found.',
    act: (request) => domains.setPaused(domainOf(request), false),
  },
  ...DKIM_STEPS.map(
    ([step, summary, description]): Step => ({
      path: `dkim/${step}`,
      audit: `domain.dkim.${step}`,
      scope: 'domains:write',
      ...{ summary, description },
      act: (request) => domains.dkim(domainOf(request), step),
    }),
  ),
]

const DKIM_STEPS = [
  [
    'rotate',
    'Make new DKIM keys',
    'Publish the records of the new keys in addition to the present ones, then switch. Refused during another rotation.',
  ],
  [
    'switch',
    'Sign with the new DKIM keys',
    'Refused until the record of the new RSA key is found. The records of the old keys stay published until they are retired.',
  ],
  ['discard', 'Discard the new DKIM keys', 'Ends a rotation before the switch.'],
  [
    'retire',
    'Retire the old DKIM keys',
    'Ends a rotation; then the records of the old keys can be removed. Refused in the first ten minutes after the switch.',
  ],
] as const

const stepRoute = (
  services: DomainRouteServices,
  { path, audit, scope, summary, description, act }: Step,
): Route =>
  defineRoute({
    method: 'POST',
    url: `/v1/domains/:domain/${path}`,
    consequence: 'none',
    schema: { tags, summary, description, params, response: { 200: DomainView } },
    refusals: ['not_found', 'conflict'],
    scope,
    audit,
    handler: async (request) => shownWithRecords(services, request, await act(request)),
  })
