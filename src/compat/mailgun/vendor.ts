// Mailgun: its key, its errors and its calls.

import type { FastifyRequest } from 'fastify'
import { basicLogin } from '../../api/authenticate.ts'
import type { Vendor } from '../declaration.ts'
import { domainCalls } from './domains.ts'
import { eventCalls } from './events.ts'
import { messageCalls } from './messages.ts'
import { refusal } from './problem.ts'
import { statsCalls } from './stats.ts'
import { suppressionCalls } from './suppressions.ts'
import { templateCalls } from './templates.ts'
import { validationCalls } from './validate.ts'
import { webhookCalls } from './webhooks.ts'

/** Returns the key, which clients send as the password of any user, usually `api`. */
const keyOf = (request: FastifyRequest): string | undefined => {
  const password = basicLogin(request)?.password
  return password === '' ? undefined : password
}

export const mailgun: Vendor = {
  name: 'mailgun',
  title: 'Mailgun',
  secretOf: keyOf,
  refusal,
  atRoot: { paths: ['/v3/', '/v4/'], scheme: 'basic' },
  calls: [
    ...messageCalls,
    ...eventCalls,
    ...suppressionCalls,
    ...domainCalls,
    ...webhookCalls,
    ...templateCalls,
    ...statsCalls,
    ...validationCalls,
  ],
}
