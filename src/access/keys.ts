// Creates, changes and rotates API keys and SMTP credentials; a secret is shown once, and its hash is stored.

import { newId } from '../lib/ids.ts'
import { nearest } from '../lib/nearest.ts'
import { networkProblem } from '../lib/networks.ts'
import { parseRate } from '../lib/rate-limiter.ts'
import { BY_OPERATOR, type KeyKind } from '../model/key-kind.ts'
import { isRecipientPattern, MAX_RECIPIENT_PATTERNS } from '../model/permitted-recipients.ts'
import { type FieldProblem, Problem } from '../model/problem.ts'
import type { AuditEntry } from '../store/access/audit-log.ts'
import {
  type ChangeKey,
  changeKey as changeStored,
  createKey as insertKey,
  type JudgedRights,
  type Key,
  MAX_KEYS,
  rotateKey as rotateStored,
} from '../store/access/keys.ts'
import { nameProblems, type Resources } from './accounts.ts'
import { ALL_SCOPES, kindMayHave, type Scope, scopesOfPattern, USUAL_SCOPES, usualGrants } from './scopes.ts'
import { hashSecret, newSecret } from './secrets.ts'

/** Beginning of the secret of each kind of key; an SMTP password has none. */
const PREFIX = {
  sending: 'send_',
  verification: 'verify_',
  smtp: '',
  public: 'public_',
  management: 'manage_',
} as const

/** Returns the beginning of the secret of a key, which tells its kind and whether it is a test key. */
const prefixOf = ({ kind, mode }: Pick<Key, 'kind' | 'mode'>): string =>
  kind === 'sending' && mode === 'test' ? 'send_test_' : PREFIX[kind]

/** Maximum number of networks of one key. */
const MAX_NETWORKS = 50

/** Maximum time in milliseconds for which the secret before a rotation stays valid. */
export const MAX_OVERLAP_MS = 30 * 86_400_000

/** Properties of a key that its maker chooses and may change later. */
export interface KeyProperties {
  readonly name: string
  /** Expiry in milliseconds since the epoch. */
  readonly expiresAt?: number | null
  /** Rate limit of this key, such as `50/s`. */
  readonly rate?: string | null
  /** Scopes of the key; absent for the usual scopes of its kind. */
  readonly scopes?: readonly Scope[] | undefined
  /** Scopes that a management key may give away in addition to its own; absent for the usual grants. */
  readonly grants?: readonly Scope[] | undefined
  /** Networks in CIDR notation from which the key may be used; null for any address. */
  readonly networks?: readonly string[] | null
  /** Addresses and `*@domain` to which the key may send; null for any address. */
  readonly recipients?: readonly string[] | null
  /** Origins of the web pages that may use a public key; absent for any other key. */
  readonly origins?: readonly string[] | undefined
}

export interface NewKey extends KeyProperties {
  readonly accountId: string
  readonly kind: KeyKind
  /** ID of the domain of a Sending key or an SMTP credential; null for any other key. */
  readonly domainId: string | null
  /** IDs of the domains of a management key; absent for every domain of the account. */
  readonly domainIds?: readonly string[] | undefined
  /** Test inbox that gets the mail of the key; absent for a live key. Only Sending keys and SMTP credentials have one. */
  readonly inboxId?: string | undefined
  /** ID of the user or the key that creates the key, or `operator` or `command_line`. */
  readonly createdBy?: string | undefined
}

/**
 * Returns the scopes that a list of words means for one kind of key, each once, in the order of the words. The words are
 * scopes, `noun:*`, `*:read` and `*`; a pattern means the scopes that the kind may have. Adds a problem for each word
 * that is no scope, and for each word without a scope that the kind may have.
 */
export function readScopes(
  kind: KeyKind,
  path: string,
  words: readonly string[],
  problems: FieldProblem[],
): readonly Scope[] {
  const scopes = words.flatMap((word, index) => {
    const meant = scopesOfPattern(word)
    const found = meant?.filter((scope) => kindMayHave(kind, scope)) ?? []
    if (found.length === 0) problems.push({ path: `${path}[${index}]`, ...scopeFault(kind, word, meant) })
    return found
  })
  return [...new Set(scopes)]
}

