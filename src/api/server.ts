// The HTTP door: one server for the API, its reference and the operator's endpoints.

import { createServer as createHttpServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify, {
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyRequest,
  type RouteOptions,
} from 'fastify'
import type { Registry } from 'prom-client'
import type { Credentials } from '../access/credentials.ts'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import type { Rate } from '../lib/rate-limiter.ts'
import { ShortTurns } from '../lib/short-turns.ts'
import { Problem } from '../model/problem.ts'
import type { Store } from '../store/database/store.ts'
import { auditedHandler, callerAsActor, operatorOf } from './audit-action.ts'
import { Authentication } from './authenticate.ts'
import { addBodies, freeBodyWhenClosed, MAX_STRANGERS_BODY } from './body.ts'
import { Connections } from './connections.ts'
import { addDashboard } from './dashboard/door.ts'
import type { DashboardOptions } from './dashboard/services.ts'
import { DashboardFiles } from './dashboard-files.ts'
import { connectionRefusal, takeOddRequests } from './early-refusals.ts'
import { addEndpoint } from './endpoint.ts'
import { refuseUnknown } from './not-found.ts'
import { addReference, documentedSchema } from './openapi.ts'
import { addOperations } from './operations.ts'
import { operatorOnly } from './operator/authenticate.ts'
import { problemHandler } from './problem-document.ts'
import { RequestRates } from './request-rates.ts'
import { operatorRoutes, routes, type Services } from './routes.ts'
import { shapeCompiler } from './shape.ts'

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
  /** Failed authentications that one client address may make. */
  readonly authFailureRate: Rate
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** The operator's; without one there is no operator API. */
  readonly operatorToken: string | undefined
  /** This node serves the API, beside the endpoints for operators. */
  readonly endpoints: boolean
  /** Services of the dashboard; undefined when this node does not serve it. */
  readonly dashboard: DashboardOptions | undefined
  /** Throws the reason why this node cannot work; answers fields for `/readyz`. */
  readonly ready: () => Promise<object>
  readonly metrics: Registry
  /** Further pages, the playground's mailbox say. */
  readonly pages: readonly FastifyPluginAsync[]
}

/** Admission to an address: its callers, their rate, and the largest body. */
export interface AdmittedRoute {
  readonly method: string
  readonly url: string
  readonly caller: string
  readonly rate: 'key' | 'network'
  readonly maxBodyBytes: number | 'content'
}

/** An address that says nothing of itself is for anybody, and for little. */
function admissionOf({ method, url, config }: RouteOptions): AdmittedRoute[] {
  const { caller = 'nobody', rate = 'network', body } = config ?? {}
  const maxBodyBytes = body?.maxBytes ?? MAX_STRANGERS_BODY
  return [method].flat().map((one) => ({ method: one, url, caller, rate, maxBodyBytes }))
}

/** Time for which requests under way may take to end when the node stops. */
const STOP_MS = 5_000

/** Connections that the system keeps until they are taken, one in each turn of the event loop; its own limit may be lower. */
const BACKLOG = 4_096

/** A client that sends a header or a body a byte at a time is cut off. */
const HTTP_OPTIONS = {
  requestTimeout: 30_000,
  headersTimeout: 10_000,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 75_000,
  requireHostHeader: false,
} as const

/** The HTTP server. It listens from `start` to `stop`; `stop` lets requests under way end. */
export class ApiServer implements Part {
  readonly name = 'http'
  readonly #options: ApiOptions
  /** Everything that is answered, with what stands before it. */
  readonly routes: AdmittedRoute[] = []
  #server: FastifyInstance | undefined
  #url = ''

  constructor(options: ApiOptions) {
    this.#options = options
  }

  /** Public URL; known once the server has started. */
  get publicUrl(): string {
    return this.#options.publicUrl ?? this.#url
  }

