// A caller: the key or the person behind a request, and what the endpoints need to know of either.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Limited } from '../access/credential-rates.ts'
import type { LiveSession } from '../access/sessions.ts'
import type { Credential } from '../store/access/keys.ts'
import type { Domain } from '../store/domains/domains.ts'
import { type Sender, senderOf } from '../submission/authorize.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the door once it knows; null for strangers and for the operator's token. */
    caller: Caller | null
    /** Admitted the caller; null where nobody had to. */
    callerCheck: CallerCheck | null
  }
}

/**
 * Admits the callers of many requests. Nothing is made for each of them: a closure made there would hold the garbage of
 * one request and the next together (bench/README.md).
 */
export interface CallerCheck {
  /** Asks again, later in a long answer, whether the caller may still make this request. */
  isStillAdmitted(request: FastifyRequest): Promise<boolean>
}

export interface Caller {
  /** Of the key or the user: the author of what is written. */
  readonly id: string
  readonly accountId: string
  readonly accountStatus: Credential['account_status']
  /** Its domain and the limits of its account, for sending. Undefined outside of a domain. */
  readonly sender: Sender | undefined
  /** By what its requests and messages are counted. */
  readonly limits: Limited
  /** In the words of the audit log. */
  readonly name: string
  /** Null for a key. */
  readonly userId: string | null
}

/** Has each request of a server carry its caller, and what a session adds to that. Call it before any route is added. */
export function decorateCallers(server: FastifyInstance): void {
  for (const name of ['caller', 'callerCheck', 'session', 'domain']) server.decorateRequest(name, null)
}

/** The caller of a key: the same for all requests, as long as the credential is remembered. */
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
 * Makes the caller of a session, within a domain of the account where the request names one. A user has no rate limit
 * of their own and is counted by those of the installation.
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

/** The caller of a route that wants one. */
export function callerOf({ caller }: FastifyRequest): Caller {
  if (caller === null) throw new Error('this route has no caller')
  return caller
}

/** The sender behind a request in a domain: of a Sending key, or of a person under `/api/domains/:domain_id`. */
export function senderOfRequest({ caller }: FastifyRequest): Sender {
  if (caller?.sender === undefined) throw new Error('this route has no sender')
  return caller.sender
}
