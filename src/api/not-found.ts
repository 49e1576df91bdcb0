// Answers to requests without an endpoint: nothing is at the address (404), or nothing with this method (405).

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../model/problem.ts'

/** Answers an address without endpoint in a way of its own; whether it did. */
export type Otherwise = (request: FastifyRequest, reply: FastifyReply) => boolean

/**
 * Answers 404 before any body is read, and 405 with `Allow` where other methods have an endpoint (RFC 9110 §15.5.6).
 * Call it before the endpoints are added.
 */
export function refuseUnknown(server: FastifyInstance, otherwise: Otherwise = () => false): void {
  const known: { readonly method: string; readonly pattern: RegExp }[] = []
  server.addHook('onRoute', ({ method, url }) => {
    const pattern = new RegExp(`^${url.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/:[^/]+/g, '[^/]+')}$`)
    for (const one of [method].flat()) known.push({ method: one, pattern })
  })
  const refuse = (request: FastifyRequest, reply: FastifyReply): Problem => {
    const [path = ''] = request.url.split('?', 1)
    const methods = known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
    if (methods.length === 0) return new Problem('not_found', 'There is nothing at this address.')
    const allowed = methods.join(', ')
    reply.header('allow', allowed)
    return new Problem(
      'method_not_allowed',
      `There is no ${request.method} at this address; it takes ${allowed}.`,
    )
  }
  server.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) done()
    else if (!otherwise(request, reply)) done(refuse(request, reply))
  })
}
