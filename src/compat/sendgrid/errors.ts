// Refusals in the form of SendGrid: `{ "errors": [{ "message", "field", "help" }] }`.

import type { FastifyRequest } from 'fastify'
import type { FieldProblem, Problem, ProblemCode } from '../../model/problem.ts'
import type { Refusal } from '../declaration.ts'

/** Statuses that differ from ours. */
const STATUSES: Readonly<Partial<Record<ProblemCode, number>>> = {
  conflict: 400,
  content_removed: 404,
  changed_meanwhile: 400,
  validation_failed: 400,
  sending_allowance_exhausted: 401,
  verification_credits_exhausted: 401,
}

const MISSING_KEY = 'Permission denied, wrong credentials'
const WRONG_KEY = 'The provided authorization grant is invalid, expired, or revoked'

/** Codes whose sentence the clients know. */
const SENTENCES: Readonly<Partial<Record<ProblemCode, string>>> = {
  key_kind_not_permitted: 'access forbidden',
  scope_not_permitted: 'access forbidden',
  sending_allowance_exhausted: 'Maximum credits exceeded',
}

/** Returns the response to a refused request. */
export function refusalOf(problem: Problem, request: FastifyRequest): Refusal {
  const { code } = problem
  const status = STATUSES[code] ?? problem.status
  return { status, body: { errors: errorsOf(problem, request) }, ...limitsOf(problem) }
}

function errorsOf(problem: Problem, { headers }: FastifyRequest): object[] {
  const { code, message, errors } = problem
  const error = (text: string, field: string | null = null): object => ({ message: text, field, help: null })
  if (code === 'authentication_failed') {
    return [error(headers.authorization === undefined ? MISSING_KEY : WRONG_KEY)]
  }
  if (errors.length > 0) return errors.map((one) => error(one.message, fieldOf(one)))
  const known = SENTENCES[code]
  return [error(known === undefined ? message : `${known}: ${message}`)]
}

/** Returns the name of a field, such as `personalizations.0.to.0.email`; null for a problem of the whole request. */
const fieldOf = ({ path }: FieldProblem): string | null =>
  path === '' ? null : path.replace(/\[(\d+)\]/g, '.$1').replace(/^\./, '')

/** Returns the header fields of a refusal for too many requests. */
function limitsOf({ code, retryAfter }: Problem): Pick<Refusal, 'headers'> {
  if (code !== 'rate_limit_exceeded' || retryAfter === undefined) return {}
  const reset = Math.ceil(Date.now() / 1_000) + retryAfter
  return { headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) } }
}
