// Postal: its key, its errors and its calls. Every response has the status 200; the body tells what happened.

import type { FastifyRequest } from 'fastify'
import type { FieldProblem, Problem } from '../../model/problem.ts'
import type { Refusal, Vendor } from '../declaration.ts'
import { shownCalls } from './messages.ts'
import { sendCalls } from './send.ts'

const HEADER = 'x-server-api-key'

/** Returns the key of a request. */
function keyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers[HEADER]
  return typeof key === 'string' && /^\S{1,200}$/.test(key) ? key : undefined
}

/** A problem with a code of Postal. */
type Code = readonly [code: string, message: string]

/** Codes of problems that do not concern a field. */
function codeOf({ code, message }: Problem, { headers }: FastifyRequest): Code | undefined {
  switch (code) {
    case 'authentication_failed':
      return (headers[HEADER] ?? '') === ''
        ? ['AccessDenied', 'Must be authenticated as a server.']
        : ['InvalidServerAPIKey', 'The API token provided in X-Server-API-Key was not valid.']
    case 'account_suspended':
      return ['ServerSuspended', 'The mail server has been suspended']
    case 'domain_not_permitted':
    case 'domain_not_verified':
      return ['UnauthenticatedFromAddress', UNAUTHENTICATED]
    case 'not_found':
    case 'content_removed':
      return ['MessageNotFound', 'No message found matching provided ID']
    case 'validation_failed':
    case 'malformed_request':
      return undefined
    case 'network_not_permitted':
    case 'scope_not_permitted':
    case 'key_kind_not_permitted':
      return ['AccessDenied', message]
    default:
      return [code, message]
  }
}

const UNAUTHENTICATED = 'The From address is not authorised to send mail from this server'

/** Codes of wrong fields. */
function codeOfField({ path, code }: FieldProblem): Code | undefined {
  const isMissing = code === 'required' || code === 'too_few'
  if (isMissing && path === 'from')
    return ['FromAddressMissing', 'The From address is missing and is required']
  if (path === 'from') return ['UnauthenticatedFromAddress', UNAUTHENTICATED]
  if (isMissing && path === 'to') {
    return ['NoRecipients', 'There are no recipients defined to receive this message']
  }
  if (isMissing && path === 'html') return ['NoContent', 'There is no content defined for this e-mail']
  if (/^attachments\[\d+\]\.name$/.test(path)) {
    return ['AttachmentMissingName', 'An attachment is missing a name']
  }
  if (isMissing && /^attachments\[\d+\]\.data$/.test(path)) {
    return ['AttachmentMissingData', 'An attachment is missing data']
  }
  if (code !== 'too_many_recipients') return undefined
  const role = { to: 'To', cc: 'CC', bcc: 'BCC' }[path]
  return [
    `TooMany${role ?? 'To'}Addresses`,
    `The maximum number of ${role ?? 'To'} addresses has been reached (maximum 50)`,
  ]
}

function refusal(problem: Problem, request: FastifyRequest): Refusal {
  const [first] = problem.errors
  const found = codeOf(problem, request) ?? (first && codeOfField(first))
  const about =
    first === undefined ? problem.message : `${first.path === '' ? '' : `${first.path}: `}${first.message}`
  const [code, message] = found ?? ['', about]
  const isOfParameters = found === undefined
  return {
    status: statusOf(problem, request),
    body: {
      status: isOfParameters ? 'parameter-error' : 'error',
      ...{ time: 0, flags: {} },
      data: isOfParameters ? { message } : { code, message },
    },
  }
}

/** Returns the status: 200, unless the address is no call, or the client has to repeat the request. */
function statusOf({ status }: Problem, { routeOptions }: Partial<FastifyRequest>): number {
  const isCall = routeOptions?.url?.endsWith('/*') !== true
  return isCall && status !== 429 && status < 500 ? 200 : status
}

export const postal: Vendor = {
  name: 'postal',
  title: 'Postal',
  secretOf: keyOf,
  refusal,
  calls: [...sendCalls, ...shownCalls],
}
