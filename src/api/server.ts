// The HTTP door: one server for the API, its reference and the operator's endpoints.

import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyPluginAsync, type FastifyRequest } from 'fastify'
import type { Registry } from 'prom-client'
import type { Credentials } from '../access/credentials.ts'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { MemoryBudget } from '../lib/memory-budget.ts'
import type { Rate } from '../lib/rate-limiter.ts'
import { Problem } from '../model/problem.ts'
import type { Store } from '../store/store.ts'
import { Authentication } from './authenticate.ts'
import { csvBodies, formBodies, freeBodyWhenClosed, jsonBodies } from './body.ts'
import { addDashboard } from './dashboard/door.ts'
import type { DashboardOptions } from './dashboard/services.ts'
import { DashboardFiles } from './dashboard-files.ts'
import { actionOf, isLoggedOfKeys, keyOf, loggedHandler, operatorOf } from './deed.ts'
import { connectionRefusal, takeOddRequests } from './early-refusals.ts'
import { addEndpoint } from './endpoint.ts'
import { refuseUnknown } from './not-found.ts'
import { addReference, documentedSchema } from './openapi.ts'
import { addOperations } from './operations.ts'
import { operatorOnly } from './operator/authenticate.ts'
import { problemHandler } from './problem-document.ts'
import { operatorRoutes, routes, type Services } from './routes.ts'
import { shapeCompiler } from './shape.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Where problems are described. */
    docsUrl(): string
  }
}

export interface ApiOptions extends Services {
  readonly host: string
  readonly port: number
  /** Under which users reach this; by default the address that it listens on. */
  readonly publicUrl: string | undefined
  readonly maxBodyBytes: number
  /** For the bodies of all requests under way. */
  readonly bodyMemoryBytes: number
  readonly credentials: Credentials
  /** The networks from which `X-Forwarded-For` tells the client's address. */
  readonly trustedProxies: readonly string[]
  /** How many failed authentications one client address may make. */
  readonly authFailureRate: Rate
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** The operator's; without one there is no operator API. */
  readonly operatorToken: string | undefined
  /** Whether this node serves the API, beside what operators need. */
  readonly endpoints: boolean
  /** What the dashboard works with; undefined when this node does not serve it. */
  readonly dashboard: DashboardOptions | undefined
  /** Throws what keeps this node from working. */
  readonly ready: () => Promise<void>
  readonly metrics: Registry
  /** Further pages, the playground's mailbox say. */
  readonly pages: readonly FastifyPluginAsync[]
}

/** How long requests under way may take to end when the node stops. */
const STOP_MS = 5_000

/** The HTTP server. It listens from `start` to `stop`; `stop` lets requests under way end. */
export class ApiServer implements Part {
  readonly name = 'http'
  readonly #options: ApiOptions
  #server: FastifyInstance | undefined
  #url = ''

  constructor(options: ApiOptions) {
    this.#options = options
  }

  /** Where users reach it; known once it has started. */
  get publicUrl(): string {
    return this.#options.publicUrl ?? this.#url
  }

  async start(): Promise<void> {
    const { dashboard, log } = this.#options
    const files = dashboard && new DashboardFiles(log)
    const server = createServer(this.#options, () => this.publicUrl, files)
    this.#server = server
    await files?.addTo(server)
    await addReference(server, () => this.publicUrl)
    addOperations(server, this.#options.ready, this.#options.metrics)
    for (const page of this.#options.pages) await server.register(page)
    addEndpoints(server, this.#options)
    if (dashboard !== undefined) await addDashboard(server, this.#options, dashboard, () => this.publicUrl)
    await server.listen({ host: this.#options.host, port: this.#options.port })
    const { address, port, family } = server.server.address() as AddressInfo
    this.#url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
  }

  async stop(): Promise<void> {
    const server = this.#server
    if (server === undefined) return
    // A client that sends its body a byte at a time does not keep the node from stopping.
    const timer = setTimeout(() => server.server.closeAllConnections(), STOP_MS)
    await server.close()
    clearTimeout(timer)
  }
}

function createServer(
  options: ApiOptions,
  publicUrl: () => string,
  files: DashboardFiles | undefined,
): FastifyInstance {
  const docsUrl = (): string => `${publicUrl()}/docs`
  const handleProblem = problemHandler(docsUrl, options.log)
  const server = Fastify({
    logger: false,
    genReqId: () => newId('req'),
    requestIdHeader: false,
    trustProxy: options.trustedProxies.length > 0 && [...options.trustedProxies],
    // A client that sends a header or a body a byte at a time is cut off.
    requestTimeout: 30_000,
    keepAliveTimeout: 75_000,
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 2_000, requireHostHeader: false },
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 512 },
    // What is wrong before a route is known: an address that cannot be decoded, say.
    frameworkErrors(error, request, reply) {
      reply.header('x-request-id', request.id)
      handleProblem(error, request, reply)
    },
    clientErrorHandler: connectionRefusal(docsUrl),
  })
  takeOddRequests(server.server, docsUrl)
  server.setValidatorCompiler(shapeCompiler)
  // Answers are small: compiling a writer for each of their shapes costs the start more than it ever saves.
  server.setSerializerCompiler(() => JSON.stringify)
  server.setErrorHandler(handleProblem)
  server.decorate('docsUrl', docsUrl)
  server.decorateRequest('credential', null)
  server.decorateRequest('session', null)
  server.decorateRequest('domain', null)
  server.decorateRequest('rawBody', '')
  server.decorateRequest('fieldNameProblems', null)
  server.decorateRequest('bodyMemory', null)
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    if (request.method !== 'GET') freeBodyWhenClosed(request, reply)
    done(hasHost(request) ? undefined : new Problem('malformed_request', 'The header lacks a Host field.'))
  })
  refuseUnknown(server, files?.answers)
  server.removeAllContentTypeParsers()
  const budget = new MemoryBudget(options.bodyMemoryBytes)
  server.addContentTypeParser('application/json', jsonBodies(budget, options.maxBodyBytes))
  server.addContentTypeParser('text/csv', csvBodies(budget, options.maxBodyBytes))
  server.addContentTypeParser('application/x-www-form-urlencoded', formBodies(budget, options.maxBodyBytes))
  return server
}

/** RFC 9112 §3.2; Node would refuse it in words of its own. */
const hasHost = ({ headers, raw }: FastifyRequest): boolean =>
  headers.host !== undefined || raw.httpVersion !== '1.1'

function addEndpoints(server: FastifyInstance, options: ApiOptions): void {
  const { credentials, rates, clock, authFailureRate, operatorToken } = options
  const authentication = new Authentication(credentials, rates, clock, authFailureRate)
  if (options.endpoints) {
    for (const route of routes(options)) {
      const logged = isLoggedOfKeys(route)
      const handler = logged ? loggedHandler(route.handler, actionOf(route), keyOf, options) : route.handler
      addEndpoint(server, { ...route, handler }, documentedSchema(route, 'key'), authentication.identify)
    }
  }
  const operator = operatorOnly(authentication, operatorToken)
  for (const route of operatorRoutes(options)) {
    const reads = route.method === 'GET'
    const handler = reads ? route.handler : loggedHandler(route.handler, actionOf(route), operatorOf, options)
    addEndpoint(server, { ...route, handler }, documentedSchema(route, 'operator'), operator)
  }
}
