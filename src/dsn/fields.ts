// Header-like fields read leniently: of a mail that came back, or of the groups in a report.

import { decodeWords } from '../mime/encoded-word.ts'
import { legalText } from '../mime/legal-text.ts'

const MAX_FIELDS = 500
const MAX_VALUE = 2_000

/** Fields by name, whatever its case. Lines that are no field are passed over. */
export class Fields {
  readonly #values = new Map<string, string[]>()

  /** Reads at most 500 fields, of each the first 2,000 characters. Lines may end in CRLF or LF. */
  constructor(text: string) {
    let count = 0
    const lines = /^([!-9;-~]{1,100})[ \t]*:([^\n]*(?:\n[ \t]+[^\s][^\n]*)*)/gm
    for (const [, name = '', value = ''] of text.matchAll(lines)) {
      if (++count > MAX_FIELDS) break
      const key = name.toLowerCase()
      const read = legalText(value.slice(0, MAX_VALUE).replace(/\r?\n[ \t]+/g, ' ')).trim()
      const same = this.#values.get(key)
      if (same === undefined) this.#values.set(key, [read])
      else same.push(read)
    }
  }

  /** The first value; undefined when there is no such field. */
  get(name: string): string | undefined {
    return this.#values.get(name)?.[0]
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? []
  }

  has(name: string): boolean {
    return this.#values.has(name)
  }

  /** The first value with its encoded-words decoded; empty when there is no such field. */
  decoded(name: string): string {
    return decodeWords(this.get(name) ?? '')
  }
}
