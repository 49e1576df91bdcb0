// HTTP server for the API, its reference and the dashboard.

import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import type { RequestLog } from '../access/request-log.ts'
import { type AdmittedRoute, HttpServer, type HttpServerOptions } from '../http/http-server.ts'
import type { Clock } from '../lib/clock.ts'
import type { Figure } from '../lib/figures.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Store } from '../store/database/store.ts'
import type { NodeName } from '../store/node/node-identity.ts'
import { type AdminOptions, addOperatorEndpoints } from './admin-server.ts'
import { AnswerOnce } from './answer-once.ts'
import { auditedHandler, callerAsActor } from './audit-action.ts'
import { type Authentication, bearerToken, callers } from './authenticate.ts'
import { decorateCallers } from './caller.ts'
import type { DashboardOptions } from './dashboard/services.ts'
import { addDashboard } from './dashboard/session-guard.ts'
import { DashboardFiles } from './dashboard-files.ts'
import { domainHook, domainShowing, testMessageHook } from './domain-of-request.ts'
import { addEndpoint, type Endpoint, noteNul } from './endpoint.ts'
import { isInboxSocket } from './inboxes/mailpit-events.ts'
import { addReference, documentedSchema } from './openapi.ts'
import { addHealth, addMetrics } from './operations.ts'
import { noteRequest } from './request-log.ts'
import { placeOf } from './route.ts'
import { routes, type Services } from './routes.ts'

/** Parts of the server that endpoints in the form of other services need, in addition to the services. */
export interface CompatibleOptions extends Services {
  /** The endpoints under `/v1` by operation ID. */
  readonly endpoints: ReadonlyMap<string, Endpoint>
  readonly answers: AnswerOnce
  readonly authentication: Authentication
  readonly log: HttpServerOptions['log']
  readonly docsUrl: () => string
}

/** Endpoints in the form of other services (`src/compat`), which call the endpoints under `/v1`. */
export interface CompatibleEndpoints {
  /** Returns the URL under which a request is served, which is another one for a request in the form of a service. */
  readonly rewriteUrl: (request: IncomingMessage) => string
  addTo(server: FastifyInstance, options: CompatibleOptions): Promise<void>
}

export interface ApiOptions
  extends Services,
    Omit<HttpServerOptions, 'callers' | 'docsUrl' | 'otherwise' | 'rewriteUrl' | 'isWebSocket'> {
  /** Sending domain of the examples in the reference. */
  readonly sampleDomain: string
  readonly authentication: Authentication
  readonly store: Store
  readonly clock: Clock
  /** Name of this process, used in its leases. */
  readonly node: NodeName
  readonly requestLog: RequestLog
  /** True if this node serves the API, in addition to the operator's endpoints. */
  readonly endpoints: boolean
  /** Services of the dashboard; undefined when this node serves no dashboard. */
  readonly dashboard: DashboardOptions | undefined
  /** Throws the reason why this node cannot work; returns the fields of the response to `/readyz`. */
  readonly ready: () => Promise<object>
  /** Metrics and operator API, served by this server while there is no admin listener. */
  readonly operator: AdminOptions | undefined
  /** Endpoints in the form of other services; undefined if this node serves none. */
  readonly compatible?: CompatibleEndpoints | undefined
  /** Further pages, such as the mailbox of the playground. */
  readonly pages: readonly FastifyPluginAsync[]
}

/** HTTP server, which listens from `start` to `stop`; `stop` waits for running requests. */
export class ApiServer implements Part {
  readonly name = 'http'
  readonly #options: ApiOptions
  #server: HttpServer | undefined

  constructor(options: ApiOptions) {
    this.#options = options
  }

  /** Port of HTTPS once the server has started; undefined without HTTPS. */
  get httpsPort(): number | undefined {
    return this.#server?.httpsPort
  }

  /** URL of the address that the server listens on; empty before the server has started. */
  get localUrl(): string {
    return this.#server?.url ?? ''
  }

  /** All routes, each with its access checks. */
  get routes(): readonly AdmittedRoute[] {
    return this.#server?.routes ?? []
  }

  async start(): Promise<void> {
    const options = this.#options
    const { dashboard, operator, publicUrl, compatible } = options
    const files = dashboard && new DashboardFiles(options.log)
    const docsUrl = () => `${publicUrl.value}/docs`
    const { rewriteUrl } = compatible ?? {}
    const server = new HttpServer({
      ...options,
      ...{ callers, docsUrl, otherwise: files?.answers, rewriteUrl, isWebSocket: isInboxSocket },
    })
    this.#server = server
    const { fastify, rates } = server
    decorateCallers(fastify)
    await files?.addTo(fastify)
    addReference(fastify, () => publicUrl.value, options.sampleDomain)
    addHealth(fastify, options.ready)
    if (operator !== undefined) addMetrics(fastify, operator.metrics)
    for (const page of options.pages) await fastify.register(page)
    if (options.endpoints) {
      addNote(fastify, options.requestLog)
      const answers = new AnswerOnce(options)
      const endpoints = addEndpoints(fastify, options, answers)
      await compatible?.addTo(fastify, { ...options, docsUrl, answers, endpoints })
    }
    if (operator !== undefined) addOperatorEndpoints(fastify, operator, options.authentication)
    if (dashboard !== undefined) {
      await addDashboard(fastify, options, dashboard, rates)
    }
    await server.listen()
    publicUrl.listensAt(server.url)
  }

  /** Returns metrics of the responses of this server. */
  figures(): Figure[] {
    return this.#server?.figures() ?? []
  }

  async stop(): Promise<void> {
    await this.#server?.close()
  }
}

/** Logs every response to an API key. */
function addNote(server: FastifyInstance, requestLog: RequestLog): void {
  server.decorateRequest('translated', null)
  server.addHook('onResponse', (request, reply, done) => {
    noteRequest(requestLog, request, reply)
    done()
  })
}

/** Adds the endpoints under `/v1`, and returns the endpoints by operation ID. */
function addEndpoints(
  server: FastifyInstance,
  options: ApiOptions,
  answers: AnswerOnce,
): ReadonlyMap<string, Endpoint> {
  const endpoints = new Map<string, Endpoint>()
  for (const route of routes(options)) {
    const handler = route.auditOf === 'people' ? route.handler : auditedHandler(route, callerAsActor, options)
    const entersDomain = domainHook(route, options.read)
    const refusesLive = testMessageHook(route, options.read)
    const schema = documentedSchema(route, 'key')
    const endpoint = addEndpoint(
      server,
      { ...route, handler },
      {
        schema,
        onRequest: options.authentication.identify,
        authorization: `${route.scope} key`,
        scope: route.scope,
        refusesUntaken: true,
        preValidation: [
          ...(entersDomain === undefined ? [] : [entersDomain]),
          ...(refusesLive === undefined ? [] : [refusesLive]),
          ...(placeOf(route) === 'account' ? [noteNul] : []),
        ],
        preSerialization: route.domains === 'one' ? domainShowing : undefined,
        once: (work) => answers.handler(work, bearerToken),
      },
    )
    endpoints.set(schema.operationId as string, endpoint)
  }
  return endpoints
}
