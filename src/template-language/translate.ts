// Translates the tree of the grammar into the tree of the interpreter, and reports tags that have no meaning.

import { nearest } from '../lib/nearest.ts'
import type { BlockStatement, Hash, PathPhrase, Phrase, Statement, Tag } from './grammar.ts'
import { findComparison, findOperation, OPERATION_NAMES, type OperationRule } from './operations.ts'
import {
  type Block,
  type Expression,
  LIMITS,
  type Literal,
  type Node,
  type Path,
  type SyntaxProblem,
} from './tree.ts'

const WORDS = ['if', 'unless', 'each', 'with'] as const
type Word = (typeof WORDS)[number]
const isWord = (name: string | undefined): name is Word =>
  (WORDS as readonly (string | undefined)[]).includes(name)

const MAX_PROBLEMS = 20

const MAX_BEFORE = 100
/** Pattern of the beginning of an attribute with a URL that a browser opens or loads. */
const LINK_BEGINS = /[\s"'/](?:href|src|action|formaction|background|poster|cite|data)\s*=\s*["']?\s*$/i

/**
 * Pattern of a path that begins with `this` or dots, and therefore not with a name that a block defines, unlike
 * `thisItem`.
 */
const SCOPED = /^(?:\.|this(?:[./]|$))/

/** Translates one template and collects its `problems`. */
export class Translation {
  readonly problems: SyntaxProblem[] = []
  /** Names that the enclosing blocks define with `as |item key|`, innermost last. */
  readonly #names: (readonly string[])[] = []

  /** True if the next output may begin the URL of a link. */
  #beginsLink = false

  nodes(statements: readonly Statement[] = []): Node[] {
    const nodes: Node[] = []
    for (const statement of statements) {
      const node = this.#node(statement)
      if (node?.kind === 'text') this.#beginsLink = LINK_BEGINS.test(node.text.slice(-MAX_BEFORE))
      if (node?.kind === 'output') this.#beginsLink = false
      const before = nodes.at(-1)
      if (node === undefined) continue
      if (node.kind === 'text' && before?.kind === 'text') {
        nodes[nodes.length - 1] = { kind: 'text', text: before.text + node.text }
      } else nodes.push(node)
    }
    return nodes
  }

  #node(statement: Statement): Node | undefined {
    switch (statement.type) {
      case 'ContentStatement':
        return statement.value === '' ? undefined : { kind: 'text', text: statement.value }
      case 'CommentStatement':
        return undefined
      case 'MustacheStatement':
        return {
          kind: 'output',
          value: this.#callOrPath(statement),
          raw: !statement.escaped,
          isLink: this.#beginsLink,
        }
      case 'BlockStatement':
        return this.#block(statement)
      case 'PartialStatement':
      case 'PartialBlockStatement':
        return this.#refuse(
          statement,
          'Partials ("{{>") are not available; use a layout for what templates share.',
        )
      default:
        return this.#refuse(statement, 'Decorators ("{{*") are not available.')
    }
  }

  #block(block: BlockStatement): Block | undefined {
    const { path, params, hash } = block
    const name = simpleName(path)
    if (isWord(name)) {
      const [value] = params
      if (value === undefined || params.length > 1) {
        return this.#refuse(block, `"{{#${name}" takes exactly one value.`)
      }
      return this.#filled(block, name, this.#expression(value), this.#includeZero(name, hash))
    }
    if (params.length === 0) return this.#filled(block, 'section', this.#callOrPath(block), false)
    const comparison = name === undefined ? undefined : findComparison(name)
    if (name === undefined || comparison === undefined) {
      return this.#refuse(
        block,
        `There is no block "{{#${shown(path)}" that takes values${meant(name, BLOCKS)}`,
      )
    }
    return this.#filled(block, 'if', this.#call(block, name, comparison), false)
  }

  #filled(block: BlockStatement, word: Block['word'], value: Expression, includeZero: boolean): Block {
    const names = block.program?.blockParams ?? []
    const named = names.length > 0
    if (named) this.#names.push(names)
    const before = this.#beginsLink
    const body = this.nodes(block.program?.body)
    if (named) this.#names.pop()
    // Only one of the body and the else part is printed.
    const wasInLink = this.#beginsLink
    this.#beginsLink = before
    const otherwise = this.nodes(block.inverse?.body)
    this.#beginsLink ||= wasInLink
    return { kind: 'block', word, value, includeZero, body, otherwise, named }
  }

  #includeZero(word: Word, hash: Hash | undefined): boolean {
    const [first, second] = hash?.pairs ?? []
    if (first?.key === 'includeZero' && second === undefined && (word === 'if' || word === 'unless')) {
      return first.value.type === 'BooleanLiteral' && first.value.value === true
    }
    this.#refuseHash(hash)
    return false
  }

  /**
   * Translates the content of `{{ }}`: an operation if values follow the name, otherwise a path; `{{true}}` is a path
   * with the name `true`.
   */
  #callOrPath(tag: Tag): Expression {
    const { path, params, hash } = tag
    if (params.length > 0) return this.#operation(tag)
    this.#refuseHash(hash)
    if (!('value' in path)) return this.#expression(path)
    return { kind: 'path', data: false, up: 0, parts: [String(path.value)], at: positionOf(tag) }
  }

  #operation(tag: Tag): Expression {
    const name = simpleName(tag.path)
    const rule = name === undefined ? undefined : findOperation(name)
    if (name !== undefined && rule !== undefined) return this.#call(tag, name, rule)
    this.#refuse(
      tag,
      `There is no operation "${shown(tag.path)}" that takes values${meant(name, OPERATION_NAMES)}`,
    )
    return NOTHING
  }

  #call(tag: Tag, name: string, { operation, least, most }: OperationRule): Expression {
    this.#refuseHash(tag.hash)
    const { length } = tag.params
    if (length < least || length > most) {
      const wanted = least === most ? `${least}` : `${least} to ${most}`
      this.#refuse(tag, `"${name}" takes ${wanted} value${wanted === '1' ? '' : 's'}, not ${length}.`)
    }
    return { kind: 'call', operation, args: tag.params.map((param) => this.#expression(param)) }
  }

  #expression(phrase: Phrase): Expression {
    switch (phrase.type) {
      case 'PathExpression':
        return this.#path(phrase)
      case 'SubExpression':
        return this.#operation(phrase)
      case 'HashLiteral':
      case 'ArrayLiteral':
        this.#refuse(phrase, 'Only paths, texts, numbers and operations in parentheses can be values.')
        return NOTHING
      default:
        return { kind: 'literal', value: phrase.value }
    }
  }

  #path(path: PathPhrase): Expression {
    const parts = path.parts.filter((part) => typeof part === 'string')
    if (parts.length < path.parts.length) this.#refuse(path, 'A path cannot begin with parentheses.')
    if (parts.length + path.depth > LIMITS.parts)
      this.#refuse(path, `A path has at most ${LIMITS.parts} names.`)
    const scoped = SCOPED.test(path.original)
    const [first = '', ...rest] = parts
    if (!path.data && path.depth === 0 && !scoped) {
      for (const [up, names] of this.#names.toReversed().entries()) {
        const index = names.indexOf(first)
        if (index >= 0) return { kind: 'name', up, index, parts: rest }
      }
    }
    return { kind: 'path', data: path.data, up: path.depth, parts, at: positionOf(path) }
  }

  #refuseHash(hash: Hash | undefined): void {
    const [pair] = hash?.pairs ?? []
    if (pair !== undefined) this.#refuse(pair, `"${pair.key}=" is not available here.`)
  }

  #refuse(where: Pick<Statement, 'loc'>, message: string): undefined {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ ...positionOf(where), message })
  }
}

const NOTHING: Literal = { kind: 'literal', value: undefined }
const BLOCKS = [...WORDS, ...OPERATION_NAMES.filter((name) => findComparison(name) !== undefined)]

const positionOf = ({ loc }: Pick<Statement, 'loc'>): Path['at'] => ({
  line: loc.start.line,
  column: loc.start.column + 1,
})

/** Returns the name if a phrase is a single name. */
function simpleName(phrase: Phrase): string | undefined {
  if (phrase.type !== 'PathExpression' || phrase.data || phrase.depth > 0) return undefined
  const [name, more] = phrase.parts
  return typeof name === 'string' && more === undefined ? name : undefined
}

const shown = (phrase: Phrase): string =>
  ('original' in phrase ? phrase.original : 'value' in phrase ? String(phrase.value) : '(…)').slice(0, 40)

function meant(name: string | undefined, known: readonly string[]): string {
  const near = name === undefined ? undefined : nearest(name, known)
  return near === undefined ? `; there are ${known.join(', ')}.` : `; did you mean "${near}"?`
}
