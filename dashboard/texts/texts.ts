// Texts of the dashboard: pages import the English texts, which a build in another language replaces.

import { locale } from './language.ts'

/** Texts for a number by CLDR plural category; `{count}` is the number. */
export interface Plural {
  readonly one: string
  readonly other: string
}

export interface Texts {
  readonly [key: string]: string | Plural | Texts
}

/** Type of the texts of a file in another language. */
export type Translation<Room> = {
  readonly [Key in keyof Room]: Room[Key] extends string
    ? string
    : Room[Key] extends Plural
      ? Plural
      : Translation<Room[Key]>
}

type Names<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never
type Values<Text, Value> = { readonly [Name in Names<Text>]: Value }

/** Returns the text with its placeholders filled: `{domain}` by the value `domain`. */
export const fill = <const Text extends string>(text: Text, values: Values<Text, string | number>): string =>
  text.replace(PLACEHOLDER, (_, name: string) => shown((values as Record<string, string | number>)[name]))

const PLACEHOLDER = /\{(\w+)\}/g
const NUMBERS = new Intl.NumberFormat(locale)
const PLURALS = new Intl.PluralRules(locale)

const shown = (value: string | number | undefined): string =>
  typeof value === 'number' ? NUMBERS.format(value) : isolated(value ?? '')

/** Letters that are written from right to left: Hebrew, Arabic and their neighbours. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
/** Control characters that change the writing direction of the text after them (Unicode Annex #9 §2). */
const DIRECTION_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g

/**
 * Returns a value for the middle of a sentence. A value that is written from right to left is enclosed in isolates, and
 * loses its own control characters, so that it does not reorder the words around it.
 */
function isolated(value: string): string {
  const plain = value.replace(DIRECTION_CONTROLS, '')
  return RIGHT_TO_LEFT.test(plain) ? `\u2068${plain}\u2069` : plain
}

/** Returns the text for this number, with its other placeholders filled. */
export const counted = (
  text: Plural,
  count: number,
  values: Readonly<Record<string, string | number>> = {},
): string => {
  const form: string = PLURALS.select(count) === 'one' ? text.one : text.other
  return fill(form, { ...values, count } as never)
}

/**
 * Returns the parts of a text with the values of its placeholders in between; a value may be an element, such as a link
 * or code.
 */
export const parts = <const Text extends string, Filled extends Values<Text, unknown>>(
  text: Text,
  values: Filled,
): (string | Filled[keyof Filled])[] =>
  text.split(PLACEHOLDER).map((part, index) => {
    if (index % 2 === 0) return part
    const value = values[part as keyof Filled]
    return typeof value === 'string' ? isolated(value) : value
  })

/** Returns the texts of a list as one text, such as "a, b and c". */
export const listed = (items: readonly string[]): string => LISTS.format(items)

const LISTS = new Intl.ListFormat(locale, { type: 'conjunction' })
