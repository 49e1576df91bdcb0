// Secrets in the store: sealed by the store's data key where it has one, else as they are.

import { Sealing } from '../../lib/sealing.ts'

declare const sealed: unique symbol
/** A secret as a row holds it; only `Secrets` makes one and reads it. */
export type SealedText = string & { readonly [sealed]: true }

/** Marks what is sealed; no secret of ours begins so. */
export const SEALED_PREFIX = 'sealed:1:'

/** Seals the secrets that are written into a store, and opens those that are read. */
export class Secrets {
  readonly #sealing: Sealing | undefined

  /** @param dataKey undefined for a store that is not sealed */
  constructor(dataKey?: string) {
    this.#sealing = dataKey === undefined ? undefined : new Sealing(dataKey, 'secret')
  }

  /** @param owner ID of the row: in another row it does not open */
  seal(text: string, owner: string): SealedText {
    return (
      this.#sealing === undefined ? text : `${SEALED_PREFIX}${this.#sealing.seal(text, owner)}`
    ) as SealedText
  }

  /** Throws for what was changed or belongs to another owner. One from before the store was sealed is answered as it is. */
  open(text: SealedText, owner: string): string {
    if (!text.startsWith(SEALED_PREFIX)) return text
    if (this.#sealing === undefined) throw new Error(`the secret of ${owner} is sealed, and there is no key`)
    return this.#sealing.open(text.slice(SEALED_PREFIX.length), owner)
  }
}
