// Describes errors of the grammar's parser so that authors of templates can act on them.

import type { Position, SyntaxProblem } from './tree.ts'

/** An error of the parser: a syntax error has a `hash`, an error about a path or a closing tag has a position. */
interface ParserError {
  readonly message: string
  /** Line number, counted from 1. */
  readonly lineNumber?: number
  /** Column number, counted from 0. */
  readonly column?: number
  readonly hash?: {
    readonly text: string
    readonly token: string | null
    /** Line number, counted from 0. */
    readonly line?: number
    /** End of the previous token; lines from 1, columns from 0. */
    readonly loc?: { readonly last_line: number; readonly last_column: number }
    readonly expected?: readonly string[]
  }
}

/** Returns the problem that a parser error for `text` reports. */
export function syntaxProblem(text: string, error: unknown): SyntaxProblem {
  const { hash, message, lineNumber, column } = error as ParserError
  if (hash === undefined) {
    const said = message.replace(/ - \d+:\d+$/, '')
    const mismatch = /^(.*) doesn't match (.*)$/s.exec(said)
    return {
      line: lineNumber ?? 1,
      column: (column ?? 0) + 1,
      message:
        mismatch === null
          ? `${said}.`
          : `The block "${shown(mismatch[1])}" is closed by "{{/${shown(mismatch[2])}}}".`,
    }
  }
  if (hash.loc === undefined)
    return { line: (hash.line ?? 0) + 1, column: 1, message: 'The template cannot be read.' }
  const open =
    hash.token === 'EOF' && hash.expected?.includes("'OPEN_ENDBLOCK'") ? openBlock(text) : undefined
  if (open !== undefined) {
    return { ...positionOf(text, open.at), message: `The block "${open.name}" is not closed.` }
  }
  const unclosed = unclosedTag(text, hash.loc.last_line, hash.loc.last_column)
  if (unclosed !== undefined) return { ...positionOf(text, unclosed), message: NOT_CLOSED }
  return {
    line: hash.loc.last_line,
    column: hash.loc.last_column + 1,
    message: unexpected(hash.token, hash.text),
  }
}

const NOT_CLOSED = 'A "{{" is not closed by "}}".'

/**
 * Returns the index of the last tag that begins before a position, if the tag has no end before the next tag begins.
 */
function unclosedTag(text: string, line: number, column: number): number | undefined {
  const lines = text.split(/(?<=\r\n|\r(?!\n)|\n)/).slice(0, line - 1)
  const start = text.lastIndexOf('{{', lines.join('').length + column)
  if (start < 0) return undefined
  const [next, end] = [text.indexOf('{{', start + 3), text.indexOf('}}', start)]
  return end < 0 || (next >= 0 && next < end) ? start : undefined
}

function unexpected(token: string | null, text: string): string {
  switch (token) {
    case 'EOF':
      return NOT_CLOSED
    case 'OPEN_ENDBLOCK':
      return 'A closing tag closes no block.'
    case 'INVERSE':
      return 'An "{{else}}" is outside of a block, or is the second "{{else}}" of the block.'
    case 'CLOSE':
    case 'CLOSE_UNESCAPED':
      return 'The braces that open and close a tag differ in number, or the tag is empty.'
    case 'NUMBER':
      return `A number at the end of a path is written in brackets: "[${shown(text)}]".`
    default:
      return `"${shown(text)}" is not expected here.`
  }
}

const shown = (text = ''): string => text.replace(/\s+/g, ' ').slice(0, 40)

/** Returns the innermost block that is still open at the end of the text. */
function openBlock(text: string): { name: string; at: number } | undefined {
  const open: { name: string; at: number }[] = []
  for (const tag of text.matchAll(/\{\{~?(?:!--[\s\S]*?--|([#^/])\s*([^\s~}]+))/g)) {
    const [, sign, name = ''] = tag
    if (sign === '/') open.pop()
    else if (sign !== undefined) open.push({ name: name.slice(0, 40), at: tag.index })
  }
  return open.at(-1)
}

/** Returns line and column of an index. */
export function positionOf(text: string, index: number): Position {
  const before = text.slice(0, index).split(/\r\n?|\n/)
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}
