// Generates the DKIM keys of a domain.

import { type DkimAlgorithm, generateDkimKey } from '../dkim/keys.ts'
import { newId } from '../lib/ids.ts'
import type { Store } from '../store/database/store.ts'
import { listSelectors } from '../store/domains/dkim-keys.ts'
import type { DkimKey, Domain } from '../store/domains/domains.ts'

/** Generates a DKIM key for each algorithm, with selectors that are not in use at this domain name. */
export async function makeDkimKeys(
  { read, secrets }: Pick<Store, 'read' | 'secrets'>,
  domain: Pick<Domain, 'id' | 'account_id' | 'name'>,
  state: DkimKey['state'],
  now: number,
): Promise<DkimKey[]> {
  const taken = new Set(await listSelectors(read, domain.name))
  const make = async (algorithm: DkimAlgorithm): Promise<DkimKey> => {
    const { privateKey, publicKey } = await generateDkimKey(algorithm)
    const id = newId('dkm', now)
    return {
      id,
      account_id: domain.account_id,
      domain_id: domain.id,
      selector: selectorOf(algorithm, now, taken),
      algorithm,
      private_key: secrets.seal(privateKey, id),
      public_key: publicKey,
      created_at: now,
      state,
    }
  }
  return Promise.all([make('rsa-sha256'), make('ed25519-sha256')])
}

/** Returns a selector such as `pr20260131r`, or `pr20260131r2` if the first selector is in use. */
function selectorOf(algorithm: DkimAlgorithm, now: number, taken: ReadonlySet<string>): string {
  const day = new Date(now).toISOString().slice(0, 10).replaceAll('-', '')
  const first = `pr${day}${algorithm === 'rsa-sha256' ? 'r' : 'e'}`
  let selector = first
  for (let count = 2; taken.has(selector); count++) selector = `${first}${count}`
  return selector
}
