// Lists of domains: those of disposable addresses, and those where anybody gets a mailbox free of charge.

import { readFileSync } from 'node:fs'
import { isAddress, parseAddress } from '../model/address.ts'
import { DomainList } from './domain-list.ts'

/** Domain lists of the operator; an entry includes its subdomains. */
export interface OwnLists {
  /** Never called disposable. */
  readonly allowed: ReadonlySet<string>
  /** Always called disposable. */
  readonly denied: ReadonlySet<string>
}

const NOTHING_OWN: OwnLists = { allowed: new Set(), denied: new Set() }

/** The lists that come with this program, and those of the operator, which go before. */
export class DomainLists {
  readonly #own: OwnLists
  readonly #disposable = new DomainList(readList('disposable.txt'))
  readonly #free = new DomainList(readList('free.txt'))

  constructor(own: OwnLists = NOTHING_OWN) {
    this.#own = own
  }

  /** True if addresses of this domain, or of one above it, are disposable. */
  isDisposable(domain: string): boolean {
    return this.ownWord(domain) ?? this.#disposable.hasOrParent(domain)
  }

  /** The operator's own entry for the domain: true for disposable; undefined without one. */
  ownWord(domain: string): boolean | undefined {
    // The nearest of the operator's entries decides: `good.example` may be allowed below a denied `example`.
    for (let name = domain; name.includes('.'); name = name.slice(name.indexOf('.') + 1)) {
      if (this.#own.allowed.has(name)) return false
      if (this.#own.denied.has(name)) return true
    }
    return undefined
  }

  /** True if anybody gets a mailbox in this very domain. */
  isFree(domain: string): boolean {
    return this.#free.has(domain)
  }
}

/**
 * Reads an operator's file: one domain a line, `*.` or `@` before it or not; `#` begins a comment. Throws when it cannot
 * be read or a line is no domain: an entry that never counts would not be missed.
 */
export function readOwnList(file: string | undefined): ReadonlySet<string> {
  const domains = new Set<string>()
  if (file === undefined) return domains
  for (const [index, line] of readFileSync(file, 'utf8')
    .split(/\r\n?|\n/)
    .entries()) {
    const written = line
      .replace(/^\ufeff/, '')
      .replace(/#.*/, '')
      .trim()
    if (written === '') continue
    const address = parseAddress(`x@${written.replace(/^(?:@|\*?\.)/, '').replace(/\.$/, '')}`)
    if (!isAddress(address)) throw new Error(`line ${index + 1} is no domain`)
    domains.add(address.domain)
  }
  return domains
}

/** One of the files that `npm run refresh-lists` writes. */
export function readList(name: string): Buffer {
  return readFileSync(new URL(`./lists/${name}`, import.meta.url))
}
