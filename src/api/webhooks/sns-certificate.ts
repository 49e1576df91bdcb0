// GET /SimpleNotificationService-….pem: the certificate that receivers of webhooks in the format ses verify signatures with.

import type { FastifyPluginAsync } from 'fastify'
import { Problem } from '../../model/problem.ts'
import type { SnsSigner } from '../../webhooks/sns-signer.ts'

interface OfCertificate {
  Params: { readonly digest: string }
}

/** Adds the certificate. It is public, and never another one under its name. */
export const snsCertificate =
  (sns: SnsSigner): FastifyPluginAsync =>
  async (server) => {
    server.get<OfCertificate>(
      '/SimpleNotificationService-:digest.pem',
      { schema: { hide: true } },
      async (request, reply) => {
        const name = `SimpleNotificationService-${request.params.digest}.pem`
        const certificate = await sns.certificate(name)
        if (certificate === undefined) throw new Problem('not_found', 'There is no such certificate.')
        return reply
          .type('application/x-pem-file')
          .header('cache-control', 'public, max-age=86400')
          .header('x-content-type-options', 'nosniff')
          .send(certificate)
      },
    )
  }
