// Names under an `@` that a template uses of its caller's.

import type { Expression, Node, Position, Template } from './tree.ts'

/** One use of `@name`. */
export interface Use extends Position {
  readonly name: string
  /** `{{{ @name }}}`, printed as it is, all of it. */
  readonly raw: boolean
  /** Within a block, whose body may be left out or repeated, or at its head. */
  readonly inBlock: boolean
  /** Within an operation, which makes something else of it. */
  readonly inCall: boolean
}

/** Names under an `@` that loops and models give in every template. */
export const OWN_NAMES: readonly string[] = ['index', 'key', 'first', 'last', 'root']

/** Every use of what the caller gives, in the order of the template. */
export function usesOf(template: Template): Use[] {
  const uses: Use[] = []
  const look = (expression: Expression, where: Omit<Use, keyof Position | 'name'>): void => {
    if (expression.kind === 'call') {
      for (const arg of expression.args) look(arg, { ...where, raw: false, inCall: true })
    }
    if (expression.kind !== 'path' || !expression.data) return
    const [name = '', ...rest] = expression.parts
    if (OWN_NAMES.includes(name)) return
    uses.push({ ...expression.at, ...where, name, raw: where.raw && rest.length === 0 })
  }
  const walk = (nodes: readonly Node[], inBlock: boolean): void => {
    for (const node of nodes) {
      if (node.kind === 'output') look(node.value, { raw: node.raw, inBlock, inCall: false })
      if (node.kind !== 'block') continue
      look(node.value, { raw: false, inBlock: true, inCall: false })
      walk(node.body, true)
      walk(node.otherwise, true)
    }
  }
  walk(template.nodes, false)
  return uses
}
