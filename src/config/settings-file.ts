// Parses a settings file with lines of NAME=value. Invalid lines are reported as problems, because the setting in an
// ignored line would be lost.

import { readFileSync } from 'node:fs'

const BLANK = /^\s*(?:#.*)?$/
const NAME = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*/
/** Pattern of a value, with or without quotes; a space precedes a comment after the value. */
const VALUE = /^(?:"([^"]*)"|'([^']*)'|((?!["']).*?))(?:(?:^|\s+)#.*)?\s*$/

/**
 * Parses a settings file. Adds a problem with file, line and remedy to `problems` for each invalid line; the problem
 * contains only the first word of the line, because a line may contain a secret. Throws when the file cannot be read.
 */
export function readSettingsFile(path: string, problems: string[]): Record<string, string | undefined> {
  const values = new Map<string, string>()
  const lines = readFileSync(path, 'utf8')
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
  for (const [index, line] of lines.entries()) {
    const problem = BLANK.test(line) ? undefined : readLine(line, values)
    if (problem !== undefined) problems.push(`${path}, line ${index + 1}: ${problem}`)
  }
  return Object.fromEntries(values)
}

/** Adds the value of a line to `values`, or returns the problem of the line. */
function readLine(line: string, values: Map<string, string>): string | undefined {
  const [before = '', name] = NAME.exec(line) ?? []
  if (name === undefined) {
    const word = /[\w.-]{1,60}/.exec(line)?.[0]
    return `${word === undefined ? 'it' : `what begins with ${word}`} is not NAME=value; write it so, or put # before a comment`
  }
  const found = VALUE.exec(line.slice(before.length))
  if (found === null)
    return `the value of ${name} begins with a quote and does not end with the same quote; close the quote`
  if (values.has(name)) return `${name} is already set; remove one of the two lines`
  values.set(name, found[1] ?? found[2] ?? found[3] ?? '')
  return undefined
}
