// Verifies the DKIM signatures of arrived messages with an independent library.

import { dkimVerify } from 'mailauth/lib/dkim/verify.js'

const BOTH = ['rsa-sha256', 'ed25519-sha256']

/** Returns the number of messages with valid signatures of all wanted algorithms, by default RSA and Ed25519. */
export async function countSigned(
  messages: readonly Buffer[],
  records: ReadonlyMap<string, string>,
  wanted: readonly string[] = BOTH,
): Promise<number> {
  const resolver = async (name: string): Promise<string[][]> => {
    const value = records.get(name)
    if (value === undefined) throw Object.assign(new Error(`no record of ${name}`), { code: 'ENOTFOUND' })
    return [[value]]
  }
  let passed = 0
  for (const message of messages) {
    const { results } = await dkimVerify(message, { resolver })
    const good = results.filter((one) => one.status.result === 'pass').map((one) => one.algo)
    if (wanted.every((algorithm) => good.includes(algorithm))) passed++
  }
  return passed
}
