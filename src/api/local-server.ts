// Serves endpoints to the command line of the machine: the same endpoints as over HTTP, without a port and without a key.

import type { FastifyRequest, InjectOptions } from 'fastify'
import { HttpServer } from '../http/http-server.ts'
import type { Clock } from '../lib/clock.ts'
import { silentLog } from '../lib/log.ts'
import { COMMAND_LINE } from '../model/key-kind.ts'
import type { Store } from '../store/database/store.ts'
import { auditedHandler } from './audit-action.ts'
import { callers } from './authenticate.ts'
import { type Caller, callerOf, decorateCallers } from './caller.ts'
import { domainHook, domainShowing } from './domain-of-request.ts'
import { addEndpoint, noteNul } from './endpoint.ts'
import { placeOf, type Route } from './route.ts'

/** Request of the command line to an endpoint. */
export interface LocalRequest {
  readonly method: Route['method']
  /** Path with its query, such as `/v1/domains?limit=200`. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** Response of an endpoint. */
export interface LocalResponse {
  readonly status: number
  readonly type: string
  readonly body: string
  /** Cause of an internal error. */
  readonly cause: Error | undefined
}

interface LocalServerOptions {
  readonly routes: readonly Route[]
  readonly caller: Caller
  /** Store whose writes are part of the audit action of their request. */
  readonly store: Store
  readonly clock: Clock
  /** Maximum size of a body that contains the content of a message, in bytes. */
  readonly maxBodyBytes: number
}

/** Memory for the bodies of requests, in bytes; a command sends one request at a time. */
const BODY_MEMORY = 512 * 1_024 * 1_024

/** Endpoints that one caller calls in this process. */
export class LocalServer {
  readonly #server: HttpServer
  #cause: Error | undefined

  constructor(options: LocalServerOptions) {
    const { maxBodyBytes, caller, routes } = options
    this.#server = new HttpServer({
      ...{ host: '127.0.0.1', port: 0, trustedProxies: [], maxBodyBytes, bodyMemoryBytes: BODY_MEMORY },
      ...{ log: silentLog, callers, docsUrl: () => '/docs' },
    })
    const { fastify } = this.#server
    decorateCallers(fastify)
    fastify.addHook('onError', (_request, _reply, error, done) => {
      this.#cause = error
      done()
    })
    for (const route of routes) {
      const entersDomain = domainHook(route, options.store.read)
      addEndpoint(
        fastify,
        { ...route, handler: auditedHandler(route, asActor, options) },
        {
          schema: route.schema,
          onRequest(request, _reply, done) {
            request.caller = caller
            done()
          },
          authorization: `${route.scope} key`,
          scope: route.scope,
          refusesUntaken: true,
          preValidation: [
            ...(entersDomain === undefined ? [] : [entersDomain]),
            ...(placeOf(route) === 'account' ? [noteNul] : []),
          ],
          preSerialization: route.domains === 'one' ? domainShowing : undefined,
        },
      )
    }
  }

  async call({ method, path, headers, body }: LocalRequest): Promise<LocalResponse> {
    this.#cause = undefined
    const request: InjectOptions = { method, url: path, headers: { ...headers } }
    const answer = await this.#server.fastify.inject(
      body === undefined ? request : { ...request, payload: body },
    )
    return {
      status: answer.statusCode,
      type: String(answer.headers['content-type'] ?? ''),
      body: answer.body,
      cause: answer.statusCode < 500 ? undefined : this.#cause,
    }
  }

  close(): Promise<void> {
    return this.#server.close()
  }
}

/** Returns the command line as the actor of an audit action, which has no address. */
const asActor = (request: FastifyRequest) => ({
  accountId: callerOf(request).accountId || null,
  actor: COMMAND_LINE,
  address: null,
})
