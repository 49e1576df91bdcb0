// The caller of a verification endpoint, whose account has to be active.

import type { FastifyRequest } from 'fastify'
import { Problem } from '../../model/problem.ts'
import { type Caller, callerOf } from '../caller.ts'

/** Returns the caller of a verifying request. Throws `account_suspended`. */
export function verifierOf(request: FastifyRequest): Caller {
  const caller = callerOf(request)
  if (caller.accountStatus === 'suspended') {
    throw new Problem('account_suspended', 'The account is suspended; ask the operator of this installation.')
  }
  return caller
}
