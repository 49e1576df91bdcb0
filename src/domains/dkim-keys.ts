// Generates the DKIM keys of a domain.

import { type DkimAlgorithm, generateDkimKey, type ImportedDkimKey, importDkimKey } from '../dkim/keys.ts'
import { newId } from '../lib/ids.ts'
import type { FieldProblem } from '../model/problem.ts'
import type { Store } from '../store/database/store.ts'
import { listSelectors } from '../store/domains/dkim-keys.ts'
import type { DkimKey, Domain } from '../store/domains/domain-rows.ts'

/** The DKIM key that the owner of a new domain chooses, as given. */
export interface DkimWishes {
  readonly selector?: string | undefined
  /** Private key in PEM. */
  readonly private_key?: string | undefined
}

/** The key that the owner of a domain chooses: its selector, and the key itself if it was generated elsewhere. */
export interface OwnDkim {
  readonly selector: string | undefined
  readonly key: ImportedDkimKey | undefined
}

/** Selector of one DNS label (RFC 6376 §3.1), in lower case. */
const SELECTOR = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Reads the DKIM key that the owner of a domain chooses, and returns all problems of its fields. */
export function readDkim({ selector, private_key: pem }: DkimWishes): {
  readonly own: OwnDkim
  readonly problems: readonly FieldProblem[]
} {
  const problems: FieldProblem[] = []
  if (selector !== undefined && !SELECTOR.test(selector)) {
    const message =
      'Give 1 to 63 characters: lower-case letters, digits, and hyphens that are neither first nor last.'
    problems.push({ path: 'dkim.selector', code: 'invalid_selector', message })
  }
  const imported = pem === undefined ? undefined : importDkimKey(pem)
  if (imported === undefined || !('problem' in imported))
    return { own: { selector, key: imported }, problems }
  problems.push({ path: 'dkim.private_key', code: 'invalid_private_key', message: imported.problem })
  return { own: { selector, key: undefined }, problems }
}

/**
 * Returns the problem of a selector that another domain of this name uses for another key, because one DNS record has
 * one key; undefined for a free selector.
 */
export async function selectorProblem(
  { read }: Pick<Store, 'read'>,
  domainName: string,
  { selector, key }: OwnDkim,
): Promise<FieldProblem | undefined> {
  if (selector === undefined) return undefined
  const isTaken = (await listSelectors(read, domainName)).some(
    (used) => used.selector === selector && used.deleted_at === null && used.public_key !== key?.publicKey,
  )
  if (!isTaken) return undefined
  const message = 'This selector is in use at this domain name; give another selector.'
  return { path: 'dkim.selector', code: 'selector_in_use', message }
}

/**
 * Makes a DKIM key for each algorithm, with selectors that are not in use at this domain name. The key that the owner
 * chooses replaces the generated key of its algorithm; a selector without a key belongs to the RSA key, which every
 * message is signed with.
 */
export async function makeDkimKeys(
  { read, secrets }: Pick<Store, 'read' | 'secrets'>,
  domain: Pick<Domain, 'id' | 'account_id' | 'name'>,
  state: DkimKey['state'],
  now: number,
  own?: OwnDkim,
): Promise<DkimKey[]> {
  const taken = new Set((await listSelectors(read, domain.name)).map(({ selector }) => selector))
  if (own?.selector !== undefined) taken.add(own.selector)
  const chosen = own?.key?.algorithm ?? 'rsa-sha256'
  const make = async (algorithm: DkimAlgorithm): Promise<DkimKey> => {
    const ofOwner = algorithm === chosen ? own : undefined
    const { privateKey, publicKey } = ofOwner?.key ?? (await generateDkimKey(algorithm))
    const id = newId('dkm', now)
    return {
      id,
      account_id: domain.account_id,
      domain_id: domain.id,
      selector: ofOwner?.selector ?? selectorOf(algorithm, now, taken),
      algorithm,
      private_key: secrets.seal(privateKey, id),
      public_key: publicKey,
      created_at: now,
      state,
      ...{ notice: null, notice_at: null },
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
