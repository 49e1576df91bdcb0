// A port that speaks HTTP: the server below every set of routes, with what stands before all of them.

import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { type AddressInfo, createServer as createNetServer, type Server } from 'node:net'
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteOptions,
} from 'fastify'
import type { Figure } from '../lib/figures.ts'
import { newId } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import type { ProxyProtocol } from '../lib/proxy-protocol.ts'
import { Problem } from '../model/problem.ts'
import { takeTogether } from '../threads/arriving-connections.ts'
import { FairScheduler } from '../threads/fair-scheduler.ts'
import { addBodies, type Callers, freeBodyWhenClosed } from './body.ts'
import { MAX_STRANGERS_BODY } from './body-rule.ts'
import { ConnectionHandler, type HttpsCertificates } from './connection-handler.ts'
import { Connections } from './connections.ts'
import { HttpFigures } from './http-figures.ts'
import { connectionRefusal, takeMalformedRequests } from './malformed-requests.ts'
import { MAX_PATH_PART, problemHandler } from './problem-document.ts'
import { RequestRates } from './request-rates.ts'
import { shapeCompiler } from './shape.ts'

/** An import would read every export of `node:http`, among them what loads Node's own undici: 90 ms and 16 MB of a start. */
const { createServer: createHttpServer } = process.getBuiltinModule('node:http')

export interface HttpServerOptions {
  readonly host: string
  readonly port: number
  /** Several processes listen on the ports. */
  readonly reusePort?: boolean
  /** The networks from which `X-Forwarded-For` tells the client's address. */
  readonly trustedProxies: readonly string[]
  /** A second port, which speaks HTTPS; absent where there is none. */
  readonly https?: { readonly port: number; readonly certificates: HttpsCertificates } | undefined
  /** Reads the headers of load balancers; absent where there are none. */
  readonly proxyProtocol?: ProxyProtocol | undefined
  readonly maxBodyBytes: number
  /** Connections at once; absent, as many as there may be. */
  readonly connections?: number
  /** For the bodies of all requests under way. */
  readonly bodyMemoryBytes: number
  readonly log: Log
  readonly callers: Callers
  /** The address of the readable reference, which problems link to. */
  docsUrl(): string
  /** Answers addresses without endpoint in a way of its own. */
  readonly otherwise?: Otherwise | undefined
}

/** Admission to an address: the authorization it needs, the rate, and the largest body. */
export interface AdmittedRoute {
  readonly method: string
  readonly url: string
  /** Credential or role that is needed: `sending key`, `viewer`; `nobody` needs none. */
  readonly authorization: string
  readonly rate: 'key' | 'network'
  readonly maxBodyBytes: number | 'content'
}

/** An address without a declaration is public, and takes small bodies only. */
function admissionOf({ method, url, config }: RouteOptions): AdmittedRoute[] {
  const { authorization = 'nobody', rate = 'network', body } = config ?? {}
  const maxBodyBytes = body?.maxBytes ?? MAX_STRANGERS_BODY
  return [method].flat().map((one) => ({ method: one, url, authorization, rate, maxBodyBytes }))
}

/** Time for which requests under way may take to end when the node stops. */
const STOP_MS = 5_000

/** Address and port of a server that listens; undefined for another one. */
function boundTo(server: Pick<Server, 'address'>): AddressInfo | undefined {
  const bound = server.address()
  return typeof bound === 'object' && bound !== null ? bound : undefined
}

/**
 * Connections that the system keeps until they are taken, one in each turn of the event loop; its own limit may be
 * lower.
 */
const BACKLOG = 4_096

/** A client that sends a header or a body a byte at a time is cut off. */
const HTTP_OPTIONS = {
  requestTimeout: 30_000,
  headersTimeout: 10_000,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 75_000,
  requireHostHeader: false,
} as const

/** Add the routes to `fastify`, then `listen`. */
export class HttpServer {
  readonly fastify: FastifyInstance
  /** Counts requests by client network, and by user. */
  readonly rates = new RequestRates()
  readonly #figures = new HttpFigures()
  /** Everything that is answered, with what stands before it. */
  readonly routes: AdmittedRoute[] = []
  readonly #options: HttpServerOptions
  /** One for each address that the host stands for; the first is that of `fastify.server`. */
  readonly #handlers: ConnectionHandler[] = []
  #https: Server | undefined
  #url = ''

