// Adds an endpoint to the server: the request body, the checks before the handler, and the handler.

import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  onRequestHookHandler,
} from 'fastify'
import type { TSchema } from 'typebox'
import { BodyBytes, bodyMissing, bodyProblems } from '../http/body-rule.ts'
import { NO_SUCH_FIELD } from '../http/field-names.ts'
import { emptyProblems, nulProblems } from '../http/filters.ts'
import { wrongCursor } from '../http/page.ts'
import { fittingFields, readQuery, ShapeError } from '../http/shape.ts'
import { type FieldProblem, invalidFields, MAX_PROBLEMS, Problem } from '../model/problem.ts'
import { withVersions } from './if-match.ts'
import { inTurn } from './read-turns.ts'
import { effectOf, isAnsweredOnce, needsNoBody, paramsOf, type Route, type SecretOf } from './route.ts'
import { notPermitted } from './scope-refusal.ts'

/** Properties of an endpoint that the server needs. */
type Served = Omit<Route, 'refusals' | 'schema' | 'scope' | 'domains'> & {
  readonly schema: FastifySchema
}

interface Admission {
  /** Schema of the endpoint, as documented. */
  readonly schema: FastifySchema
  /** Hook that identifies the caller before the body is read. */
  readonly onRequest: onRequestHookHandler
  /** Credential or role that the endpoint requires, as in `AdmittedRoute`. */
  readonly authorization: string
  /** Scope that the endpoint requires of a key; undefined for an endpoint without a key. */
  readonly scope?: Route['scope']
  /** True for an endpoint that refuses a query or a body if it takes none. */
  readonly refusesUntaken?: boolean
  /** True for an endpoint that checks the values of its path and query itself, and takes a missing body. */
  readonly isTolerant?: boolean
  /** Checks that run after the body is parsed and before the shape of the request is validated. */
  readonly preValidation?: readonly Check[]
  /** Function that may add fields to the response. */
  readonly preSerialization?: ChangeAnswer | undefined
  /** Returns the secret of a request, if the endpoint takes it from another place than a bearer token. */
  readonly secretOf?: SecretOf
  /**
   * Wraps a handler so that a request with a repeated `Idempotency-Key` gets the stored response; undefined for
   * endpoints that need no wrapper or handle the `Idempotency-Key` themselves.
   */
  readonly once?: ((handler: Route['handler']) => Route['handler']) | undefined
}

/** Check of a request, which passes the problem of the request to `done`. */
export type Check = (request: FastifyRequest, reply: FastifyReply, done: Done) => void

/** Passes the changed response body to `done`. */
export type ChangeAnswer = (
  request: FastifyRequest,
  reply: FastifyReply,
  body: unknown,
  done: (error: Error | null, body?: unknown) => void,
) => void

/** An endpoint with everything that happens to a request between its authentication and its response, in order. */
export interface Endpoint {
  readonly route: Pick<Route, 'method' | 'url'>
  readonly schema: FastifySchema
  readonly config: FastifyContextConfig
  /** Checks before and after the shape of the request is validated. */
  readonly preValidation: readonly Check[]
  readonly preHandler: readonly Check[]
  readonly preSerialization: ChangeAnswer | undefined
  readonly handler: Route['handler']
}

/**
 * Returns the checks and the handler of an endpoint. Throws if an endpoint with a body declares no maximum size, or if
 * an endpoint that changes something declares no name in the audit log.
 */
function endpointOf(route: Served, admission: Admission): Endpoint {
  const { schema, authorization, scope, preValidation = [], preSerialization, secretOf } = admission
  const body = route.schema.body as { type?: string } | undefined
  if (body !== undefined && route.body === undefined) {
    throw new Error(`${route.method} ${route.url} declares no maximum size of the body`)
  }
  if (effectOf(route) === 'changes' && route.audit === undefined) {
    throw new Error(`${route.method} ${route.url} declares no name for the audit log`)
  }
  const handlesProblems = route.body?.problems === 'handler'
  const checks = [
    ...(scope === undefined ? [] : [requireRight]),
    ...(body === undefined ? [] : [needsNoBody(route) || admission.isTolerant ? takeNoBody : requireBody]),
    ...preValidation,
    ...(admission.refusesUntaken ? [refuseUntaken(route.schema)] : []),
  ]
  return {
    ...{ route, schema, preSerialization, preValidation: checks },
    config: {
      authorization,
      ...(scope === undefined ? {} : { scope, rate: 'key' }),
      ...(secretOf === undefined ? {} : { secretOf }),
      ...(route.forPages === undefined ? {} : { forPages: true }),
      body: route.body,
      takesArray: body?.type === 'array',
      ...(admission.isTolerant ? { takesNull: true } : {}),
    },
    preHandler: [
      ...(handlesProblems && route.schema.querystring !== undefined ? [takeQuery(route.schema)] : []),
      ...(admission.isTolerant ? [] : [refuseValues(route)]),
      ...(body === undefined || handlesProblems ? [] : [refuseBody(route)]),
    ],
    handler: inTurn({ ...route, handler: withVersions(route) }),
  }
}

/** Adds an endpoint to the server, and returns the endpoint. */
export function addEndpoint(server: FastifyInstance, route: Served, admission: Admission): Endpoint {
  const { onRequest, once } = admission
  const endpoint = endpointOf(route, admission)
  const { schema, config, preValidation, preHandler, preSerialization, handler: work } = endpoint
  const handler = once !== undefined && isAnsweredOnce(route) ? once(work) : work
  server.route({
    method: route.method,
    url: route.url,
    exposeHeadRoute: effectOf(route) !== 'charges',
    schema,
    config,
    onRequest,
    preValidation: [...preValidation],
    ...(preSerialization === undefined ? {} : { preSerialization }),
    attachValidation: route.schema.body !== undefined,
    preHandler: [...preHandler],
    handler: route.schema.body === undefined ? handler : freeingBody(handler),
  })
  return endpoint
}

