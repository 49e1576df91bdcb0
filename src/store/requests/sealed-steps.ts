// Stored steps of requests under an idempotency key, sealed with the caller's secret like the responses.

import { deserialize, serialize } from 'node:v8'
import { Sealing } from '../../lib/sealing.ts'
import type { IdempotencyClaim } from './idempotency-keys.ts'

/** A change that a request has committed, recorded for the next run of the request. */
export interface DoneStep {
  /** Name of the write function that made the change. */
  readonly name: string
  readonly result: unknown
  /** True if the result of the write is not a refusal. */
  readonly changed: boolean
  /** True if the write also wrote the entry of the audit log. */
  readonly logged: boolean
  /** Values that the request has determined before the step, each with its index. */
  readonly recalled: readonly (readonly [number, unknown])[]
}

/** Seals and opens the steps of one request; the results of steps may contain addresses and secrets. */
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
