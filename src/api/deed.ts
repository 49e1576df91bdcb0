// What a request changes, as a deed for the audit log: of a person, of a key, of the operator's token.

import type { FastifyRequest } from 'fastify'
import { asDeed, type Deed } from '../access/audit.ts'
import type { Clock } from '../lib/clock.ts'
import type { Store } from '../store/store.ts'
import type { Route } from './route.ts'

type Doer = Pick<Deed, 'accountId' | 'userId' | 'actor'>

/** Where deeds are logged, and the time. */
export interface AuditResources {
  readonly store: Store
  readonly clock: Clock
}

/** The endpoint's work as a deed; what it is done to is the last name in the path, or what is written. */
export function loggedHandler(
  handler: Route['handler'],
  action: string,
  doerOf: (request: FastifyRequest) => Doer,
  { store, clock }: AuditResources,
): Route['handler'] {
  return (request, reply) => {
    const { domain_id: domainId, ...names } = request.params as Record<string, string>
    const deed: Deed = {
      ...doerOf(request),
      action,
      at: clock.now(),
      address: request.ip,
      target: Object.values(names).at(-1)?.slice(0, 400),
      within: domainId,
      detail: request.domain === null ? {} : { domain: request.domain.name },
    }
    return asDeed(
      deed,
      store,
      () => handler(request, reply),
      () => reply.statusCode < 400,
    )
  }
}

/** Who is logged in; nobody where a login is not needed. */
export const personOf = ({ session }: FastifyRequest): Doer => ({
  accountId: session?.account_id,
  userId: session?.user_id,
  actor: session?.email ?? '',
})

/** The key that asks. */
export const keyOf = ({ credential }: FastifyRequest): Doer => ({
  accountId: credential?.account_id,
  actor: `key ${credential?.name} (…${credential?.last4})`,
})

export const operatorOf = (): Doer => ({ accountId: null, actor: "the operator's token" })

const VERBS = { POST: 'create', PUT: 'save', PATCH: 'change', DELETE: 'delete', GET: 'read' } as const

/** `template.save` of `PUT /v1/templates/:id_or_alias`, `message.cancel` of `POST /v1/messages/:message_id/cancel`. */
export function actionOf({ method, url }: Pick<Route, 'method' | 'url'>): string {
  const [noun = '', ...more] = url
    .replace(/^\/v1\/(operator\/)?/, '')
    .split('/')
    .filter((part) => part !== '' && !part.startsWith(':'))
  return `${noun.replace(/s$/, '')}.${more.join('.') || VERBS[method]}`
}

/**
 * Whether a key's use of an endpoint is logged: changes to the workspace are. Sending and verifying are not, since
 * every message and list tells its key itself.
 */
export const isLoggedOfKeys = ({ method, url, changesNothing = method === 'GET' }: Route): boolean =>
  !changesNothing && /^\/v1\/(templates|layouts|streams|suppressions)/.test(url)
