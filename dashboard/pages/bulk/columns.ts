// The uses of the columns of a list, and the message that a row becomes.

import type { TemplateVariable } from './calls.ts'

/** Uses of a column, in the order in which the form shows them. */
export const USES = ['to', 'to_name', 'variable', 'metadata', 'none'] as const
export type Use = (typeof USES)[number]

export interface Column {
  readonly title: string
  readonly use: Use
  /** Name of the variable or of the metadata as the user typed it; undefined for a name made from the title. */
  readonly typedName?: string | undefined
}

/** A column with the name of its variable or metadata; `order.number` is a field of `order`. */
export interface NamedColumn extends Column {
  readonly name: string
}

const ADDRESS = /^(e-?mail|mail|to|recipient|address)([ _-]?address)?$/i
const NAME = /^(to_name|display[ _-]?name|recipient[ _-]?name)$/i

const isAddress = (cell: string): boolean => /^[^\s@]+@[^\s@]+$/.test(cell.trim())

/**
 * Returns the index of the column with the addresses, or -1: the column has a usual title and addresses in the first
 * rows; or else a title about mail; or else it is the only column with addresses in the first rows, such as
 * `Mailadresse`; or else it has a usual title.
 */
function addressColumn(titles: readonly string[], rows: readonly (readonly string[])[]): number {
  const usual = [...titles.keys()].filter((index) => ADDRESS.test(titles[index] ?? ''))
  const filled = [...titles.keys()].filter((index) => {
    const cells = rows.map((row) => row[index] ?? '').filter((cell) => cell !== '')
    return cells.length > 0 && cells.filter(isAddress).length >= cells.length / 2
  })
  return (
    usual.find((index) => filled.includes(index)) ??
    usual.find((index) => /mail/i.test(titles[index] ?? '')) ??
    (filled.length === 1 ? filled[0] : undefined) ??
    usual[0] ??
    -1
  )
}

/** Guesses the use of each column from its title and from the first rows. */
export function guessColumns(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
): readonly Column[] {
  const address = addressColumn(titles, rows)
  return titles.map((title, index) => {
    const own = /^metadata\./.test(title) ? 'metadata' : 'variable'
    const use = index === address ? 'to' : NAME.test(title) ? 'to_name' : title === '' ? 'none' : own
    return { title, use }
  })
}

/**
 * Returns the columns with their names. A column without a typed name gets the name of the variable that matches its
 * title, regardless of case, spaces and punctuation: `First name` fills `first_name`. Any other column is named after
 * its title.
 */
export function namedColumns(
  columns: readonly Column[],
  variables: readonly TemplateVariable[],
): readonly NamedColumn[] {
  const taken = new Set(columns.map(({ typedName }) => typedName?.trim()))
  return columns.map((column) => {
    if (column.typedName !== undefined) return { ...column, name: column.typedName }
    const title = column.title.replace(/^metadata\./, '')
    const exact = title.replace(/\s+/g, '_')
    const meant =
      variables.find(({ name }) => name === exact) ??
      variables.find(({ name }) => !taken.has(name) && plain(name) === plain(title))
    const name = column.use === 'variable' && meant !== undefined ? meant.name : exact
    if (column.use === 'variable') taken.add(name)
    return { ...column, name }
  })
}

/** Returns a name in lower case, with its letters and digits only. */
const plain = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')

/** Returns the variables that no column fills. */
export const unfilledVariables = (
  columns: readonly NamedColumn[],
  variables: readonly TemplateVariable[],
): readonly TemplateVariable[] => {
  const given = columns.filter(isVariable).map((column) => columnName(column))
  return variables.filter(
    ({ name }) => !given.some((column) => column === name || column.startsWith(`${name}.`)),
  )
}

/** True if the column fills a variable; the service also provides the address as a variable. */
const isVariable = ({ use }: NamedColumn): boolean => use === 'variable' || use === 'to'

/** Returns the name of a column as the service expects it. */
export function columnName({ use, name }: NamedColumn): string {
  if (use === 'to') return 'email'
  if (use === 'to_name') return 'to_name'
  if (use === 'none' || name.trim() === '') return ''
  return use === 'metadata' ? `metadata.${name.trim()}` : name.trim()
}

type Values = { [name: string]: string | Values }

/** Returns the template variables of a row, without empty cells, as the service does. */
export function modelOf(columns: readonly NamedColumn[], row: readonly string[]): Values {
  const model: Values = Object.create(null)
  for (const [index, column] of columns.entries()) {
    const cell = row[index] ?? ''
    if (!isVariable(column) || cell === '' || columnName(column) === '') continue
    const path = columnName(column).split('.')
    let at = model
    for (const part of path.slice(0, -1)) {
      const before = at[part]
      const inner: Values = typeof before === 'object' ? before : Object.create(null)
      at[part] = inner
      at = inner
    }
    at[path.at(-1) as string] = cell
  }
  return model
}

/** Returns the e-mail address of a row. */
export const addressOf = (columns: readonly Column[], row: readonly string[]): string =>
  row[columns.findIndex(({ use }) => use === 'to')] ?? ''
