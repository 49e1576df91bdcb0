// Serves the calls of other services, each below `/compat/<name>`.

import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { Type } from 'typebox'
import { addEndpoint } from '../api/endpoint.ts'
import { effectOf, type Route } from '../api/route.ts'
import type { CompatibleEndpoints, CompatibleOptions } from '../api/server.ts'
import { MAX_SMALL_BODY, MAX_STRANGERS_BODY } from '../http/body-rule.ts'
import { type AnswerProblem, problemHandler } from '../http/problem-document.ts'
import type { CompatibleService } from '../lib/setting-kinds.ts'
import { Problem } from '../model/problem.ts'
import type { Vendor, VendorCall } from './declaration.ts'
import { mailgun } from './mailgun/vendor.ts'
import { postal } from './postal/vendor.ts'
import { postmark } from './postmark/vendor.ts'
import { resend } from './resend/vendor.ts'
import { sendgrid } from './sendgrid/vendor.ts'
import { Translation } from './translation.ts'
import { BASE, CompatibleUrls, type Places } from './urls.ts'
import { usesend } from './usesend/vendor.ts'

/** All services whose calls are served. */
export const VENDORS: readonly Vendor[] = [postmark, resend, sendgrid, mailgun, postal, usesend]

export interface CompatibleSettings extends Places {
  /** Services for which wishes that cannot be fulfilled are ignored instead of refused. */
  readonly lenient: ReadonlySet<CompatibleService>
}

/** Endpoints in the form of other services. */
export class CompatibleApis implements CompatibleEndpoints {
  readonly rewriteUrl: (request: IncomingMessage) => string
  readonly #settings: CompatibleSettings
  readonly #vendors: readonly Vendor[]

  constructor(settings: CompatibleSettings, vendors: readonly Vendor[] = VENDORS) {
    this.#settings = settings
    this.#vendors = vendors
    this.rewriteUrl = new CompatibleUrls(vendors, settings).rewrite
  }

  /** Adds the calls of all services to the server. */
  async addTo(server: FastifyInstance, options: CompatibleOptions): Promise<void> {
    for (const vendor of this.#vendors) {
      const isLenient = this.#settings.lenient.has(vendor.name)
      await server.register(
        async (api) => {
          api.setErrorHandler(problemHandler(options.docsUrl, options.log, answersOf(vendor)))
          for (const call of vendor.calls) addCall(api, vendor, call, options, isLenient)
          refuseOthers(api, vendor)
        },
        { prefix: `${BASE}/${vendor.name}` },
      )
    }
  }
}

/** Returns the function that writes refusals in the form of a service. */
const answersOf =
  (vendor: Vendor): AnswerProblem =>
  (problem, request, reply) => {
    const { status, body, headers = {} } = vendor.refusal(problem, request)
    reply.code(status).headers(headers)
    if (typeof body === 'string') reply.type('text/plain; charset=utf-8').send(body)
    else reply.type('application/json; charset=utf-8').serializer(JSON.stringify).send(body)
  }

const OBJECT = Type.Object({}, { additionalProperties: true })
const ARRAY = Type.Array(Type.Unknown())

function addCall(
  api: FastifyInstance,
  vendor: Vendor,
  call: VendorCall,
  options: CompatibleOptions,
  isLenient: boolean,
): void {
  const { authentication, answers } = options
  const { secretOf } = vendor
  addEndpoint(api, routeOf(vendor, call, options, isLenient), {
    schema: { hide: true, ...(hasBody(call) ? { body: call.takesArray ? ARRAY : OBJECT } : {}) },
    onRequest: call.takesTestToken
      ? admittingTests(vendor, authentication.identify)
      : authentication.identify,
    authorization: `${call.scope} key`,
    scope: call.scope,
    secretOf,
    isTolerant: true,
    once: (work) => answers.handler(work, secretOf),
  })
}

const hasBody = ({ method }: Pick<VendorCall, 'method'>): boolean => method !== 'GET' && method !== 'DELETE'

/** Returns a call as an endpoint of the server. */
function routeOf(vendor: Vendor, call: VendorCall, options: CompatibleOptions, isLenient: boolean) {
  const { method, path, effect, once, takesArray, body = { maxBytes: MAX_SMALL_BODY } } = call
  const route: Pick<Route, 'method' | 'url' | 'handler'> & Partial<Route> = {
    method,
    url: path,
    // The endpoint under /v1 that the call runs writes the audit log.
    audit: false,
    effect: effect ?? effectOf({ method }),
    ...(once === undefined ? {} : { once }),
    handler: (request, reply) =>
      translated(vendor, call, new Translation(request, reply, options, isLenient)),
  }
  if (!hasBody(call)) return { ...route, schema: {} }
  return { ...route, body, schema: { body: takesArray ? ARRAY : OBJECT } }
}

/** Runs the handler of a call. */
async function translated(vendor: Vendor, call: VendorCall, translation: Translation): Promise<unknown> {
  try {
    if (call.handler === undefined) {
      const reason = call.differences ?? ''
      throw new Problem(
        'not_available',
        `${vendor.title}'s ${call.method} ${call.path} is not served. ${reason}`,
      )
    }
    return await call.handler(translation)
  } finally {
    translation.end()
  }
}

/**
 * Returns the hook that admits the token with which a service only checks requests. Such a request has no caller, and its
 * body is as small as that of any unknown client.
 */
function admittingTests(vendor: Vendor, identify: onRequestHookHandler): onRequestHookHandler {
  return function admit(request, reply, done) {
    if (vendor.testToken === undefined || vendor.secretOf(request) !== vendor.testToken) {
      return identify.call(this, request, reply, done)
    }
    const length = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY)
    const detail = `A request with ${vendor.testToken} has at most ${MAX_STRANGERS_BODY} bytes.`
    done(length <= MAX_STRANGERS_BODY ? undefined : new Problem('body_too_large', detail))
  }
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** Refuses requests to other paths, or with other methods, in the form of the service, before a body is read. */
function refuseOthers(api: FastifyInstance, vendor: Vendor): void {
  const patterns = vendor.calls.map(({ method, path }) => ({
    method,
    pattern: new RegExp(`^${path.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/:[^/]+/g, '[^/]+')}$`, 'i'),
  }))
  api.route({
    method: [...METHODS],
    url: '/*',
    exposeHeadRoute: false,
    schema: { hide: true },
    onRequest(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) {
      const [path = ''] = request.url.slice(`${BASE}/${vendor.name}`.length).split('?', 1)
      const methods = patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
      if (methods.length === 0) {
        done(new Problem('not_found', `${vendor.title} has no such call, or the call is not served here.`))
        return
      }
      const allowed = methods.join(', ')
      reply.header('allow', allowed)
      const detail = `There is no ${request.method} at this address; it takes ${allowed}.`
      done(new Problem('method_not_allowed', detail))
    },
    // Never called, because the hook refuses every request.
    handler: async () => undefined,
  })
}
