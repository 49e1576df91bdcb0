// The tree of a parsed template, which the interpreter walks.

/** Position in the text of a template, both from 1. */
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

/** `{{value}}`, or `{{{value}}}` when it is raw. */
interface Output {
  readonly kind: 'output'
  readonly value: Expression
  readonly raw: boolean
  /** True if the value begins the address of a link: `<a href="{{value}}">`. */
  readonly isLink: boolean
}

/**
 * `{{#word value}}body{{else}}otherwise{{/word}}`. `section` is `{{#value}}`: a list is repeated, an object becomes
 * the scope, true shows the body. `if` and `unless` change no scope.
 */
export interface Block {
  readonly kind: 'block'
  readonly word: 'section' | 'if' | 'unless' | 'each' | 'with'
  readonly value: Expression
  /** `{{#if count includeZero=true}}`: 0 counts as true. */
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
  /** The names to follow; none for `this`. */
  readonly parts: readonly string[]
  readonly at: Position
}

/** A name that an enclosing block gave with `as |item key|`. */
interface Name {
  readonly kind: 'name'
  /** Number of enclosing blocks with their own names in between. */
  readonly up: number
  /** 0 for the item, 1 for its key. */
  readonly index: number
  readonly parts: readonly string[]
}

export interface Literal {
  readonly kind: 'literal'
  readonly value: string | number | boolean | null | undefined
}

/** `(equals status "paid")`. */
interface Call {
  readonly kind: 'call'
  readonly operation: Operation
  readonly args: readonly Expression[]
}

/** Charges characters read: a text may be long and be read often. */
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
  /** Length of the text of a template. */
  characters: 100_000,
  /** Words, signs and spaces in all tags together: about 150 ms of parsing. */
  tokens: 20_000,
  /** Nested blocks and parentheses. */
  depth: 100,
  /** Names in one path. */
  parts: 32,
  /** Nodes visited and items repeated: about 25 ms. */
  steps: 400_000,
  /** Bytes printed. */
  bytes: 1_000_000,
} as const
