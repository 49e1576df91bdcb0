// Mailgun's validation of an address.

import type { VendorCall } from '../declaration.ts'
import { FieldNames } from '../reading.ts'
import type { Translation } from '../translation.ts'
import { objectOf } from './domain.ts'

const noun = 'Validation'
const scope = 'verifications:check'
const differences = 'Every result takes one verification credit. A key for verification is needed.'

export const validationCalls: readonly VendorCall[] = [
  {
    ...{ method: 'GET', path: '/v4/address/validate', noun, scope, effect: 'charges', state: 'differs' },
    ...{ summary: 'Validate an address', differences },
    handler: (translation) => validate(translation, translation.query(FIELDS).text('address')),
  },
  {
    ...{ method: 'POST', path: '/v4/address/validate', noun, scope, effect: 'charges', state: 'differs' },
    ...{ summary: 'Validate an address', differences },
    body: { kinds: ['fields'], maxBytes: 65_536 },
    handler: (translation) =>
      validate(translation, translation.reading.fields(objectOf(translation), FIELDS).text('address')),
  },
]

const FIELDS = new FieldNames('address', 'provider_lookup')

/** Result of a verification, as `GET /v1/verifyEmailDetailed` shows it. */
interface Verified {
  readonly email: string
  readonly result: 'deliverable' | 'undeliverable' | 'risky' | 'unknown'
  readonly internalResult: string
  readonly account?: string
  readonly tag?: string
  readonly isRole?: boolean
  readonly didYouMean?: string
}

async function validate(translation: Translation, address: string | undefined): Promise<object> {
  if (address === undefined) translation.reading.wrong('address', 'required', 'Give an address.')
  const { body } = await translation.v1<Verified>('verifications.verifyEmailDetailed', {
    query: { email: address },
  })
  const { email, internalResult, isRole = false, didYouMean, account, tag } = body
  const result = resultOf(body)
  return {
    ...{
      address: email,
      result,
      risk: RISKS[result],
      reason: result === 'deliverable' ? [] : [internalResult],
    },
    ...{ is_disposable_address: internalResult === 'disposable', is_role_address: isRole },
    ...(didYouMean === undefined ? {} : { did_you_mean: didYouMean }),
    ...(tag === undefined || account === undefined
      ? {}
      : { root_address: account + email.slice(email.lastIndexOf('@')) }),
  }
}

/** Results of Mailgun, and the risk of sending to such an address. */
const RISKS = {
  deliverable: 'low',
  undeliverable: 'high',
  do_not_send: 'high',
  catch_all: 'medium',
  unknown: 'unknown',
} as const

function resultOf({ result, internalResult }: Verified): keyof typeof RISKS {
  if (result !== 'risky') return result
  if (internalResult.startsWith('catch_all')) return 'catch_all'
  return internalResult === 'mailbox_full' ? 'unknown' : 'do_not_send'
}
