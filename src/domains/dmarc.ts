// DMARC policy records (RFC 9989): validity, and inheritance by domains without their own record.

import { tags } from './tag-list.ts'

/**
 * Maximum number of labels of the names queried after the first query of a tree walk, so that a walk takes at most 8
 * queries (RFC 9989 §4.10).
 */
const MAX_WALKED_LABELS = 7

/** True if a TXT record is a DMARC record, valid or not: `v=DMARC1` comes first, case-sensitive (RFC 9989 §4.7). */
export const isDmarcRecord = (value: string): boolean => /^v\s*=\s*DMARC1\s*(;|$)/.test(value)

/**
 * True if receivers apply this DMARC record. A record without `p` has the policy `none`. An invalid `p`, `sp` or `np`
 * makes the record invalid, unless the record requests reports (`rua`); the policy of such a record is also `none`
 * (RFC 9989 §4.7).
 */
export function isValidDmarc(value: string): boolean {
  if (!isDmarcRecord(value)) return false
  const given = tags(value)
  const policies = ['p', 'sp', 'np'].flatMap((name) => given.get(name) ?? [])
  if (policies.every((policy) => /^(none|quarantine|reject)$/i.test(policy))) return true
  return /^mailto:[^,]+@/i.test(given.get('rua') ?? '')
}

/** Function that looks up the TXT records of a name; returns undefined if the DNS lookup failed. */
export type AskTxt = (name: string) => Promise<readonly string[] | undefined>

/**
 * Returns the record that a domain without its own DMARC record inherits; `undefined` if no such record exists, and
 * `unanswered` if a DNS lookup failed. A tree walk (RFC 9989 §4.10) finds the organizational domain: the name
 * with `psd=n`, the name one label below a name with `psd=y`, or otherwise the highest name with a record.
 */
export async function inheritedDmarc(
  ask: AskTxt,
  domain: string,
): Promise<string | 'unanswered' | undefined> {
  let last: { readonly name: string; readonly record: string } | undefined
  for (const name of namesAbove(domain)) {
    const values = await ask(`_dmarc.${name}`)
    if (values === undefined) return 'unanswered'
    const [record, another] = values.filter(isDmarcRecord)
    // Several DMARC records at one name count as no record.
    if (record === undefined || another !== undefined || !isValidDmarc(record)) continue
    const psd = tags(record).get('psd')?.toLowerCase()
    // The organizational domain is one label below the public suffix, whose record applies if the organizational domain
    // has none (RFC 9989 §4.10.1).
    if (psd === 'y') return last !== undefined && parentOf(last.name) === name ? last.record : record
    if (psd === 'n') return record
    last = { name, record }
  }
  return last?.record
}

const parentOf = (name: string): string => name.slice(name.indexOf('.') + 1)

/** Returns the names that a DNS tree walk queries after the domain itself, up to the top-level domain. */
export function namesAbove(domain: string): readonly string[] {
  const labels = domain.split('.')
  const first = labels.length > MAX_WALKED_LABELS + 1 ? labels.length - MAX_WALKED_LABELS : 1
  return labels.map((_, at) => labels.slice(at).join('.')).slice(first)
}
