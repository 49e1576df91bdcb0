// Postmark: its tokens, its errors and its calls.

import type { FastifyRequest } from 'fastify'
import type { Vendor } from '../declaration.ts'
import { bounceCalls } from './bounces.ts'
import { bulkCalls } from './bulk.ts'
import { domainCalls, removalCalls } from './domains.ts'
import { emailCalls } from './email.ts'
import { inboundCalls, triggerCalls } from './inbound.ts'
import { messageCalls } from './messages.ts'
import { refusal } from './problem.ts'
import { serverCalls } from './server.ts'
import { statsCalls } from './stats.ts'
import { streamCalls } from './streams.ts'
import { suppressionCalls } from './suppressions.ts'
import { templateCalls } from './templates.ts'
import { webhookCalls } from './webhooks.ts'

const SECRET = /^\S{1,200}$/

/** Returns the token of a request: that of the server, or that of the account. */
function tokenOf({ headers }: FastifyRequest): string | undefined {
  const token = headers['x-postmark-server-token'] || headers['x-postmark-account-token']
  return typeof token === 'string' && SECRET.test(token) ? token : undefined
}

export const postmark: Vendor = {
  name: 'postmark',
  title: 'Postmark',
  secretOf: tokenOf,
  testToken: 'POSTMARK_API_TEST',
  refusal,
  calls: [
    ...emailCalls,
    ...bulkCalls,
    ...messageCalls,
    ...inboundCalls,
    ...bounceCalls,
    ...statsCalls,
    ...templateCalls,
    ...streamCalls,
    ...suppressionCalls,
    ...webhookCalls,
    ...triggerCalls,
    ...serverCalls,
    ...domainCalls,
    ...removalCalls,
  ],
}
