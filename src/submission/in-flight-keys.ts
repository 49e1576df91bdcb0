// Idempotency keys of requests that this node is processing.

import { Problem } from '../model/problem.ts'
import type { Sender } from './authorize.ts'

/**
 * Refuses a second request with an idempotency key while the first request is running; after its end, requests get the
 * stored response.
 */
export class InFlightKeys {
  readonly #names = new Set<string>()

  /**
   * Runs the work of a request and reserves its idempotency key until the work ends. Throws `conflict` while the key is
   * in use.
   */
  async once<T>(
    { keyId }: Pick<Sender, 'keyId'>,
    key: string | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    if (key === undefined) return work()
    const name = `${keyId} ${key}`
    if (this.#names.has(name)) {
      throw new Problem(
        'conflict',
        'A request with this Idempotency-Key is still running; try again when the request has ended.',
      )
    }
    this.#names.add(name)
    try {
      return await work()
    } finally {
      this.#names.delete(name)
    }
  }
}
