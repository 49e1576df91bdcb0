// Renders the tree of a template with a model, within limits of time and length, and never runs code.

import { isWrittenNumber } from '../lib/written-numbers.ts'
import { type Block, type Expression, LIMITS, type Node, type Template } from './tree.ts'
import {
  escapeHtml,
  follow,
  isNothing,
  isScript,
  isZero,
  ownProperty,
  SCHEME_LENGTH,
  schemeOf,
  textOf,
  withoutEntities,
} from './values.ts'

/** Refusal of a rendering: too many steps, too much output, or an unsafe link. */
export class RenderRefusal extends Error {
  readonly code: 'too_many_steps' | 'output_too_long' | 'unsafe_link'

  constructor(code: RenderRefusal['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** Limits of a budget: number of steps (visited nodes and repeated items), and number of printed bytes in UTF-8. */
export interface RenderLimits {
  readonly steps: number
  readonly bytes: number
}

/** Steps and bytes shared by all parts of one message. */
export class RenderBudget {
  readonly limits: RenderLimits
  steps: number
  bytes: number

  constructor(limits: RenderLimits = LIMITS) {
    this.limits = limits
    this.steps = limits.steps
    this.bytes = limits.bytes
  }

  tooManySteps(): RenderRefusal {
    const { steps } = this.limits
    return new RenderRefusal(
      'too_many_steps',
      `All parts of the template together take more than ${steps} steps with this model; repeat less.`,
    )
  }

  tooLong(): RenderRefusal {
    const { bytes } = this.limits
    return new RenderRefusal(
      'output_too_long',
      `All parts of the template together print more than ${bytes} bytes with this model; print less.`,
    )
  }

  /** Charges printed text to the budget. Throws `RenderRefusal` if the budget is spent. */
  print(text: string): void {
    this.bytes -= Buffer.byteLength(text)
    if (this.bytes < 0) throw this.tooLong()
  }
}

const unsafeLink = (): RenderRefusal =>
  new RenderRefusal('unsafe_link', 'A value would make a link run a script; use only web addresses.')

const PIECE = 65_536

export interface RenderOptions {
  /** True to escape values for HTML; false for plain text. */
  readonly html: boolean
  /** Data with an `@` in addition to the variables of loops: `{ content: … }` for `@content`. */
  readonly data?: Readonly<Record<string, unknown>>
  /** Transforms the text of a value before it is printed, unless it is printed raw. */
  readonly guard?: (text: string) => string
  /** Budget left by the other parts of the message; a new budget with the usual limits by default. */
  readonly budget?: RenderBudget
}

/** Scope at which paths begin. A block that does not change the scope has no separate scope. */
interface Scope {
  value: unknown
  readonly parent: Scope | undefined
  readonly loop: Loop | undefined
  readonly names: Names | undefined
}

/** The variables of a loop, updated for each item. */
interface Loop {
  index: number
  key: string | number
  first: boolean
  last: boolean
  readonly parent: Loop | undefined
}

/** Names that a block defines with `as |item key|`. */
interface Names {
  readonly values: unknown[]
  readonly parent: Names | undefined
}

/**
 * Renders a template; the model is never changed. Throws `RenderRefusal` if rendering takes too long, prints too much,
 * or would make a link run a script.
 */
export function render(template: Template, model: unknown, options: RenderOptions): string {
  const budget = options.budget ?? new RenderBudget()
  const rendering = new Rendering(model, options, budget)
  rendering.nodes(template.nodes, { value: model, parent: undefined, loop: undefined, names: undefined })
  budget.steps = rendering.steps
  budget.print(rendering.output)
  return rendering.output
}

class Rendering {
  output = ''
  /** Remaining steps. */
  steps: number
  /**
   * Beginning of the URL of the link that is being printed, as a browser reads the URL; undefined outside of links, and
   * after the scheme is known.
   */
  #link: string | undefined
  readonly #model: unknown
  readonly #html: boolean
  readonly #data: Readonly<Record<string, unknown>>
  readonly #guard: RenderOptions['guard']
  readonly #budget: RenderBudget
  /** Maximum number of characters; each character has at least one byte, and the bytes are counted at the end. */
  readonly #maxCharacters: number
  readonly #charge = (characters: number): void => this.#count(characters >> 5)

  constructor(model: unknown, { html, data = {}, guard }: RenderOptions, budget: RenderBudget) {
    this.#budget = budget
    this.steps = budget.steps
    this.#maxCharacters = budget.bytes
    this.#model = model
    this.#html = html
    this.#data = data
    this.#guard = guard
  }

  nodes(nodes: readonly Node[], scope: Scope): void {
    for (const node of nodes) {
      this.#count(1)
      switch (node.kind) {
        case 'text':
          if (this.#link !== undefined) this.#addToLink(node.text, true)
          this.#print(node.text)
          break
        case 'output': {
          const value = this.#value(node.value, scope)
          const found = typeof value === 'string' ? value : textOf(value, this.#charge)
          const text = node.raw || this.#guard === undefined ? found : this.#guard(found)
          // Text that exceeds the limit without escaping is refused before it is escaped.
          if (this.output.length + text.length > this.#maxCharacters) throw this.#budget.tooLong()
          if (node.isLink && this.#html) this.#beginLink(text, node.raw)
          else if (this.#link !== undefined) this.#addToLink(text, node.raw)
          if (this.#html && !node.raw) this.#printEscaped(text)
          else this.#print(text)
          break
        }
        case 'block':
          this.#block(node, scope)
      }
    }
  }

  /**
   * Begins the URL of a link. Also adds the text to a URL that is being printed, because a loop may print a URL in
   * pieces, and any piece may be the beginning of the URL.
   */
  #beginLink(text: string, isHtml: boolean): void {
    const before = this.#link
    this.#link = ''
    this.#addToLink(text, isHtml)
    if (before === undefined || before === '') return
    this.#link = before
    this.#addToLink(text, isHtml)
  }

  /** Adds text to the URL that is being printed; decodes entities if `isHtml` is true. */
  #addToLink(text: string, isHtml: boolean): void {
    const [address = ''] = isHtml ? text.split(/["'>]/, 1) : [text]
    this.#charge(address.length)
    this.#link += isHtml ? withoutEntities(address) : address
    const known = schemeOf(this.#link as string)
    if (isScript(known)) throw unsafeLink()
    // Several values may form one scheme, up to the length of a scheme or the end of the attribute.
    const goesOn = known.length < SCHEME_LENGTH && address.length === text.length
    this.#link = goesOn ? known : undefined
  }

  #block(block: Block, scope: Scope): void {
    const value = this.#value(block.value, scope)
    switch (block.word) {
      case 'if':
      case 'unless': {
        const nothing = isNothing(value) || (isZero(value) && !block.includeZero)
        if (nothing === (block.word === 'unless')) this.nodes(block.body, inBody(block, scope))
        else this.nodes(block.otherwise, scope)
        break
      }
      case 'each':
        this.#each(block, value, scope)
        break
      case 'with':
        if (isNothing(value)) this.nodes(block.otherwise, scope)
        else this.#within(block, value, scope)
        break
      case 'section':
        this.#section(block, value, scope)
    }
  }

  #section(block: Block, value: unknown, scope: Scope): void {
    if (value === null || value === undefined || value === false) this.nodes(block.otherwise, scope)
    else if (value === true) this.nodes(block.body, inBody(block, scope))
    else if (Array.isArray(value)) this.#each(block, value, scope)
    else this.#within(block, value, scope)
  }

  #within(block: Block, value: unknown, scope: Scope): void {
    const names = block.named ? { values: [value], parent: scope.names } : scope.names
    this.nodes(block.body, { value, parent: outside(scope, value), loop: scope.loop, names })
  }

  #each(block: Block, list: unknown, scope: Scope): void {
    const keys = Array.isArray(list) ? undefined : isObject(list) ? Object.keys(list) : []
    const count = keys?.length ?? (list as unknown[]).length
    if (count === 0) {
      this.nodes(block.otherwise, scope)
      return
    }
    this.#count(count)
    const loop: Loop = { index: 0, key: 0, first: true, last: false, parent: scope.loop }
    const names: Names | undefined = block.named
      ? { values: [undefined, undefined], parent: scope.names }
      : undefined
    for (let index = 0; index < count; index++) {
      const key = keys?.[index]
      const value = key === undefined ? (list as unknown[])[index] : ownProperty(list, key)
      loop.index = index
      loop.key = key ?? index
      loop.first = index === 0
      loop.last = index === count - 1
      if (names !== undefined) {
        names.values[0] = value
        names.values[1] = loop.key
      }
      this.nodes(block.body, { value, parent: outside(scope, value), loop, names: names ?? scope.names })
    }
  }

  #value(expression: Expression, scope: Scope): unknown {
    switch (expression.kind) {
      case 'path': {
        if (expression.data) return this.#dataValue(expression.up, expression.parts, scope)
        let from: Scope | undefined = scope
        for (let up = expression.up; up > 0 && from !== undefined; up--) from = from.parent
        return from === undefined ? undefined : follow(from.value, expression.parts)
      }
      case 'name': {
        let { names } = scope
        for (let up = expression.up; up > 0; up--) names = names?.parent
        return follow(names?.values[expression.index], expression.parts)
      }
      case 'literal':
        return expression.value
      case 'call': {
        this.#count(1 + expression.args.length)
        return expression.operation(
          expression.args.map((arg) => this.#value(arg, scope)),
          this.#charge,
        )
      }
    }
  }

  #dataValue(up: number, [name = '', ...rest]: readonly string[], scope: Scope): unknown {
    if (name === 'root') return follow(this.#model, rest)
    let { loop } = scope
    for (let left = up; left > 0; left--) loop = loop?.parent
    if (loop !== undefined && rest.length === 0) {
      if (name === 'index') return loop.index
      if (name === 'key') return loop.key
      if (name === 'first') return loop.first
      if (name === 'last') return loop.last
    }
    return follow(this.#data, [name, ...rest])
  }

  #print(text: string): void {
    this.output += text
    if (this.output.length > this.#maxCharacters) throw this.#budget.tooLong()
  }

  /**
   * Prints an escaped text in pieces, because escaping takes time and may enlarge the text sixfold, beyond the limit.
   */
  #printEscaped(text: string): void {
    if (text.length <= PIECE) this.#print(escapeHtml(text))
    else for (let at = 0; at < text.length; at += PIECE) this.#print(escapeHtml(text.slice(at, at + PIECE)))
  }

  #count(steps: number): void {
    this.steps -= steps
    if (this.steps < 0) throw this.#budget.tooManySteps()
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !isWrittenNumber(value)

/** Returns the scope of the body of a block that changes no scope; the names of the block have no value in the body. */
const inBody = ({ named }: Block, scope: Scope): Scope =>
  named ? { ...scope, names: { values: [], parent: scope.names } } : scope

/**
 * Returns the scope that `../` leads to from a scope with this value. A scope with the same value as its parent does
 * not count as a level.
 */
const outside = (scope: Scope, value: unknown): Scope | undefined =>
  value === scope.value ? scope.parent : scope
