// Tells the owners of an account what a person's change has given away or destroyed.

import type { LoginNotices } from '../../access/login-notices.ts'
import { paramsOf, type Route } from '../route.ts'
import { changedBy, type DashboardRoute } from './route.ts'

/**
 * Returns the handler of a route, followed by a notice where the consequence of the change is one for the owners. Changes of
 * access are told by their handlers, which know whom they affect.
 */
export function tellingOwners(
  { handler, consequence, audit }: Pick<DashboardRoute, 'handler' | 'consequence' | 'audit'>,
  notices: Pick<LoginNotices, 'tellOwners'>,
): Route['handler'] {
  if (consequence !== 'data' && consequence !== 'destruction') return handler
  return async (request, reply) => {
    // Named before the work: the domain may be gone afterwards.
    const { domain_id: _, ...names } = paramsOf(request)
    const where = request.domain === null ? 'the account' : request.domain.name
    const subject = [audit || request.url, ...Object.values(names), `of ${where}`].join(' ')
    const answer = await handler(request, reply)
    if (reply.statusCode < 400) notices.tellOwners({ ...changedBy(request), change: consequence, subject })
    return answer
  }
}
