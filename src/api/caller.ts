// A caller: the key or the user of a request, with the data that endpoints need of either.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Limited } from '../access/credential-rates.ts'
import type { LiveSession } from '../access/sessions.ts'
import type { Credential } from '../store/access/keys.ts'
import type { Domain } from '../store/domains/domains.ts'
import { type Sender, senderOf } from '../submission/authorize.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by authentication; null for strangers and for the operator's token. */
    caller: Caller | null
    /** The check that admitted the caller; null if none was needed. */
    callerCheck: CallerCheck | null
  }
}

/**
 * Admits the callers of many requests. It creates no closure for each request, which would keep the garbage of one
 * request alive with the next (bench/README.md).
 */
export interface CallerCheck {
  /** Checks again, later in a long answer, whether the caller may still make this request. */
  isStillAdmitted(request: FastifyRequest): Promise<boolean>
}

export interface Caller {
  /** ID of the key or the user, the author of written objects. */
  readonly id: string
  readonly accountId: string
  readonly accountStatus: Credential['account_status']
  /** Domain of the caller and the limits of its account, for sending. Undefined outside a domain. */
  readonly sender: Sender | undefined
  /** Limits by which requests and messages are counted. */
  readonly limits: Limited
  /** Name in the audit log. */
  readonly name: string
  /** Null for a key. */
  readonly userId: string | null
}

/** Adds the caller, and the data of a session, to each request of a server. Called before any route is added. */
export function decorateCallers(server: FastifyInstance): void {
  for (const name of ['caller', 'callerCheck', 'session', 'domain']) server.decorateRequest(name, null)
}

/** Returns the caller of a key, the same object for all requests while the credential is cached. */
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
 * Returns the caller of a session, within a domain of the account if the request names one. A user has no rate limit
 * and counts against those of the installation.
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

/** Returns the caller of a route that needs one. */
export function callerOf({ caller }: FastifyRequest): Caller {
  if (caller === null) throw new Error('this route has no caller')
  return caller
}

/** Returns the sender of a request in a domain: of a Sending key, or of a user under `/api/domains/:domain_id`. */
export function senderOfRequest({ caller }: FastifyRequest): Sender {
  if (caller?.sender === undefined) throw new Error('this route has no sender')
  return caller.sender
}
