// The hash of what a JSON document means: one for all orders of fields, white space, escapes and spellings of numbers.

import { createHash, type Hash, type Hmac, hash as hashOnce } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { canonicalNumber, isWrittenNumber } from '../lib/written-numbers.ts'
import type { SendRequest } from './send-request.ts'

/** Texts of more characters stand in the hash by their own. */
const LONG = 4_096
/** Values, and characters, after which others have a turn of the event loop. */
const TURN_VALUES = 10_000
const TURN_CHARACTERS = 1_000_000

/** A list, or an object with its names in order, of which the parts before `at` were taken. */
interface Open {
  readonly value: object
  readonly names: readonly string[] | undefined
  at: number
}

/** Hashes a value that was read from JSON, in turns of the event loop; answers the hash in hex. */
export async function hashOfJson(hash: Hash | Hmac, value: unknown): Promise<string> {
  await updateWithJson(hash, value)
  return hash.digest('hex')
}

/** Puts a value that was read from JSON into a hash, in turns of the event loop. */
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

/** Writes a value as one text: texts with their lengths, so that no two values have the same. */
class CanonicalWriter {
  readonly #open: Open[] = []
  #text = ''
  #values = 0
  #characters = 0

  get needsTurn(): boolean {
    return this.#values >= TURN_VALUES || this.#characters >= TURN_CHARACTERS
  }

  /** The text since the last call. */
  take(): string {
    const text = this.#text
    this.#text = ''
    this.#values = 0
    this.#characters = 0
    return text
  }

  /** Adds the next part of what is open; false once nothing is. */
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

/** Hashes what send requests mean: a field that is null or an empty list is one that is left out (contract §8). */
export const hashOfRequests = (requests: readonly SendRequest[]): Promise<string> =>
  hashOfJson(createHash('sha256'), requests.map(withoutEmpty))

function withoutEmpty(request: SendRequest): object {
  const entries = Object.entries(request) as [string, unknown][]
  return Object.fromEntries(
    entries.filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0)),
  )
}
