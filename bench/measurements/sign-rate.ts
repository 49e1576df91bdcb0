// The reference for delivery: the number of RSA-2048 signatures per second that this machine creates on all cores.

import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { promisify } from 'node:util'

const SECONDS = 2
const IN_FLIGHT_PER_CORE = 16
const HEADER_BYTES = 1_000

const signInPool = promisify(sign)

/**
 * Returns the number of signatures per second in libuv's thread pool. `bin/node` sets the size of the pool
 * (`UV_THREADPOOL_SIZE`) to the number of cores.
 */
export async function measureSignRate(cores: number): Promise<number> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const data = randomBytes(HEADER_BYTES)
  const start = performance.now()
  const until = start + SECONDS * 1000
  let signed = 0
  const one = async (): Promise<void> => {
    while (performance.now() < until) {
      await signInPool('sha256', data, privateKey)
      signed++
    }
  }
  await Promise.all(Array.from({ length: cores * IN_FLIGHT_PER_CORE }, one))
  return (signed * 1000) / (performance.now() - start)
}
