// RSA keys for the domains of tests, generated once per test run, because generating a key takes longer than many
// tests.

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Number of keys, larger than the number of domains that a single test compares. */
const COUNT = 16
const BITS = 2_048

/** Generates the keys for the child processes of this process. */
export async function makeKeys(): Promise<void> {
  const keys = Array.from({ length: COUNT }, () =>
    generateKeyPairSync('rsa', { modulusLength: BITS }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
  )
  const file = join(tmpdir(), 'rsa-keys.json')
  await writeFile(file, JSON.stringify(keys), { mode: 0o600 })
  process.env.TEST_RSA_KEYS = file
}

interface Options {
  readonly modulusLength?: number
}
type Generate = (
  type: string,
  options?: Options,
) => Promise<{ readonly privateKey: KeyObject; readonly publicKey: KeyObject }>

/** Makes this process use the keys in turn wherever `promisify(generateKeyPair)` would generate an RSA key for DKIM. */
export function useReadyMadeKeys(): void {
  const { TEST_RSA_KEYS: file } = process.env
  if (file === undefined) return
  const keys = JSON.parse(readFileSync(file, 'utf8')) as string[]
  const generate = promisify(generateKeyPair) as unknown as Generate
  let next = 0
  const given: Generate = async (type, options) => {
    if (type !== 'rsa' || options?.modulusLength !== BITS) return generate(type, options)
    const privateKey = createPrivateKey(keys[next++ % keys.length] as string)
    return { privateKey, publicKey: createPublicKey(privateKey) }
  }
  Object.defineProperty(generateKeyPair, promisify.custom, { value: given })
}
