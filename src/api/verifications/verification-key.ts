// The caller of an endpoint of verification: its account has to be active.

import type { FastifyRequest } from 'fastify'
import { Problem } from '../../model/problem.ts'
import { type Caller, callerOf } from '../caller.ts'

/** The caller of a request that verifies. Throws `account_suspended`. */
export function verifierOf(request: FastifyRequest): Caller {
  const caller = callerOf(request)
  if (caller.accountStatus === 'suspended') {
    throw new Problem('account_suspended', 'The account is suspended; ask the operator of this installation.')
  }
  return caller
}
