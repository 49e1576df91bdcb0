// What a template looks at of what its caller gives under an `@`.

import type { Expression, Node, Position, Template } from './tree.ts'

/** One use of `@name`. */
export interface Use extends Position {
  /** `{{{ @name }}}`, printed as it is, all of it. */
  readonly raw: boolean
  /** Within a block, whose body may be left out or repeated, or at its head. */
  readonly inBlock: boolean
}

/** Every use of `@name` in a template, in its order. */
export function usesOf(template: Template, name: string): Use[] {
  const uses: Use[] = []
  const look = (expression: Expression, raw: boolean, inBlock: boolean): void => {
    if (expression.kind === 'call') for (const arg of expression.args) look(arg, false, inBlock)
    if (expression.kind === 'path' && expression.data && expression.parts[0] === name) {
      uses.push({ ...expression.at, raw: raw && expression.parts.length === 1, inBlock })
    }
  }
  const walk = (nodes: readonly Node[], inBlock: boolean): void => {
    for (const node of nodes) {
      if (node.kind === 'output') look(node.value, node.raw, inBlock)
      if (node.kind !== 'block') continue
      look(node.value, false, true)
      walk(node.body, true)
      walk(node.otherwise, true)
    }
  }
  walk(template.nodes, false)
  return uses
}
