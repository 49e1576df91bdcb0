// Idempotency keys of requests that this node is processing.

import { Problem } from '../model/problem.ts'
import type { Sender } from './authorize.ts'

/** Refuses an idempotency key while its first request is under way; later requests get the stored response. */
export class InFlightKeys {
  readonly #names = new Set<string>()

  /**
   * Runs the work of a request, and reserves the idempotency key of the request meanwhile. Throws `conflict` while the
   * key is in use.
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
        'A request with this Idempotency-Key is still under way; try again when it has ended.',
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
