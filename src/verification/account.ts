// The parts of a local part: whose mailbox it names, and the tag that its owner put behind.

import type { Address } from '../model/address.ts'

export interface Account {
  /** The local part without the tag. */
  readonly account: string
  /** Text behind the separator, if any. */
  readonly tag?: string
}

/** Yahoo's users name their further addresses `base-word`; no name of theirs has a hyphen otherwise. */
const YAHOO = /^(?:yahoo\.[a-z.]+|ymail\.com|rocketmail\.com|myyahoo\.com)$/

/** Splits the local part as the provider of its domain does: at the first `+` (RFC 5233 §1), elsewhere also at `-`. */
export function accountOf({ local, domain }: Address): Account {
  // Quoted, a plus is a letter like others.
  if (local.startsWith('"')) return { account: local }
  const at = local.search(YAHOO.test(domain) ? /[-+]/ : /\+/)
  if (at <= 0) return { account: local }
  const tag = local.slice(at + 1)
  return { account: local.slice(0, at), ...(tag === '' ? {} : { tag }) }
}
