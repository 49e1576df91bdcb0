// Records the figures of this commit, and shows the losses since earlier records.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Options } from '../harness/options.ts'
import { figure, heading, line, processors } from '../harness/report.ts'
import { measureAccept } from '../measurements/accept.ts'
import { measureDeliver } from '../measurements/deliver.ts'
import { measureSmtp } from '../measurements/smtp.ts'
import { measureTemplate } from '../measurements/template.ts'
import { measureVerify } from '../measurements/verify.ts'
import { FIGURE_NAMES, FIGURES, type FigureName, keptValues } from './figures.ts'
import {
  type Entry,
  fallenSince,
  figuresTable,
  formatEntry,
  type Measured,
  measuredOf,
  parseHistory,
  withHead,
} from './history.ts'

const HISTORY = new URL('../history.tsv', import.meta.url)
const README = new URL('../README.md', import.meta.url)
const BEGIN = '<!-- figures: written by `npm run bench -- record` -->'
const END = '<!-- end of figures -->'

const SMTP_CONNECTIONS = 48
const MESSAGES = 8_000
const SECONDS = 3
const ROUNDS = 3

/** Runs the short measurements, and adds their figures to the history and the README (`npm run bench -- record`). */
export async function record(options: Options): Promise<void> {
  const short: Options = { ...options, short: true, seconds: SECONDS, rounds: ROUNDS, messages: MESSAGES }
  const startedAt = performance.now()
  await measureAccept(short)
  await measureAccept({ ...short, database: 'postgres' })
  await measureSmtp({ ...short, connections: SMTP_CONNECTIONS })
  await measureDeliver(short)
  await measureDeliver({ ...short, prefilled: true })
  await measureVerify(short)
  await measureTemplate(short)
  const figures = new Map<FigureName, Measured>()
  for (const name of FIGURE_NAMES) {
    const measured = measuredOf(keptValues(name))
    if (measured !== undefined) figures.set(name, measured)
  }
  const entry: Entry = { at: new Date().toISOString(), commit: commitHere(), machine: processors(), figures }
  const text = withHead(readHistory()) + formatEntry(entry)
  writeFileSync(HISTORY, text)
  writeTable(parseHistory(text))
  heading(`recorded at ${entry.commit} in ${figure((performance.now() - startedAt) / 1000, 's')}`)
  compare()
}

/**
 * Shows the losses of the last record that exceed the noise, and the commits between which each loss occurred (`npm run
 * bench -- compare`).
 */
export function compare(): void {
  const entries = parseHistory(readHistory())
  if (entries.length < 2) {
    heading('there is nothing to compare: run `npm run bench -- record` at two commits')
    return
  }
  const fallen = fallenSince(entries)
  heading(fallen.length === 0 ? 'nothing fell by more than the noise' : 'fell by more than the noise')
  for (const { name, before, now, by, noise, between } of fallen) {
    const { label, unit } = FIGURES[name]
    const percent = (share: number): string => `${figure(100 * share)} %`
    line(label, figure(before, unit), figure(now, unit), percent(by), `noise ${percent(noise)}`)
    for (const subject of commitsBetween(...between)) line('', subject)
  }
  if (fallen.length > 0) process.exitCode = 1
}

const readHistory = (): string => (existsSync(HISTORY) ? readFileSync(HISTORY, 'utf8') : '')

const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: new URL('..', import.meta.url), encoding: 'utf8' }).trim()

/** Returns the hash of the current commit; files that a record writes do not count as uncommitted changes. */
function commitHere(): string {
  const changed = git('status', '--porcelain', '--', ':!history.tsv', ':!README.md') !== ''
  return `${git('rev-parse', '--short=10', 'HEAD')}${changed ? '+' : ''}`
}

function commitsBetween(from: string, to: string): string[] {
  const [first, last] = [from, to].map((commit) => commit.replace('+', ''))
  if (first === last) return [`${to}: changed files`]
  try {
    return git('log', '--format=%h %s', `${first}..${last}`).split('\n')
  } catch {
    return [`between ${from} and ${to}, which this clone does not have`]
  }
}

function writeTable(entries: readonly Entry[]): void {
  const text = readFileSync(README, 'utf8')
  const [before, rest = ''] = text.split(BEGIN)
  const [, after] = rest.split(END)
  if (before === undefined || after === undefined)
    throw new Error('the README has no markers around the figures')
  writeFileSync(README, `${before}${BEGIN}\n\n${figuresTable(entries)}\n${END}${after}`)
}
