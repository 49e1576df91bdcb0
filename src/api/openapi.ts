// Serves the OpenAPI document at /v1/openapi.json and the readable reference at /docs.

import { readFileSync } from 'node:fs'
import type {} from '@fastify/swagger'
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { type TObject, type TSchema, Type } from 'typebox'
import { answerKept, type Kept } from '../http/kept-document.ts'
import { PROBLEMS, Problem, type ProblemCode } from '../model/problem.ts'
import { WorkerThread } from '../threads/worker-thread.ts'
import { IdempotencyHeaders, ProblemDocument, VersionHeaders } from './contract/common.ts'
import { DomainQuery } from './domain-of-request.ts'
import type { DescribedRoute, ReferenceJobs, ReferenceResult } from './reference-thread.ts'
import { effectOf, type Route } from './route.ts'

const ALWAYS: readonly ProblemCode[] = [
  'authentication_failed',
  'rate_limit_exceeded',
  'internal_error',
  'unavailable',
]

/** Problem codes of refusals because of an `Idempotency-Key`. */
const OF_A_REPEAT: readonly ProblemCode[] = ['malformed_request', 'conflict', 'validation_failed']

/** Names of the security schemes in the OpenAPI document. */
type SecurityScheme = 'key' | 'operator'

/** Operation IDs that cannot be derived from method and path. */
const OPERATION_IDS: Readonly<Record<string, string>> = {
  'POST /v1/messages': 'messages.send',
  'POST /v1/messages/batch': 'messages.sendBatch',
  'POST /v1/messages/raw': 'messages.sendRaw',
  'POST /v1/check': 'messages.check',
  'GET /v1/messages/:message_id/raw': 'messages.getRaw',
  'GET /v1/inbound/:inbound_id/raw': 'inbound.getRaw',
  'GET /v1/events/stream': 'events.stream',
  'GET /v1/account-events/stream': 'accountEvents.stream',
  'DELETE /v1/inboxes/:inbox_id/messages': 'inboxes.messages.clear',
  'GET /v1/inboxes/:inbox_id/messages/:mail_id/raw': 'inboxes.messages.getRaw',
  'GET /v1/inboxes/:inbox_id/messages/:mail_id/attachments/:number': 'inboxes.messages.getAttachment',
  'GET /v1/deliverability': 'deliverability.get',
  'POST /v1/reports': 'reports.upload',
  'GET /v1/reports/:report_id/raw': 'reports.getRaw',
  'GET /v1/authentication': 'authentication.get',
  'PUT /v1/authentication/sources/:source_id': 'authentication.nameSource',
  'GET /v1/inboxes/:inbox_id/wait': 'inboxes.wait',
  'POST /v1/accounts/:account_id/credits': 'accounts.grantCredits',
  'POST /v1/accounts/:account_id/keys': 'accounts.createKey',
  'GET /v1/accounts/:account_id/usage': 'accounts.getUsage',
  'GET /v1/account/usage': 'account.getUsage',
  'POST /v1/domains/:domain/record-links': 'domains.recordLinks.create',
  'POST /v1/render': 'templates.renderDraft',
  'POST /v1/suppressions': 'suppressions.add',
  'POST /v1/suppressions/remove': 'suppressions.removeMany',
  'DELETE /v1/suppressions/:email': 'suppressions.delete',
  'GET /v1/account-suppressions': 'account.listSuppressions',
  'POST /v1/account-suppressions': 'account.addSuppressions',
  'POST /v1/account-suppressions/remove': 'account.removeSuppressions',
  'DELETE /v1/account-suppressions/:email': 'account.deleteSuppression',
  'GET /v1/verifyEmail': 'verifications.verifyEmail',
  'GET /v1/verifyEmailDetailed': 'verifications.verifyEmailDetailed',
  'GET /v1/verifications/:verification_id/results': 'verifications.getResults',
  'GET /v1/operator/queue/recipients': 'operator.queue.listRecipients',
  'GET /v1/operator/queue/messages/:message_id': 'operator.queue.getMessage',
}

const VERBS = { POST: 'create', PUT: 'replace', PATCH: 'update', DELETE: 'delete' } as const

/**
 * Returns the operation ID, from which client generators make method names, such as `templates.versions.list` for `GET
 * /v1/templates/:id_or_alias/versions`.
 */