  async start(): Promise<void> {
    const { dashboard, log } = this.#options
    const files = dashboard && new DashboardFiles(log)
    const rates = new RequestRates()
    const server = createServer(this.#options, () => this.publicUrl, files, rates)
    this.#server = server
    server.addHook('onRoute', (route) => void this.routes.push(...admissionOf(route)))
    await files?.addTo(server)
    await addReference(server, () => this.publicUrl)
    addOperations(server, this.#options.ready, this.#options.metrics)
    for (const page of this.#options.pages) await server.register(page)
    addEndpoints(server, this.#options)
    if (dashboard !== undefined) {
      const hosts = this.#options.publicUrl === undefined ? 'any' : 'public'
      await addDashboard(server, this.#options, dashboard, { publicUrl: () => this.publicUrl, hosts, rates })
    }
    await server.listen({ host: this.#options.host, port: this.#options.port, backlog: BACKLOG })
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
  rates: RequestRates,
): FastifyInstance {
  const turns = new ShortTurns()
  const docsUrl = (): string => `${publicUrl()}/docs`
  const handleProblem = problemHandler(docsUrl, options.log)
  const server = Fastify({
    logger: false,
    genReqId: () => newId('req'),
    requestIdHeader: false,
    trustProxy: options.trustedProxies.length > 0 && [...options.trustedProxies],
    serverFactory(serve) {
      const connections = new Connections(serve as RequestListener, turns, options.trustedProxies)
      const http = createHttpServer(HTTP_OPTIONS, connections.onRequest)
      connections.watch(http)
      return http
    },
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
  server.decorateRequest('caller', null)
  server.decorateRequest('session', null)
  server.decorateRequest('domain', null)
  server.decorateRequest('rawBody', null)
  server.decorateRequest('fieldNameProblems', null)
  server.decorateRequest('bodyMemory', null)
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    if (request.method !== 'GET') freeBodyWhenClosed(request, reply)
    done(headerProblem(request))
  })
  server.addHook('onRequest', rates.byNetwork)
  refuseUnknown(server, files?.answers)
  server.removeAllContentTypeParsers()
  addBodies(server, { memoryBytes: options.bodyMemoryBytes, contentBytes: options.maxBodyBytes, turns })
  return server
}

/** RFC 9112 §3.2; Node would refuse the first in words of its own, and of two fields take the first. */
function headerProblem({ headers, raw }: FastifyRequest): Problem | undefined {
  if (headers.host === undefined && raw.httpVersion === '1.1') {
    return new Problem('malformed_request', 'The header lacks a Host field.')
  }
  const once = new Set<string>()
  for (let i = 0; i < raw.rawHeaders.length; i += 2) {
    const written = raw.rawHeaders[i] ?? ''
    if (written.length !== HOST.length && written.length !== AUTHORIZATION.length) continue
    const name = written.toLowerCase()
    if (name !== HOST && name !== AUTHORIZATION) continue
    if (once.has(name)) return new Problem('malformed_request', `The header has two ${name} fields.`)
    once.add(name)
  }
  return undefined
}

const HOST = 'host'
const AUTHORIZATION = 'authorization'

function addEndpoints(server: FastifyInstance, options: ApiOptions): void {
  const { credentials, rates, clock, authFailureRate, operatorToken } = options
  const authentication = new Authentication(credentials, rates, clock, authFailureRate)
  if (options.endpoints) {
    for (const route of routes(options)) {
      const handler =
        route.auditOf === 'people' ? route.handler : auditedHandler(route, callerAsActor, options)
      addEndpoint(
        server,
        { ...route, handler },
        {
          schema: documentedSchema(route, 'key'),
          onRequest: authentication.identify,
          caller: `${route.key} key`,
        },
      )
    }
  }
  const operator = operatorOnly(authentication, operatorToken)
  for (const route of operatorRoutes(options)) {
    const handler = auditedHandler(route, operatorOf, options)
    addEndpoint(
      server,
      { ...route, handler },
      {
        schema: documentedSchema(route, 'operator'),
        onRequest: operator,
        caller: "the operator's token",
      },
    )
  }
}
