// Responds to HTTP-01 challenges (RFC 8555 §8.3), by which a certificate authority verifies control of a host name.

import type { FastifyPluginAsync } from 'fastify'
import { Problem } from '../model/problem.ts'

/**
 * Serves responses to HTTP-01 challenges; `answerTo` returns the key authorization for a token of a pending challenge.
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
