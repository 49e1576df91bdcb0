// The uses of the columns of a list, and the message that a row becomes.

/** Uses of a column, in the order in which the form shows them. */
export const USES = ['to', 'to_name', 'variable', 'metadata', 'none'] as const
export type Use = (typeof USES)[number]

export interface Column {
  readonly title: string
  readonly use: Use
  /** Name of a variable or of metadata; `order.number` is a field of `order`. */
  readonly name: string
}

const ADDRESS = /^(e-?mail|mail|to|recipient|address)([ _-]?address)?$/i
const NAME = /^(to_name|display[ _-]?name|recipient[ _-]?name)$/i

/** Guesses the use of each column from its title. */
export function guessColumns(titles: readonly string[]): readonly Column[] {
  const address = titles.findIndex((title) => ADDRESS.test(title))
  return titles.map((title, index) => {
    const own = /^metadata\./.test(title) ? 'metadata' : 'variable'
    const use = index === address ? 'to' : NAME.test(title) ? 'to_name' : title === '' ? 'none' : own
    return { title, use, name: title.replace(/^metadata\./, '').replace(/\s+/g, '_') }
  })
}

/** Returns the name of a column as the service expects it. */
export function columnName({ use, name }: Column): string {
  if (use === 'to') return 'email'
  if (use === 'to_name') return 'to_name'
  if (use === 'none' || name.trim() === '') return ''
  return use === 'metadata' ? `metadata.${name.trim()}` : name.trim()
}

type Values = { [name: string]: string | Values }

/** Returns the template variables of a row, without empty cells, as the service does. */
export function modelOf(columns: readonly Column[], row: readonly string[]): Values {
  const model: Values = Object.create(null)
  for (const [index, column] of columns.entries()) {
    const cell = row[index] ?? ''
    if (column.use !== 'variable' || cell === '' || column.name.trim() === '') continue
    const path = column.name.trim().split('.')
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
