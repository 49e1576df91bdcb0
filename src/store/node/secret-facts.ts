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

/** Beginning of the name of a tracking host's certificate; the host follows. */
export const CERTIFICATE_OF = 'acme-certificate '

const SECRET_FACT = /^(secret|acme-certificate|acme-certificate .*|acme-account .*)$/

export const isSecretFact = (name: string): name is SecretFact => SECRET_FACT.test(name)

/** Stores a secret that does not exist yet; returns the stored one. Throws when that one cannot be opened. */
export async function keepSecretFact(store: Store, name: SecretFact, value: string): Promise<string> {
  const kept = await store.write(keepFact, { name, value: store.secrets.seal(value, name) })
  return store.secrets.open(kept as SealedText, name)
}

/** Stores a secret, replacing the one with the same name. */
export const setSecretFact = (store: Store, name: SecretFact, value: string): Promise<true> =>
  store.write(setFact, { name, value: store.secrets.seal(value, name) })

/** Returns a secret; undefined when there is none with this name. Throws when the secret cannot be opened. */
export async function readSecretFact(store: Store, name: SecretFact): Promise<string | undefined> {
  const kept = await readFact(store.read, name)
  return kept === undefined ? undefined : store.secrets.open(kept as SealedText, name)
}

/** Returns the secret for tokens of links, return paths and the like; the first caller creates it. */
export const installationSecret = (store: Store): Promise<string> =>
  keepSecretFact(store, 'secret', randomBase62(43))
