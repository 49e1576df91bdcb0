// Calls an endpoint of /v1 in process, with the same checks as a request by HTTP: scope, domain, shape, audit.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { ChangeAnswer, Check, Endpoint } from '../api/endpoint.ts'
import { shapeCompiler } from '../http/shape.ts'

/** Parts of a request to an endpoint under `/v1`. */
export interface Given {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: object
}

/** Response of an endpoint under `/v1`. */
export interface Answer<Body> {
  readonly status: number
  /** The response body; undefined for a response without a body. */
  readonly body: Body
}

/**
 * Runs an endpoint for the caller of a request. The audit log has the action of the endpoint, and each write belongs to
 * the request.
 *
 * @throws Problem for a refusal, as the endpoint itself refuses
 */
export async function callEndpoint<Body>(
  endpoint: Endpoint,
  outer: FastifyRequest,
  reply: FastifyReply,
  given: Given,
): Promise<Answer<Body>> {
  const request = innerRequest(endpoint, outer, given)
  const inner = new InnerReply(request, reply)
  const innerReply = inner as unknown as FastifyReply
  for (const check of endpoint.preValidation) await passed(check, request, innerReply)
  validate(endpoint, request)
  for (const check of endpoint.preHandler) await passed(check, request, innerReply)
  const result = await endpoint.handler(request, innerReply)
  const sent = result === innerReply ? inner.body : result
  const { preSerialization } = endpoint
  const shown =
    preSerialization === undefined ? sent : await changed(preSerialization, request, innerReply, sent)
  return { status: inner.statusCode, body: shown as Body }
}

/** Returns the request as the endpoint sees it: the caller and the connection of the outer request, other contents. */
function innerRequest(
  { route, schema, config }: Endpoint,
  outer: FastifyRequest,
  { params = {}, query = {}, body }: Given,
): FastifyRequest {
  const own = {
    ...{ params, query: { ...query }, body, domain: null, rawBody: null, bodyMemory: null },
    ...{ fieldNameProblems: null, validationError: undefined },
    caller: outer.caller,
    method: route.method,
    // The version that a change is conditional on is the version of the other service.
    headers: { ...outer.headers, 'if-match': undefined },
    routeOptions: { ...outer.routeOptions, method: route.method, url: route.url, config, schema },
  }
  const fields = Object.entries(own).map(([name, value]) => [name, { value, writable: true }] as const)
  return Object.create(outer, Object.fromEntries(fields))
}

/** Validates the parts of a request by the schema of the endpoint, as the HTTP server does. */
function validate({ route, schema }: Endpoint, request: FastifyRequest): void {
  const { method, url } = route
  for (const [part, httpPart] of PARTS) {
    const shape = schema[httpPart] as TSchema | undefined
    if (shape === undefined) continue
    const validator = shapeCompiler({ schema: shape, httpPart, method, url })
    const result = validator(request[part]) as { readonly value?: unknown; readonly error?: Error }
    if (result.error === undefined) request[part] = result.value
    else if (schema.body === undefined) throw result.error
    else {
      request.validationError = Object.assign(result.error, { validationContext: httpPart }) as never
      return
    }
  }
}

const PARTS = [
  ['params', 'params'],
  ['body', 'body'],
  ['query', 'querystring'],
] as const

/** Waits for a check. Throws the problem that the check found. */
function passed(check: Check, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  return new Promise((resolve, reject) => {
    check(request, reply, (error?: Error) => (error === undefined ? resolve() : reject(error)))
  })
}

const changed = (change: ChangeAnswer, request: FastifyRequest, reply: FastifyReply, body: unknown) =>
  new Promise<unknown>((resolve, reject) => {
    change(request, reply, body, (error, shown) => (error === null ? resolve(shown) : reject(error)))
  })

/** Response of an endpoint that was called in process; the part of a reply that the handlers of `/v1` use. */
class InnerReply {
  readonly request: FastifyRequest
  readonly raw: FastifyReply['raw']
  statusCode = 200
  body: unknown
  readonly #headers = new Map<string, unknown>()

  constructor(request: FastifyRequest, { raw }: FastifyReply) {
    this.request = request
    this.raw = raw
  }

  code(status: number): this {
    this.statusCode = status
    return this
  }

  header(name: string, value: unknown): this {
    this.#headers.set(name.toLowerCase(), value)
    return this
  }

  headers(all: Readonly<Record<string, unknown>>): this {
    for (const [name, value] of Object.entries(all)) this.header(name, value)
    return this
  }

  getHeader(name: string): unknown {
    return this.#headers.get(name.toLowerCase())
  }

  removeHeader(name: string): this {
    this.#headers.delete(name.toLowerCase())
    return this
  }

  type(): this {
    return this
  }

  serializer(): this {
    return this
  }

  send(body?: unknown): this {
    this.body = body
    return this
  }
}
