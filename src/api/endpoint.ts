// Puts an endpoint on the server: the body it wants, the checks before it, its work.

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
  /** As it is documented. */
  readonly schema: FastifySchema
  /** Finds out who asks, before the body is read. */
  readonly onRequest: onRequestHookHandler
  /** Credential or role that is needed, as `AdmittedRoute` shows it. */
  readonly authorization: string
  /** Answers repeats under an `Idempotency-Key`; undefined where nobody repeats, or has a key of their own. */
  readonly once?: ((handler: Route['handler']) => Route['handler']) | undefined
}

/**
 * Adds it. Throws when it has a body and does not say how large, or changes something and does not say how it is
 * logged.
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

/** No body is an empty one. */
function takeNoBody(request: FastifyRequest, _reply: FastifyReply, done: Done): void {
  request.body ??= {}
  done()
}

/** 403 for a key of the other kind: after the body was parsed and before it is checked (contract §1). */
function requireKey(request: FastifyRequest, _reply: FastifyReply, done: Done): void {
  done(notPermitted(request))
}

/**
 * Converts and checks the query where the server did not: it stops at a body that is not of its shape, as no table is,
 * and the handler goes on with it.
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

/** 422 for a body of the wrong shape, with everything that can be told of it. */
function refuseBody({ schema, check }: Served) {
  return (request: FastifyRequest, _reply: FastifyReply, done: Done): void => {
    const { validationError: error } = request
    if (error !== undefined && !(error instanceof ShapeError)) {
      done(error)
      return
    }
    const told = bodyProblems(request)
    if (told.length === 0) {
      done()
      return
    }
    const fields = fittingFields(schema.body as TSchema, request.body as object, told)
    const found = told.length >= MAX_PROBLEMS ? [] : foundBy(() => check?.(request, fields) ?? [])
    Promise.resolve(found).then((more) => done(invalidFields([...told, ...besides(told, more)])), done)
  }
}

/** What a check finds, answered or thrown; nothing where it needs what is not there. */
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

/** Problems of fields of which none has been told yet. */
const besides = (told: readonly FieldProblem[], more: readonly FieldProblem[]): FieldProblem[] =>
  more.filter(({ path }) => !told.some((one) => isWithin(path, one.path)))

/** True for a field and for what is in it: of `to` these are `to`, `to[0]` and `to.email`. */
const isWithin = (path: string, outer: string): boolean =>
  path === outer || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`)

/**
 * 422 for a query or a body with fields, where the endpoint takes none: what it says would be lost in silence. An empty
 * object is no body.
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
 * No name or filter holds a NUL, which not every database takes, and no filter is empty: a script whose variable is would get
 * all that there is. An address to be verified may be anything: that is a result.
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
 * Notes NULs in the fields of a body, which not every database keeps, to be reported with all other problems. For routes
 * of people and operators, whose bodies name things; what is only shown may have one.
 */
export function noteNul(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const { body, routeOptions, fieldNameProblems } = request
  const kept = typeof body === 'object' && body !== null && !routeOptions.config.body?.kinds?.includes('form')
  const problems = kept ? nulProblems(body) : []
  if (problems.length > 0) request.fieldNameProblems = [...(fieldNameProblems ?? []), ...problems]
  done()
}

/** The endpoint's work, at whose end the body is no longer needed. */
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
