// GET /v1/verifyEmail and GET /v1/verifyEmailDetailed: verifies one address; OPTIONS /v1/verifyEmail: answers preflight
// requests of web pages with a public key.

import type { FastifyPluginAsync, FastifySchema } from 'fastify'
import type { Credentials } from '../../access/credentials.ts'
import { callerOfTrace } from '../../lib/traces.ts'
import { isAddress, parseAddress } from '../../model/address.ts'
import { invalidFields, Problem } from '../../model/problem.ts'
import type { AccountVerification } from '../../verification/account-verification.ts'
import type { Verification } from '../../verification/verify.ts'
import { DetailedVerification, EmailQuery, SimpleVerification } from '../contract/verification.ts'
import { defineRoute, type RequestOf, type Route } from '../route.ts'
import { verifierOf } from './verification-key.ts'

/**
 * Returns the trimmed address to verify. A query parser reads an unencoded `+` as a space. If the address is invalid
 * with the space, the space is read as `+`; otherwise all tagged addresses of a client that does not encode `+` would
 * be undeliverable.
 */
function emailParameter(request: RequestOf<string, { querystring: typeof EmailQuery }>): string {
  const query = /\?(.*)$/s.exec(request.raw.url ?? '')?.[1] ?? ''
  refuseOtherEncodings(query)
  const given = request.query.email.trim()
  if (given === '') {
    throw invalidFields([
      { path: 'email', code: 'required', message: 'The address is empty; give an address.' },
    ])
  }
  if (!given.includes(' ') || isAddress(parseAddress(given))) return given
  const literal = new URLSearchParams(query.replaceAll('+', '%2B')).get('email')?.trim() ?? given
  return isAddress(parseAddress(literal)) ? literal : given
}

/**
 * Throws if the query is not encoded as UTF-8. The query parser would leave `m%FCller` unchanged, and the service would
 * verify this text.
 */
function refuseOtherEncodings(query: string): void {
  try {
    decodeURIComponent(query.replace(/%(?![\da-f]{2})/gi, '%25'))
  } catch {
    const detail = 'The address is not UTF-8: percent-encode it as UTF-8, ü as %C3%BC.'
    throw new Problem('malformed_request', detail)
  }
}

const CREDITS_HEADER = 'x-verification-credits-remaining'

/** Verifies an address for a credit. */
type Verifying = Pick<AccountVerification, 'verifyForCredit'>

/** Endpoint that returns only the result of a verification. */
export const verifyEmail = (verification: Verifying): Route =>
  endpoint('/v1/verifyEmail', 'Verify an address', SimpleVerification, verification, ({ email, result }) => ({
    email,
    result,
  }))

/** Endpoint that returns all findings of a verification. */
export const verifyEmailDetailed = (verification: Verifying): Route =>
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
  accountVerification: Verifying,
  tell: (verified: Verification) => object,
): Route {
  return defineRoute({
    method: 'GET',
    url,
    effect: 'charges',
    schema: {
      tags: ['Verification'],
      summary,
      description: `Takes one verification credit for any result; \`X-Verification-Credits-Remaining\` contains the remaining credits. An invalid address is a result, not an error.${url === '/v1/verifyEmail' ? ' Web pages call this with a public key (`public_…`) from the origins of the key; the network of a visitor has 20 requests a minute.' : ''}`,
      querystring: EmailQuery,
      response: { 200: shape },
    },
    refusals: [
      'malformed_request',
      'validation_failed',
      'account_suspended',
      'verification_credits_exhausted',
      ...(url === '/v1/verifyEmail' ? (['origin_not_permitted'] as const) : []),
    ],
    scope: 'verifications:check',
    ...(url === '/v1/verifyEmail' ? { forPages: true } : {}),
    async handler(request, reply) {
      const email = emailParameter(request)
      const { accountId, id, userId } = verifierOf(request)
      const { verification, creditsLeft } = await accountVerification.verifyForCredit(
        { accountId, keyId: userId === null ? id : null, userId },
        email,
        callerOfTrace(request.headers.traceparent),
      )
      reply.header(CREDITS_HEADER, String(creditsLeft))
      return tell(verification)
    },
  })
}

/** Time for which a browser keeps the answer, in seconds. */
const MAX_AGE_S = 600

/**
 * Adds the answer to preflight requests (Fetch standard §4.8). A preflight carries no key, so an origin is permitted if a
 * public key of any account lists it; the request itself is checked against its own key.
 */
export const publicKeyPages =
  (credentials: Pick<Credentials, 'isPublicOrigin'>): FastifyPluginAsync =>
  async (server) => {
    server.options('/v1/verifyEmail', { schema: { hide: true } as object }, async (request, reply) => {
      const { origin } = request.headers
      reply.header('vary', 'Origin').header('cache-control', 'no-store')
      if (origin !== undefined && (await credentials.isPublicOrigin(origin))) {
        reply
          .header('access-control-allow-origin', origin)
          .header('access-control-allow-methods', 'GET')
          .header('access-control-allow-headers', 'authorization')
          .header('access-control-max-age', String(MAX_AGE_S))
      }
      return reply.code(204).send()
    })
  }
