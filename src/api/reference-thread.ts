// The program of the thread that makes the OpenAPI document and its reference.

import Fastify, { type FastifyInstance, type FastifySchema } from 'fastify'
import { type Kept, kept } from '../http/kept-document.ts'
import { PROBLEMS } from '../model/problem.ts'
import { becomeBulkThread } from '../threads/bulk-thread.ts'
import { serveJobs } from '../threads/worker-jobs.ts'
import { SHAPE_NAMES } from './contract/names.ts'
import { type WrittenOut, withComponents } from './openapi-components.ts'
import type { OpenApiDocument } from './reference/document.ts'
import { referencePage } from './reference/page.ts'

/** A route in the form that the document describes. */
export interface DescribedRoute {
  readonly method: string | readonly string[]
  readonly url: string
  readonly schema: FastifySchema
}

/** Makes both documents. */
export interface ReferenceJobs {
  make: {
    /** Described routes as JSON, and the base of the server. */
    readonly job: { readonly routes: string; readonly url: string }
    readonly result: ReferenceResult
  }
}

export interface ReferenceResult {
  readonly openapi: Kept
  readonly page: Kept
}

const PROBLEM_TABLE = [
  'Errors are problem documents (RFC 9457); `code` says which:',
  '',
  '| Status | `code` | |',
  '|---|---|---|',
  ...Object.entries(PROBLEMS).map(
    ([code, { status, meaning }]) => `| ${status} | \`${code}\` | ${meaning} |`,
  ),
].join('\n')

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

becomeBulkThread()

serveJobs<ReferenceJobs>(async (_, { routes, url }) => {
  const described = await describe(JSON.parse(routes) as DescribedRoute[])
  const short = withComponents(described as unknown as WrittenOut, SHAPE_NAMES)
  return {
    openapi: kept(JSON.stringify({ ...short, servers: [{ url }] })),
    page: kept(referencePage(described as unknown as OpenApiDocument, url)),
  }
})

/** Returns the OpenAPI document of routes, from a server of its own that never listens. */
async function describe(routes: readonly DescribedRoute[]): Promise<ReturnType<FastifyInstance['swagger']>> {
  const { default: swagger } = await import('@fastify/swagger')
  const server = Fastify({ exposeHeadRoutes: false })
  server.setValidatorCompiler(() => () => true)
  server.setSerializerCompiler(() => JSON.stringify)
  await server.register(swagger, { openapi: INTRODUCTION })
  for (const { method, url, schema } of routes) {
    server.route({ method: method as 'GET', url, schema, handler: async () => undefined })
  }
  await server.ready()
  return server.swagger()
}
