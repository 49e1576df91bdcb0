// The reply to each problem: one table from problem codes to SMTP codes.

import { Problem, type ProblemCode } from '../model/problem.ts'
import type { Reply } from '../model/reply.ts'
import { Refusal, replyWith } from './replies.ts'

/** RFC 5321 §4.2.2 and RFC 3463. What a door cannot meet is here too, so that no code is forgotten. */
const REPLIES: Record<ProblemCode, readonly [code: number, enhanced: string]> = {
  malformed_request: [554, '5.6.0'],
  authentication_failed: [535, '5.7.8'],
  second_factor_required: [535, '5.7.8'],
  key_kind_not_permitted: [550, '5.7.1'],
  origin_not_permitted: [550, '5.7.1'],
  recent_login_required: [550, '5.7.1'],
  role_not_permitted: [550, '5.7.1'],
  domain_not_permitted: [550, '5.7.1'],
  domain_not_verified: [550, '5.7.1'],
  account_suspended: [550, '5.7.1'],
  sending_allowance_exhausted: [550, '5.7.1'],
  verification_credits_exhausted: [550, '5.7.1'],
  not_found: [550, '5.7.1'],
  method_not_allowed: [550, '5.7.1'],
  conflict: [451, '4.3.0'],
  body_too_large: [552, '5.3.4'],
  validation_failed: [554, '5.6.0'],
  rate_limit_exceeded: [450, '4.7.1'],
  internal_error: [451, '4.3.0'],
  unavailable: [452, '4.3.1'],
}

/** The reply for whatever a command threw; undefined for what nobody foresaw. */
export function replyOfProblem(error: unknown): Reply | undefined {
  if (error instanceof Refusal) return error.reply
  if (!(error instanceof Problem)) return undefined
  const [code, enhanced] = REPLIES[error.code]
  return replyWith(code, enhanced, error.message)
}

/** The reply for what nobody foresaw; the client may try again. */
export const UNFORESEEN = replyWith(451, '4.3.0', 'Internal error; nothing was accepted, please try again')
