// Reads values of a model: own properties, truth values and the text of a value.

import { asDouble, isWrittenNumber } from '../lib/written-numbers.ts'
import type { Charge } from './tree.ts'

/** Returns an own property of a value; undefined for properties of its prototype, for `__proto__` and for functions. */
export function ownProperty(value: unknown, name: string): unknown {
  if (value === null || value === undefined || name === '__proto__') return undefined
  if (!Object.hasOwn(value as object, name) || isWrittenNumber(value)) return undefined
  const found = (value as Record<string, unknown>)[name]
  return typeof found === 'function' ? undefined : found
}

/** Returns the value at a path in which each step is an own property. */
export function follow(value: unknown, parts: readonly string[]): unknown {
  let found = value
  for (const part of parts) found = ownProperty(found, part)
  return found
}

/** True for values that `if` and `with` treat as false: missing, null, false, an empty text or list, NaN, but not 0. */
export const isNothing = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : !value && value !== 0

/** True for the number 0 in any spelling. */
export const isZero = (value: unknown): boolean => asDouble(value) === 0

/** Maximum depth of nested lists that are printed. */
const DEEPEST_LIST = 50
/** Number of characters charged for an item of a list, in addition to the text of the item. */
const ITEM = 32

/**
 * Returns the text of a value: empty for a missing value, and items separated by commas for a list.
 *
 * @param charge charges the characters that are read
 */
export function textOf(value: unknown, charge: Charge, depth = 0): string {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(value)
    case 'object':
      if (value === null) return ''
      if (isWrittenNumber(value)) return value.rawJSON
      if (!Array.isArray(value)) return '[object Object]'
      if (depth === DEEPEST_LIST) return ''
      charge(ITEM * (1 + value.length))
      return value.map((item) => textOf(item, charge, depth + 1)).join(',')
    default:
      return ''
  }
}

/**
 * Characters that browsers do not skip in a URL: browsers skip control characters and spaces before a scheme, and tabs
 * and line breaks within a scheme. Zero-width characters are also excluded.
 */
const READ = /[^\0-\x20\x7f-\xa0\u200b-\u200f\ufeff]{1,20}/g
const SCRIPT = /^(?:javascript:|vbscript:|data:(?!image\/(?!svg)))/i
/** Number of characters that is sufficient to recognise a scheme. */
export const SCHEME_LENGTH = 'data:image/svg'.length

/** Returns the first `SCHEME_LENGTH` characters of a URL, without the characters that a browser skips. */
export function schemeOf(address: string): string {
  let scheme = ''
  for (const [some] of address.matchAll(READ)) {
    scheme += some
    if (scheme.length >= SCHEME_LENGTH) break
  }
  return scheme.slice(0, SCHEME_LENGTH)
}

/** True if a browser would run a script when following a URL that begins with this text. */
export const isScript = (scheme: string): boolean => SCRIPT.test(scheme)

const ENTITY = /&(?:#x([\da-f]+)|#(\d+)|(colon|tab|newline));?/gi

/** Returns HTML in which the entities that could hide a scheme are decoded. */
export const withoutEntities = (html: string): string =>
  html.replace(ENTITY, (_, hexadecimal, decimal, name) => {
    if (name !== undefined) return name.toLowerCase() === 'colon' ? ':' : ''
    const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : ''
  })

const SPECIAL = /[&<>"'`=]/
const ALL_SPECIAL = /[&<>"'`=]/g
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#x27;',
  // A backtick or an equals sign ends an attribute that has no quotes.
  '`': '&#x60;',
  '=': '&#x3D;',
}

/** Returns a text escaped for HTML: for the content of an element, and for an attribute with or without quotes. */
export const escapeHtml = (text: string): string =>
  SPECIAL.test(text) ? text.replace(ALL_SPECIAL, (one) => ENTITIES[one] as string) : text
