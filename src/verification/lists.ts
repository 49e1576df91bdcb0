// What lists say of a domain: that its addresses are thrown away soon, or that anybody gets one free of charge.

import { readFileSync } from 'node:fs'
import { DomainList } from './domain-list.ts'

/** What the operator knows better, as domains; a subdomain is meant with its parent. */
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

  /** Whether addresses of this domain, or of one above it, are made to be thrown away. */
  isDisposable(domain: string): boolean {
    // The nearest of the operator's entries decides: `good.example` may be allowed below a denied `example`.
    for (let name = domain; name.includes('.'); name = name.slice(name.indexOf('.') + 1)) {
      if (this.#own.allowed.has(name)) return false
      if (this.#own.denied.has(name)) return true
    }
    return this.#disposable.hasOrParent(domain)
  }

  /** Whether anybody gets a mailbox in this very domain. */
  isFree(domain: string): boolean {
    return this.#free.has(domain)
  }
}

/** Reads an operator's file: one domain a line; `#` begins a comment. Throws when it cannot be read. */
export function readOwnList(file: string | undefined): ReadonlySet<string> {
  if (file === undefined) return new Set()
  const lines = readFileSync(file, 'utf8').split('\n')
  return new Set(
    lines.map((line) => line.replace(/#.*/, '').trim().toLowerCase()).filter((line) => line !== ''),
  )
}

/** One of the files that `npm run refresh-lists` writes. */
export function readList(name: string): Buffer {
  return readFileSync(new URL(`./lists/${name}`, import.meta.url))
}