function operationIdOf(route: Pick<Route, 'method' | 'url' | 'schema'>): string {
  const { method, url } = route
  const known = OPERATION_IDS[`${method} ${url}`]
  if (known !== undefined) return known
  const steps = url.split('/').slice(2)
  const nouns = steps
    .filter((step) => !step.startsWith(':'))
    .map((step) => step.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()))
  const isOne = steps.at(-1)?.startsWith(':')
  if (method === 'GET') return [...nouns, isOne || !isList(route) ? 'get' : 'list'].join('.')
  // A POST to a path below a single object is an action on this object.
  const isAction = method === 'POST' && (nouns.length > 2 || (steps.length > nouns.length && !isOne))
  return [...nouns, ...(isAction ? [] : [VERBS[method]])].join('.')
}

/** True if the endpoint returns a list: an object with the property `data`. */
function isList({ schema }: Pick<Route, 'schema'>): boolean {
  const { 200: shape } = (schema.response ?? {}) as { readonly 200?: { readonly properties?: object } }
  return shape?.properties !== undefined && 'data' in shape.properties
}

/** Problem codes of refusals because of the rights of a key. */
const OF_A_KEY: readonly ProblemCode[] = [
  'key_kind_not_permitted',
  'scope_not_permitted',
  'network_not_permitted',
  'inbox_credential',
  'validation_failed',
]

/** Problem codes of refusals of an endpoint that works in a domain. */
const OF_A_DOMAIN: readonly ProblemCode[] = ['domain_not_permitted', 'not_found']

/** Returns the schema of an endpoint with its scope, and with its refusals grouped by status code. */
export function documentedSchema(route: Route, scheme: SecurityScheme): FastifySchema {
  const { scope, domains, url } = route
  // Endpoints for API keys refuse unknown fields by name.
  const ofKey = scheme === 'key' ? OF_A_KEY : []
  // A name in the path may have an invalid percent-encoding.
  const ofPath: readonly ProblemCode[] = url.includes(':') ? ['malformed_request'] : []
  const ofDomain = domains !== undefined || url.includes('/:domain') ? OF_A_DOMAIN : []
  const isOnce = scheme === 'key' && route.method === 'POST' && effectOf(route) === 'changes'
  const ofRepeat = isOnce ? OF_A_REPEAT : []
  const isConditional = typeof route.versioned === 'function'
  const ofVersion: readonly ProblemCode[] = isConditional ? ['changed_meanwhile'] : []
  const codes = new Set([
    ...[...ofKey, ...ofDomain, ...route.refusals],
    ...[...ofRepeat, ...ofPath, ...ofVersion, ...ALWAYS],
  ])
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
    description: withScope(route),
    ...(isOnce ? { headers: IdempotencyHeaders } : {}),
    ...(isConditional ? { headers: VersionHeaders } : {}),
    ...(domains === undefined ? {} : { querystring: withDomain(route.schema.querystring as TObject) }),
    operationId: operationIdOf(route),
    security: [{ [scheme]: scope === 'any-credential' ? [] : [scope] }],
    response: { ...successful, ...Object.fromEntries(refusals) },
  }
}

/** Returns the description of an endpoint, which ends with the scope that the endpoint requires. */
function withScope({ scope, schema }: Pick<Route, 'scope' | 'schema'>): string {
  const words = scope === 'any-credential' ? 'Any key may call this.' : `Requires the scope \`${scope}\`.`
  return schema.description === undefined ? words : `${schema.description}\n\n${words}`
}

/** Returns the schema of a query with the parameter that names the domain. */
const withDomain = (
  query: (TObject & { readonly patternProperties?: Record<string, TSchema> }) | undefined,
): TObject =>
  Type.Object(
    { ...query?.properties, ...DomainQuery },
    {
      additionalProperties: false,
      ...(query?.patternProperties === undefined ? {} : { patternProperties: query.patternProperties }),
    },
  )

/**
 * Adds the OpenAPI document and the reference; must be called before the endpoints are added. The base URL of the
 * server, `url`, is known once the server listens.
 *
 * @param domain sending domain of the examples
 */
export function addReference(server: FastifyInstance, url: () => string, domain: string): void {
  const routes: DescribedRoute[] = []
  server.addHook('onRoute', ({ method, url, schema }) => {
    if (method !== 'HEAD' && schema !== undefined) routes.push({ method, url, schema })
  })
  const documents = new ReferenceDocuments(routes, url, domain)
  server.addHook('onClose', () => documents.stop())
  server.get('/v1/openapi.json', { schema: { hide: true } }, async (request, reply) => {
    const { openapi } = await documents.made()
    return answerKept(openapi, 'application/json; charset=utf-8', request, reply)
  })
  serveReference(server, () => documents.made())
}

