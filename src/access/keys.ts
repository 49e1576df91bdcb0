// Creates API keys and SMTP credentials; the secret is shown once, and the hash of the secret is stored.

import { newId } from '../lib/ids.ts'
import { parseRate } from '../lib/rate-limiter.ts'
import { type FieldProblem, Problem } from '../model/problem.ts'
import { createKey as insertKey, type Key } from '../store/access/keys.ts'
import { nameProblems, type Resources } from './accounts.ts'
import { hashSecret, newSecret } from './secrets.ts'

const PREFIX = { sending: 'send_', verification: 'verify_', smtp: '' } as const

export interface NewKey {
  readonly accountId: string
  /** ID of the domain that the key may send for; null only for a Verification key. */
  readonly domainId: string | null
  readonly kind: Key['kind']
  readonly name: string
  /** Expiry in milliseconds since the epoch. */
  readonly expiresAt?: number | null
  /** Rate limit of this key, such as `50/s`. */
  readonly rate?: string | null
}

/** Returns all validation problems of the given properties of a new key. */
export function keyProblems(
  { name, expiresAt, rate }: Partial<Pick<NewKey, 'name' | 'expiresAt' | 'rate'>>,
  now: number,
): FieldProblem[] {
  const problems = name === undefined ? [] : nameProblems(name)
  if (expiresAt != null && !(expiresAt > now)) {
    problems.push({ path: 'expires_at', code: 'in_the_past', message: 'Give a time in the future.' })
  }
  if (rate != null && parseRate(rate) === undefined) {
    problems.push({ path: 'rate', code: 'invalid_rate', message: 'Give a rate such as 50/s or 1000/m.' })
  }
  return problems
}

/**
 * Creates a key; the ID of an `smtp` key is its SMTP user name, and the secret is its password. Throws
 * `validation_failed` if the kind of key requires a domain and no domain is given, for an expiry in the past, and for
 * an invalid rate. Throws `not_found` for a domain that no longer exists.
 */
export async function createKey(
  { store, clock }: Resources,
  wanted: NewKey,
): Promise<{ key: Key; secret: string }> {
  const now = clock.now()
  const errors = keyProblems(wanted, now)
  if ((wanted.kind === 'verification') !== (wanted.domainId === null)) {
    const message = 'Sending keys and SMTP credentials belong to a domain, Verification keys to an account.'
    errors.push({ path: 'domain', code: 'invalid_domain', message })
  }
  if (errors.length > 0) throw new Problem('validation_failed', 'The key cannot be created.', { errors })
  const secret = newSecret(PREFIX[wanted.kind])
  const key: Key = {
    id: newId(wanted.kind === 'smtp' ? 'smtp' : 'key', now),
    account_id: wanted.accountId,
    domain_id: wanted.domainId,
    kind: wanted.kind,
    name: wanted.name,
    hash: hashSecret(secret),
    last4: secret.slice(-4),
    rate: wanted.rate ?? null,
    created_at: now,
    last_used_at: null,
    expires_at: wanted.expiresAt ?? null,
    revoked_at: null,
  }
  if (!(await store.write(insertKey, key))) throw new Problem('not_found', 'The account has no such domain.')
  return { key, secret }
}
