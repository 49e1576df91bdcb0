// Program of the thread that creates the OpenAPI document and the API reference.

import Fastify, { type FastifyInstance, type FastifySchema } from 'fastify'
import { type Kept, kept } from '../http/kept-document.ts'
import { PROBLEMS } from '../model/problem.ts'
import { becomeBulkThread } from '../threads/bulk-thread.ts'
import { serveJobs } from '../threads/worker-jobs.ts'
import { fileShape } from './contract/body-files.ts'
import { SHAPE_NAMES } from './contract/names.ts'
import { type WrittenOut, withComponents } from './openapi-components.ts'
import { docsPages } from './reference/docs-pages.ts'
import { endpointsByTag, type OpenApiDocument } from './reference/document.ts'
import { SAMPLE_DOMAIN } from './reference/example.ts'
import { guides } from './reference/guides.ts'
import { documentationPage, llmsText, referencePage } from './reference/page.ts'
import { searchIndex } from './reference/search-index.ts'

/** Route in the form that the OpenAPI document describes. */
export interface DescribedRoute {
  readonly method: string | readonly string[]
  readonly url: string
  readonly schema: FastifySchema & {
    readonly bodies?: Readonly<Record<string, object>>
    readonly produces?: readonly string[]
    readonly response?: unknown
  }
}

const JSON_TYPE = 'application/json'

/** Jobs of the thread. The only job creates both documents. */
export interface ReferenceJobs {
  make: {
    /** Described routes as JSON, the base URL of the server, and the sending domain of the examples. */
    readonly job: { readonly routes: string; readonly url: string; readonly domain: string }
    readonly result: ReferenceResult
  }
}

export interface ReferenceResult {
  readonly openapi: Kept
  readonly page: Kept
  /** Index of the search as JSON. */
  readonly search: Kept
  /** Pages of the documentation by name. */
  readonly pages: ReadonlyMap<string, Kept>
  /** Sources of the same pages in Markdown. */
  readonly sources: ReadonlyMap<string, Kept>
  /** List of the pages for language models. */
  readonly llms: Kept
}

const PROBLEM_TABLE = [
  'Errors are problem documents (RFC 9457) with one of these values in `code`:',
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
      key: { type: 'http', scheme: 'bearer', description: 'API key' },
      operator: {
        type: 'http',
        scheme: 'bearer',
        description: "Operator's token, `POSTRIDER_OPERATOR_TOKEN`",
      },
    },
  },
} as const

/**
 * The sample domain and its subdomains in an address, as a value, and in XML; in HTML, these are escaped. Paths of URLs
 * keep the sample domain, so that no copied example deletes or pauses the domain of this installation.
 */
const SAMPLE_DOMAINS = new RegExp(`(?<=[@"';>](?:[\\w-]+\\.)*)${RegExp.escape(SAMPLE_DOMAIN)}\\b`, 'g')

becomeBulkThread()

serveJobs<ReferenceJobs>(async (_, { routes, url, domain }) => {
  // The examples use the sending domain to which the keys of this installation most likely belong.
  const own = (text: string): string => text.replace(SAMPLE_DOMAINS, domain)
  const described = await describe(JSON.parse(routes) as DescribedRoute[])
  const short = withComponents(described as unknown as WrittenOut, SHAPE_NAMES)
  const document = described as unknown as OpenApiDocument
  const tags = Array.from(endpointsByTag(document).keys(), (name) => ({ name }))
  const chapters = guides(url)
  const pages = await docsPages()
  return {
    openapi: kept(own(JSON.stringify({ ...short, servers: [{ url }], tags, webhooks: webhooksOf(short) }))),
    page: kept(own(referencePage(document, url, chapters, pages))),
    search: kept(JSON.stringify(searchIndex(document, chapters, pages))),
    pages: new Map(pages.map((one) => [one.name, kept(documentationPage(one, pages))])),
    sources: new Map(pages.map(({ name, markdown }) => [name, kept(markdown)])),
    llms: kept(llmsText(url, pages)),
  }
})

/**
 * Returns the schema of a route with a separate shape for each media type of the body and of the response. The
 * generator would use the shape of the JSON for all media types.
 */
function byMediaType({
  bodies,
  produces = [],
  response,
  ...schema
}: DescribedRoute['schema']): FastifySchema {
  const content = Object.entries(bodies ?? {}).map(([type, shape]) => [type, { schema: shape }])
  const files = produces
    .filter((type) => type !== JSON_TYPE)
    .map((type) => [type, { schema: fileShape(type) }])
  const json = (response as Readonly<Record<string, object>> | undefined)?.[200]
  const answers =
    json === undefined || 'content' in json || files.length === 0
      ? response
      : {
          ...(response as object),
          200: {
            description: 'Default Response',
            content: { [JSON_TYPE]: { schema: json }, ...Object.fromEntries(files) },
          },
        }
  return {
    ...schema,
    ...(content.length === 0 ? {} : { body: { content: Object.fromEntries(content) } }),
    response: answers,
  }
}

/** Returns the OpenAPI document of the routes, generated by a separate server that never listens. */
async function describe(routes: readonly DescribedRoute[]): Promise<ReturnType<FastifyInstance['swagger']>> {
  const { default: swagger } = await import('@fastify/swagger')
  const server = Fastify({ exposeHeadRoutes: false })
  server.setValidatorCompiler(() => () => true)
  server.setSerializerCompiler(() => JSON.stringify)
  await server.register(swagger, { openapi: INTRODUCTION })
  for (const { method, url, schema } of routes) {
    const described = byMediaType(schema)
    server.route({ method: method as 'GET', url, schema: described, handler: async () => undefined })
  }
  await server.ready()
  return server.swagger()
}

const header = (name: string, description: string): object => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

/**
 * Returns the section `webhooks` of the OpenAPI document, which describes the requests to the receivers of webhooks.
 * `document` has the shape of events among its components.
 */
function webhooksOf(document: object): object {
  const { components } = document as {
    readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
  }
  if (!('Event' in components.schemas)) return {}
  return {
    event: {
      post: {
        operationId: 'webhooks.receive',
        tags: ['Webhooks'],
        summary: 'An event, in the format `standard`',
        description:
          'Answer with any 2xx within ten seconds. A webhook with a `batch_size` above 1 gets an array of these objects.',
        parameters: [
          header('webhook-id', 'ID of the event, the same in every attempt'),
          header('webhook-timestamp', 'Time of the attempt, in seconds since 1970'),
          header('webhook-signature', 'Signatures of `id.timestamp.body` (Standard Webhooks)'),
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['type', 'timestamp', 'data'],
                properties: {
                  type: { type: 'string', description: 'Type of the event' },
                  timestamp: { type: 'string', format: 'date-time', description: 'Time of the event' },
                  data: { $ref: '#/components/schemas/Event' },
                },
              },
            },
          },
        },
        responses: { '2XX': { description: 'The event is not sent again' } },
      },
    },
  }
}
