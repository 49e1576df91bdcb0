// Hashes the meaning of a JSON document: the hash does not depend on the order of fields, on white space, on escapes or
// on the spelling of numbers.

import { createHash, type Hash, type Hmac, hash as hashOnce } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { canonicalNumber, isWrittenNumber } from '../lib/written-numbers.ts'

/** Length in characters above which only the hash of a text is added to the hash. */
const LONG = 4_096
/** Number of values, and number of characters, after which other work gets a turn of the event loop. */
const TURN_VALUES = 10_000
const TURN_CHARACTERS = 1_000_000

/** A partly written list, or a partly written object with sorted names; the elements before `at` are written. */
interface Open {
  readonly value: object
  readonly names: readonly string[] | undefined
  at: number
}

/** Hashes a value parsed from JSON over several turns of the event loop; returns the hash in hex. */
export async function hashOfJson(hash: Hash | Hmac, value: unknown): Promise<string> {
  await updateWithJson(hash, value)
  return hash.digest('hex')
}

/** Adds a value parsed from JSON to a hash, over several turns of the event loop. */
export async function updateWithJson(hash: Hash | Hmac, value: unknown): Promise<void> {
  const writer = new CanonicalWriter()
  writer.add(value)
  while (writer.step()) {
    if (!writer.needsTurn) continue
    hash.update(writer.take())
    await nextTurn()
  }
  hash.update(writer.take())
}

/** Writes a value as canonical text. A length precedes each string, so that different values have different texts. */
class CanonicalWriter {
  readonly #open: Open[] = []
  #text = ''
  #values = 0
  #characters = 0

  get needsTurn(): boolean {
    return this.#values >= TURN_VALUES || this.#characters >= TURN_CHARACTERS
  }

  /** Returns the text written since the last call. */
  take(): string {
    const text = this.#text
    this.#text = ''
    this.#values = 0
    this.#characters = 0
    return text
  }

  /** Writes the next element of the innermost open value; returns false if no value is open. */
  step(): boolean {
    const open = this.#open.at(-1)
    if (open === undefined) return false
    const { value, names } = open
    const parts = value as Record<string | number, unknown>
    if (open.at === (names ?? (value as readonly unknown[])).length) {
      this.#text += names === undefined ? ']' : '}'
      this.#open.pop()
      return true
    }
    const name = names?.[open.at]
    if (name !== undefined) this.#addText(name)
    this.add(parts[name ?? open.at])
    open.at++
    return true
  }

  add(value: unknown): void {
    this.#values++
    if (typeof value === 'string') this.#addText(value)
    else if (typeof value === 'number') this.#addNumber(String(value))
    else if (isWrittenNumber(value)) this.#addNumber(value.rawJSON)
    else if (typeof value === 'object' && value !== null) {
      const names = Array.isArray(value) ? undefined : Object.keys(value).sort()
      this.#text += names === undefined ? '[' : '{'
      this.#open.push({ value, names, at: 0 })
    } else this.#text += `${value},`
  }

  #addText(text: string): void {
    this.#characters += text.length
    this.#text += text.length > LONG ? `#${hashOnce('sha256', text)}` : `"${text.length}:${text}`
  }

  #addNumber(written: string): void {
    this.#text += `${canonicalNumber(written) ?? written},`
  }
}

/** Hashes the meaning of send requests: a field that is null or an empty list counts as omitted. */
export const hashOfRequests = (requests: readonly object[]): Promise<string> =>
  hashOfJson(createHash('sha256'), requests.map(withoutEmpty))

function withoutEmpty(request: object): object {
  const entries = Object.entries(request) as [string, unknown][]
  return Object.fromEntries(
    entries.filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0)),
  )
}
