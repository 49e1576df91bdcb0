// Secrets in the store, sealed with the store's data key, or in plain text if the store has no data key.

import { Sealing } from '../../lib/sealing.ts'

declare const sealed: unique symbol
/** A secret as stored in a row; only `Secrets` creates and reads such values. */
export type SealedText = string & { readonly [sealed]: true }

/** Prefix of sealed secrets; no secret in plain text begins with this prefix. */
export const SEALED_PREFIX = 'sealed:1:'

/** Seals secrets before they are written to the store, and opens secrets that were read from the store. */
export class Secrets {
  readonly #sealing: Sealing | undefined

  /** @param dataKey key that seals the secrets; undefined for a store that is not sealed */
  constructor(dataKey?: string) {
    this.#sealing = dataKey === undefined ? undefined : new Sealing(dataKey, 'secret')
  }

  /** @param owner ID of the row; the secret cannot be opened in another row */
  seal(text: string, owner: string): SealedText {
    return (
      this.#sealing === undefined ? text : `${SEALED_PREFIX}${this.#sealing.seal(text, owner)}`
    ) as SealedText
  }

  /**
   * Opens a secret. Throws if the secret was changed or belongs to another owner. A secret that was written before the
   * store was sealed is returned unchanged.
   */
  open(text: SealedText, owner: string): string {
    if (!text.startsWith(SEALED_PREFIX)) return text
    if (this.#sealing === undefined) throw new Error(`the secret of ${owner} is sealed, and there is no key`)
    return this.#sealing.open(text.slice(SEALED_PREFIX.length), owner)
  }
}
