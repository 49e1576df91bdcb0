// Refusals in the form of Resend: the table of its error names, and the names of fields in its requests.

import type { FastifyRequest } from 'fastify'
import type { FieldProblem, Problem, ProblemCode } from '../../model/problem.ts'
import type { Refusal } from '../declaration.ts'

type Row = readonly [status: number, name: string]

/** Status and name by code. Typed clients know no other names, except for calls that are not served. */
const ERRORS: Readonly<Record<ProblemCode, Row>> = {
  malformed_request: [400, 'validation_error'],
  // Wrong keys are `validation_error` there, with 401 at the sending endpoints and 400 elsewhere.
  authentication_failed: [400, 'validation_error'],
  second_factor_required: [401, 'restricted_api_key'],
  key_kind_not_permitted: [401, 'restricted_api_key'],
  inbox_credential: [401, 'restricted_api_key'],
  scope_not_permitted: [401, 'restricted_api_key'],
  network_not_permitted: [403, 'invalid_api_key'],
  recipient_not_permitted: [403, 'validation_error'],
  session_required: [403, 'validation_error'],
  origin_not_permitted: [403, 'validation_error'],
  role_not_permitted: [403, 'validation_error'],
  recent_login_required: [403, 'validation_error'],
  domain_not_permitted: [403, 'validation_error'],
  domain_not_verified: [403, 'validation_error'],
  account_suspended: [403, 'validation_error'],
  sending_allowance_exhausted: [429, 'monthly_quota_exceeded'],
  limit_reached: [403, 'validation_error'],
  verification_credits_exhausted: [429, 'monthly_quota_exceeded'],
  not_found: [404, 'not_found'],
  method_not_allowed: [405, 'method_not_allowed'],
  content_refused: [422, 'validation_error'],
  content_removed: [404, 'not_found'],
  conflict: [422, 'validation_error'],
  changed_meanwhile: [422, 'validation_error'],
  body_too_large: [413, 'validation_error'],
  validation_failed: [422, 'validation_error'],
  rate_limit_exceeded: [429, 'rate_limit_exceeded'],
  internal_error: [500, 'internal_server_error'],
  not_available: [501, 'not_available'],
  unavailable: [503, 'application_error'],
}

const MISSING_KEY =
  'Missing API key in the Authorization header. Send the header `Authorization: Bearer YOUR_API_KEY`.'

/** Returns the response to a refused request. */
export function refusalOf(problem: Problem, request: FastifyRequest): Refusal {
  const [status, name, message] = errorOf(problem, request)
  return { status, body: { statusCode: status, name, message } }
}

function errorOf(problem: Problem, request: FastifyRequest): readonly [...Row, message: string] {
  const { code, message } = problem
  const [status, name] = ERRORS[code]
  if (code === 'authentication_failed') {
    if (request.headers.authorization === undefined) return [401, 'missing_api_key', MISSING_KEY]
    return [/\/emails(?:\/batch)?$/.test(pathOf(request)) ? 401 : status, name, 'API key is invalid']
  }
  if (
    code === 'conflict' &&
    request.headers['idempotency-key'] !== undefined &&
    /Idempotency-Key/.test(message)
  ) {
    return [409, 'concurrent_idempotent_requests', message]
  }
  const [first] = problem.errors
  if (first === undefined) return [status, name, message]
  if (first.path === 'Idempotency-Key') {
    const isReused = first.code === 'key_reused'
    return [
      isReused ? 409 : 400,
      isReused ? 'invalid_idempotent_request' : 'invalid_idempotency_key',
      message,
    ]
  }
  return [...rowOfField(first, [status, name]), messageOf(problem.errors)]
}

const pathOf = ({ method, url }: FastifyRequest): string =>
  method === 'POST' ? (url.split('?', 1)[0] ?? '') : ''

/** Returns the status and the name for an invalid field. */
function rowOfField({ path, code }: FieldProblem, [status, name]: Row): Row {
  if (status !== 422) return [status, name]
  const field = path.replace(/^\[\d+\]\.?/, '')
  if (/^template_(?:id|alias)/.test(field) && code === 'not_found') return [404, 'not_found']
  if (code === 'required') return [422, 'missing_required_field']
  if (field.startsWith('attachments')) return [422, 'invalid_attachment']
  if (/^from(?:_name)?$/.test(field)) return [422, 'invalid_from_address']
  if (/^(?:after|before|limit)$/.test(field)) return [422, 'invalid_parameter']
  return [422, name]
}

/** Our names of fields, and the names of the same fields in Resend's requests. */
const FIELDS: readonly (readonly [ours: RegExp, theirs: string])[] = [
  [/^send_at/, 'scheduled_at'],
  [/^template_(?:id|alias)/, 'template.id'],
  [/^template_model\b/, 'template.variables'],
  [/^metadata\b/, 'tags'],
  [/^from_name$/, 'from'],
  [/^url$/, 'endpoint'],
  [/^event_types\b/, 'events'],
  [/^domains?(?:\[0\])?$/, 'domain_id'],
  [/^((?:to|cc|bcc|reply_to)(?:\[\d+\])?)\.email$/, '$1'],
  [/^(attachments\[\d+\])\.url$/, '$1.path'],
]

/** Returns the sentence about invalid fields, which names the first field as the client wrote it. */
export function messageOf(errors: readonly FieldProblem[]): string {
  const [{ path, message } = { path: '', message: '' }] = errors
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  return path === '' ? `${message}${more}` : `${fieldOf(path)}: ${message}${more}`
}

/** Returns the name of a field as the client wrote it. */
function fieldOf(path: string): string {
  const [prefix = ''] = /^\[\d+\]\.?/.exec(path) ?? []
  const own = path.slice(prefix.length)
  const [ours, theirs] = FIELDS.find(([pattern]) => pattern.test(own)) ?? []
  return prefix + (ours === undefined || theirs === undefined ? own : own.replace(ours, theirs))
}
