// Replaces placeholders in plain text by values, without a template language: the substitutions and sections of
// SendGrid, and the recipient variables of Mailgun. Text is cut once, and filled once for each recipient.

import { RenderBudget, RenderRefusal } from './render.ts'

/**
 * Text cut at its placeholders. The text before placeholder `n` is `texts[n]`; the last text follows the last
 * placeholder, so there is one text more than placeholders.
 */
export interface LiteralText {
  readonly texts: readonly string[]
  readonly placeholders: readonly Placeholder[]
}

interface Placeholder {
  /** Placeholder as written in the text, which stays in the text if there is no value. */
  readonly written: string
  /** Name of the value. */
  readonly key: string
}

/**
 * Value of a placeholder. A string is data of the caller, and is printed without being searched for placeholders. A
 * `LiteralText` is text of the sender, such as a section, and is filled with the same values. Without a value the
 * placeholder stays as written.
 */
type LiteralValue = string | LiteralText | undefined

/** Maximum depth of sections in sections; a placeholder below this depth stays as written. */
export const MAX_SECTION_DEPTH = 10
/** Maximum length of all keys of one `LiteralKeys` together, in characters. */
export const MAX_KEYS_LENGTH = 65_535
/** Maximum length of the name of a recipient variable, in characters. */
const MAX_NAME_LENGTH = 255

/**
 * Returns the text with the values in the places of their placeholders. Each value is printed exactly as given, without
 * escaping, because neither SendGrid nor Mailgun escapes literal values.
 *
 * @throws RenderRefusal if the output has more bytes, or more placeholders, than the budget has left
 */
export function fillLiteral(
  text: LiteralText,
  valueFor: (key: string) => LiteralValue,
  budget = new RenderBudget(),
): string {
  if (text.placeholders.length === 0) {
    const [whole = ''] = text.texts
    budget.print(whole)
    return whole
  }
  const output: string[] = []
  let length = 0
  const print = (piece: string): void => {
    length += piece.length
    // Each character has at least one byte, so text that is too long is refused before it is joined.
    if (length > budget.bytes) throw budget.tooLong()
    output.push(piece)
  }
  const fill = ({ texts, placeholders }: LiteralText, depth: number): void => {
    placeholders.forEach(({ written, key }, index) => {
      budget.steps--
      if (budget.steps < 0) throw budget.tooManySteps()
      print(texts[index] as string)
      const value = valueFor(key)
      if (typeof value === 'string') print(value)
      else if (value === undefined || depth === MAX_SECTION_DEPTH) print(written)
      else fill(value, depth + 1)
    })
    print(texts.at(-1) as string)
  }
  fill(text, 0)
  const whole = output.join('')
  budget.print(whole)
  return whole
}

/** Node of the automaton, which the character `unit` leads to from another node. */
interface KeyNode {
  readonly from: number
  readonly unit: number
  readonly node: number
}

/**
 * Set of keys that the caller has chosen, such as `-name-` or `%name%`. `cut` finds the keys in time linear in the text,
 * whatever the keys are: with an automaton of all keys (Aho and Corasick, 1975). The longest key counts if several keys
 * begin at the same character.
 */
export class LiteralKeys {
  readonly #keys: readonly string[]
  /** For each node of the automaton and each next character (`node * 65536 + code unit`), the next node. */
  readonly #next = new Map<number, number>()
  /** For each node, the node of its longest proper suffix in the automaton. */
  readonly #suffix: number[] = [0]
  /** For each node, 1 plus the index of the longest key that ends there; 0 without a key. */
  readonly #found: number[] = [0]

  /**
   * @param keys keys of placeholders; an empty key and a repeated key are left out
   * @throws RenderRefusal if the keys have more than `MAX_KEYS_LENGTH` characters together
   */
  constructor(keys: Iterable<string>) {
    this.#keys = [...new Set(keys)].filter((key) => key !== '')
    const length = this.#keys.reduce((sum, key) => sum + key.length, 0)
    if (length > MAX_KEYS_LENGTH) {
      throw new RenderRefusal(
        'too_many_steps',
        `All keys of the substitutions together have ${length} characters; use at most ${MAX_KEYS_LENGTH}.`,
      )
    }
    this.#linkSuffixes(this.#addKeys())
  }

  /**
   * Adds each key backwards, because the automaton reads a text from its end: the longest key that ends at a character
   * of the reversed text is the longest key that begins there. Returns all nodes but the root, by depth.
   */
  #addKeys(): readonly KeyNode[] {
    const levels: KeyNode[][] = []
    this.#keys.forEach((key, index) => {
      let node = 0
      for (let at = key.length - 1; at >= 0; at--) {
        const unit = key.charCodeAt(at)
        let next = this.#next.get(node * 65_536 + unit)
        if (next === undefined) {
          next = this.#found.push(0) - 1
          this.#next.set(node * 65_536 + unit, next)
          const depth = key.length - 1 - at
          levels[depth] ??= []
          levels[depth].push({ from: node, unit, node: next })
        }
        node = next
      }
      this.#found[node] = index + 1
    })
    return levels.flat()
  }

  #linkSuffixes(nodes: readonly KeyNode[]): void {
    for (const { from, unit, node } of nodes) {
      const suffix = from === 0 ? 0 : this.#step(this.#suffix[from] as number, unit)
      this.#suffix[node] = suffix
      this.#found[node] ||= this.#found[suffix] as number
    }
  }

  #step(from: number, unit: number): number {
    let node = from
    for (;;) {
      const next = this.#next.get(node * 65_536 + unit)
      if (next !== undefined) return next
      if (node === 0) return 0
      node = this.#suffix[node] as number
    }
  }

  /** Cuts a text at the keys, from left to right. */
  cut(text: string): LiteralText {
    const texts: string[] = []
    const placeholders: Placeholder[] = []
    let from = 0
    if (this.#keys.length > 0) {
      const found = this.#keysAt(text)
      for (let at = 0; at < text.length; ) {
        const key = this.#keys[(found[at] as number) - 1]
        if (key === undefined) {
          at++
          continue
        }
        texts.push(text.slice(from, at))
        placeholders.push({ written: key, key })
        at += key.length
        from = at
      }
    }
    texts.push(text.slice(from))
    return { texts, placeholders }
  }

  /** Returns for each character of the text 1 plus the index of the longest key that begins there, or 0. */
  #keysAt(text: string): Uint16Array {
    const found = new Uint16Array(text.length)
    let node = 0
    for (let at = text.length - 1; at >= 0; at--) {
      node = this.#step(node, text.charCodeAt(at))
      found[at] = this.#found[node] as number
    }
    return found
  }
}

