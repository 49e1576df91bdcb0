// Caller of a request, which is a key or a user, with the rights and the data that endpoints need of either kind.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Limited, MANAGEMENT_RATE } from '../access/credential-rates.ts'
import type { Credential } from '../access/credentials.ts'
import type { Inviter } from '../access/invitations.ts'
import type { Rights } from '../access/key-rights.ts'
import { type Scope, scopesOfRole } from '../access/scopes.ts'
import type { LiveSession } from '../access/sessions.ts'
import { parseRate } from '../lib/rate-limiter.ts'
import { BY_COMMAND_LINE, BY_OPERATOR, COMMAND_LINE } from '../model/key-kind.ts'
import { isOperator, type Role } from '../model/role.ts'
import type { Account } from '../store/access/accounts.ts'
import type { KeyDomain } from '../store/access/key-reads.ts'
import { type Sender, senderOf } from '../submission/authorize.ts'
import { scopeRefused } from './scope-refusal.ts'

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
  readonly accountName: string
  readonly accountStatus: Credential['account_status']
  /** Domain of the request and the limits of its account, for sending; undefined outside a domain. */
  readonly sender: Sender | undefined
  /** Credential or user against which requests and messages are counted. */
  readonly limits: Limited
  /** Name of the caller in the audit log. */
  readonly name: string
  /** ID of the user; null for a key. */
  readonly userId: string | null
  /** Role of the user, `owner` for the command line of the machine; null for a key. */
  readonly role: Role | null
  /** Scopes of the key, or of the role of the user. */
  readonly scopes: ReadonlySet<Scope>
  /** IDs of the domains that the caller may work on; null for every domain of the account. */
  readonly domains: ReadonlySet<string> | null
  /** `test` for a key whose mail never leaves the installation. */
  readonly mode: Credential['mode']
  /** The key, or what stands for it on the command line; undefined for a user. */
  readonly key: Credential | undefined
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
      accountName: key.account_name,
      accountStatus: key.account_status,
      sender: senderOf(key, key.permittedRecipients),
      limits: key,
      name: nameOfKey(key),
      userId: null,
      role: null,
      scopes: key.scopes,
      domains: domainsOf(key),
      mode: key.mode,
      key,
    }
    callers.set(key, caller)
  }
  return caller
}

const callers = new WeakMap<Credential, Caller>()

/** True for the command line of the machine. */
export const isCommandLine = ({ id }: Pick<Caller, 'id'>): boolean => id === BY_COMMAND_LINE

/** Origins of web pages that may use the command line: none. */
const NO_ORIGINS: ReadonlySet<string> = new Set([])

/** Account in which the command line works, with its domains. */
export interface CommandLineAccount {
  readonly account: Account
  /** True if the account operates the installation. */
  readonly operates: boolean
  readonly domains: readonly KeyDomain[]
}

/**
 * Returns the caller of a command on the machine, which has every right of an owner. Without an account, the command
 * works on the installation and has the scopes of an operator.
 */
export function callerOfCommandLine(within: CommandLineAccount | undefined): Caller {
  const { account, domains = [] } = within ?? {}
  const scopes = scopesOfRole(within?.operates === false ? 'owner' : 'operator')
  const none = { ...{ domain_id: null, domain_name: null, domain_status: null, domain_deleted_at: null } }
  const key: Credential = {
    ...{ ...none, id: BY_COMMAND_LINE, kind: 'management', name: COMMAND_LINE, mode: 'live', last4: '' },
    account_id: account?.id ?? '',
    account_name: account?.name ?? '',
    account_status: account?.status ?? 'active',
    sending_allowance: account?.sending_allowance ?? null,
    stored_bytes_limit: account?.stored_bytes_limit ?? null,
    operating_account_id: null,
    ...{ scopes, grants: scopes, every_domain: 1, rate: null, networks: null, recipients: null },
    ...{ permittedNetworks: null, permittedRecipients: null, created_by: null, created_at: 0 },
    ...{ last_used_at: null, last_used_from: null, expires_at: null, revoked_at: null },
    ...{ previous_until: null, secretUntil: null, used_networks: '[]' },
    ...{ origins: NO_ORIGINS, inbox_id: null },
    managed: new Map(domains.map((domain) => [domain.id, domain])),
  }
  // The caller is found again for each domain of a request (`callerInDomain`).
  const caller: Caller = { ...callerOfKey(key), name: COMMAND_LINE, role: 'owner' }
  callers.set(key, caller)
  return caller
}

