// Postmark: its tokens, its errors and its calls.

import type { FastifyRequest } from 'fastify'
import type { Vendor } from '../declaration.ts'
import { emailCalls } from './email.ts'
import { refusal } from './problem.ts'

const SECRET = /^\S{1,200}$/

/** Returns the token of a request: that of the server, or that of the account. */
function tokenOf({ headers }: FastifyRequest): string | undefined {
  const token = headers['x-postmark-server-token'] ?? headers['x-postmark-account-token']
  return typeof token === 'string' && SECRET.test(token) ? token : undefined
}

export const postmark: Vendor = {
  name: 'postmark',
  title: 'Postmark',
  secretOf: tokenOf,
  testToken: 'POSTMARK_API_TEST',
  refusal,
  calls: [...emailCalls],
}
