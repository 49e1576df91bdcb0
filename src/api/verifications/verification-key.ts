// Who may verify: the holder of a Verification API key whose account is active.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../../model/problem.ts'
import type { Credential } from '../../store/keys.ts'

/** 403 for a key of the other kind. Runs before the request is checked (contract §1). */
export function requireVerificationKey(
  request: FastifyRequest,
  _reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  const permitted = request.credential?.kind === 'verification'
  done(
    permitted
      ? undefined
      : new Problem(
          'key_kind_not_permitted',
          'This needs a Verification API key (verify_…); a Sending key cannot verify addresses.',
        ),
  )
}

/** The credential behind a request that `requireVerificationKey` let through. Throws `account_suspended`. */
export function verifierOf(request: FastifyRequest): Credential {
  const { credential } = request
  if (credential === null) throw new Error('this route has no credential')
  if (credential.account_status === 'suspended') {
    throw new Problem('account_suspended', 'The account is suspended; ask who runs this service.')
  }
  return credential
}
