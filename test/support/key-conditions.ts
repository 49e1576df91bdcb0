// Credentials in every condition: each kind, each scope alone, all other scopes, another network, expired, revoked,
// rotated, of another domain, of a suspended account, and of the operating account.

import { createKey, type NewKey, rotateKey } from '../../src/access/keys.ts'
import { ALL_SCOPES, isOfOperator, kindMayHave, type Scope, USUAL_SCOPES } from '../../src/access/scopes.ts'
import { systemClock } from '../../src/lib/clock.ts'
import type { KeyKind } from '../../src/model/key-kind.ts'
import { listAccounts } from '../../src/store/access/accounts.ts'
import { changeKey, revokeKey } from '../../src/store/access/keys.ts'
import type { TestApp } from './app.ts'
import { USUAL_MANAGEMENT_SCOPES } from './keys.ts'
import type { Everything } from './one-of-everything.ts'

/** Networks without the address of the tests. */
export const OTHER_NETWORKS = ['192.0.2.0/24']
/** Rate of the keys, which make many requests. */
const RATE = '100000/s'
const KINDS = ['sending', 'verification', 'management'] as const

/** Status and code of a refusal. */
export type Refusal = `${number} ${string}`
export const UNKNOWN: Refusal = '401 authentication_failed'
const WRONG_NETWORK: Refusal = '403 network_not_permitted'

/** A domain with one object of every kind. */
export interface Home {
  readonly accountId: string
  readonly domainId: string
  readonly domain: string
  readonly names: Everything
}

/** A credential in one condition. */
export interface KeyCaller {
  readonly name: string
  readonly kind: KeyKind
  readonly headers: Readonly<Record<string, string>>
  readonly scopes: readonly Scope[]
  readonly home: Home
  /** Refusal of every request; undefined if the scopes of the credential decide. */
  readonly refused?: Refusal
  /** True for an SMTP password as Basic authentication, which only endpoints for any credential accept. */
  readonly basic?: boolean
  /** Only scope whose endpoints are called; undefined for all endpoints. */
  readonly only?: Scope
  /** Names of objects in another domain of the account, for a credential that works on `home` only. */
  readonly elsewhere?: Everything
  /** True for a key of several domains, which names the domain of a change. */
  readonly several?: boolean
  /** True for a key of the operating account, which may have the scopes of the operator. */
  readonly operates?: boolean
}

/** Domains of the callers: two of one account, and one of another account, which the test suspends. */
interface Homes {
  readonly app: TestApp
  readonly own: Home
  readonly sibling: Home
  readonly idle: Home
}

/** Returns a caller for each condition of a credential. */
export async function keyConditions(homes: Homes): Promise<KeyCaller[]> {
  const groups = [usualCallers, singleScopes, allButOne, invalid, ofSuspendedAccount, ofOperatingAccount]
  const callers: KeyCaller[] = []
  for (const group of groups) callers.push(...(await group(homes)))
  return callers
}

/** Creates a key of a kind, in the domain of `home`. */
export function newKeyAt({ store }: TestApp, kind: KeyKind, home: Home, wanted: Partial<NewKey> = {}) {
  const domainId = kind === 'sending' || kind === 'smtp' ? home.domainId : null
  const scopes = kind === 'management' ? { scopes: USUAL_MANAGEMENT_SCOPES, grants: [] } : {}
  const fields = { accountId: home.accountId, name: kind, rate: RATE, kind, domainId, ...scopes }
  return createKey({ store, clock: systemClock }, { ...fields, ...wanted })
}

/**
 * Creates an expired, a revoked and a rotated key of a kind; the secret of the rotated key is the secret before the
 * rotation, whose overlap has ended.
 */
export async function endedKeys(app: TestApp, kind: KeyKind, home: Home) {
  const expired = await newKeyAt(app, kind, home)
  const revoked = await newKeyAt(app, kind, home)
  const rotated = await newKeyAt(app, kind, home)
  const now = Date.now()
  const of = ({ id }: { readonly id: string }) => ({ accountId: home.accountId, id, now })
  await app.store.write(changeKey, { ...of(expired.key), changes: { expires_at: now } })
  await app.store.write(revokeKey, of(revoked.key))
  const present = await rotateKey({ store: app.store, clock: systemClock }, rotated.key, 1)
  return { expired, revoked, rotated, present }
}

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
const basicLogin = (username: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
})

const usualScopes = (kind: KeyKind): readonly Scope[] =>
  kind === 'management' ? USUAL_MANAGEMENT_SCOPES : USUAL_SCOPES[kind]

async function callerOf(
  app: TestApp,
  name: string,
  kind: KeyKind,
  home: Home,
  wanted: Partial<NewKey> = {},
): Promise<KeyCaller> {
  const { secret } = await newKeyAt(app, kind, home, wanted)
  return { name, kind, scopes: wanted.scopes ?? usualScopes(kind), home, headers: bearer(secret) }
}

