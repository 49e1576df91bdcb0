// Adds an endpoint to the server: the body that it takes, the checks before it, its handler.

import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  onRequestHookHandler,
  preValidationHookHandler,
} from 'fastify'
import type { TSchema } from 'typebox'
import { BodyBytes, bodyMissing, bodyProblems } from '../http/body-rule.ts'
import { NO_SUCH_FIELD } from '../http/field-names.ts'
import { emptyProblems, nulProblems } from '../http/filters.ts'
import { wrongCursor } from '../http/page.ts'
import { fittingFields, readQuery, ShapeError } from '../http/shape.ts'
import { type FieldProblem, invalidFields, MAX_PROBLEMS, Problem } from '../model/problem.ts'
import { notPermitted } from './authenticate.ts'
import { inTurn } from './read-turns.ts'
import { effectOf, isAnsweredOnce, needsNoBody, paramsOf, type Route } from './route.ts'

/** Part of an endpoint that the server needs. */
type Served = Omit<Route, 'refusals' | 'schema'> & {
  readonly schema: FastifySchema
  readonly preValidation?: preValidationHookHandler
}

interface Admission {
  /** Documented schema. */
  readonly schema: FastifySchema
  /** Identifies the caller before the body is read. */
  readonly onRequest: onRequestHookHandler
  /** Credential or role that is needed, as `AdmittedRoute` shows it. */
  readonly authorization: string
  /**
   * Answers repetitions under an `Idempotency-Key`; undefined for endpoints without repetitions or with their own
   * handling.
   */
  readonly once?: ((handler: Route['handler']) => Route['handler']) | undefined
}

/**
 * Adds the endpoint. Throws if an endpoint with a body lacks a declared size, or a change lacks a declared name in the
 * audit log.
 */
export function addEndpoint(
  server: FastifyInstance,
  route: Served,
  { schema, onRequest, authorization, once }: Admission,
): void {
  const body = route.schema.body as { type?: string } | undefined
  if (body !== undefined && route.body === undefined) {
    throw new Error(`${route.method} ${route.url} does not say how large its body may be`)
  }
  if (effectOf(route) === 'changes' && route.audit === undefined) {
    throw new Error(`${route.method} ${route.url} does not say how it is logged`)
  }
  const work = inTurn(route)
  const handler = once !== undefined && isAnsweredOnce(route) ? once(work) : work
  const handlesProblems = route.body?.problems === 'handler'
  const checks = [
    ...(body === undefined ? [] : [needsNoBody(route) ? takeNoBody : requireBody]),
    ...(route.key === undefined ? [] : [requireKey, refuseUntaken(route.schema)]),
    ...(route.preValidation === undefined ? [] : [route.preValidation]),
  ]
  server.route({
    method: route.method,
    url: route.url,
    exposeHeadRoute: effectOf(route) !== 'charges',
    schema,
    config: {
      authorization,
      ...(route.key === undefined ? {} : { key: route.key, rate: 'key' }),
      body: route.body,
      takesArray: body?.type === 'array',
    },
    onRequest,
    preValidation: checks,
    attachValidation: body !== undefined,
    preHandler: [
      ...(handlesProblems && route.schema.querystring !== undefined ? [takeQuery(route.schema)] : []),
      refuseValues(route),
      ...(body === undefined || handlesProblems ? [] : [refuseBody(route)]),
    ],
    handler: body === undefined ? handler : freeingBody(handler),
  })
}

type Done = (error?: Error) => void

function requireBody(request: FastifyRequest, _reply: FastifyReply, done: Done): void {
  done(request.body === undefined ? bodyMissing(request) : undefined)
}

/** Treats a missing body as an empty one. */
function takeNoBody(request: FastifyRequest, _reply: FastifyReply, done: Done): void {
  request.body ??= {}
  done()
}

/** 403 for a key of the other kind: after the body was parsed and before it is validated. */
function requireKey(request: FastifyRequest, _reply: FastifyReply, done: Done): void {
  done(notPermitted(request))
}

/**
 * Converts and validates the query where the server did not: the server stops at a body that does not fit the schema,
 * which no table does, while the handler accepts it.
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

/** 422 for a body of the wrong shape, with every problem that can be found. */
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

/** Returns the problems that a check returned or threw; none if the check failed because a field is missing. */
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

/** True for a field and everything in it: for `to`, these are `to`, `to[0]` and `to.email`. */
const isWithin = (path: string, outer: string): boolean =>
  path === outer || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`)

/**
 * 422 for a query or a body with fields at an endpoint that takes none, as they would be lost silently. An empty object
 * counts as no body.
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
 * Refuses a NUL in a name or filter, which some databases refuse, and an empty filter, which would return everything to
 * a script whose variable is empty. An address to verify may be anything, and has a result.
 */
function refuseValues(route: Served) {
  const effect = effectOf(route)
  return (request: FastifyRequest, _reply: FastifyReply, done: Done): void => {
    const query = request.query as { readonly cursor?: string }
    if (nulProblems(paramsOf(request)).length > 0) {
      done(new Problem('not_found', 'There is nothing of this name: no name holds a NUL.'))
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
 * Notes NULs in the fields of a body, which some databases refuse, to be reported with all other problems. For routes
 * of users and operators, whose bodies name objects; a text that is only shown may have one.
 */
export function noteNul(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const { body, routeOptions, fieldNameProblems } = request
  const kept = typeof body === 'object' && body !== null && !routeOptions.config.body?.kinds?.includes('form')
  const problems = kept ? nulProblems(body) : []
  if (problems.length > 0) request.fieldNameProblems = [...(fieldNameProblems ?? []), ...problems]
  done()
}

/** Wraps a handler so that the body is released at its end. */
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
