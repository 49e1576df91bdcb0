// useSend: its key, its errors and its calls.

import type { FastifyRequest } from 'fastify'
import { bearerToken } from '../../api/authenticate.ts'
import type { Problem } from '../../model/problem.ts'
import type { Refusal, Vendor, VendorCall } from '../declaration.ts'
import { domainCalls } from './domains.ts'
import { emailCalls } from './emails.ts'

/** useSend's codes by status. */
const CODES: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  409: 'NOT_UNIQUE',
  429: 'RATE_LIMITED',
}

function statusOf({ code, status, errors }: Problem, request: FastifyRequest): number {
  // A request without a key differs from a request with an unknown key.
  if (code === 'authentication_failed') return bearerToken(request) === undefined ? 401 : 403
  if (errors.some((error) => error.code === 'key_reused')) return 409
  if (code === 'validation_failed' || code === 'domain_not_permitted') return 400
  return status
}

function refusal(problem: Problem, request: FastifyRequest): Refusal {
  const status = statusOf(problem, request)
  const [first] = problem.errors
  const place = first === undefined || first.path === '' ? '' : `${first.path}: `
  const message = {
    401: 'No Authorization header provided',
    403: problem.code === 'authentication_failed' ? 'Invalid API token' : problem.message,
  }[status]
  return {
    status,
    body: {
      error: {
        code: CODES[status] ?? (status < 500 ? 'BAD_REQUEST' : 'INTERNAL_SERVER_ERROR'),
        message: message ?? (first === undefined ? problem.message : `${place}${first.message}`),
      },
    },
  }
}

const CONTACTS = [
  ['/api/v1/contactBooks', 'List contact books'],
  ['/api/v1/campaigns', 'List campaigns'],
] as const

const refused: readonly VendorCall[] = CONTACTS.map(([path, summary]) => ({
  ...{ method: 'GET', path, summary, noun: 'Contacts and campaigns', scope: 'any-credential' },
  ...{ state: 'refused', differences: 'Mail to many is sent with `POST /v1/bulk`.' },
}))

export const usesend: Vendor = {
  name: 'usesend',
  title: 'useSend',
  secretOf: bearerToken,
  refusal,
  calls: [...emailCalls, ...domainCalls, ...refused],
}
