// Every error as a problem document (RFC 9457).

import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Log } from '../lib/log.ts'
import { invalidFields, Problem } from '../model/problem.ts'
import { otherBodyWanted } from './body.ts'
import { ShapeError } from './shape.ts'

export const PROBLEM_JSON = 'application/problem+json; charset=utf-8'

/** The document for a problem. `docsUrl` is where its code is described. */
export function problemDocument(problem: Problem, requestId: string, docsUrl: string): object {
  return {
    type: `${docsUrl}#${problem.code}`,
    title: problem.title,
    status: problem.status,
    code: problem.code,
    detail: problem.message,
    ...(problem.errors.length > 0 ? { errors: problem.errors } : {}),
    request_id: requestId,
  }
}

/** Turns whatever went wrong into a `Problem`; what is not of our making is told in our words. */
function asProblem(error: FastifyError | Error, request: FastifyRequest): Problem {
  if (error instanceof Problem) return error
  if (error instanceof ShapeError)
    return invalidFields([...(request.fieldNameProblems ?? []), ...error.problems])
  if ((error as FastifyError).code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return otherBodyWanted(request)
  }
  if ((error as FastifyError).code === 'FST_ERR_BAD_URL') {
    return new Problem(
      'malformed_request',
      'The address has a % that begins no character of UTF-8; write it as %25.',
    )
  }
  const status = (error as FastifyError).statusCode ?? 500
  if (status === 404) return new Problem('not_found', 'There is nothing at this address.')
  if (status === 413) return new Problem('body_too_large', 'The body is too large.', { cause: error })
  if (status >= 400 && status < 500)
    return new Problem('malformed_request', 'The request is malformed.', { cause: error })
  return new Problem('internal_error', 'Something went wrong on our side; please report the request ID.', {
    cause: error,
  })
}

/** The server's error handler. */
export function problemHandler(docsUrl: () => string, log: Log) {
  return (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): void => {
    const problem = asProblem(error, request)
    // What is refused since there is too much of it must not fill the log as well.
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
      .code(problem.status)
      .type(PROBLEM_JSON)
      .serializer(JSON.stringify)
      .send(problemDocument(problem, request.id, docsUrl()))
  }
}
