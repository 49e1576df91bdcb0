// Tolerant reading of requests in the form of another service: absent, empty and unknown fields are no errors.

import { type FieldProblem, MAX_PROBLEMS } from '../model/problem.ts'

/** Maximum number of ignored fields that are named to the client. */
const MAX_IGNORED = 100
/** Maximum length of the path of an ignored field. */
const MAX_PATH = 100

/** Field names of one kind of object, which are found in any case of letters. */
export class FieldNames {
  readonly #names: ReadonlySet<string>
  readonly #lower: ReadonlyMap<string, string>

  constructor(...names: readonly string[]) {
    this.#names = new Set(names)
    this.#lower = new Map(names.map((name) => [name.toLowerCase(), name]))
  }

  /** Returns the known name that a written name means; undefined for an unknown name. */
  find(written: string): string | undefined {
    return this.#names.has(written) ? written : this.#lower.get(written.toLowerCase())
  }
}

/** Findings from reading a request: ignored fields, and fields that cannot be translated. */
export class Reading {
  /** Paths of the ignored fields, such as `Attachments[0].Size`. */
  readonly ignored: string[] = []
  readonly problems: FieldProblem[] = []
  readonly #isLenient: boolean

  /** @param isLenient true to ignore wishes that cannot be fulfilled, instead of refusing them */
  constructor(isLenient = false) {
    this.#isLenient = isLenient
  }

  /** Returns the reading of one of several parts of a request, whose problems are separate. */
  ofPart(): Reading {
    return new Reading(this.#isLenient)
  }

  /** Notes a field that has no effect. */
  ignore(path: string): void {
    if (this.ignored.length < MAX_IGNORED) this.ignored.push(path.slice(0, MAX_PATH))
  }

  /** Notes a field with a wrong value. */
  wrong(path: string, code: string, message: string): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ path, code, message })
  }

  /** Notes a field whose wish changes the meaning of the request and cannot be fulfilled. */
  refuse(path: string, message: string): void {
    if (this.#isLenient) this.ignore(path)
    else this.wrong(path, 'not_supported', message)
  }

  /** Returns the fields of an object; no fields, and a problem, for a value that is no object. */
  fields(value: unknown, names: FieldNames, path = ''): Fields {
    const known = new Map<string, unknown>()
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.wrong(path, 'invalid_type', 'The value must be an object.')
      return new Fields(this, known, path)
    }
    for (const [written, one] of Object.entries(value)) {
      const name = names.find(written)
      if (name === undefined) this.ignore(`${path}${path === '' ? '' : '.'}${written}`)
      // A field with the exact name wins over a field that differs in the case of letters.
      else if (!isEmpty(one) && (name === written || !known.has(name))) known.set(name, one)
    }
    return new Fields(this, known, path)
  }
}

/** True for a value that clients send for an absent field. */
const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === ''

const TRUE = /^(?:true|yes|1|on)$/i
const FALSE = /^(?:false|no|0|off)$/i

/** Fields of an object; a field that is absent, null or an empty text reads as undefined. */
export class Fields {
  readonly #reading: Reading
  readonly #known: ReadonlyMap<string, unknown>
  readonly #path: string

  constructor(reading: Reading, known: ReadonlyMap<string, unknown>, path: string) {
    this.#reading = reading
    this.#known = known
    this.#path = path
  }

  /** Returns the path of a field, as problems and ignored fields name it. */
  at(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`
  }

  has(name: string): boolean {
    return this.#known.has(name)
  }

  /** Returns the value of a field as it is. */
  value(name: string): unknown {
    return this.#known.get(name)
  }

  /** Returns a text; a number or a boolean as text. */
  text(name: string): string | undefined {
    const value = this.#known.get(name)
    if (value === undefined || typeof value === 'string') return value
    if (typeof value === 'number' || typeof value === 'boolean') return String(value)
    return this.#wrong(name, 'a text')
  }

  /** Returns a boolean, which may be written as text. */
  flag(name: string): boolean | undefined {
    const value = this.#known.get(name)
    if (value === undefined || typeof value === 'boolean') return value
    if (TRUE.test(String(value))) return true
    if (FALSE.test(String(value))) return false
    return this.#wrong(name, 'true or false')
  }

  /** Returns a whole number that is at least 0, which may be written as text. */
  integer(name: string): number | undefined {
    const value = this.#known.get(name)
    if (value === undefined) return undefined
    const number = typeof value === 'number' || /^\d{1,15}$/.test(String(value)) ? Number(value) : Number.NaN
    return Number.isSafeInteger(number) && number >= 0 ? number : this.#wrong(name, 'a whole number')
  }

  /** Returns one of several words, found in any case of letters. */
  word<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const word = words.find((one) => one.toLowerCase() === text.toLowerCase())
    return word ?? this.#wrong(name, `one of ${words.join(', ')}`)
  }

  /** Returns the elements of a list; a value that is no list counts as its only element. */
  list(name: string): readonly unknown[] {
    const value = this.#known.get(name)
    return value === undefined ? [] : Array.isArray(value) ? value : [value]
  }

  /** Returns the objects in a list, each with its fields. */
  objects(name: string, names: FieldNames): Fields[] {
    return this.list(name).map((one, index) => this.#reading.fields(one, names, `${this.at(name)}[${index}]`))
  }

  /** Returns the fields of an object in a field; undefined without the object. */
  object(name: string, names: FieldNames): Fields | undefined {
    const value = this.#known.get(name)
    return value === undefined ? undefined : this.#reading.fields(value, names, this.at(name))
  }

  /** Returns an object of texts; values that are numbers or booleans become texts, and empty values are left out. */
  texts(name: string): Record<string, string> | undefined {
    const value = this.#known.get(name)
    if (value === undefined) return undefined
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return this.#wrong(name, 'an object of texts')
    }
    const entries: [string, string][] = []
    for (const [key, one] of Object.entries(value)) {
      if (one === null || one === undefined) continue
      if (typeof one === 'object') {
        this.#reading.wrong(`${this.at(name)}.${key}`, 'invalid_type', 'The value must be a text.')
      } else entries.push([key, String(one)])
    }
    return Object.fromEntries(entries)
  }

  /** Returns an object of any shape. */
  model(name: string): object | undefined {
    const value = this.#known.get(name)
    if (value === undefined) return undefined
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? value
      : this.#wrong(name, 'an object')
  }

  #wrong(name: string, wanted: string): undefined {
    this.#reading.wrong(this.at(name), 'invalid_type', `The value must be ${wanted}.`)
    return undefined
  }
}
