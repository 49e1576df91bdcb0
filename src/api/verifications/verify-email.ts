// GET /v1/verifyEmail and GET /v1/verifyEmailDetailed (spec §4.3, §4.4).

import type { FastifySchema } from 'fastify'
import type { AccountVerification } from '../../verification/account-verification.ts'
import type { Verification } from '../../verification/verify.ts'
import { DetailedVerification, EmailQuery, SimpleVerification } from '../contract/verification.ts'
import { defineRoute, type Route } from '../route.ts'
import { emailParameter } from './email-parameter.ts'
import { verifierOf } from './verification-key.ts'

const CREDITS_HEADER = 'x-verification-credits-remaining'

/** Answers with the result alone. */
export const verifyEmail = (verification: AccountVerification): Route =>
  endpoint('/v1/verifyEmail', 'Verify an address', SimpleVerification, verification, ({ email, result }) => ({
    email,
    result,
  }))

/** Answers with all that is known. */
export const verifyEmailDetailed = (verification: AccountVerification): Route =>
  endpoint(
    '/v1/verifyEmailDetailed',
    'Verify an address with details',
    DetailedVerification,
    verification,
    (verified) => verified,
  )

function endpoint(
  url: string,
  summary: string,
  shape: FastifySchema['response'],
  accountVerification: AccountVerification,
  tell: (verified: Verification) => object,
): Route {
  return defineRoute({
    method: 'GET',
    url,
    effect: 'charges',
    schema: {
      tags: ['Verification'],
      summary,
      description:
        'Takes one verification credit, whatever the result; `X-Verification-Credits-Remaining` has the remaining credits. An invalid address is a result, not an error.',
      querystring: EmailQuery,
      response: { 200: shape },
    },
    refusals: [
      'malformed_request',
      'validation_failed',
      'account_suspended',
      'verification_credits_exhausted',
    ],
    key: 'verification',
    async handler(request, reply) {
      const email = emailParameter(request)
      const { accountId } = verifierOf(request)
      const { verification, creditsLeft } = await accountVerification.verifyForCredit(accountId, email)
      reply.header(CREDITS_HEADER, String(creditsLeft))
      return tell(verification)
    },
  })
}
