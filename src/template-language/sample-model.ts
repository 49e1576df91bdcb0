// Derives a sample model from the values that templates use.

import type { Block, Expression, Node, Template } from './tree.ts'

/** Shape of a value, derived from its uses. */
interface Shape {
  readonly name: string
  readonly fields: Map<string, Shape>
  /** Shape of the items, if the value is repeated. */
  item?: Shape
  /** True if the value is printed or compared. */
  printed: boolean
}

/** Shapes at which paths begin, innermost first. */
interface Scope {
  readonly shape: Shape
  readonly parent: Scope | undefined
  readonly names: readonly (readonly (Shape | undefined)[])[]
}

const shape = (name: string): Shape => ({ name, fields: new Map(), printed: false })

/** Returns JSON that fits all of these templates: each text is the name of its variable, and each list has one item. */
export function sampleModel(templates: readonly Template[]): object {
  const root = shape('')
  const reading = new Reading(root)
  for (const template of templates)
    reading.nodes(template.nodes, { shape: root, parent: undefined, names: [] })
  return Object.fromEntries([...root.fields].map(([name, field]) => [name, sample(field, DEEPEST)]))
}

/** Maximum depth of a sample model: nested blocks with long paths can lead deeper than JSON can be serialized. */
const DEEPEST = 100

function sample({ name, fields, item, printed }: Shape, deepest: number): unknown {
  if (deepest === 0) return true
  if (item !== undefined) return [sample(item, deepest - 1)]
  if (fields.size > 0) {
    return Object.fromEntries([...fields].map(([key, field]) => [key, sample(field, deepest - 1)]))
  }
  return printed ? name : true
}

class Reading {
  readonly #root: Shape

  constructor(root: Shape) {
    this.#root = root
  }

  nodes(nodes: readonly Node[], scope: Scope): void {
    for (const node of nodes) {
      if (node.kind === 'output') this.#use(node.value, scope)
      if (node.kind === 'block') this.#block(node, scope)
    }
  }

  #block(block: Block, scope: Scope): void {
    const { value, word, body, otherwise } = block
    this.nodes(otherwise, scope)
    if (word === 'if' || word === 'unless') {
      if (value.kind === 'call') this.#use(value, scope)
      else this.#find(value, scope)
      this.nodes(body, scope)
      return
    }
    if (value.kind === 'call') this.#use(value, scope)
    const found = this.#find(value, scope) ?? shape('')
    const repeated = word === 'each' || (word === 'section' && body.some(isOfItem))
    const inner = repeated ? itemOf(found) : found
    const names = block.named ? [[inner, undefined], ...scope.names] : scope.names
    this.nodes(body, { shape: inner, parent: scope, names })
  }

  /** Marks values that are printed or passed to an operation. */
  #use(expression: Expression, scope: Scope): void {
    if (expression.kind === 'call') for (const arg of expression.args) this.#use(arg, scope)
    const found = this.#find(expression, scope)
    if (found !== undefined) found.printed = true
  }

  /** Returns the shape of the value at a path. */
  #find(expression: Expression, scope: Scope): Shape | undefined {
    if (expression.kind === 'name') {
      return follow(scope.names[expression.up]?.[expression.index], expression.parts)
    }
    if (expression.kind !== 'path') return undefined
    const [first, ...rest] = expression.parts
    if (expression.data) return first === 'root' ? follow(this.#root, rest) : undefined
    let from: Scope | undefined = scope
    for (let up = expression.up; up > 0; up--) from = from?.parent
    return follow(from?.shape, expression.parts)
  }
}

function itemOf(list: Shape): Shape {
  list.item ??= shape(list.name)
  return list.item
}

function follow(from: Shape | undefined, parts: readonly string[]): Shape | undefined {
  let found = from
  for (const part of parts) {
    if (found === undefined || part === 'length' || part === '__proto__') return undefined
    // A number in a path is an index and leads to an item of a list.
    found = /^\d+$/.test(part) ? itemOf(found) : fieldOf(found, part)
  }
  return found
}

function fieldOf(object: Shape, name: string): Shape {
  const field = object.fields.get(name) ?? shape(name)
  object.fields.set(name, field)
  return field
}

/** True if a node of a section's body prints the item itself, or its position in the list. */
const isOfItem = (node: Node): boolean => {
  if (node.kind === 'text') return false
  const { value } = node
  if (value.kind !== 'path') return false
  return value.data ? value.parts[0] !== 'root' : value.up === 0 && value.parts.length === 0
}
