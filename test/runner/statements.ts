// The statements that a run sends to PostgreSQL, by shape: an inventory, so that nobody has to keep a list of them by hand.

import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { ROOT } from './plan.ts'

/** Shapes that the whole suite reaches; `npm run test:all -- --accept-statements` writes the file. */
const INVENTORY = join(ROOT, 'test/runner/statements.txt')
/** Part of the inventory that `npm test` alone has to reach. */
export const LEAST_SHARE = 0.83
/** Part that a complete run may miss: statements of rare moments, and of lists whose length depends on timing. */
export const MAY_MISS = 0.03

const TEXT_SHOWN = 110

/**
 * Returns the shape of a statement as one line: a hash, and the beginning of the text for readers. Numbers of
 * parameters, lists and repeated rows are folded.
 */
export function shapeOf(text: string): string {
  const folded = text
    .replace(/\s+/g, ' ')
    .replace(/\$\d+/g, '$')
    .replace(/\(\$(?:::[\w[\]]+)?(?:, ?\$(?:::[\w[\]]+)?)+\)/g, '($)')
    .replace(/(\((?:[^()]|\([^()]*\))*\))(?:, ?\1)+/g, '$1')
    .replace(/'[^']*'/g, "''")
    .replace(/\b\d+\b/g, '0')
    .trim()
  const hash = createHash('sha256').update(folded).digest('hex').slice(0, 12)
  return `${hash} ${folded.slice(0, TEXT_SHOWN)}`
}

/** What tests do to their databases, and what changes tables: no statement that the service runs for a request. */
const NOT_THE_SERVICE =
  /^\s*(create|drop|alter|grant|revoke|set|show|listen|begin|commit|rollback|vacuum|analyze)\b|pg_terminate_backend/i

/** Notes what this process sends to PostgreSQL, and writes the shapes into a folder when the process ends. */
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

/** Reads the shapes that the processes of a run have noted. */
export function shapesIn(folder: string): ReadonlySet<string> {
  const files = globSync('statements-*.txt', { cwd: folder })
  const lines = files.flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
  return new Set(lines.filter((line) => line !== ''))
}

/** Reads the inventory of the whole suite. */
export const inventory = (): readonly string[] =>
  readFileSync(INVENTORY, 'utf8')
    .split('\n')
    .filter((line) => line !== '')

/** Writes the inventory anew. */
export function writeInventory(shapes: ReadonlySet<string>): void {
  writeFileSync(INVENTORY, `${[...shapes].toSorted().join('\n')}\n`)
}
