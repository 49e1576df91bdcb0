// Reads the cells of a sheet of an XLSX workbook, row by row as texts (ECMA-376 part 1, §18.3.1).

/** Data of the workbook that cells refer to. */
export interface SheetContext {
  readonly strings: readonly string[]
  /** True for each style that shows a number as a date or time. */
  readonly dateStyles: readonly boolean[]
  /** True if days are counted from 1904 instead of 1900. */
  readonly is1904: boolean
}

/** Maximum number of columns of a sheet: A to XFD. */
const MAX_COLUMNS = 16_384
const MAX_ROWS = 1_048_576

/** Makes rows from the elements of a sheet. */
export class SheetRows {
  readonly #context: SheetContext
  #cells: string[] = []
  /** Type of the open cell. */
  #type = 'n'
  #isDate = false
  #value = ''
  #inValue = false
  #inPhonetic = false
  #next = 0
  #line = 0

  constructor(context: SheetContext) {
    this.#context = context
  }

  /**
   * Returns the number of the last row read, from 1. The number includes earlier rows without content, which may be
   * missing in the file.
   */
  get line(): number {
    return this.#line
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'row') {
      this.#cells = []
      this.#next = 0
      this.#line = Math.min(Math.max(Number(attributes.r) || 0, this.#line + 1), MAX_ROWS)
    } else if (name === 'c') {
      this.#type = attributes.t ?? 'n'
      this.#isDate = this.#context.dateStyles[Number(attributes.s ?? -1)] === true
      this.#value = ''
      this.#next = columnOf(attributes.r) ?? this.#next
    } else if (name === 'rPh') this.#inPhonetic = true
    else this.#inValue = name === 'v' || (name === 't' && !this.#inPhonetic)
  }

  text(text: string): void {
    if (this.#inValue) this.#value += text
  }

  /**
   * Returns the cells of a row, up to the last cell with content, at the end tag of the row; undefined for a row
   * without content, and at any other end tag.
   */
  close(name: string): readonly string[] | undefined {
    this.#inValue = false
    if (name === 'rPh') this.#inPhonetic = false
    if (name === 'c') this.#endCell()
    if (name !== 'row' || this.#cells.length === 0) return undefined
    return Array.from(this.#cells, (cell) => cell ?? '')
  }

  #endCell(): void {
    const at = this.#next++
    const text = this.#text()
    if (text !== '' && at < MAX_COLUMNS) this.#cells[at] = text
  }

  #text(): string {
    const value = this.#value
    if (this.#type === 's') return this.#context.strings[Number(value)] ?? ''
    if (this.#type === 'b') return value === '1' ? 'TRUE' : 'FALSE'
    if (this.#type !== 'n' || value === '') return value
    const number = Number(value)
    if (!Number.isFinite(number)) return value
    return this.#isDate ? dateOf(number, this.#context.is1904) : String(number)
  }
}

/** Returns the column index of a reference such as `AB12`; undefined if there is none. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/i.exec(reference ?? '')?.[0]
  if (letters === undefined) return undefined
  let column = 0
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}

/** Day 0 of the 1900 and 1904 date systems, in days since 1970. */
const DAY_ZERO = { 1900: -25_569, 1904: -24_107 } as const

/** Returns a serial date in ISO form: a date, a time of day, or a date with a time of day. */
function dateOf(serial: number, is1904: boolean): string {
  // The 1900 date system includes 29 February 1900, which did not exist.
  const day = !is1904 && serial < 60 && serial >= 1 ? serial + 1 : serial
  const date = new Date(Math.round((day + DAY_ZERO[is1904 ? 1904 : 1900]) * 86_400) * 1_000)
  if (Number.isNaN(date.getTime())) return String(serial)
  const [written = '', time = ''] = date.toISOString().slice(0, 19).split('T')
  if (serial >= 0 && serial < 1 && !is1904) return time
  return Number.isInteger(serial) ? written : `${written} ${time}`
}

/**
 * True for a format that shows a number as a date or a time of day; `code` is the format code, if the workbook defines
 * the format.
 */
export function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined)
    return (
      (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58) || id === 45 || id === 47
    )
  // Formats such as `[h]` show durations, which may exceed a day.
  if (/\[(h+|m+|s+)\]/i.test(code)) return false
  const bare = code.replace(/"[^"]*"|\[[^\]]*\]|\\.|_.|\*./g, '')
  return /[dmyhs]/i.test(bare) && !/general/i.test(bare)
}
