// Every error as a problem document (RFC 9457).

import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Log } from '../lib/log.ts'
import { invalidFields, Problem, type ProblemCode } from '../model/problem.ts'
import { otherBodyWanted } from './body-rule.ts'
import { ShapeError } from './shape.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Code of the problem that it was refused with; null while there is none. */
    problemCode: ProblemCode | null
  }
}

export const PROBLEM_JSON = 'application/problem+json; charset=utf-8'

/** The type of a problem, the same on every installation (RFC 9457 §3.1.1). */
export const problemType = (code: ProblemCode): string => `urn:problem-type:postrider:${code}`

/** The value of `Link` that leads to the chapter of the docs about a problem (RFC 8288). */
export const helpLink = (docsUrl: string, code: ProblemCode): string => `<${docsUrl}#${code}>; rel="help"`

/** The document for a problem. Refusals by a rate limit say which one (draft-ietf-httpapi-ratelimit-headers). */
export function problemDocument(problem: Problem, requestId: string): object {
  const { violatedPolicies } = problem
  return {
    type: problemType(problem.code),
    title: problem.title,
    status: problem.status,
    code: problem.code,
    detail: problem.message,
    ...(problem.errors.length > 0 ? { errors: problem.errors } : {}),
    ...(violatedPolicies.length > 0 ? { 'violated-policies': violatedPolicies } : {}),
    request_id: requestId,
  }
}

/** Longest part of a path between two slashes, in characters. */
export const MAX_PATH_PART = 4_096

/** Turns any error into a `Problem`; what is not of our making is told in our words. */
function asProblem(error: FastifyError | Error, request: FastifyRequest): Problem {
  if (error instanceof Problem) return error
  if (error instanceof ShapeError)
    return invalidFields([...(request.fieldNameProblems ?? []), ...error.problems])
  const { code, statusCode }: Partial<FastifyError> = error
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return otherBodyWanted(request)
  }
  if (code === 'FST_ERR_BAD_URL') {
    return new Problem(
      'malformed_request',
      'The address has a % that begins no character of UTF-8; write it as %25.',
    )
  }
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') {
    return new Problem('malformed_request', `A part of the path has more than ${MAX_PATH_PART} characters.`)
  }
  const status = statusCode ?? 500
  if (status === 404) return new Problem('not_found', 'There is nothing at this address.')
  if (status === 413) return new Problem('body_too_large', 'The body is too large.', { cause: error })
  if (status >= 400 && status < 500)
    return new Problem('malformed_request', 'The request is malformed.', { cause: error })
  return new Problem('internal_error', 'Internal error; report the request ID.', {
    cause: error,
  })
}

/** The server's error handler. */
export function problemHandler(docsUrl: () => string, log: Log) {
  return (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): void => {
    const problem = asProblem(error, request)
    request.problemCode = problem.code
    // Refusals for overload must not fill the log as well.
    if (problem.status >= 500 && (problem.cause !== undefined || problem.code !== 'unavailable')) {
      log.error(
        { err: problem.cause ?? error, request_id: request.id, url: request.routeOptions.url },
        problem.message,
      )
    }
    // The framework ends connections whose body was refused, and with them the answer of who is still sending it.
    if (request.bodyMemory?.givenUp === false) reply.removeHeader('connection')
    if (problem.retryAfter !== undefined) reply.header('retry-after', String(problem.retryAfter))
    // In the dashboard there is no key to send.
    const wantsKey = problem.status === 401 && !request.url.startsWith('/api/')
    if (wantsKey) reply.header('www-authenticate', 'Bearer')
    reply
      .header('link', helpLink(docsUrl(), problem.code))
      .code(problem.status)
      .type(PROBLEM_JSON)
      .serializer(JSON.stringify)
      .send(problemDocument(problem, request.id))
  }
}