/** Returns callers without a key, with a key of each kind, and with keys of another domain. */
async function usualCallers({ app, own, sibling }: Homes): Promise<KeyCaller[]> {
  const none = { kind: 'management', scopes: [], home: own, refused: UNKNOWN } as const
  const smtp = await newKeyAt(app, 'smtp', own)
  const login = { kind: 'smtp', scopes: [], home: own, basic: true } as const
  const narrow = { domainIds: [own.domainId] }
  const other = { domainIds: [sibling.domainId] }
  const ofDomain = async (caller: Promise<KeyCaller>, { names: elsewhere }: Home) => ({
    ...(await caller),
    elsewhere,
  })
  return [
    { ...none, name: 'no key', headers: {} },
    { ...none, name: 'an unknown key', headers: bearer(`manage_${'x'.repeat(43)}`) },
    { ...none, name: 'the ID of a key', headers: bearer(own.names.key_id ?? '') },
    { ...none, name: 'an SMTP password', headers: bearer(smtp.secret) },
    { ...login, name: 'an SMTP credential', headers: basicLogin(smtp.key.id, smtp.secret) },
    await callerOf(app, 'a Verification key', 'verification', own),
    { ...(await callerOf(app, 'a management key', 'management', own)), several: true },
    await ofDomain(callerOf(app, 'a Sending key', 'sending', own), sibling),
    await ofDomain(callerOf(app, 'a key of one domain', 'management', own, narrow), sibling),
    await ofDomain(callerOf(app, 'another Sending key', 'sending', sibling), own),
    await ofDomain(callerOf(app, 'a key of another domain', 'management', sibling, other), own),
  ]
}

/** Returns a key for each scope that a kind may have. */
async function singleScopes({ app, own }: Homes): Promise<KeyCaller[]> {
  const found: KeyCaller[] = []
  for (const kind of KINDS) {
    for (const scope of ALL_SCOPES.filter((one) => kindMayHave(kind, one))) {
      const caller = await callerOf(app, `a ${kind} key with ${scope}`, kind, own, { scopes: [scope] })
      found.push({ ...caller, several: kind === 'management' })
    }
  }
  return found
}

/** Returns a key without each scope, which has all other scopes. */
async function allButOne({ app, own }: Homes): Promise<KeyCaller[]> {
  const found: KeyCaller[] = []
  for (const kind of KINDS) {
    for (const only of ALL_SCOPES.filter((one) => kindMayHave(kind, one))) {
      const scopes = usualScopes(kind).filter((scope) => scope !== only)
      const caller = await callerOf(app, `a ${kind} key without ${only}`, kind, own, { scopes })
      found.push({ ...caller, only })
    }
  }
  return found
}

/** Returns keys that are expired, revoked, rotated, or used from another network. */
async function invalid({ app, own }: Homes): Promise<KeyCaller[]> {
  const found: KeyCaller[] = []
  for (const kind of [...KINDS, 'smtp'] as const) {
    const networks = await newKeyAt(app, kind, own, { networks: OTHER_NETWORKS })
    const { expired, revoked, rotated } = await endedKeys(app, kind, own)
    const basic = kind === 'smtp'
    for (const [condition, { key, secret }, refused] of [
      ['of another network', networks, WRONG_NETWORK],
      ['that is expired', expired, UNKNOWN],
      ['that is revoked', revoked, UNKNOWN],
      ['that was rotated', rotated, UNKNOWN],
    ] as const) {
      const headers = basic ? basicLogin(key.id, secret) : bearer(secret)
      const name = `a ${kind} key ${condition}`
      found.push({ ...{ name, kind, headers, refused, basic }, scopes: usualScopes(kind), home: own })
    }
  }
  return found
}

/** Returns keys of the account that the test suspends. */
const ofSuspendedAccount = ({ app, idle }: Homes): Promise<KeyCaller[]> =>
  Promise.all(KINDS.map((kind) => callerOf(app, `a ${kind} key of a suspended account`, kind, idle)))

/** Returns keys of the operating account: for each scope of the operator, with this scope only, and without it. */
async function ofOperatingAccount({ app, own }: Homes): Promise<KeyCaller[]> {
  const [first] = await listAccounts(app.store.read)
  const home = { ...own, accountId: first?.id ?? '' }
  const found: KeyCaller[] = []
  for (const only of ALL_SCOPES.filter(isOfOperator)) {
    const others = { scopes: ALL_SCOPES.filter((one) => one !== only) }
    const single = { scopes: [only] }
    const withOnly = await callerOf(app, `an operator’s key with ${only}`, 'management', home, single)
    const without = await callerOf(app, `an operator’s key without ${only}`, 'management', home, others)
    found.push({ ...withOnly, operates: true }, { ...without, operates: true, only })
  }
  return found
}
