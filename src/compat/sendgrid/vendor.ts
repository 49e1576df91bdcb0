// SendGrid: its keys, its errors and its calls.

import { bearerToken } from '../../api/authenticate.ts'
import type { Vendor } from '../declaration.ts'
import { domainCalls } from './domains.ts'
import { refusalOf } from './errors.ts'
import { groupCalls } from './groups.ts'
import { keyCalls } from './keys.ts'
import { mailCalls } from './mail-send.ts'
import { otherCalls } from './other-calls.ts'
import { statsCalls } from './stats.ts'
import { suppressionCalls } from './suppressions.ts'
import { templateCalls } from './templates.ts'
import { validationCalls } from './validations.ts'
import { webhookCalls } from './webhooks.ts'

export const sendgrid: Vendor = {
  name: 'sendgrid',
  title: 'SendGrid',
  secretOf: bearerToken,
  refusal: refusalOf,
  atRoot: { paths: ['/v3/'], scheme: 'bearer' },
  calls: [
    ...mailCalls,
    ...templateCalls,
    ...suppressionCalls,
    ...groupCalls,
    ...statsCalls,
    ...domainCalls,
    ...keyCalls,
    ...webhookCalls,
    ...validationCalls,
    ...otherCalls,
  ],
}
