// The HTTP door: one server for the API, its reference and the operator's endpoints.

import { isUtf8 } from 'node:buffer'
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyPluginAsync } from 'fastify'
import type { Registry } from 'prom-client'
import type { Credentials } from '../access/credentials.ts'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { Problem } from '../model/problem.ts'
import { Authentication, type Rates } from './authenticate.ts'
import { addReference, documentedSchema } from './openapi.ts'
import { addOperations } from './operations.ts'
import { problemHandler } from './problem-document.ts'
import { routes, type Services } from './routes.ts'
import { shapeCompiler } from './shape.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The JSON body as it came. */
    rawBody: string
  }
  interface FastifyContextConfig {
    /** Whether the body is an array; else it is an object. */
    takesArray?: boolean
    /** Whether a body of `text/csv` is taken as well. */
    takesCsv?: boolean
  }
}

export interface ApiOptions extends Services {
  readonly host: string
  readonly port: number
  /** Under which users reach this; by default the address that it listens on. */
  readonly publicUrl: string | undefined
  readonly maxBodyBytes: number
  readonly rates: Rates
  readonly credentials: Credentials
  readonly clock: Clock
  readonly log: Log
  /** Whether this node serves the API, beside what operators need. */
  readonly endpoints: boolean
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
    const server = createServer(this.#options, () => this.publicUrl)
    this.#server = server
    await addReference(server, () => this.publicUrl)
    addOperations(server, this.#options.ready, this.#options.metrics)
    for (const page of this.#options.pages) await server.register(page)
    if (this.#options.endpoints) addEndpoints(server, this.#options)
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

function createServer(options: ApiOptions, publicUrl: () => string): FastifyInstance {
  const handleProblem = problemHandler(() => `${publicUrl()}/docs`, options.log)
  const server = Fastify({
    logger: false,
    // Read on beyond the limit, within reason: who is cut off while sending never sees the 413.
    bodyLimit: options.maxBodyBytes * 4,
    genReqId: () => newId('req'),
    requestIdHeader: false,
    // A client that sends a header or a body a byte at a time is cut off.
    requestTimeout: 30_000,
    keepAliveTimeout: 75_000,
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 2_000 },
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 512 },
    // What is wrong before a route is known: an address that cannot be decoded, say.
    frameworkErrors(error, request, reply) {
      reply.header('x-request-id', request.id)
      handleProblem(error, request, reply)
    },
    clientErrorHandler(error: Error & { code?: string }, socket) {
      if (error.code === 'ECONNRESET' || !socket.writable) return
      const body = JSON.stringify({
        type: 'about:blank',
        title: 'Malformed request',
        status: 400,
        code: 'malformed_request',
      })
      socket.end(
        `HTTP/1.1 400 Bad Request\r\nContent-Type: application/problem+json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      )
    },
  })
  server.setValidatorCompiler(shapeCompiler)
  server.setErrorHandler(handleProblem)
  server.setNotFoundHandler(() => {
    throw new Problem('not_found', 'There is nothing at this address.')
  })
  server.decorateRequest('credential', null)
  server.decorateRequest('rawBody', '')
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  server.removeAllContentTypeParsers()
  const read = (body: Buffer): string => {
    if (body.length <= options.maxBodyBytes) return readText(body)
    const most = `${options.maxBodyBytes} bytes`
    throw new Problem('body_too_large', `A request body has at most ${most}; send less at once.`)
  }
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      request.rawBody = read(body as Buffer)
      done(null, readJson(request.rawBody, request.routeOptions.config.takesArray ?? false))
    } catch (error) {
      done(error as Error)
    }
  })
  server.addContentTypeParser('text/csv', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      if (!request.routeOptions.config.takesCsv) throw new Problem('malformed_request', NO_BODY)
      done(null, read(body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
  return server
}

function readText(body: Buffer): string {
  if (!isUtf8(body)) throw new Problem('malformed_request', 'The body is not UTF-8.')
  return body.toString('utf8')
}

const NO_BODY = 'Send JSON, with the header Content-Type: application/json.'

function readJson(text: string, takesArray: boolean): object {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Problem('malformed_request', `The body is not JSON: ${(error as Error).message.slice(0, 200)}`)
  }
  if (typeof value === 'object' && value !== null && Array.isArray(value) === takesArray) return value
  throw new Problem('malformed_request', `The body must be a JSON ${takesArray ? 'array' : 'object'}.`)
}

function addEndpoints(server: FastifyInstance, options: ApiOptions): void {
  const authentication = new Authentication(options.credentials, options.clock, options.rates)
  for (const route of routes(options)) {
    const body = route.schema.body as { type?: string } | undefined
    server.route({
      method: route.method,
      url: route.url,
      schema: documentedSchema(route),
      config: { takesArray: body?.type === 'array', takesCsv: route.takesCsv ?? false },
      onRequest: authentication.identify,
      preValidation:
        route.method === 'GET'
          ? route.preValidation
          : [
              (request, _reply, done) =>
                done(
                  request.body === undefined
                    ? new Problem(
                        'malformed_request',
                        'Send a JSON object, with the header Content-Type: application/json.',
                      )
                    : undefined,
                ),
              route.preValidation,
            ],
      attachValidation: route.attachValidation ?? false,
      handler: route.handler,
    })
  }
}
