// The owner of the objects of a whole account, for keys of every domain.

import type { FastifyRequest } from 'fastify'
import { Problem } from '../model/problem.ts'
import { type Owner, wholeAccount } from '../store/messages/owner.ts'
import { callerOf } from './caller.ts'

/**
 * Returns the owner of the objects of the caller's account. Throws `domain_not_permitted` for a key that works on some
 * domains only.
 *
 * @param objects beginning of the sentence of the refusal, such as `These suppressions apply to`
 */
export function wholeAccountOf(request: FastifyRequest, objects: string): Owner {
  const { accountId, domains } = callerOf(request)
  if (domains === null) return wholeAccount(accountId)
  throw new Problem(
    'domain_not_permitted',
    `${objects} every domain of the account, and this key works on some domains only; use a key of every domain.`,
  )
}