/** Heap limit in MiB of the thread that creates the OpenAPI document and the reference. */
const HEAP_MB = 256

/**
 * OpenAPI document and reference of one server, created at the first request, because all routes are known only then.
 */
export class ReferenceDocuments {
  readonly #routes: readonly DescribedRoute[]
  readonly #url: () => string
  readonly #domain: string
  #made: Promise<ReferenceResult> | undefined
  #thread: WorkerThread<ReferenceJobs> | undefined

  /**
   * @param url returns the base URL of the server
   * @param domain sending domain of the examples
   */
  constructor(routes: readonly DescribedRoute[], url: () => string, domain: string) {
    this.#routes = routes
    this.#url = url
    this.#domain = domain
  }

  /** Returns both documents. Rejects if the documents could not be created; the next call tries again. */
  made(): Promise<ReferenceResult> {
    this.#made ??= this.#make().catch((error: unknown) => {
      this.#made = undefined
      throw error
    })
    return this.#made
  }

  /** Ends the thread that is creating the documents, if any. */
  async stop(): Promise<void> {
    await this.#thread?.end()
  }

  async #make(): Promise<ReferenceResult> {
    const thread = new WorkerThread<ReferenceJobs>(new URL('./reference-thread.ts', import.meta.url), HEAP_MB)
    this.#thread = thread
    try {
      await thread.ready
      // The routes are passed as JSON text, because only the JSON properties of schemas are documented.
      const job = { routes: JSON.stringify(this.#routes), url: this.#url(), domain: this.#domain }
      const answer = await thread.run({ kind: 'make', job }, [])
      if (answer.kind !== 'done') throw new Error(`the documents were not made: ${answer.reason}`)
      return answer.result
    } finally {
      this.#thread = undefined
      await thread.end()
    }
  }
}

const FILES = [
  ['reference.css', 'text/css; charset=utf-8'],
  ['reference.js', 'text/javascript; charset=utf-8'],
  ['mark.svg', 'image/svg+xml'],
] as const

/** Policy that allows only files of the node, and no scripts except the page's own script. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const hidden = { schema: { hide: true } }

/** Responds with a page of the reference or of the documentation. */
function answerPage(page: Kept, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply
    .header('content-security-policy', CONTENT_SECURITY_POLICY)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
  return answerKept(page, 'text/html; charset=utf-8', request, reply)
}

/** Responds with a text that is no page, which a browser must not take for one. */
function answerText(text: Kept, type: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return answerKept(text, type, request, reply.header('x-content-type-options', 'nosniff'))
}

/**
 * Adds the routes of the reference.
 * @param made returns the reference, the index of its search, and the pages of the documentation
 */
function serveReference(server: FastifyInstance, made: () => Promise<ReferenceResult>): void {
  server.get('/docs', hidden, async (request, reply) => answerPage((await made()).page, request, reply))
  server.get('/docs/search.json', hidden, async (request, reply) =>
    answerKept((await made()).search, 'application/json; charset=utf-8', request, reply),
  )
  server.get<{ Params: { name: string } }>('/docs/pages/:name', hidden, async (request, reply) => {
    const page = (await made()).pages.get(request.params.name)
    if (page === undefined) throw new Problem('not_found', 'There is no page of this name.')
    return answerPage(page, request, reply)
  })
  server.get<{ Params: { name: string } }>('/docs/:name.md', hidden, async (request, reply) => {
    const source = (await made()).sources.get(request.params.name)
    if (source === undefined) throw new Problem('not_found', 'There is no page of this name.')
    return answerText(source, 'text/markdown; charset=utf-8', request, reply)
  })
  server.get('/llms.txt', hidden, async (request, reply) =>
    answerText((await made()).llms, 'text/plain; charset=utf-8', request, reply),
  )
  server.get('/docs/', hidden, async (_request, reply) => reply.redirect('../docs', 308))
  for (const [name, type] of FILES) {
    const content = readFileSync(new URL(`./reference/${name}`, import.meta.url))
    server.get(`/docs/${name}`, hidden, async (_request, reply) => {
      reply.type(type).header('x-content-type-options', 'nosniff').header('cache-control', 'max-age=3600')
      return content
    })
  }
}
