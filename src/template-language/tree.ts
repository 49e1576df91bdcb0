// The tree of a parsed template, which the interpreter walks.

/** Position in the text of a template; lines and columns count from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

export type Node = Text | Output | Block

/** Text that is printed unchanged. */
interface Text {
  readonly kind: 'text'
  readonly text: string
}

/** A printed value: `{{value}}`, or `{{{value}}}` for a raw value. */
interface Output {
  readonly kind: 'output'
  readonly value: Expression
  readonly raw: boolean
  /** True if the value begins the URL of a link: `<a href="{{value}}">`. */
  readonly isLink: boolean
}

/**
 * A block: `{{#word value}}body{{else}}otherwise{{/word}}`. The word `section` means `{{#value}}`: a list is repeated,
 * an object becomes the scope, and true shows the body. The words `if` and `unless` change no scope.
 */
export interface Block {
  readonly kind: 'block'
  readonly word: 'section' | 'if' | 'unless' | 'each' | 'with'
  readonly value: Expression
  /** True for `{{#if count includeZero=true}}`, in which 0 counts as true. */
  readonly includeZero: boolean
  readonly body: readonly Node[]
  readonly otherwise: readonly Node[]
  /** True if the body has its own names for the item and its key: `as |item key|`. */
  readonly named: boolean
}

export type Expression = Path | Name | Literal | Call

/** A value of the model, or of the data that the caller provides with an `@`. */
export interface Path {
  readonly kind: 'path'
  /** True for `@index`, `@root`, `@content`. */
  readonly data: boolean
  /** Number of leading `../`. */
  readonly up: number
  /** Names of the path; empty for `this`. */
  readonly parts: readonly string[]
  readonly at: Position
}

/** A name that an enclosing block defines with `as |item key|`. */
interface Name {
  readonly kind: 'name'
  /** Number of blocks with their own names between the use and the block that defines the name. */
  readonly up: number
  /** Index of the name: 0 for the item, 1 for the key. */
  readonly index: number
  readonly parts: readonly string[]
}

export interface Literal {
  readonly kind: 'literal'
  readonly value: string | number | boolean | null | undefined
}

/** Call of an operation, such as `(equals status "paid")`. */
interface Call {
  readonly kind: 'call'
  readonly operation: Operation
  readonly args: readonly Expression[]
}

/** Charges the characters that are read, because a long text may be read often. */
export type Charge = (characters: number) => void

/** A function of values. An operation that reads every character of a value charges for the characters. */
export type Operation = (args: readonly unknown[], charge: Charge) => unknown

/** A template that was parsed without errors. */
export interface Template {
  readonly nodes: readonly Node[]
}

/** An error in the text of a template, and its position. */
export interface SyntaxProblem extends Position {
  readonly message: string
}

/** The limits of a template, and of rendering all parts of one message. */
export const LIMITS = {
  /** Maximum length of the text of a template, in characters. */
  characters: 100_000,
  /** Maximum number of words, signs and spaces in all tags together: about 150 ms of parsing. */
  tokens: 20_000,
  /** Maximum depth of nested blocks and parentheses. */
  depth: 100,
  /** Maximum number of names in one path. */
  parts: 32,
  /** Maximum number of visited nodes and repeated items: about 25 ms of rendering. */
  steps: 400_000,
  /** Maximum number of printed bytes. */
  bytes: 1_000_000,
} as const
