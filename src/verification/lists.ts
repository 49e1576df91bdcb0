// Lists of the domains of disposable addresses and of free mailbox providers.

import { readFileSync } from 'node:fs'
import { isAddress, parseAddress } from '../model/address.ts'

const NEWLINE = 10

/** A sorted list of domains in A-labels and lower case. */
export class DomainList {
  readonly #lines: Buffer

  /**
   * `lines` contains one domain per line, in byte order, with a line break at the end of each line; throws if the last
   * line break is missing.
   */
  constructor(lines: Buffer) {
    if (lines.length > 0 && lines.at(-1) !== NEWLINE)
      throw new Error('a list of domains has no line break at its end')
    this.#lines = lines
  }

  /** True if exactly this domain is listed. */
  has(domain: string): boolean {
    const wanted = Buffer.from(domain, 'latin1')
    let low = 0
    let high = this.#lines.length
    while (low < high) {
      const start = this.#startOfLine((low + high) >>> 1)
      const order = this.#compare(wanted, start)
      if (order === 0) return true
      if (order < 0) high = start
      else low = this.#lines.indexOf(NEWLINE, start) + 1
    }
    return false
  }

  /** True if the domain or one of its parent domains is listed. */
  hasOrParent(domain: string): boolean {
    for (let name = domain; name.includes('.'); name = name.slice(name.indexOf('.') + 1)) {
      if (this.has(name)) return true
    }
    return false
  }

  // Scans byte by byte, because a native call is slower for short lines.
  #startOfLine(at: number): number {
    const lines = this.#lines
    let start = at
    while (start > 0 && lines[start - 1] !== NEWLINE) start--
    return start
  }

  /**
   * Compares `wanted` with the line at `start`: returns a negative value if `wanted` precedes the line, a positive
   * value if `wanted` follows the line, and 0 if both are equal.
   */
  #compare(wanted: Uint8Array, start: number): number {
    const lines = this.#lines
    for (let index = 0; ; index++) {
      const byte = lines[start + index] as number
      const difference = (wanted[index] ?? NEWLINE) - byte
      if (difference !== 0 || byte === NEWLINE) return difference
    }
  }
}

/** Domain lists of the operator; an entry includes its subdomains. */
export interface OwnLists {
  /** Domains that are never disposable. */
  readonly allowed: ReadonlySet<string>
  /** Domains that are always disposable. */
  readonly denied: ReadonlySet<string>
}

const NOTHING_OWN: OwnLists = { allowed: new Set(), denied: new Set() }

/** The lists that come with this program, and the lists of the operator, which take precedence. */
export class DomainLists {
  readonly #own: OwnLists
  readonly #disposable = new DomainList(readList('disposable.txt'))
  readonly #free = new DomainList(readList('free.txt'))

  constructor(own: OwnLists = NOTHING_OWN) {
    this.#own = own
  }

  /** True if addresses of this domain, or of one of its parent domains, are disposable. */
  isDisposable(domain: string): boolean {
    return this.ownWord(domain) ?? this.#disposable.hasOrParent(domain)
  }

  /**
   * Returns the operator's own entry for the domain: true if the domain is disposable, false if the domain is allowed,
   * undefined if there is no entry.
   */
  ownWord(domain: string): boolean | undefined {
    // The nearest of the operator's entries decides: `good.example` may be allowed below a denied `example`.
    for (let name = domain; name.includes('.'); name = name.slice(name.indexOf('.') + 1)) {
      if (this.#own.allowed.has(name)) return false
      if (this.#own.denied.has(name)) return true
    }
    return undefined
  }

  /** True if exactly this domain belongs to a free mailbox provider. */
  isFree(domain: string): boolean {
    return this.#free.has(domain)
  }
}

/**
 * Reads an operator's file: one domain per line, optionally after `*.` or `@`; `#` begins a comment. Throws if the file
 * cannot be read or a line is no domain, because otherwise nobody would notice an invalid entry.
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

/** Reads one of the files that `npm run refresh-lists` writes. */
export function readList(name: string): Buffer {
  return readFileSync(new URL(`./lists/${name}`, import.meta.url))
}
