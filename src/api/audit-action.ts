// Runs a request as an audit action of a user, of a key, or of the operator's token.

import type { FastifyRequest } from 'fastify'
import { type AuditAction, runAuditAction } from '../access/audit.ts'
import type { Clock } from '../lib/clock.ts'
import type { Store } from '../store/database/store.ts'
import type { Domain } from '../store/domains/domain-rows.ts'
import { paramsOf, type Route } from './route.ts'

/** The actor; an actor without an `address` acts from the address of the request. */
type Actor = Pick<AuditAction, 'accountId' | 'userId' | 'actor'> & Partial<Pick<AuditAction, 'address'>>

/** Store with the audit log, and the clock. */
export interface AuditResources {
  readonly store: Store
  readonly clock: Clock
}

/**
 * Wraps a handler so that it runs as an audit action, if the endpoint has an action name. The target of the action is
 * the last parameter of the path, or the written object.
 */
export function auditedHandler(
  { handler, audit: action }: Pick<Route, 'handler' | 'audit'>,
  actorOf: (request: FastifyRequest) => Actor,
  { store, clock }: AuditResources,
): Route['handler'] {
  if (action === undefined || action === false) return handler
  return (request, reply) => {
    const { domain_id: _, domain: __, ...names } = paramsOf(request)
    const domain = domainOfAction(request)
    const described: AuditAction = {
      address: request.ip,
      ...actorOf(request),
      action,
      at: clock.now(),
      target: Object.values(names).at(-1)?.slice(0, 400),
      within: domain?.id,
      detail: domain === undefined ? {} : { domain: domain.name },
    }
    return runAuditAction(
      described,
      store,
      () => handler(request, reply),
      () => reply.statusCode < 400,
    )
  }
}

/**
 * Returns the domain of an action: the domain in the path, or the domain that the request of a management key works in.
 * The domain of a Sending key follows from the key.
 */
function domainOfAction({ domain, caller }: FastifyRequest): Pick<Domain, 'id' | 'name'> | undefined {
  if (domain !== null) return domain
  const { sender, key } = caller ?? {}
  if (key?.kind !== 'management' || sender === undefined) return undefined
  return { id: sender.domainId, name: sender.domainName }
}

/**
 * Returns the key or the user of the request as the actor of an audit action; undefined account and user if the request
 * has no caller.
 */
export const callerAsActor = ({ caller }: FastifyRequest): Actor => ({
  accountId: caller?.accountId,
  userId: caller?.userId,
  actor: caller?.name ?? '',
})

/** Returns the key of the request, or the operator's token, as the actor of an audit action of the operator. */
export const operatorOf = (request: FastifyRequest): Actor =>
  request.caller === null ? { accountId: null, actor: "the operator's token" } : callerAsActor(request)
