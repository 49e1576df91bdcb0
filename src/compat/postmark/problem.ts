// Postmark's errors: the code and the status of each refusal.

import type { FastifyRequest } from 'fastify'
import { Problem, type ProblemCode } from '../../model/problem.ts'
import type { Refusal } from '../declaration.ts'

/** Postmark's codes that have a meaning of their own here. */
export const CODES = {
  token: 10,
  notFound: 12,
  maintenance: 100,
  email: 300,
  senderUnknown: 400,
  senderUnconfirmed: 401,
  json: 402,
  fields: 403,
  allowance: 405,
  inactive: 406,
  jsonRequired: 409,
  batchSize: 410,
  accountPending: 412,
  accountClosed: 413,
  domain: 510,
  message: 701,
  bounce: 1_001,
  bounceStays: 1_003,
  template: 1_101,
  templateFields: 1_120,
  layoutInUse: 1_130,
  layoutPlace: 1_131,
  stream: 1_226,
  streamUnknown: 1_235,
  streamKind: 1_236,
} as const

/** A refusal with a code of Postmark, where the code of the problem alone does not tell the code. */
export class PostmarkProblem extends Problem {
  readonly errorCode: number

  constructor(
    code: ProblemCode,
    errorCode: number,
    detail: string,
    more?: ConstructorParameters<typeof Problem>[2],
  ) {
    super(code, detail, more)
    this.errorCode = errorCode
  }
}

/** Status and code of each problem, unless a `PostmarkProblem` has another code. */
const ERRORS: Readonly<Record<ProblemCode, readonly [status: number, errorCode: number]>> = {
  malformed_request: [422, CODES.json],
  authentication_failed: [401, CODES.token],
  second_factor_required: [401, CODES.token],
  key_kind_not_permitted: [401, CODES.token],
  inbox_credential: [401, CODES.token],
  scope_not_permitted: [401, CODES.token],
  network_not_permitted: [401, CODES.token],
  recipient_not_permitted: [422, CODES.accountPending],
  session_required: [401, CODES.token],
  origin_not_permitted: [401, CODES.token],
  role_not_permitted: [401, CODES.token],
  recent_login_required: [401, CODES.token],
  domain_not_permitted: [422, CODES.senderUnknown],
  domain_not_verified: [422, CODES.senderUnconfirmed],
  account_suspended: [422, CODES.accountClosed],
  sending_allowance_exhausted: [422, CODES.allowance],
  limit_reached: [422, CODES.allowance],
  verification_credits_exhausted: [422, CODES.allowance],
  not_found: [404, CODES.notFound],
  method_not_allowed: [405, CODES.notFound],
  content_refused: [422, CODES.fields],
  content_removed: [422, CODES.message],
  conflict: [422, CODES.fields],
  changed_meanwhile: [422, CODES.fields],
  body_too_large: [413, CODES.email],
  validation_failed: [422, CODES.fields],
  rate_limit_exceeded: [429, 429],
  internal_error: [500, 500],
  not_available: [501, CODES.notFound],
  unavailable: [503, CODES.maintenance],
}

/** Text about a missing or unknown token; clients look for the words `valid` and `token`. */
const NO_TOKEN =
  'The token in the header X-Postmark-Server-Token or X-Postmark-Account-Token is not valid; send a Sending key, or a management key, as the token.'

/** Returns the code and the text of a problem, as they stand in a response to one message of a batch. */
export function errorOf(problem: Problem): { readonly ErrorCode: number; readonly Message: string } {
  const ErrorCode = problem instanceof PostmarkProblem ? problem.errorCode : ERRORS[problem.code][1]
  return { ErrorCode, Message: problem.code === 'authentication_failed' ? NO_TOKEN : problem.message }
}

/** Returns the response to a refused request. */
export function refusal(problem: Problem, request: FastifyRequest): Refusal {
  const [known] = ERRORS[problem.code]
  // A missing object of a certain kind is a fault of the request at Postmark.
  const isOfKind = problem instanceof PostmarkProblem && problem.errorCode !== CODES.notFound
  const status = known === 404 && isOfKind ? 422 : known
  if (problem.code === 'malformed_request' && !isJson(request)) {
    const Message = 'The body must be JSON, with the header Content-Type: application/json.'
    return { status, body: { ErrorCode: CODES.jsonRequired, Message } }
  }
  return { status, body: errorOf(problem) }
}

const isJson = ({ headers, method }: FastifyRequest): boolean =>
  method === 'GET' || /^\s*application\/json\b/i.test(headers['content-type'] ?? '')
