// Admin listener, which serves metrics, health endpoints and the operator API on a port that API clients cannot reach.

import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, onRequestHookHandler, preValidationHookHandler } from 'fastify'
import type { Registry } from 'prom-client'
import { type AdmittedRoute, HttpServer, type HttpServerOptions } from '../http/http-server.ts'
import type { Part } from '../lib/lifecycle.ts'
import { Problem } from '../model/problem.ts'
import { type AuditResources, auditedHandler, operatorOf } from './audit-action.ts'
import { type Authentication, bearerToken, callers } from './authenticate.ts'
import { decorateCallers } from './caller.ts'
import { addEndpoint, noteNul } from './endpoint.ts'
import { addReference, documentedSchema } from './openapi.ts'
import { addHealth, addMetrics } from './operations.ts'
import { SAMPLE_DOMAIN } from './reference/example.ts'
import type { Route } from './route.ts'
import { type OperatorServices, operatorRoutes } from './routes.ts'
import { scopeRefused } from './scope-refusal.ts'

/** Dependencies of the metrics and the operator API. */
export interface AdminOptions extends AuditResources, OperatorServices {
  readonly metrics: Registry
  /** Token of the operator; undefined if the operator API is off. */
  readonly operatorToken: string | undefined
}

export interface AdminServerOptions
  extends AdminOptions,
    Omit<HttpServerOptions, 'callers' | 'docsUrl' | 'otherwise'> {
  /** Authentication that counts failed attempts. */
  readonly authentication: Authentication
  /** Returns the fields of the response to `/readyz`. Throws an error with the reason if this node cannot work. */
  readonly ready: () => Promise<object>
}

/** Serves the metrics, the operator API with its reference, and the health endpoints. */
export class AdminServer implements Part {
  readonly name = 'admin listener'
  readonly #options: AdminServerOptions
  #server: HttpServer | undefined

  constructor(options: AdminServerOptions) {
    this.#options = options
  }

  /** URL of the listener; empty until the listener has started. */
  get url(): string {
    return this.#server?.url ?? ''
  }

  /** All routes, each with its access checks. */
  get routes(): readonly AdmittedRoute[] {
    return this.#server?.routes ?? []
  }

  /** Starts the listener. Throws when the port cannot be opened. */
  async start(): Promise<void> {
    const options = this.#options
    const server = new HttpServer({ ...options, callers, docsUrl: () => `${this.url}/docs` })
    this.#server = server
    decorateCallers(server.fastify)
    addReference(server.fastify, () => this.url, SAMPLE_DOMAIN)
    addHealth(server.fastify, options.ready)
    addMetrics(server.fastify, options.metrics)
    addOperatorEndpoints(server.fastify, options, options.authentication)
    await server.listen()
  }

  async stop(): Promise<void> {
    await this.#server?.close()
  }
}

/** Adds the endpoints under `/v1/operator`. */
export function addOperatorEndpoints(
  server: FastifyInstance,
  options: AdminOptions,
  authentication: Authentication,
): void {
  const onRequest = operatorOnly(authentication, options.operatorToken)
  for (const route of operatorRoutes(options)) {
    const handler = auditedHandler(route, operatorOf, options)
    addEndpoint(
      server,
      { ...route, handler },
      {
        schema: documentedSchema(route, 'operator'),
        onRequest,
        authorization: "the operator's token",
        preValidation: [requireOperatorScope(route.scope), noteNul],
      },
    )
  }
}

/** Returns a hook that responds 403 to a key without the scope of the endpoint; the operator's token has every scope. */
const requireOperatorScope =
  (scope: Route['scope']): preValidationHookHandler =>
  ({ caller }, _reply, done) => {
    const isRefused = caller !== null && scope !== 'any-credential' && !caller.scopes.has(scope)
    done(isRefused ? scopeRefused(caller, scope) : undefined)
  }

/**
 * Returns a hook that responds 401 to a request with neither the operator's token nor a key, which counts as a failed
 * authentication, and 404 if no token is configured. Runs before the request body is read.
 */
function operatorOnly(authentication: Authentication, token: string | undefined): onRequestHookHandler {
  if (token === undefined) {
    return (_request, _reply, done) =>
      done(
        new Problem('not_found', 'The operator API is off; set POSTRIDER_OPERATOR_TOKEN to turn the API on.'),
      )
  }
  // Hashes of equal length are compared in constant time, so that the duration reveals nothing about the token.
  const wanted = hash('sha256', token, 'buffer')
  return (request, reply, done) => {
    const given = hash('sha256', bearerToken(request) ?? '', 'buffer')
    if (timingSafeEqual(given, wanted)) done()
    else authentication.identify(request, reply, done)
  }
}