function scopeFault(
  kind: KeyKind,
  word: string,
  meant: readonly Scope[] | undefined,
): Omit<FieldProblem, 'path'> {
  const shown = word.slice(0, 60)
  if (meant !== undefined) {
    const message = `A ${kind} key cannot have ${shown}; a management key can have every scope.`
    return { code: 'scope_of_other_kind', message }
  }
  const near = nearest(shown, ALL_SCOPES)
  const hint = near === undefined ? 'the documentation lists all scopes.' : `did you mean ${near}?`
  return { code: 'unknown_scope', message: `There is no scope ${JSON.stringify(shown)}; ${hint}` }
}

/** Returns all validation problems of the given properties of a key. */
export function keyProblems(
  { name, expiresAt, rate, networks, recipients }: Partial<KeyProperties>,
  now: number,
): FieldProblem[] {
  const problems = name === undefined ? [] : nameProblems(name)
  if (expiresAt != null && !(expiresAt > now)) {
    problems.push({ path: 'expires_at', code: 'in_the_past', message: 'Give a time in the future.' })
  }
  if (rate != null && parseRate(rate) === undefined) {
    problems.push({ path: 'rate', code: 'invalid_rate', message: 'Give a rate such as 50/s or 1000/m.' })
  }
  problems.push(...listProblems('networks', networks, MAX_NETWORKS, networkFault))
  problems.push(...listProblems('recipients', recipients, MAX_RECIPIENT_PATTERNS, recipientFault))
  return problems
}

type Fault = Omit<FieldProblem, 'path'> | undefined

function networkFault(text: string): Fault {
  const message = networkProblem(text)
  return message === undefined ? undefined : { code: 'invalid_network', message }
}

const recipientFault = (text: string): Fault =>
  isRecipientPattern(text)
    ? undefined
    : { code: 'invalid_email', message: 'Give an address, or *@example.com for every address of a domain.' }

/** Returns the problems of a list that limits a key; an empty list would permit nothing. */
function listProblems(
  path: string,
  list: readonly string[] | null | undefined,
  most: number,
  faultOf: (text: string) => Fault,
): FieldProblem[] {
  if (list == null) return []
  if (list.length === 0) {
    return [{ path, code: 'required', message: 'The list is empty; give null for no limit.' }]
  }
  if (list.length > most) return [{ path, code: 'too_many', message: `Give at most ${most}.` }]
  return list.flatMap((text, index) => {
    const fault = faultOf(text)
    return fault === undefined ? [] : [{ path: `${path}[${index}]`, ...fault }]
  })
}

/**
 * Creates a key; the ID of an `smtp` key is its SMTP user name, and the secret is its password. Throws
 * `validation_failed` for invalid properties, if the kind of key requires a domain and no domain is given, and if the
 * account has the maximum number of keys. Throws `not_found` for a domain that no longer exists.
 */
export async function createKey(
  { store, clock }: Resources,
  wanted: NewKey,
): Promise<{ key: Key; secret: string }> {
  const now = clock.now()
  const { kind, domainId, domainIds = [] } = wanted
  const errors = keyProblems(wanted, now)
  const hasOneDomain = kind === 'sending' || kind === 'smtp'
  if (hasOneDomain !== (domainId !== null)) {
    const message = 'Sending keys and SMTP credentials belong to a domain, other keys to an account.'
    errors.push({ path: 'domain', code: 'invalid_domain', message })
  }
  if (errors.length > 0) throw new Problem('validation_failed', 'The key cannot be created.', { errors })
  const { inboxId = null } = wanted
  const secret = newSecret(prefixOf({ kind, mode: inboxId === null ? 'live' : 'test' }))
  const { scopes = USUAL_SCOPES[kind] } = wanted
  const key: Key = {
    id: newId(kind === 'smtp' ? 'smtp' : 'key', now),
    account_id: wanted.accountId,
    domain_id: domainId,
    kind,
    name: wanted.name,
    hash: hashSecret(secret),
    last4: secret.slice(-4),
    rate: wanted.rate ?? null,
    created_at: now,
    last_used_at: null,
    last_used_from: null,
    expires_at: wanted.expiresAt ?? null,
    revoked_at: null,
    scopes: JSON.stringify(scopes),
    grants: JSON.stringify(wanted.grants ?? (kind === 'management' ? usualGrants(scopes) : [])),
    every_domain: kind === 'management' && wanted.domainIds === undefined ? 1 : 0,
    networks: written(wanted.networks),
    origins: written(wanted.origins),
    recipients: written(wanted.recipients),
    mode: inboxId === null ? 'live' : 'test',
    inbox_id: inboxId,
    created_by: wanted.createdBy ?? null,
    previous_hash: null,
    previous_until: null,
    used_networks: '[]',
  }
  const entry = key.created_by === BY_OPERATOR ? entryOf(key, now) : undefined
  const created = await store.write(insertKey, { key, domainIds, entry })
  if (created === 'limit') {
    const message = 'The account has as many keys as the operator permits; revoke some, or ask for more.'
    throw new Problem('limit_reached', message, { errors: [{ path: '', code: 'keys_limit', message }] })
  }
  if (created === 'no_domain') throw new Problem('not_found', 'The account has no such domain.')
  if (created === 'no_inbox') throw new Problem('not_found', 'The account has no such test inbox.')
  if (created === 'too_many') {
    const message = `An account has at most ${MAX_KEYS} keys; revoke some that are no longer used.`
    throw new Problem('validation_failed', message, { errors: [{ path: '', code: 'too_many', message }] })
  }
  return { key, secret }
}