/** Returns the name of a key in the audit log. */
const nameOfKey = ({ name, last4 }: Pick<Credential, 'name' | 'last4'>): string => `key ${name} (…${last4})`

const domainsOf = ({ kind, every_domain, domain_id, managed }: Credential): Caller['domains'] => {
  if (kind === 'management') return every_domain === 1 ? null : new Set(managed.keys())
  return new Set(domain_id === null ? [] : [domain_id])
}

/**
 * Returns the caller of a management key within one of its domains; the same object for all requests while the
 * credential is cached.
 */
export function callerInDomain(key: Credential, { id, name, status }: KeyDomain): Caller {
  let byDomain = callersInDomains.get(key)
  if (byDomain === undefined) {
    byDomain = new Map()
    callersInDomains.set(key, byDomain)
  }
  let caller = byDomain.get(id)
  if (caller?.sender?.domainStatus !== status) {
    const inDomain = { ...key, domain_id: id, domain_name: name, domain_status: status }
    caller = { ...callerOfKey(key), sender: senderOf(inDomain, key.permittedRecipients) }
    byDomain.set(id, caller)
  }
  return caller
}

const callersInDomains = new WeakMap<Credential, Map<string, Caller>>()

/**
 * Returns the caller of a session, within a domain of the account if the request names one. A user has no rate limit of
 * their own and counts against the limits of the installation.
 */
export function callerOfPerson(session: LiveSession, domain: KeyDomain | null): Caller {
  const { user_id: id, account_id, account_status, sending_allowance, stored_bytes_limit, email } = session
  const fields = {
    ...{ id, account_id, account_status, sending_allowance, stored_bytes_limit },
    domain_id: domain?.id ?? null,
    domain_name: domain?.name ?? null,
    domain_status: domain?.status ?? null,
    inbox_id: null,
  }
  return {
    id,
    accountId: account_id,
    accountName: session.account_name,
    accountStatus: account_status,
    sender: senderOf(fields, null),
    limits: { id, kind: domain === null ? 'verification' : 'sending', rate: null },
    name: email,
    userId: id,
    role: session.role,
    scopes: scopesOfRole(isOperator(session) ? 'operator' : session.role),
    domains: null,
    mode: 'live',
    key: undefined,
  }
}

/** Returns the caller of a request whose route requires a caller. */
export function callerOf({ caller }: FastifyRequest): Caller {
  if (caller === null) throw new Error('this route has no caller')
  return caller
}

/**
 * Returns the sender of a request: the domain of a Sending key, the domain that the request of a management key names,
 * or the domain in the path under `/api/domains/:domain_id`.
 */
export function senderOfRequest({ caller }: FastifyRequest): Sender {
  if (caller?.sender === undefined) throw new Error('this route has no sender')
  return caller.sender
}

/** Returns the rights of a caller, beyond which no key that the caller creates may go. */
export function rightsOf({ scopes, domains, key, role }: Caller): Rights {
  const limit = key?.kind === 'management' && role === null ? MANAGEMENT_RATE : null
  return {
    ...{ scopes, domains },
    grants: key?.grants ?? new Set(),
    networks: key?.networks ?? null,
    recipients: key?.recipients ?? null,
    expiresAt: key?.expires_at ?? null,
    rate: key?.rate == null ? limit : (parseRate(key.rate) ?? limit),
  }
}

/** Returns the role of a user; `admin` for a key, because no key changes an owner. */
export const highestRole = ({ role }: Pick<Caller, 'role'>): Role => role ?? 'admin'

/**
 * Returns the caller as the sender of an invitation. Operators, and keys that the operator creates for an account, may
 * learn about logins in other accounts.
 */
export const inviterOf = (caller: Caller): Inviter => ({
  id: caller.id,
  accountId: caller.accountId,
  accountName: caller.accountName,
  accountStatus: caller.accountStatus,
  email: caller.userId === null ? null : caller.name,
  role: caller.role,
  seesAccounts:
    caller.scopes.has('accounts:write') || isCommandLine(caller) || caller.key?.created_by === BY_OPERATOR,
})

/** Throws `scope_not_permitted` if the caller lacks a scope that only a part of an endpoint needs. */
export function requireScope(request: FastifyRequest, scope: Scope): void {
  const caller = callerOf(request)
  if (!caller.scopes.has(scope)) throw scopeRefused(caller, scope)
}
