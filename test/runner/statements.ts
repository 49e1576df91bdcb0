// The inventory of SQL statements that the tests send to PostgreSQL. Statements are reduced to shapes, and recorded
// automatically.

import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { ROOT } from './plan.ts'

/**
 * File with the shapes of all statements of the whole suite; `npm run test:all -- --accept-statements` writes the file.
 */
const INVENTORY = join(ROOT, 'test/runner/statements.txt')
/** Minimum share of the inventory that `npm test` alone has to execute. */
export const LEAST_SHARE = 0.83
/** Maximum share of the inventory that a complete run may miss, because some statements depend on timing. */
export const MAY_MISS = 0.03

const TEXT_SHOWN = 110

/**
 * Returns the shape of an SQL statement as one line: a hash, and the beginning of the statement for readers. The
 * numbers of parameters, list elements and rows, the date of a daily table, and the columns that an update sets to
 * parameters, do not change the shape.
 */
export function shapeOf(text: string): string {
  const folded = text
    .replace(/\s+/g, ' ')
    .replace(/\$\d+/g, '$')
    .replace(/\(\$(?:::[\w[\]]+)?(?:, ?\$(?:::[\w[\]]+)?)+\)/g, '($)')
    .replace(/(\((?:[^()]|\([^()]*\))*\))(?:, ?\1)+/g, '$1')
    .replace(/(?<= set |, )"\w+" = \$(?:, "\w+" = \$)*(?=,| where | returning |$)/g, '"…" = $')
    .replace(/'[^']*'/g, "''")
    .replace(/\b\d+\b|(?<=_)\d{8}\b/g, '0')
    .trim()
  const hash = createHash('sha256').update(folded).digest('hex').slice(0, 12)
  return `${hash} ${folded.slice(0, TEXT_SHOWN)}`
}

/** Pattern of statements that are left out: statements of the tests, and statements that change tables or sessions. */
const NOT_THE_SERVICE =
  /^\s*(create|drop|alter|grant|revoke|set|show|listen|begin|commit|rollback|vacuum|analyze)\b|pg_terminate_backend/i

/**
 * Records the statements that this process sends to PostgreSQL; writes their shapes to a directory when the process
 * ends.
 */
export function recordStatements(folder: string): void {
  const texts = new Map<string, string>()
  const query = pg.Client.prototype.query as (...words: unknown[]) => unknown
  pg.Client.prototype.query = function (this: pg.Client, ...words: unknown[]): unknown {
    const [first] = words
    const text = typeof first === 'string' ? first : (first as { readonly text?: string } | undefined)?.text
    if (text !== undefined && !texts.has(text) && !NOT_THE_SERVICE.test(text)) texts.set(text, shapeOf(text))
    return query.apply(this, words)
  } as typeof pg.Client.prototype.query
  process.once('exit', () =>
    writeFileSync(join(folder, `statements-${process.pid}.txt`), [...new Set(texts.values())].join('\n')),
  )
}

/** Reads the shapes that the processes of a run have recorded. */
export function shapesIn(folder: string): ReadonlySet<string> {
  const files = globSync('statements-*.txt', { cwd: folder })
  const lines = files.flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
  return new Set(lines.filter((line) => line !== ''))
}

/** Reads the inventory of SQL statements. */
export const inventory = (): readonly string[] =>
  readFileSync(INVENTORY, 'utf8')
    .split('\n')
    .filter((line) => line !== '')

/** Replaces the inventory of SQL statements. */
export function writeInventory(shapes: ReadonlySet<string>): void {
  writeFileSync(INVENTORY, `${[...shapes].toSorted().join('\n')}\n`)
}
