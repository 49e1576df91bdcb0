// Facts of the installation that are secrets, sealed if the store is sealed.

import { randomBase62 } from '../../lib/ids.ts'
import type { SealedText } from '../database/secrets.ts'
import type { Store } from '../database/store.ts'
import { keepFact, readFact, setFact } from './installation.ts'

/** Names of facts that are secrets; `isSecretFact` checks any name. */
export type SecretFact =
  | 'secret'
  | 'acme-certificate'
  | `${typeof CERTIFICATE_OF}${string}`
  | `acme-account ${string}`

/** Prefix of the fact with the certificate of a tracking host; the host name follows. */
export const CERTIFICATE_OF = 'acme-certificate '

const SECRET_FACT = /^(secret|acme-certificate|acme-certificate .*|acme-account .*)$/

export const isSecretFact = (name: string): name is SecretFact => SECRET_FACT.test(name)

/**
 * Stores a secret unless the secret already exists; returns the stored secret. Throws if that secret cannot be opened.
 */
export async function keepSecretFact(store: Store, name: SecretFact, value: string): Promise<string> {
  const kept = await store.write(keepFact, { name, value: store.secrets.seal(value, name) })
  return store.secrets.open(kept as SealedText, name)
}

/** Stores a secret; the new secret replaces an earlier secret with the same name. */
export const setSecretFact = (store: Store, name: SecretFact, value: string): Promise<true> =>
  store.write(setFact, { name, value: store.secrets.seal(value, name) })

/** Returns a secret; undefined if no secret has this name. Throws if the secret cannot be opened. */
export async function readSecretFact(store: Store, name: SecretFact): Promise<string | undefined> {
  const kept = await readFact(store.read, name)
  return kept === undefined ? undefined : store.secrets.open(kept as SealedText, name)
}

/** Returns the secret for tokens in links and return paths; the first call creates the secret. */
export const installationSecret = (store: Store): Promise<string> =>
  keepSecretFact(store, 'secret', randomBase62(43))
