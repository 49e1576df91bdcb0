// The recipients to which a key may send: whole addresses, and all addresses of a domain.

import { type Address, isAddress, parseAddress } from './address.ts'

/** Maximum number of patterns of one key. */
export const MAX_RECIPIENT_PATTERNS = 50

/** A parsed pattern; `local` is undefined for `*@domain`, and in lower case otherwise. */
interface Pattern {
  readonly local: string | undefined
  readonly domain: string
}

/** Parses an address or `*@domain`; returns undefined for any other text. */
function parsePattern(text: string): Pattern | undefined {
  const isDomain = text.startsWith('*@')
  const parsed = parseAddress(isDomain ? `x${text.slice(1)}` : text)
  if (!isAddress(parsed)) return undefined
  return { local: isDomain ? undefined : parsed.local.toLowerCase(), domain: parsed.domain }
}

export const isRecipientPattern = (text: string): boolean => parsePattern(text) !== undefined

/** Decides which recipients a list of patterns permits; local parts match in any case. */
export class PermittedRecipients {
  readonly #addresses = new Set<string>()
  readonly #domains = new Set<string>()

  /** @param patterns valid patterns: addresses, or `*@domain` */
  constructor(patterns: readonly string[]) {
    for (const pattern of patterns.map(parsePattern)) {
      if (pattern?.local === undefined) this.#domains.add(pattern?.domain ?? '')
      else this.#addresses.add(`${pattern.local}@${pattern.domain}`)
    }
  }

  includes({ local, domain }: Pick<Address, 'local' | 'domain'>): boolean {
    return this.#domains.has(domain) || this.#addresses.has(`${local.toLowerCase()}@${domain}`)
  }

  /** True if the list permits every recipient that a valid pattern permits. */
  covers(text: string): boolean {
    const pattern = parsePattern(text)
    if (pattern === undefined) return false
    const { local, domain } = pattern
    return this.#domains.has(domain) || (local !== undefined && this.#addresses.has(`${local}@${domain}`))
  }
}
