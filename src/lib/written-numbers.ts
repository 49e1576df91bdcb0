// Numbers of JSON as they were written, where a double would print another text: IDs of 18 digits, prices such as 1.10.

/**
 * A number whose text a double does not keep. `JSON.stringify` writes it as it was; a structured clone does not keep it, so
 * threads exchange such values as JSON text.
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

/** True if a double prints another text than this number of JSON. */
export const isChangedByDouble = (written: string): boolean => String(Number(written)) !== written

/** Reads JSON like `JSON.parse`, but with each number as it was written. Throws `SyntaxError`. */
export const parseWritten = (text: string): unknown =>
  hasChangedNumber(text)
    ? JSON.parse(text, keepWritten as Parameters<typeof JSON.parse>[1])
    : JSON.parse(text)

/** True if a text of JSON has a number that a double changes. Linear; a text that is no JSON gets any answer. */
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

/** The place of the quote that ends the string of JSON which begins at `start`; -1 when none does. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end
    while (text.charCodeAt(before - 1) === BACKSLASH) before--
    if ((end - before) % 2 === 0) return end
  }
  return -1
}

/** The place after the number of JSON which begins at `start`. */
export function endOfNumber(text: string, start: number): number {
  let end = start + 1
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end)
    const isDigit = code >= ZERO && code <= NINE
    // A point, an exponent or its sign.
    if (!isDigit && code !== 0x2e && code !== 0x65 && code !== 0x45 && code !== 0x2b && code !== MINUS) break
  }
  return end
}

function keepWritten(_name: string, value: unknown, { source }: { readonly source?: string }): unknown {
  return typeof value === 'number' && source !== undefined && isChangedByDouble(source)
    ? JSON.rawJSON(source)
    : value
}

/** The double nearest to a number, written or not; any other value as it is. */
export const asDouble = (value: unknown): unknown => (isWrittenNumber(value) ? Number(value.rawJSON) : value)

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,9}))?$/

/**
 * One text for all spellings of a number: `1.10`, `11e-1` and `1.1` have the same. Undefined for a text that is no number
 * of JSON. Linear.
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
