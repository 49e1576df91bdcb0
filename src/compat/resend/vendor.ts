// Resend: its keys, its errors and its calls.

import { bearerToken } from '../../api/authenticate.ts'
import type { Vendor } from '../declaration.ts'
import { apiKeyCalls } from './api-keys.ts'
import { domainCalls } from './domains.ts'
import { emailCalls } from './emails.ts'
import { refusalOf } from './errors.ts'
import { receivingCalls } from './receiving.ts'
import { refusedCalls } from './refused.ts'
import { suppressionCalls } from './suppressions.ts'
import { templateCalls } from './templates.ts'
import { webhookCalls } from './webhooks.ts'

export const resend: Vendor = {
  name: 'resend',
  title: 'Resend',
  secretOf: bearerToken,
  refusal: refusalOf,
  calls: [
    ...emailCalls,
    ...receivingCalls,
    ...domainCalls,
    ...apiKeyCalls,
    ...templateCalls,
    ...suppressionCalls,
    ...webhookCalls,
    ...refusedCalls,
  ],
}
