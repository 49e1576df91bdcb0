// DMARC policy records (RFC 9989): validity, and inheritance by domains without a record.

import { tags } from './tag-list.ts'

/**
 * RFC 9989 §4.10: longer names are cut to this many labels after the first query, so that a walk takes at most 8
 * queries.
 */
const MAX_WALKED_LABELS = 7

/** True if a TXT record is a DMARC record, valid or not (RFC 9989 §4.7: `v=DMARC1` first, case-sensitive). */
export const isDmarcRecord = (value: string): boolean => /^v\s*=\s*DMARC1\s*(;|$)/.test(value)

/**
 * True if receivers apply this record. A record without `p` has the policy `none`. An invalid `p`, `sp` or `np` voids
 * the record, unless it asks for reports (`rua`): then its policy is none as well (RFC 9989 §4.7).
 */
export function isValidDmarc(value: string): boolean {
  if (!isDmarcRecord(value)) return false
  const given = tags(value)
  const policies = ['p', 'sp', 'np'].flatMap((name) => given.get(name) ?? [])
  if (policies.every((policy) => /^(none|quarantine|reject)$/i.test(policy))) return true
  return /^mailto:[^,]+@/i.test(given.get('rua') ?? '')
}

/** Returns the TXT values of a name; undefined when the DNS did not answer. */
export type AskTxt = (name: string) => Promise<readonly string[] | undefined>

/**
 * Returns the record that a domain without its own DMARC record inherits: `undefined` when there is none,
 * `unanswered` when the DNS did not answer. A tree walk (RFC 9989 §4.10) finds the organizational domain: the name
 * with `psd=n`, one label below `psd=y`, otherwise the highest name with a record.
 */
export async function inheritedDmarc(
  ask: AskTxt,
  domain: string,
): Promise<string | 'unanswered' | undefined> {
  let last: string | undefined
  for (const name of namesAbove(domain)) {
    const values = await ask(`_dmarc.${name}`)
    if (values === undefined) return 'unanswered'
    const [record, another] = values.filter(isDmarcRecord)
    // Several records count as none.
    if (record === undefined || another !== undefined || !isValidDmarc(record)) continue
    const psd = tags(record).get('psd')?.toLowerCase()
    // The record of a public suffix applies if the organization has none (RFC 9989 §4.10.1).
    if (psd === 'y') return last ?? record
    if (psd === 'n') return record
    last = record
  }
  return last
}

/** Returns the names that a tree walk queries after the domain itself, up to the top level. */
export function namesAbove(domain: string): readonly string[] {
  const labels = domain.split('.')
  const first = labels.length > MAX_WALKED_LABELS + 1 ? labels.length - MAX_WALKED_LABELS : 1
  return labels.map((_, at) => labels.slice(at).join('.')).slice(first)
}
