// The parser of the Handlebars grammar, and the types of the tree that the parser returns.

import { parse } from '@handlebars/parser'

interface At {
  /** Position in the text; lines count from 1, and columns from 0. */
  readonly loc: { readonly start: { readonly line: number; readonly column: number } }
}

export interface Program extends At {
  readonly type: 'Program'
  readonly body: readonly Statement[]
  /** Names that the block defines with `as |item key|`. */
  readonly blockParams?: readonly string[] | undefined
}

export type Statement = Content | Comment | Mustache | BlockStatement | Unavailable

interface Content extends At {
  readonly type: 'ContentStatement'
  readonly value: string
}

interface Comment extends At {
  readonly type: 'CommentStatement'
}

/** Content of an opening tag: a name, values, and `key=value` pairs. */
export interface Tag extends At {
  readonly path: Phrase
  readonly params: readonly Phrase[]
  readonly hash?: Hash | undefined
}

interface Mustache extends Tag {
  readonly type: 'MustacheStatement'
  readonly escaped: boolean
}

export interface BlockStatement extends Tag {
  readonly type: 'BlockStatement'
  /** Body of the block; undefined in a block `{{^name}}` without an else. */
  readonly program?: Program | undefined
  readonly inverse?: Program | undefined
}

interface Unavailable extends At {
  readonly type: 'PartialStatement' | 'PartialBlockStatement' | 'Decorator' | 'DecoratorBlock'
}

export interface Hash extends At {
  readonly pairs: readonly ({ readonly key: string; readonly value: Phrase } & At)[]
}

export type Phrase = PathPhrase | CallPhrase | LiteralPhrase | OtherPhrase

export interface PathPhrase extends At {
  readonly type: 'PathExpression'
  /** True if the path begins with `@`. */
  readonly data: boolean
  /** Number of leading `../`. */
  readonly depth: number
  readonly parts: readonly (string | CallPhrase)[]
  readonly original: string
}

interface CallPhrase extends Tag {
  readonly type: 'SubExpression'
}

interface LiteralPhrase extends At {
  readonly type: 'StringLiteral' | 'NumberLiteral' | 'BooleanLiteral' | 'NullLiteral' | 'UndefinedLiteral'
  readonly value: string | number | boolean | null | undefined
}

interface OtherPhrase extends At {
  readonly type: 'HashLiteral' | 'ArrayLiteral'
}

/** Parses a text. Throws the errors of the parser. */
export const parseText = (text: string): Program => parse(text) as unknown as Program
