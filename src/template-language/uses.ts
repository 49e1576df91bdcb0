// Finds the names with an `@` that a template expects from its caller.

import type { Expression, Node, Position, Template } from './tree.ts'

/** One use of `@name`. */
export interface Use extends Position {
  readonly name: string
  /** True for `{{{ @name }}}`, which prints the whole value raw. */
  readonly raw: boolean
  /** True if the use is within a block, whose body may be omitted or repeated, or in the opening tag of a block. */
  readonly inBlock: boolean
  /** True if the use is an argument of an operation, which changes the value. */
  readonly inCall: boolean
}

/** Names with an `@` that loops and models provide in every template. */
export const OWN_NAMES: readonly string[] = ['index', 'key', 'first', 'last', 'root']

/** Returns every use of a value that the caller provides, in the order of the template. */
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
