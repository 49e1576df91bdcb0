// Checks that the caller of a verification endpoint belongs to an active account.

import type { FastifyRequest } from 'fastify'
import { Problem } from '../../model/problem.ts'
import { type Caller, callerOf } from '../caller.ts'

/** Returns the caller of a verification request. Throws `account_suspended`. */
export function verifierOf(request: FastifyRequest): Caller {
  const caller = callerOf(request)
  if (caller.accountStatus === 'suspended') {
    throw new Problem('account_suspended', 'The account is suspended; ask the operator of this installation.')
  }
  return caller
}
