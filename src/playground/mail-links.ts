// Finds the links of a mail, which tests of an application follow: password resets, confirmations, unsubscribing.

import { Parser } from 'htmlparser2'

const MAX_LINKS = 1_000

/** A web address in plain text. */
const ADDRESS = /https?:\/\/[^\s<>"]+/gi
/** Characters that end a sentence or a bracket after an address. */
const AFTER_ADDRESS = /[).,:;!?'\]}]{1,10}$/

/** Texts of a mail. */
interface Texts {
  readonly html?: string | undefined
  readonly text?: string | undefined
}

/** Parser that keeps no open elements, because closing tags do not matter, and deep nesting would be slow. */
class FlatParser extends Parser {
  protected override isVoidElement(): boolean {
    return true
  }
}

/**
 * Returns the http and https addresses of a mail without duplicates: first the links of the HTML in their order, then
 * the addresses of the text.
 */
export function linksOf({ html = '', text = '' }: Texts): readonly string[] {
  const links = new Set<string>()
  const add = (address: string): void => {
    if (links.size < MAX_LINKS && /^https?:\/\//i.test(address)) links.add(address)
  }
  const parser = new FlatParser({
    onopentag(name, { href }) {
      if ((name === 'a' || name === 'area') && href !== undefined) add(href.trim())
    },
  })
  parser.end(html)
  for (const [address] of text.matchAll(ADDRESS)) add(address.replace(AFTER_ADDRESS, ''))
  return [...links]
}