/** Returns the entry of a key that the operator creates, by which the owners of the account see the key. */
const entryOf = ({ id, account_id, name, kind, scopes }: Key, now: number): AuditEntry => ({
  id: newId('aud', now),
  account_id,
  at: now,
  user_id: null,
  actor: 'the operator',
  action: 'key.create',
  target: id,
  address: null,
  detail: JSON.stringify({ name, kind, scopes: JSON.parse(scopes) }),
})

const written = (list: readonly string[] | null | undefined): string | null =>
  list == null ? null : JSON.stringify(list)

/** Change of a key; absent properties stay. */
export interface KeyChange extends Partial<KeyProperties> {
  readonly accountId: string
  readonly id: string
  /** IDs of the domains of a management key; null for every domain of the account. */
  readonly domainIds?: readonly string[] | null | undefined
  /** Rights by which the change was judged; the change is refused if the key has other rights by now. */
  readonly judged?: JudgedRights | undefined
}

/**
 * Changes a key. Throws `validation_failed` for invalid properties, and `conflict` if the key is revoked or has other
 * rights by now, or if a domain no longer exists.
 */
export async function changeKey({ store, clock }: Resources, change: KeyChange): Promise<void> {
  const now = clock.now()
  const errors = keyProblems(change, now)
  if (errors.length > 0) throw new Problem('validation_failed', 'The key cannot be changed.', { errors })
  const { accountId, id, name, expiresAt, rate, scopes, grants, networks, recipients, origins } = change
  const { domainIds, judged } = change
  const changes: ChangeKey['changes'] = {
    ...(name === undefined ? {} : { name }),
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
    ...(rate === undefined ? {} : { rate }),
    ...(scopes === undefined ? {} : { scopes: JSON.stringify(scopes) }),
    ...(grants === undefined ? {} : { grants: JSON.stringify(grants) }),
    ...(networks === undefined ? {} : { networks: written(networks) }),
    ...(recipients === undefined ? {} : { recipients: written(recipients) }),
    ...(origins === undefined ? {} : { origins: written(origins) }),
    ...(domainIds === undefined ? {} : { every_domain: domainIds === null ? 1 : 0 }),
  }
  const listed = domainIds === undefined ? {} : { domainIds: domainIds ?? [] }
  const done = await store.write(changeStored, { accountId, id, now, changes, judged, ...listed })
  if (!done) throw changedMeanwhile()
}

const changedMeanwhile = (): Problem =>
  new Problem('conflict', 'The key was changed or revoked meanwhile; retrieve it, and try again.')

/**
 * Gives a key a new secret and returns the secret; the secret before stays valid for `overlapMs`. Throws `conflict` if
 * the key is revoked or has other rights by now.
 */
export async function rotateKey(
  { store, clock }: Resources,
  { account_id: accountId, id, kind, mode }: Pick<Key, 'account_id' | 'id' | 'kind' | 'mode'>,
  overlapMs: number,
  judged?: JudgedRights,
): Promise<string> {
  const now = clock.now()
  const secret = newSecret(prefixOf({ kind, mode }))
  const done = await store.write(rotateStored, {
    ...{ accountId, id, now, judged, hash: hashSecret(secret), last4: secret.slice(-4) },
    previousUntil: overlapMs === 0 ? null : now + overlapMs,
  })
  if (!done) throw changedMeanwhile()
  return secret
}
