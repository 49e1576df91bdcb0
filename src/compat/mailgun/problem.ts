// Mailgun's errors: the status and the text of each refusal.

import type { FastifyRequest } from 'fastify'
import type { FieldProblem, Problem, ProblemCode } from '../../model/problem.ts'
import type { Refusal } from '../declaration.ts'

/** Status of each problem. */
const STATUSES: Readonly<Record<ProblemCode, number>> = {
  malformed_request: 400,
  authentication_failed: 401,
  second_factor_required: 401,
  inbox_credential: 403,
  key_kind_not_permitted: 401,
  scope_not_permitted: 403,
  network_not_permitted: 403,
  recipient_not_permitted: 403,
  session_required: 403,
  origin_not_permitted: 403,
  role_not_permitted: 403,
  recent_login_required: 403,
  domain_not_permitted: 400,
  domain_not_verified: 403,
  account_suspended: 403,
  sending_allowance_exhausted: 402,
  limit_reached: 400,
  verification_credits_exhausted: 402,
  not_found: 404,
  method_not_allowed: 405,
  content_refused: 400,
  content_removed: 404,
  conflict: 409,
  changed_meanwhile: 409,
  body_too_large: 413,
  validation_failed: 400,
  rate_limit_exceeded: 429,
  internal_error: 500,
  not_available: 501,
  unavailable: 503,
}

/** Response to a wrong key, as text. */
const FORBIDDEN = 'Forbidden'

/** Returns the response to a refused request. */
export function refusal(problem: Problem, _request: FastifyRequest): Refusal {
  const status = STATUSES[problem.code]
  if (status === 401)
    return { status, body: FORBIDDEN, headers: { 'www-authenticate': 'Basic realm="MG API"' } }
  const [first] = problem.errors
  return { status, body: { message: first === undefined ? problem.message : messageOf(first) } }
}

/** Names of the fields at `/v1` that have another name at Mailgun. */
const NAMES: Readonly<Record<string, string>> = {
  from_name: 'from',
  reply_to: 'h:Reply-To',
  headers: 'h:',
  metadata: 'v:',
  tags: 'o:tag',
  tag: 'o:tag',
  stream: 'o:stream',
  send_at: 'o:deliverytime',
  track_opens: 'o:tracking-opens',
  track_links: 'o:tracking-clicks',
  require_tls: 'o:require-tls',
  attachments: 'attachment',
  template_alias: 'template',
  template_model: 't:variables',
}

/** Returns the text of a wrong field, in Mailgun's words where clients know the words. */
function messageOf({ path, code, message }: FieldProblem): string {
  const [, name = '', rest = ''] = /^([^[.]*)(.*)$/s.exec(path) ?? []
  const field = Object.hasOwn(NAMES, name) ? (NAMES[name] as string) : name
  if (/^(?:from|to|cc|bcc)$/.test(field)) {
    if (code === 'required' || code === 'too_few') return `${field} parameter is missing`
    if (code === 'invalid_email') {
      return `${field} parameter is not a valid address. please check documentation: ${message}`
    }
  }
  if (field === 'html' && code === 'required') {
    return "Need at least one of 'text', 'html', 'amp-html' or 'template' parameters specified"
  }
  const place = field.endsWith(':') ? field + rest.replace(/^\./, '') : field + rest
  return place === '' ? message : `${place}: ${message}`
}
