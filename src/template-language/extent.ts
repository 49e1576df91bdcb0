// Refuses templates whose parsing would take too long, before they are parsed.

import { positionOf } from './syntax-problem.ts'
import { LIMITS, type SyntaxProblem } from './tree.ts'

// The parser takes about 15 µs per token, and more time for each token in proportion to its depth: 16,000 nested blocks
// took half a minute.

/**
 * Pattern of the beginning of a tag: a comment, four braces, an `else`, one of the signs `#`, `^` and `/`, or an `else`
 * that is followed by a condition.
 */
const OPENING = /\{\{(?:~?(!--|!)|(\{\{)|~?(?:\^\s*~?\}\}|([#^/])|\s*(else)\b(?!\s*~?\}\}))?)/y
/** Pattern of a token of a tag; a quoted text or a name in brackets may contain any characters, even `}}`. */
const TOKEN = /"(?:\\"|[^"])*"|'(?:\\'|[^'])*'|\[(?:\\\]|[^\]])*\]|\}\}|[^\s"'[\]{}()=~.#/|@]+|[\s\S]/y

/**
 * Returns the problem and its position for a template that is too large for the parser; otherwise undefined. Runs in
 * linear time.
 */
export function excess(text: string): SyntaxProblem | undefined {
  const scan = new Scan(text, LIMITS.tokens)
  const message = scan.run()
  return message === undefined ? undefined : { ...positionOf(text, scan.at), message }
}

/**
 * True if the tags of all texts together have at most this number of tokens. Runs in linear time, and stops at the
 * limit.
 */
export function hasAtMostTokens(texts: readonly string[], tokens: number): boolean {
  let left = tokens
  for (const text of texts) {
    const scan = new Scan(text, left)
    if (scan.run() !== undefined) return false
    left -= scan.tokens
  }
  return true
}

class Scan {
  readonly #text: string
  readonly #maxTokens: number
  at = 0
  tokens = 0
  /** Number of levels of each open block: the block itself, and each else with a condition. */
  readonly #blocks: number[] = []
  #depth = 0

  constructor(text: string, maxTokens: number) {
    this.#text = text
    this.#maxTokens = maxTokens
  }

  run(): string | undefined {
    for (;;) {
      const found = this.#text.indexOf('{{', this.at)
      if (found < 0) return undefined
      this.at = found
      const before = this.#text.slice(Math.max(0, found - 2), found)
      // Escaped braces are also a token of the parser.
      const isText = before.endsWith('\\') && before !== '\\\\'
      const problem = isText ? this.#count(found + 2) : this.#tag()
      if (problem !== undefined) return problem
    }
  }

  #tag(): string | undefined {
    OPENING.lastIndex = this.at
    const opening = OPENING.exec(this.#text) as RegExpExecArray
    const [whole, comment, raw, sign, otherwise] = opening
    const end = this.at + whole.length
    if (raw !== undefined) return 'Raw blocks ("{{{{") are not available; write \\{{ for two braces.'
    if (comment !== undefined) return this.#comment(comment, end)
    if (sign === '/') this.#depth -= this.#blocks.pop() ?? 0
    else if (sign !== undefined) this.#blocks.push(1)
    else if (otherwise !== undefined) this.#blocks.push((this.#blocks.pop() ?? 0) + 1)
    if (otherwise !== undefined || (sign !== undefined && sign !== '/')) this.#depth++
    if (this.#depth > LIMITS.depth) return TOO_DEEP
    return whole.endsWith('}}') ? this.#count(end) : this.#tokensUntilEnd(end)
  }

  #comment(opening: string, from: number): string | undefined {
    const end = opening === '!' ? /\}\}/g : /--~?\}\}/g
    end.lastIndex = from
    const found = end.exec(this.#text)
    if (found === null) return `A comment "{{${opening}" is not closed.`
    return this.#count(end.lastIndex)
  }

  #tokensUntilEnd(from: number): string | undefined {
    let parentheses = 0
    let at = from
    for (;;) {
      TOKEN.lastIndex = at
      const token = TOKEN.exec(this.#text)?.[0]
      if (token === undefined) return this.#count(this.#text.length)
      // A single quote, double quote or bracket is unclosed here, because a complete quoted text or bracketed name
      // matches as a longer token. The parser would also stop at this position.
      if (token === '"' || token === "'" || token === '[') {
        this.at = at
        return `The "${token}" is not closed.`
      }
      at += token.length
      const problem = this.#count(at)
      if (problem !== undefined) return problem
      if (token === '}}') return undefined
      if (token === '(') parentheses++
      if (token === ')') parentheses--
      if (this.#depth + parentheses > LIMITS.depth) return TOO_DEEP
    }
  }

  #count(at: number): string | undefined {
    this.at = at
    this.tokens++
    return this.tokens > this.#maxTokens ? 'The template has too many tags, or too long tags.' : undefined
  }
}

const TOO_DEEP = `Blocks and parentheses may be nested at most ${LIMITS.depth} deep.`