type Done = (error?: Error) => void

function requireBody(request: FastifyRequest, _reply: FastifyReply, done: Done): void {
  done(request.body === undefined ? bodyMissing(request) : undefined)
}

/** Treats a missing request body as an empty object. */
function takeNoBody(request: FastifyRequest, _reply: FastifyReply, done: Done): void {
  request.body ??= {}
  done()
}

/** Responds 403 to an API key without the scope, after the body is parsed and before the body is validated. */
function requireRight(request: FastifyRequest, _reply: FastifyReply, done: Done): void {
  done(notPermitted(request))
}

/**
 * Converts and validates the query if the server has not done so. The server skips the query if the body does not match
 * the schema; a table, which the handler accepts, never matches the schema.
 */
function takeQuery({ querystring }: FastifySchema) {
  return (request: FastifyRequest, _reply: FastifyReply, done: Done): void => {
    if (request.validationError?.validationContext !== 'body') {
      done()
      return
    }
    const { query, problems } = readQuery(querystring as TSchema, { ...(request.query as object) })
    request.query = query
    const isTable = typeof request.body === 'string' || request.body instanceof BodyBytes
    const ofBody = isTable ? [] : bodyProblems(request)
    done(problems.length === 0 ? undefined : invalidFields([...problems, ...ofBody]))
  }
}

/** Responds 422 to a body of the wrong shape, with all problems that can be found. */
function refuseBody({ schema, check }: Served) {
  return (request: FastifyRequest, _reply: FastifyReply, done: Done): void => {
    const { validationError: error } = request
    if (error !== undefined && !(error instanceof ShapeError)) {
      done(error)
      return
    }
    const known = bodyProblems(request)
    if (known.length === 0) {
      done()
      return
    }
    const fields = fittingFields(schema.body as TSchema, request.body as object, known)
    const found = known.length >= MAX_PROBLEMS ? [] : foundBy(() => check?.(request, fields) ?? [])
    Promise.resolve(found).then(
      (more) => done(invalidFields([...known, ...furtherProblems(known, more)])),
      done,
    )
  }
}

/** Returns the problems that a check returned or threw. */
async function foundBy(
  check: () => readonly FieldProblem[] | Promise<readonly FieldProblem[]>,
): Promise<readonly FieldProblem[]> {
  try {
    return await check()
  } catch (error) {
    if (error instanceof Problem) return error.errors
    throw error
  }
}

/** Returns the problems of fields without an earlier problem. */
const furtherProblems = (known: readonly FieldProblem[], more: readonly FieldProblem[]): FieldProblem[] =>
  more.filter(({ path }) => !known.some((one) => isWithin(path, one.path)))

/** True if a path denotes a field or a part of this field: the field `to` contains `to`, `to[0]` and `to.email`. */
const isWithin = (path: string, outer: string): boolean =>
  path === outer || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`)

/**
 * Responds 422 to a query or a body with fields if the endpoint takes no query or body, because the fields would be
 * ignored silently. An empty object counts as a missing body.
 */
function refuseUntaken({ querystring, body }: FastifySchema) {
  return (request: FastifyRequest, _reply: FastifyReply, done: Done): void => {
    const names = [
      ...(querystring === undefined ? Object.keys(request.query as object) : []),
      ...(body === undefined && request.body !== undefined ? Object.keys(request.body as object) : []),
    ]
    const problems = names.map((path) => ({ path, code: 'unknown_field', message: NO_SUCH_FIELD }))
    done(problems.length === 0 ? undefined : invalidFields(problems))
  }
}

/**
 * Refuses a NUL character in a name or filter, because some databases cannot store NUL. Refuses an empty filter,
 * because a script with an empty variable would get all rows. An address to verify may contain any characters, because
 * verification returns a result for any text.
 */
function refuseValues(route: Served) {
  const effect = effectOf(route)
  return (request: FastifyRequest, _reply: FastifyReply, done: Done): void => {
    const query = request.query as { readonly cursor?: string }
    if (nulProblems(paramsOf(request)).length > 0) {
      done(
        new Problem('not_found', 'There is nothing with this name; a name cannot contain a NUL character.'),
      )
      return
    }
    if (query.cursor?.includes('\0')) {
      done(wrongCursor())
      return
    }
    const problems = [
      ...(effect === 'charges' ? [] : nulProblems(query)),
      ...(effect === 'reads' ? emptyProblems(query) : []),
    ]
    done(problems.length === 0 ? undefined : invalidFields(problems))
  }
}

/**
 * Records NUL characters in the fields of a body as problems, which are reported together with all other problems; some
 * databases cannot store NUL. Used for the routes of users and operators, because their bodies name objects; a text
 * that is only displayed may contain NUL.
 */
export function noteNul(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const { body, routeOptions, fieldNameProblems } = request
  const kept = typeof body === 'object' && body !== null && !routeOptions.config.body?.kinds?.includes('form')
  const problems = kept ? nulProblems(body) : []
  if (problems.length > 0) request.fieldNameProblems = [...(fieldNameProblems ?? []), ...problems]
  done()
}

/** Wraps a handler so that the memory of the request body is released when the handler ends. */
function freeingBody(handler: Route['handler']): Route['handler'] {
  return async (request, reply) => {
    const memory = request.bodyMemory
    if (memory !== null) memory.busy = true
    try {
      return await handler(request, reply)
    } finally {
      memory?.release()
    }
  }
}
