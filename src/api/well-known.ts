// Pages below /.well-known/ for machines: responses to HTTP-01 challenges (RFC 8555 §8.3), and MTA-STS policies of inbound
// hosts (RFC 8461 §3.3).

import type { FastifyPluginAsync } from 'fastify'
import { inboundHostOf, inboundPolicy } from '../model/inbound-policy.ts'
import { Problem } from '../model/problem.ts'
import type { Read } from '../store/database/dialect.ts'
import { reading } from '../store/database/store.ts'
import { findInboundMtaSts } from '../store/workspace/inbound-addresses.ts'

/**
 * Serves responses to HTTP-01 challenges, by which a certificate authority verifies control of a host name; `answerTo`
 * returns the key authorization for a token of a pending challenge.
 */
export const acmeChallenges =
  (answerTo: (token: string) => Promise<string | undefined>): FastifyPluginAsync =>
  async (server) => {
    server.get<{ Params: { token: string } }>(
      '/.well-known/acme-challenge/:token',
      { schema: { hide: true } },
      async (request, reply) => {
        const { token } = request.params
        const answer = /^[\w-]{22,200}$/.test(token) ? await answerTo(token) : undefined
        if (answer === undefined)
          throw new Problem('not_found', 'There is no pending challenge with this token.')
        reply.type('application/octet-stream')
        return answer
      },
    )
  }

/** Maximum length of a host name in the DNS (RFC 1035 §2.3.4). */
const MAX_HOST = 253

/**
 * Serves the MTA-STS policies of inbound hosts at their policy hosts `mta-sts.<host>`. Any other host gets status 404.
 *
 * @param mx mail host of this installation, which all policies name
 */
export const inboundPolicies =
  (read: Read, mx: string): FastifyPluginAsync =>
  async (server) => {
    server.get('/.well-known/mta-sts.txt', { schema: { hide: true } }, async (request, reply) => {
      const host = request.hostname.length <= MAX_HOST ? inboundHostOf(request.hostname) : undefined
      const mode = host === undefined ? undefined : await reading(findInboundMtaSts(read, host))
      const policy = mode === undefined ? undefined : inboundPolicy(mode, mx)
      if (policy === undefined) {
        throw new Problem(
          'not_found',
          'This host has no MTA-STS policy; the setting mta_sts of a domain adds one.',
        )
      }
      reply.type('text/plain; charset=utf-8').header('cache-control', 'no-cache')
      return policy
    })
  }
