// Verification of an address in the form of SendGrid.

import type { Static } from 'typebox'
import type { DetailedVerification } from '../../api/contract/verification.ts'
import type { VendorCall } from '../declaration.ts'
import { FieldNames } from '../reading.ts'

type Verified = Static<typeof DetailedVerification>

/** Verdict and score by result. */
const VERDICTS: Readonly<Record<string, readonly [verdict: string, score: number]>> = {
  deliverable: ['Valid', 0.97],
  risky: ['Risky', 0.5],
  unknown: ['Risky', 0.4],
  undeliverable: ['Invalid', 0.02],
}

const NO_DOMAIN = new Set(['domain_not_found', 'no_mail_server', 'null_mx', 'invalid_syntax'])

function resultOf(verified: Verified, source: string | undefined, address: string): object {
  const { email, result, internalResult, didYouMean } = verified
  const [verdict, score] = VERDICTS[result] ?? ['Risky', 0.4]
  const at = email.lastIndexOf('@')
  return {
    ...{ email, verdict, score },
    local: at < 0 ? email : email.slice(0, at),
    host: at < 0 ? '' : email.slice(at + 1),
    ...(didYouMean === undefined ? {} : { suggestion: didYouMean.slice(didYouMean.lastIndexOf('@') + 1) }),
    checks: {
      domain: {
        has_valid_address_syntax: internalResult !== 'invalid_syntax',
        has_mx_or_a_record: !NO_DOMAIN.has(internalResult),
        is_suspected_disposable_address: internalResult === 'disposable',
      },
      local_part: { is_suspected_role_address: verified.isRole ?? false },
      additional: {
        has_known_bounces: internalResult === 'suppressed',
        has_suspected_bounces: result === 'undeliverable',
      },
    },
    ...(source === undefined ? {} : { source }),
    ip_address: address,
  }
}

export const validationCalls: readonly VendorCall[] = [
  {
    method: 'POST',
    path: '/v3/validations/email',
    noun: 'Validation',
    summary: 'Verify an address',
    scope: 'verifications:check',
    effect: 'charges',
    state: 'differs',
    differences:
      'Takes a credit and a Verification key or a management key. The score follows from the verdict.',
    async handler(translation) {
      const fields = translation.body(new FieldNames('email', 'source'))
      const email = fields.text('email')
      if (email === undefined) translation.reading.wrong('email', 'required', 'Give the address.')
      const { body } = await translation.v1<Verified>('verifications.verifyEmailDetailed', {
        query: { email },
      })
      return { result: resultOf(body, fields.text('source'), translation.request.ip) }
    },
  },
]
