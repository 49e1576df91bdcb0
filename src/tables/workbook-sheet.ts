// The cells of a sheet of an XLSX workbook, row by row as texts (ECMA-376 part 1, §18.3.1).

/** What cells refer to. */
export interface SheetContext {
  readonly strings: readonly string[]
  /** By style: true where a number is shown as a date or time. */
  readonly dateStyles: readonly boolean[]
  /** Days are counted from 1904 instead of 1900. */
  readonly is1904: boolean
}

/** Columns of a sheet: A to XFD. */
const MAX_COLUMNS = 16_384
const MAX_ROWS = 1_048_576

/** Makes rows of the elements of a sheet. */
export class SheetRows {
  readonly #context: SheetContext
  #cells: string[] = []
  /** Of the cell that is open. */
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

  /** Number of the row that was read last, from 1; rows without content may be left out before it. */
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

  /** The cells of a row that ends here and has any content, up to the last of them. */
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

/** The index of the column in a reference such as `AB12`; undefined without one. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/i.exec(reference ?? '')?.[0]
  if (letters === undefined) return undefined
  let column = 0
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}

/** The day 0 of both ways to count, in days since 1970. */
const DAY_ZERO = { 1900: -25_569, 1904: -24_107 } as const

/** A serial date in the ISO form: with the time only where it has one, and without a day where it is a time alone. */
function dateOf(serial: number, is1904: boolean): string {
  // The leap day of 1900, which there was not, is counted.
  const day = !is1904 && serial < 60 && serial >= 1 ? serial + 1 : serial
  const date = new Date(Math.round((day + DAY_ZERO[is1904 ? 1904 : 1900]) * 86_400) * 1_000)
  if (Number.isNaN(date.getTime())) return String(serial)
  const [written = '', time = ''] = date.toISOString().slice(0, 19).split('T')
  if (serial >= 0 && serial < 1 && !is1904) return time
  return Number.isInteger(serial) ? written : `${written} ${time}`
}

/** True for a format that shows a number as a date or a time of day; `code` where it is one of the workbook's own. */
export function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined)
    return (
      (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58) || id === 45 || id === 47
    )
  // Durations count beyond a day.
  if (/\[(h+|m+|s+)\]/i.test(code)) return false
  const bare = code.replace(/"[^"]*"|\[[^\]]*\]|\\.|_.|\*./g, '')
  return /[dmyhs]/i.test(bare) && !/general/i.test(bare)
}
