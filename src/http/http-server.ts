// HTTP server of one port, with the checks that run before the routes.

import { once } from 'node:events'
import type { IncomingMessage, RequestListener } from 'node:http'
import { type AddressInfo, createServer as createNetServer, type Server } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyRequest, type RouteOptions } from 'fastify'
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
import { type Otherwise, refuseUnknown } from './unknown-urls.ts'

/**
 * HTTP module of Node. An `import` would evaluate every export of `node:http`; one of them loads Node's own undici,
 * which takes 90 ms and 16 MB at the start.
 */
const { createServer: createHttpServer } = process.getBuiltinModule('node:http')

export interface HttpServerOptions {
  readonly host: string
  readonly port: number
  /** True if several processes listen on the same ports. */
  readonly reusePort?: boolean
  /** Networks of proxies whose `X-Forwarded-For` header contains the address of the client. */
  readonly trustedProxies: readonly string[]
  /** Settings of a second port, which serves HTTPS. */
  readonly https?: { readonly port: number; readonly certificates: HttpsCertificates } | undefined
  /** Reads the PROXY headers of load balancers; absent if no load balancer sends PROXY headers. */
  readonly proxyProtocol?: ProxyProtocol | undefined
  readonly maxBodyBytes: number
  /** Maximum number of concurrent connections; `MAX_CONNECTIONS` by default. */
  readonly connections?: number
  /** Memory for the bodies of all running requests, in bytes. */
  readonly bodyMemoryBytes: number
  readonly log: Log
  readonly callers: Callers
  /** Returns the URL of the API reference, to which problem documents link. */
  docsUrl(): string
  /** Responds to requests for URLs without an endpoint. */
  readonly otherwise?: Otherwise | undefined
  /** True for a request that may change to the WebSocket protocol; absent if no endpoint serves WebSockets. */
  readonly isWebSocket?: ((request: IncomingMessage) => boolean) | undefined
  /** Returns the URL under which a request is served, if some requests are served under another URL than their own. */
  readonly rewriteUrl?: ((request: IncomingMessage) => string) | undefined
}

/** Conditions of a route: the required authorization, the rate limit and the maximum size of the body. */
export interface AdmittedRoute {
  readonly method: string
  readonly url: string
  /**
   * Credential or role that the route requires, such as `messages:send key` or `viewer`; `nobody` means that neither is
   * required.
   */
  readonly authorization: string
  readonly rate: 'key' | 'network'
  readonly maxBodyBytes: number | 'content'
}

/** Returns the access conditions of a route. A route that declares none is public and accepts only small bodies. */
function admissionOf({ method, url, config }: RouteOptions): AdmittedRoute[] {
  const { authorization = 'nobody', rate = 'network', body } = config ?? {}
  const maxBodyBytes = body?.maxBytes ?? MAX_STRANGERS_BODY
  return [method].flat().map((one) => ({ method: one, url, authorization, rate, maxBodyBytes }))
}

/** Time for running requests to end when the node stops, in milliseconds. */
const STOP_MS = 5_000

/** Returns the address and port of a listening server; undefined for any other server. */
function boundTo(server: Pick<Server, 'address'>): AddressInfo | undefined {
  const bound = server.address()
  return typeof bound === 'object' && bound !== null ? bound : undefined
}

/**
 * Maximum number of connections that the operating system queues, because the server accepts only one connection per
 * turn of the event loop. The operating system may have a lower limit.
 */
const BACKLOG = 4_096

/** Timeouts for clients that send a header or a body one byte at a time. */
const HTTP_OPTIONS = {
  requestTimeout: 30_000,
  headersTimeout: 10_000,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 75_000,
  requireHostHeader: false,
} as const

/** HTTP server; routes are added to `fastify` before `listen` is called. */
export class HttpServer {
  readonly fastify: FastifyInstance
  /** Counts requests by client network and by user. */
  readonly rates = new RequestRates()
  readonly #figures = new HttpFigures()
  /** All routes, with their access conditions. */
  readonly routes: AdmittedRoute[] = []
  readonly #options: HttpServerOptions
  /** Connection handlers, one for each listening address; the first handler belongs to `fastify.server`. */
  readonly #handlers: ConnectionHandler[] = []
  #https: Server | undefined
  #url = ''

  constructor(options: HttpServerOptions) {
    this.#options = options
    this.fastify = createServer(options, this.rates, this.#figures, this.#handlers)
    this.fastify.addHook('onRoute', (route) => void this.routes.push(...admissionOf(route)))
  }

  /** URL of the address that the server listens on; empty before `listen`. */
  get url(): string {
    return this.#url
  }

  /** Port number of HTTPS; undefined if the server has no HTTPS port. */
  get httpsPort(): number | undefined {
    return this.#https && boundTo(this.#https)?.port
  }

  /** Opens the ports. Throws if a port cannot be opened. */
  async listen(): Promise<void> {
    const { host, port, https, reusePort = false } = this.#options
    // Fastify passes these options to the server, although the type of the options lacks `reusePort`.
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
   * Stops the server after running requests have ended. A client that sends its body one byte at a time does not delay
   * the shutdown.
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
    ...(options.rewriteUrl === undefined ? {} : { rewriteUrl: options.rewriteUrl }),
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    serverFactory(serve) {
      const listener = serve as RequestListener
      const connections = new Connections(listener, turns, figures, trustedProxies, options.connections)
      // An upgrade to any other protocol is ignored, as RFC 9110 §7.8 allows; some clients offer HTTP/2 this way.
      const shouldUpgradeCallback = (request: IncomingMessage) => options.isWebSocket?.(request) === true
      const http = createHttpServer({ ...HTTP_OPTIONS, shouldUpgradeCallback }, connections.onRequest)
      http.on('upgrade', connections.onUpgrade)
      handlers.push(new ConnectionHandler(http, connections, options.proxyProtocol))
      return http
    },
    forceCloseConnections: 'idle',
    // The tokens of tracked links contain a URL, which requires long path parameters.
    routerOptions: { maxParamLength: MAX_PATH_PART },
    // This handler refuses requests for which no route is known yet, such as requests for a URL that cannot be decoded.
    frameworkErrors(error, request, reply) {
      reply.header('x-request-id', request.id)
      handleProblem(error, request, reply)
    },
    clientErrorHandler: connectionRefusal(docsUrl),
  })
  takeMalformedRequests(server.server, docsUrl)
  server.setValidatorCompiler(shapeCompiler)
  // Compiled serializers are not used: responses are small, and compiling a serializer for each response shape would
  // take more time at the start than the serializers save.
  server.setSerializerCompiler(() => JSON.stringify)
  server.setErrorHandler(handleProblem)
  server.decorateRequest('problemCode', null)
  server.decorateRequest('problemFields', null)
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

/**
 * Returns the problem of a request header (RFC 9112 §3.2). Node would refuse a missing Host field with its own text,
 * and would use the first of two fields.
 */
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