  constructor(options: HttpServerOptions) {
    this.#options = options
    this.fastify = createServer(options, this.rates, this.#figures, this.#handlers)
    this.fastify.addHook('onRoute', (route) => void this.routes.push(...admissionOf(route)))
  }

  /** The address that it listens on, as a URL; empty before `listen`. */
  get url(): string {
    return this.#url
  }

  /** The port that speaks HTTPS; undefined where there is none. */
  get httpsPort(): number | undefined {
    return this.#https && boundTo(this.#https)?.port
  }

  /** Throws when a port cannot be opened. */
  async listen(): Promise<void> {
    const { host, port, https, reusePort = false } = this.#options
    // Handed on to the server as it is; the type lacks `reusePort`.
    const listening = { host, port, reusePort, backlog: BACKLOG }
    await this.fastify.listen(listening)
    const bound = boundTo(this.fastify.server)
    const name = bound?.family === 'IPv6' ? `[${bound.address}]` : bound?.address
    this.#url = `http://${name}:${bound?.port}`
    const [handler] = this.#handlers
    if (https === undefined || handler === undefined) return
    this.#https = createNetServer({ noDelay: true }, handler.tls(https.certificates))
    takeTogether(this.#https)
    this.#https.listen({ host, port: https.port, reusePort, backlog: BACKLOG })
    await once(this.#https, 'listening')
  }

  figures(): Figure[] {
    return this.#figures.figures()
  }

  /**
   * Lets requests under way end; a client that sends its body a byte at a time does not keep the node from stopping.
   */
  async close(): Promise<void> {
    this.#https?.close()
    for (const handler of this.#handlers) handler.close()
    const timer = setTimeout(() => this.fastify.server.closeAllConnections(), STOP_MS)
    await this.fastify.close()
    clearTimeout(timer)
  }
}

function createServer(
  options: HttpServerOptions,
  rates: RequestRates,
  figures: HttpFigures,
  handlers: ConnectionHandler[],
): FastifyInstance {
  const { docsUrl, log, trustedProxies } = options
  const turns = new FairScheduler()
  const handleProblem = problemHandler(docsUrl, log)
  const server = Fastify({
    logger: false,
    genReqId: () => newId('req'),
    requestIdHeader: false,
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    serverFactory(serve) {
      const listener = serve as RequestListener
      const connections = new Connections(listener, turns, figures, trustedProxies, options.connections)
      const http = createHttpServer(HTTP_OPTIONS, connections.onRequest)
      handlers.push(new ConnectionHandler(http, connections, options.proxyProtocol))
      return http
    },
    forceCloseConnections: 'idle',
    // Tokens of tracked links carry a URL.
    routerOptions: { maxParamLength: MAX_PATH_PART },
    // Refusals before a route is known: an address that cannot be decoded, say.
    frameworkErrors(error, request, reply) {
      reply.header('x-request-id', request.id)
      handleProblem(error, request, reply)
    },
    clientErrorHandler: connectionRefusal(docsUrl),
  })
  takeMalformedRequests(server.server, docsUrl)
  server.setValidatorCompiler(shapeCompiler)
  // Answers are small: compiling a writer for each of their shapes costs the start more than it ever saves.
  server.setSerializerCompiler(() => JSON.stringify)
  server.setErrorHandler(handleProblem)
  server.decorateRequest('problemCode', null)
  server.decorateRequest('rawBody', null)
  server.decorateRequest('fieldNameProblems', null)
  server.decorateRequest('bodyMemory', null)
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    figures.noteRoute(request.raw, request.routeOptions.url)
    if (request.method !== 'GET') freeBodyWhenClosed(request, reply)
    done(headerProblem(request))
  })
  server.addHook('onRequest', rates.byNetwork)
  refuseUnknown(server, options.otherwise)
  server.removeAllContentTypeParsers()
  const { callers, bodyMemoryBytes: memoryBytes, maxBodyBytes: contentBytes } = options
  addBodies(server, { callers, memoryBytes, contentBytes, turns })
  return server
}

/** RFC 9112 §3.2; Node would refuse the first in words of its own, and of two fields take the first. */
function headerProblem({ headers, raw }: FastifyRequest): Problem | undefined {
  if (headers.host === undefined && raw.httpVersion === '1.1') {
    return new Problem('malformed_request', 'The header lacks a Host field.')
  }
  for (const name of SINGLE_FIELDS) {
    let count = 0
    for (let i = 0; i < raw.rawHeaders.length; i += 2) {
      const written = raw.rawHeaders[i] ?? ''
      if (written.length === name.length && written.toLowerCase() === name) count++
    }
    if (count > 1) return new Problem('malformed_request', `The header has two ${name} fields.`)
  }
  return undefined
}

const SINGLE_FIELDS = ['host', 'authorization'] as const

/** Answers an address without endpoint in a way of its own; whether it did. */
type Otherwise = (request: FastifyRequest, reply: FastifyReply) => boolean

/**
 * Answers 404 before any body is read, and 405 with `Allow` where other methods have an endpoint (RFC 9110 §15.5.6).
 * Call it before the endpoints are added.
 */
function refuseUnknown(server: FastifyInstance, otherwise: Otherwise = () => false): void {
  const known: { readonly method: string; readonly pattern: RegExp }[] = []
  server.addHook('onRoute', ({ method, url }) => {
    const pattern = new RegExp(`^${url.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/:[^/]+/g, '[^/]+')}$`)
    for (const one of [method].flat()) known.push({ method: one, pattern })
  })
  const refuse = (request: FastifyRequest, reply: FastifyReply): Problem => {
    const [path = ''] = request.url.split('?', 1)
    const methods = known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
    if (methods.length === 0) return new Problem('not_found', 'There is nothing at this address.')
    const allowed = methods.join(', ')
    reply.header('allow', allowed)
    return new Problem(
      'method_not_allowed',
      `There is no ${request.method} at this address; it takes ${allowed}.`,
    )
  }
  server.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) done()
    else if (!otherwise(request, reply)) done(refuse(request, reply))
  })
}
