// Authenticates the operator.

import { hash, timingSafeEqual } from 'node:crypto'
import type { onRequestHookHandler } from 'fastify'
import { Problem } from '../../model/problem.ts'
import { type Authentication, bearerToken } from '../authenticate.ts'

/**
 * 401 without the operator's token, counted like every failed authentication; 404 while there is none. Runs before
 * the body is read.
 */
export function operatorOnly(
  authentication: Authentication,
  token: string | undefined,
): onRequestHookHandler {
  if (token === undefined) {
    return (_request, _reply, done) =>
      done(new Problem('not_found', 'The operator API is off; POSTRIDER_OPERATOR_TOKEN turns it on.'))
  }
  // Hashes of one length: what the comparison takes tells nothing of the token.
  const wanted = hash('sha256', token, 'buffer')
  return (request, _reply, done) => {
    const given = hash('sha256', bearerToken(request) ?? '', 'buffer')
    done(timingSafeEqual(given, wanted) ? undefined : authentication.failure(request))
  }
}
