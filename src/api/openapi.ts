// The OpenAPI document at /v1/openapi.json and the readable reference at /docs.

import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { PROBLEMS, type ProblemCode } from '../model/problem.ts'
import { ProblemDocument } from './contract/common.ts'
import { serveReference } from './reference/serve.ts'
import type { Route } from './route.ts'

const ALWAYS: readonly ProblemCode[] = [
  'authentication_failed',
  'rate_limit_exceeded',
  'internal_error',
  'unavailable',
]

/** Who may call an endpoint: the names of the security schemes. */
type Caller = 'key' | 'operator'

const PROBLEM_TABLE = [
  'Errors are problem documents (RFC 9457); `code` says which:',
  '',
  '| Status | `code` | |',
  '|---|---|---|',
  ...Object.entries(PROBLEMS).map(
    ([code, { status, meaning }]) => `| ${status} | \`${code}\` | ${meaning} |`,
  ),
].join('\n')

/** The endpoint's schema with its refusals, grouped by status. */
export function documentedSchema(route: Route, caller: Caller): FastifySchema {
  const kind: ProblemCode[] = route.preValidation === undefined ? [] : ['key_kind_not_permitted']
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
    security: [{ [caller]: [] }],
    response: { ...successful, ...Object.fromEntries(refusals) },
  } as FastifySchema
}

/** Adds both; call it before the endpoints are added. */
export async function addReference(server: FastifyInstance, publicUrl: () => string): Promise<void> {
  await server.register(swagger, {
    openapi: {
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
    },
  })
  serveReference(server, publicUrl)
  server.get('/v1/openapi.json', { schema: { hide: true } as object }, async () => ({
    ...server.swagger(),
    servers: [{ url: publicUrl() }],
  }))
}
