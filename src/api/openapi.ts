// The OpenAPI document at /v1/openapi.json and the readable reference at /docs.

import type {} from '@fastify/swagger'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { PROBLEMS, type ProblemCode } from '../model/problem.ts'
import { IdempotencyHeaders, ProblemDocument } from './contract/common.ts'
import { answerKept } from './kept-document.ts'
import { serveReference } from './reference/serve.ts'
import { ReferenceDocuments } from './reference-documents.ts'
import type { DescribedRoute } from './reference-thread.ts'
import { effectOf, type Route } from './route.ts'

const ALWAYS: readonly ProblemCode[] = [
  'authentication_failed',
  'rate_limit_exceeded',
  'internal_error',
  'unavailable',
]

/** What an `Idempotency-Key` is refused with. */
const OF_A_REPEAT: readonly ProblemCode[] = ['malformed_request', 'conflict', 'validation_failed']

/** The names of the security schemes. */
type SecurityScheme = 'key' | 'operator'

/** Operation IDs that do not follow from path and method. */
const OPERATION_IDS: Readonly<Record<string, string>> = {
  'POST /v1/messages': 'messages.send',
  'POST /v1/messages/batch': 'messages.sendBatch',
  'GET /v1/messages/:message_id/raw': 'messages.getRaw',
  'GET /v1/events/stream': 'events.stream',
  'GET /v1/stats': 'stats.get',
  'POST /v1/render': 'templates.renderDraft',
  'POST /v1/suppressions': 'suppressions.add',
  'DELETE /v1/suppressions/:email': 'suppressions.delete',
  'GET /v1/verifyEmail': 'verifications.verifyEmail',
  'GET /v1/verifyEmailDetailed': 'verifications.verifyEmailDetailed',
  'GET /v1/verifications/:verification_id/results': 'verifications.getResults',
  'GET /v1/operator/queue/recipients': 'operator.queue.listRecipients',
  'GET /v1/operator/queue/messages/:message_id': 'operator.queue.getMessage',
}

const VERBS = { POST: 'create', PUT: 'replace', PATCH: 'update', DELETE: 'delete' } as const

/** `templates.versions.list` of `GET /v1/templates/:id_or_alias/versions`: what generators name their methods by. */
function operationIdOf({ method, url }: Pick<Route, 'method' | 'url'>): string {
  const known = OPERATION_IDS[`${method} ${url}`]
  if (known !== undefined) return known
  const steps = url.split('/').slice(2)
  const nouns = steps
    .filter((step) => !step.startsWith(':'))
    .map((step) => step.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()))
  const isOne = steps.at(-1)?.startsWith(':')
  if (method === 'GET') return [...nouns, isOne ? 'get' : 'list'].join('.')
  // A POST behind one thing is what is done to it.
  const isAction = method === 'POST' && (nouns.length > 2 || (steps.length > nouns.length && !isOne))
  return [...nouns, ...(isAction ? [] : [VERBS[method]])].join('.')
}

/** The endpoint's schema with its refusals, grouped by status. */
export function documentedSchema(route: Route, scheme: SecurityScheme): FastifySchema {
  // Whatever an endpoint of keys does not take is refused by name.
  const kind: ProblemCode[] = route.key === undefined ? [] : ['key_kind_not_permitted', 'validation_failed']
  // The name of a thing may be encoded in a way that cannot be decoded.
  const ofPath: ProblemCode[] = route.url.includes(':') ? ['malformed_request'] : []
  const isOnce = scheme === 'key' && route.method === 'POST' && effectOf(route) === 'changes'
  const codes = new Set([...route.refusals, ...(isOnce ? OF_A_REPEAT : []), ...ofPath, ...kind, ...ALWAYS])
  const byStatus = Map.groupBy(codes, (code) => PROBLEMS[code].status)
  const refusals = [...byStatus].map(([status, same]) => [
    status,
    {
      description: same.map((code) => `\`${code}\``).join(', '),
      content: { 'application/problem+json': { schema: ProblemDocument } },
    },
  ])
  const { response = {}, produces } = route.schema as { response?: object; produces?: readonly string[] }
  const other = Object.fromEntries((produces ?? []).map((type) => [type, { schema: { type: 'string' } }]))
  const plain = Object.keys(response).length === 0 && produces !== undefined
  const successful = plain ? { 200: { description: 'OK', content: other } } : response
  return {
    ...route.schema,
    ...(isOnce ? { headers: IdempotencyHeaders } : {}),
    operationId: operationIdOf(route),
    security: [{ [scheme]: [] }],
    response: { ...successful, ...Object.fromEntries(refusals) },
  }
}

/** Adds both; call it before the endpoints are added. `url`: base of the server, known once it listens. */
export function addReference(server: FastifyInstance, url: () => string): void {
  const routes: DescribedRoute[] = []
  server.addHook('onRoute', ({ method, url, schema }) => {
    if (method !== 'HEAD' && schema !== undefined) routes.push({ method, url, schema })
  })
  const documents = new ReferenceDocuments(routes, url)
  server.addHook('onClose', () => documents.stop())
  server.get('/v1/openapi.json', { schema: { hide: true } }, async (request, reply) => {
    const { openapi } = await documents.made()
    return answerKept(openapi, 'application/json; charset=utf-8', request, reply)
  })
  serveReference(server, async () => (await documents.made()).page)
}
