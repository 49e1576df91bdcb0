// Refuses a caller without the scope of an endpoint.

import type { FastifyRequest } from 'fastify'
import { isOfOperator, kindMayHave, SCOPES, type Scope } from '../access/scopes.ts'
import type { KeyKind } from '../model/key-kind.ts'
import { Problem } from '../model/problem.ts'

/**
 * Scopes of a Sending key that a test credential cannot use: they change what happens to live mail, or read whom the
 * account may not write to.
 */
const NOT_FOR_TESTS: ReadonlySet<Scope> = new Set([
  'suppressions:read',
  'suppressions:write',
  'webhooks:read',
  'webhooks:write',
  'erasures:write',
  'incidents:write',
])

/** True if a test credential may use the scope. */
const isForTests = (scope: Scope | 'any-credential'): boolean =>
  scope === 'any-credential' ||
  scope === 'inboxes:read' ||
  (kindMayHave('sending', scope) && !NOT_FOR_TESTS.has(scope))

/** Returns the problem for a test credential that may not do something. */
export const testRefused = (what: string): Problem =>
  new Problem('inbox_credential', `A test credential ${what}; use a live key.`)

/** A caller with its scopes; `key` is undefined for a user. */
interface Scoped {
  readonly scopes: ReadonlySet<Scope>
  readonly mode: 'live' | 'test'
  readonly key?: { readonly kind: KeyKind } | undefined
}

/** Refusals for a key of the wrong kind, by the kind of key that has the scope by default. */
const WRONG_KIND = {
  sending:
    'This needs a Sending API key (send_…) or a management key (manage_…); a Verification key cannot send or read mail.',
  verification:
    'This needs a Verification API key (verify_…) or a management key (manage_…); a Sending key cannot verify addresses.',
  management: 'This needs a management key (manage_…) with the scope',
} as const

/** Returns the problem for a caller without a scope: its key is of the wrong kind, or lacks the scope. */
export function scopeRefused({ key, scopes, mode }: Scoped, scope: Scope): Problem {
  if (mode === 'test' && !isForTests(scope)) return testRefused(`cannot use ${scope}`)
  if (key !== undefined && !kindMayHave(key.kind, scope)) {
    const usual: readonly string[] = SCOPES[scope].usual
    if (usual.includes('sending')) return new Problem('key_kind_not_permitted', WRONG_KIND.sending)
    if (usual.includes('verification')) return new Problem('key_kind_not_permitted', WRONG_KIND.verification)
    return new Problem('key_kind_not_permitted', `${WRONG_KIND.management} ${scope}.`)
  }
  const has = scopes.size === 0 ? 'none' : [...scopes].join(', ')
  const who = isOfOperator(scope) ? 'a key or an owner of the operating account with the scope' : 'the scope'
  return new Problem('scope_not_permitted', `This needs ${who} ${scope}. Your key has: ${has}.`)
}

/**
 * Returns the problem for a caller that lacks the scope of the endpoint; undefined if the caller has the scope, or if the
 * endpoint requires no key.
 */
export function notPermitted({ routeOptions, caller }: FastifyRequest): Problem | undefined {
  const { scope, forPages = false } = routeOptions.config
  if (caller?.key?.kind === 'public' && !forPages) {
    return new Problem('key_kind_not_permitted', 'A public key (public_…) calls GET /v1/verifyEmail only.')
  }
  if (scope === undefined || caller === null || mayCall(caller, scope)) return undefined
  return scope === 'any-credential' ? undefined : scopeRefused(caller, scope)
}

/** True if the caller has the scope, or if the endpoint requires only a key. */
export const mayCall = ({ scopes, mode }: Scoped, scope: Scope | 'any-credential'): boolean =>
  (scope === 'any-credential' || scopes.has(scope)) && (mode === 'live' || isForTests(scope))
