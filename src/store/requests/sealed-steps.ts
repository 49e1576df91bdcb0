// Steps of requests under an Idempotency-Key as they are stored: sealed by what the caller has shown, as the answers are.

import { deserialize, serialize } from 'node:v8'
import { Sealing } from '../../lib/sealing.ts'
import type { IdempotencyClaim } from './idempotency-keys.ts'

/** A change that a request has committed, for its next run. */
export interface DoneStep {
  /** The write that made it. */
  readonly name: string
  readonly result: unknown
  /** The result is no refusal. */
  readonly changed: boolean
  /** It carried the entry of the audit log. */
  readonly logged: boolean
  /** What the request had found out before it, by the place among its findings. */
  readonly recalled: readonly (readonly [number, unknown])[]
}

/** Seals and opens the steps of one request: its results may hold addresses and secrets. */
export class SealedSteps {
  readonly #sealing: Sealing
  readonly #owner: string

  constructor(secret: string, { keyId, key }: Pick<IdempotencyClaim, 'keyId' | 'key'>) {
    this.#sealing = new Sealing(secret, 'step')
    this.#owner = `${keyId} ${key}`
  }

  seal(step: DoneStep): string {
    return this.#sealing.seal(serialize(step).toString('base64'), this.#owner)
  }

  open(sealed: string): DoneStep {
    return deserialize(Buffer.from(this.#sealing.open(sealed, this.#owner), 'base64'))
  }
}
