// Keeps JSON numbers as written if conversion to a double would change their text: for example, IDs of 18 digits, and
// prices such as 1.10.

/**
 * A JSON number with a text that a double does not preserve. `JSON.stringify` writes the original text. A structured
 * clone loses the text, so threads exchange such values as JSON text.
 */
export interface WrittenNumber {
  readonly rawJSON: string
}

declare global {
  interface JSON {
    rawJSON(text: string): WrittenNumber
    isRawJSON(value: unknown): value is WrittenNumber
  }
}

export const isWrittenNumber = (value: unknown): value is WrittenNumber => JSON.isRawJSON(value)

/** True if conversion to a double changes the text of this JSON number. */
export const isChangedByDouble = (written: string): boolean => String(Number(written)) !== written

/** Parses JSON like `JSON.parse`, but keeps each number as it was written. Throws `SyntaxError`. */
export const parseWritten = (text: string): unknown =>
  hasChangedNumber(text)
    ? JSON.parse(text, keepWritten as Parameters<typeof JSON.parse>[1])
    : JSON.parse(text)

/**
 * True if a JSON text contains a number that a double changes. Takes linear time; the result for a text that is not
 * JSON is arbitrary.
 */
function hasChangedNumber(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfString(text, at)
      if (at < 0) return false
    } else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      const end = endOfNumber(text, at)
      if (isChangedByDouble(text.slice(at, end))) return true
      at = end - 1
    }
  }
  return false
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39

/** Returns the index of the quote that ends the JSON string that begins at `start`; -1 if the string does not end. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end
    while (text.charCodeAt(before - 1) === BACKSLASH) before--
    if ((end - before) % 2 === 0) return end
  }
  return -1
}

/** Returns the index after the JSON number that begins at `start`. */
export function endOfNumber(text: string, start: number): number {
  let end = start + 1
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end)
    const isDigit = code >= ZERO && code <= NINE
    // A number continues with a decimal point, an exponent or a sign.
    if (!isDigit && code !== 0x2e && code !== 0x65 && code !== 0x45 && code !== 0x2b && code !== MINUS) break
  }
  return end
}

function keepWritten(_name: string, value: unknown, { source }: { readonly source?: string }): unknown {
  return typeof value === 'number' && source !== undefined && isChangedByDouble(source)
    ? JSON.rawJSON(source)
    : value
}

/** Returns the double nearest to a number or `WrittenNumber`; returns any other value unchanged. */
export const asDouble = (value: unknown): unknown => (isWrittenNumber(value) ? Number(value.rawJSON) : value)

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,9}))?$/

/**
 * Returns the same text for all spellings of a number, such as `1.10`, `11e-1` and `1.1`; undefined for a text that is
 * not a JSON number. Takes linear time.
 */
export function canonicalNumber(text: string): string | undefined {
  const found = DECIMAL.exec(text)
  if (found === null) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = found
  const all = whole + fraction
  let [start, end] = [0, all.length]
  while (all.charCodeAt(start) === ZERO) start++
  while (end > start && all.charCodeAt(end - 1) === ZERO) end--
  if (start === end) return '0'
  return `${sign}${all.slice(start, end)}e${Number(exponent) - fraction.length + all.length - end}`
}
