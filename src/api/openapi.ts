// The OpenAPI document at /v1/openapi.json and the readable reference at /docs.

import type {} from '@fastify/swagger'
import Fastify, { type FastifyInstance, type FastifySchema, type RouteOptions } from 'fastify'
import { PROBLEMS, type ProblemCode } from '../model/problem.ts'
import { ProblemDocument } from './contract/common.ts'
import { SHAPE_NAMES } from './contract/names.ts'
import { KeptDocument } from './kept-document.ts'
import { type WrittenOut, withComponents } from './openapi-components.ts'
import { serveReference } from './reference/serve.ts'
import type { Route } from './route.ts'

const ALWAYS: readonly ProblemCode[] = [
  'authentication_failed',
  'rate_limit_exceeded',
  'internal_error',
  'unavailable',
]

/** The names of the security schemes. */
type SecurityScheme = 'key' | 'operator'

const PROBLEM_TABLE = [
  'Errors are problem documents (RFC 9457); `code` says which:',
  '',
  '| Status | `code` | |',
  '|---|---|---|',
  ...Object.entries(PROBLEMS).map(
    ([code, { status, meaning }]) => `| ${status} | \`${code}\` | ${meaning} |`,
  ),
].join('\n')

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
export function operationIdOf({ method, url }: Pick<Route, 'method' | 'url'>): string {
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
  const kind: ProblemCode[] = route.key === undefined ? [] : ['key_kind_not_permitted']
  const codes = [...route.refusals, ...kind, ...ALWAYS]
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
    operationId: operationIdOf(route),
    security: [{ [scheme]: [] }],
    response: { ...successful, ...Object.fromEntries(refusals) },
  }
}

/** Adds both; call it before the endpoints are added. `url`: base of the server, known once it listens. */
export function addReference(server: FastifyInstance, url: () => string): void {
  const routes: RouteOptions[] = []
  server.addHook('onRoute', (route) => void routes.push(route))
  let described: Promise<DescribedRoutes> | undefined
  const document = (): Promise<DescribedRoutes> => {
    described ??= describe(routes)
    return described
  }
  serveReference(server, url, document as () => Promise<never>)
  const openapi = new KeptDocument('application/json; charset=utf-8', async () =>
    JSON.stringify({
      ...withComponents((await document()) as unknown as WrittenOut, SHAPE_NAMES),
      servers: [{ url: url() }],
    }),
  )
  server.get('/v1/openapi.json', { schema: { hide: true } }, (request, reply) =>
    openapi.answer(request, reply),
  )
}

type DescribedRoutes = ReturnType<FastifyInstance['swagger']>

/**
 * The OpenAPI document of routes, by a server of its own that never listens. Its generator is loaded here: a hundred
 * modules that no start needs.
 */
async function describe(routes: readonly RouteOptions[]): Promise<DescribedRoutes> {
  const { default: swagger } = await import('@fastify/swagger')
  const server = Fastify({ exposeHeadRoutes: false })
  server.setValidatorCompiler(() => () => true)
  server.setSerializerCompiler(() => JSON.stringify)
  await server.register(swagger, { openapi: INTRODUCTION })
  for (const { method, url, schema } of routes) {
    if (method === 'HEAD' || schema === undefined) continue
    server.route({ method, url, schema, handler: async () => undefined })
  }
  await server.ready()
  return server.swagger()
}

const INTRODUCTION = {
  openapi: '3.1.0',
  info: {
    title: 'Postrider',
    version: '1',
    description: `Transactional email over REST and SMTP.\n\n${PROBLEM_TABLE}`,
    license: { name: 'MIT' },
  },
  components: {
    securitySchemes: {
      key: { type: 'http', scheme: 'bearer', description: 'An API key' },
      operator: {
        type: 'http',
        scheme: 'bearer',
        description: "The operator's token, `POSTRIDER_OPERATOR_TOKEN`",
      },
    },
  },
} as const