/**
 * SendGrid's substitutions of a message: keys of the caller are replaced in any text.
 *
 * A section is text of the sender under a key. A text, another section or a substitution names the section by the key;
 * a substitution does so only if its whole value is the key of a section. Any other value of a substitution is data,
 * and is never searched for keys. The key of a substitution wins over the same key of a section.
 */
export class Substitutions {
  readonly #keys: LiteralKeys
  readonly #sections: ReadonlyMap<string, LiteralText>

  /**
   * @param keys keys of the substitutions of all recipients
   * @param sections texts of the sections by their keys
   * @throws RenderRefusal if the keys have more than `MAX_KEYS_LENGTH` characters together
   */
  constructor(keys: Iterable<string>, sections: Readonly<Record<string, string>> = {}) {
    const texts = Object.entries(sections)
    this.#keys = new LiteralKeys([...keys, ...texts.map(([key]) => key)])
    this.#sections = new Map(texts.map(([key, text]) => [key, this.#keys.cut(text)]))
  }

  /** Cuts a text once, for any number of recipients. */
  cut(text: string): LiteralText {
    return this.#keys.cut(text)
  }

  /**
   * Returns a text for a recipient with these substitutions.
   *
   * @throws RenderRefusal as in `fillLiteral`
   */
  fill(text: LiteralText, values: Readonly<Record<string, string>>, budget?: RenderBudget): string {
    const valueFor = (key: string): LiteralValue => {
      const value = ownText(values, key)
      if (value === undefined) return this.#sections.get(key)
      return this.#sections.get(value) ?? value
    }
    return fillLiteral(text, valueFor, budget)
  }
}

/** Returns an own property that is a string. */
const ownText = (values: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(values, key) ? values[key] : undefined

/** The service's own placeholders of a recipient, which need no variable. */
const BUILT_IN = ['%recipient%', '%recipient_email%', '%recipient_name%', '%recipient_fname%']

/** Beginning of all placeholders of recipient variables. */
const MARK = '%recipient'

/**
 * Cuts a text at Mailgun's recipient variables: `%recipient.key%`, and the built-in `%recipient%`,
 * `%recipient_email%`, `%recipient_name%` and `%recipient_fname%`. The key of a placeholder is written as in
 * `recipientValue`: `.key` for a variable, and the whole placeholder for a built-in one.
 */
export function cutRecipientVariables(text: string): LiteralText {
  const texts: string[] = []
  const placeholders: Placeholder[] = []
  let from = 0
  for (let at = text.indexOf(MARK); at !== -1; ) {
    const end = text.indexOf('%', at + MARK.length)
    if (end === -1) break
    const written = text.slice(at, end + 1)
    const key = recipientKey(written)
    if (key === undefined) {
      // The sign at the end may begin the next placeholder.
      at = text.indexOf(MARK, end)
      continue
    }
    texts.push(text.slice(from, at))
    placeholders.push({ written, key })
    from = end + 1
    at = text.indexOf(MARK, from)
  }
  texts.push(text.slice(from))
  return { texts, placeholders }
}

function recipientKey(written: string): string | undefined {
  if (BUILT_IN.includes(written)) return written
  if (!written.startsWith('%recipient.')) return undefined
  const name = written.slice(MARK.length, -1)
  return name.length > 1 && name.length <= MAX_NAME_LENGTH + 1 && !/[\r\n]/.test(name) ? name : undefined
}

/** Address and name of a recipient, and the recipient's variables. */
export interface VariablesOfRecipient {
  readonly email: string
  /** Display name; empty if the recipient has none. */
  readonly name: string
  readonly variables: Readonly<Record<string, unknown>>
}

/**
 * Fills a text with the variables of a recipient. A variable that is no text, number or boolean counts as missing, and
 * the placeholder of a missing variable stays as written.
 *
 * @throws RenderRefusal as in `fillLiteral`
 */
export function fillRecipientVariables(
  text: LiteralText,
  recipient: VariablesOfRecipient,
  budget?: RenderBudget,
): string {
  return fillLiteral(text, (key) => recipientValue(recipient, key), budget)
}

function recipientValue({ email, name, variables }: VariablesOfRecipient, key: string): string | undefined {
  switch (key) {
    case '%recipient%':
      return name === '' ? email : `${name} <${email}>`
    case '%recipient_email%':
      return email
    case '%recipient_name%':
      return name
    case '%recipient_fname%':
      return name.split(' ', 1)[0]
  }
  const named = key.slice(1)
  const value = Object.hasOwn(variables, named) ? variables[named] : undefined
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  return isScalar ? String(value) : undefined
}
