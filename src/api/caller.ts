// Caller of a request, which is a key or a user, with the data that endpoints need of either kind.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Limited } from '../access/credential-rates.ts'
import type { LiveSession } from '../access/sessions.ts'
import type { Credential } from '../store/access/keys.ts'
import type { Domain } from '../store/domains/domains.ts'
import { type Sender, senderOf } from '../submission/authorize.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Caller set by the authentication; null for an unauthenticated client and for the operator's token. */
    caller: Caller | null
    /** Check that admitted the caller; null if no check was needed. */
    callerCheck: CallerCheck | null
  }
}

/**
 * Admits the callers of many requests. One object serves all requests, since a closure per request would keep the
 * garbage of one request alive with the next (bench/README.md).
 */
export interface CallerCheck {
  /** Checks again, during a long response, whether the caller may still make the request. */
  isStillAdmitted(request: FastifyRequest): Promise<boolean>
}

export interface Caller {
  /** ID of the key or the user, stored as the author of written objects. */
  readonly id: string
  readonly accountId: string
  readonly accountStatus: Credential['account_status']
  /** Domain of the caller and the limits of its account, for sending; undefined outside a domain. */
  readonly sender: Sender | undefined
  /** Credential or user against which requests and messages are counted. */
  readonly limits: Limited
  /** Name of the caller in the audit log. */
  readonly name: string
  /** ID of the user; null for a key. */
  readonly userId: string | null
}

/**
 * Adds properties for the caller, the session and the domain to each request of a server. Must be called before any
 * route is added.
 */
export function decorateCallers(server: FastifyInstance): void {
  for (const name of ['caller', 'callerCheck', 'session', 'domain']) server.decorateRequest(name, null)
}

/** Returns the caller of a key; the same object for all requests while the credential is cached. */
export function callerOfKey(key: Credential): Caller {
  let caller = callers.get(key)
  if (caller === undefined) {
    caller = {
      id: key.id,
      accountId: key.account_id,
      accountStatus: key.account_status,
      sender: senderOf(key),
      limits: key,
      name: `key ${key.name} (…${key.last4})`,
      userId: null,
    }
    callers.set(key, caller)
  }
  return caller
}

const callers = new WeakMap<Credential, Caller>()

/**
 * Returns the caller of a session, within a domain of the account if the request names one. A user has no rate limit of
 * their own and counts against the limits of the installation.
 */
export function callerOfPerson(session: LiveSession, domain: Domain | null): Caller {
  const { user_id: id, account_id, account_status, sending_allowance, stored_bytes_limit, email } = session
  return {
    id,
    accountId: account_id,
    accountStatus: account_status,
    sender: senderOf({
      ...{ id, account_id, account_status, sending_allowance, stored_bytes_limit },
      domain_id: domain?.id ?? null,
      domain_name: domain?.name ?? null,
      domain_status: domain?.status ?? null,
    }),
    limits: { id, kind: domain === null ? 'verification' : 'sending', rate: null },
    name: email,
    userId: id,
  }
}

/** Returns the caller of a request whose route requires a caller. */
export function callerOf({ caller }: FastifyRequest): Caller {
  if (caller === null) throw new Error('this route has no caller')
  return caller
}

/**
 * Returns the sender of a request: the domain of a Sending key, or the domain in the path under
 * `/api/domains/:domain_id`.
 */
export function senderOfRequest({ caller }: FastifyRequest): Sender {
  if (caller?.sender === undefined) throw new Error('this route has no sender')
  return caller.sender
}
