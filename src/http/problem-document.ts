// Converts every error to a problem document (RFC 9457).

import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Log } from '../lib/log.ts'
import { type FieldProblem, invalidFields, Problem, type ProblemCode } from '../model/problem.ts'
import { otherBodyWanted } from './body-rule.ts'
import { ShapeError } from './shape.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Problem code of a refused request; null if the request was not refused. */
    problemCode: ProblemCode | null
    /** Problems of the fields of a refused request; null if the request was not refused. */
    problemFields: readonly FieldProblem[] | null
  }
}

export const PROBLEM_JSON = 'application/problem+json; charset=utf-8'

/** Returns the type URI of a problem, the same on every installation (RFC 9457 §3.1.1). */
export const problemType = (code: ProblemCode): string => `urn:problem-type:postrider:${code}`

/** Returns the value of the `Link` header for the section of the API reference about a problem (RFC 8288). */
export const helpLink = (docsUrl: string, code: ProblemCode): string => `<${docsUrl}#${code}>; rel="help"`

/**
 * Returns the problem document of a problem. The document of a refusal by a rate limit names the limit
 * (draft-ietf-httpapi-ratelimit-headers).
 */
export function problemDocument(problem: Problem, requestId: string): object {
  const { violatedPolicies, existing } = problem
  return {
    type: problemType(problem.code),
    title: problem.title,
    status: problem.status,
    code: problem.code,
    detail: problem.message,
    ...(problem.errors.length > 0 ? { errors: problem.errors } : {}),
    ...(violatedPolicies.length > 0 ? { 'violated-policies': violatedPolicies } : {}),
    ...(existing === undefined ? {} : { existing }),
    request_id: requestId,
  }
}

/** Maximum length of a path segment, in characters. */
export const MAX_PATH_PART = 4_096

/** Converts any error to a `Problem`; errors of the framework get messages of the service. */
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
      'The address contains a % that does not begin a UTF-8 character; write the % as %25.',
    )
  }
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') {
    return new Problem(
      'malformed_request',
      `A segment of the path has more than ${MAX_PATH_PART} characters.`,
    )
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

/** Writes the response to a refused request. */
export type AnswerProblem = (problem: Problem, request: FastifyRequest, reply: FastifyReply) => void

/** Returns the function that responds with problem documents; `docsUrl` returns the page that describes problems. */
const documentAnswers =
  (docsUrl: () => string): AnswerProblem =>
  (problem, request, reply) => {
    // The `WWW-Authenticate` header is omitted for the dashboard, which has no API key to send.
    const wantsKey = problem.status === 401 && !request.url.startsWith('/api/')
    if (wantsKey) reply.header('www-authenticate', 'Bearer')
    reply
      .header('link', helpLink(docsUrl(), problem.code))
      .code(problem.status)
      .type(PROBLEM_JSON)
      .serializer(JSON.stringify)
      .send(problemDocument(problem, request.id))
  }

/**
 * Returns the error handler of the HTTP server, or of endpoints whose refusals have another form.
 *
 * @param answer writes the response; a problem document by default
 */
export function problemHandler(docsUrl: () => string, log: Log, answer = documentAnswers(docsUrl)) {
  return (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): void => {
    const problem = asProblem(error, request)
    request.problemCode = problem.code
    request.problemFields = problem.errors
    // Refusals because of overload are not logged, so that overload does not also fill the log.
    if (problem.status >= 500 && (problem.cause !== undefined || problem.code !== 'unavailable')) {
      log.error(
        { err: problem.cause ?? error, request_id: request.id, url: request.routeOptions.url },
        problem.message,
      )
    }
    // The framework adds `Connection: close` when it refuses a body. The header is removed, because a client that is
    // still sending the body would lose the response.
    if (request.bodyMemory?.givenUp === false) reply.removeHeader('connection')
    if (problem.retryAfter !== undefined) reply.header('retry-after', String(problem.retryAfter))
    answer(problem, request, reply)
  }
}
