// Facts of the installation that are secrets, sealed where the store is.

import { randomBase62 } from '../../lib/ids.ts'
import type { SealedText } from '../database/secrets.ts'
import type { Store } from '../database/store.ts'
import { keepFact, readFact, setFact } from './installation.ts'

/** The names of facts that are secrets; `isSecretFact` tells the same of any name. */
export type SecretFact =
  | 'secret'
  | 'acme-certificate'
  | `${typeof CERTIFICATE_OF}${string}`
  | `acme-account ${string}`

/** Beginning of the name of a tracking host's certificate; the host follows. */
export const CERTIFICATE_OF = 'acme-certificate '

const SECRET_FACT = /^(secret|acme-certificate|acme-certificate .*|acme-account .*)$/

export const isSecretFact = (name: string): name is SecretFact => SECRET_FACT.test(name)

/** Keeps a secret unless it is there already; answers the one that is kept. Throws when that one does not open. */
export async function keepSecretFact(store: Store, name: SecretFact, value: string): Promise<string> {
  const kept = await store.write(keepFact, { name, value: store.secrets.seal(value, name) })
  return store.secrets.open(kept as SealedText, name)
}

/** Keeps a secret in the place of the one with its name. */
export const setSecretFact = (store: Store, name: SecretFact, value: string): Promise<true> =>
  store.write(setFact, { name, value: store.secrets.seal(value, name) })

/** A secret; undefined when there is none of that name. Throws when it does not open. */
export async function readSecretFact(store: Store, name: SecretFact): Promise<string | undefined> {
  const kept = await readFact(store.read, name)
  return kept === undefined ? undefined : store.secrets.open(kept as SealedText, name)
}

/** The secret that tokens of links, return paths and the like are made with; made by the first that asks. */
export const installationSecret = (store: Store): Promise<string> =>
  keepSecretFact(store, 'secret', randomBase62(43))
