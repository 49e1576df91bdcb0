// What a template looks at of what its caller gives under an `@`.

import type { Expression, Node, Position, Template } from './tree.ts'

/** One use of `@name`. */
export interface Use extends Position {
  /** `{{{ @name }}}`, printed as it is. */
  readonly raw: boolean
}

/** Every use of `@name` in a template, in its order. */
export function usesOf(template: Template, name: string): Use[] {
  const uses: Use[] = []
  const look = (expression: Expression, raw: boolean): void => {
    if (expression.kind === 'call') for (const arg of expression.args) look(arg, false)
    if (expression.kind === 'path' && expression.data && expression.parts[0] === name) {
      uses.push({ ...expression.at, raw })
    }
  }
  const walk = (nodes: readonly Node[]): void => {
    for (const node of nodes) {
      if (node.kind === 'output') look(node.value, node.raw)
      if (node.kind !== 'block') continue
      look(node.value, false)
      walk(node.body)
      walk(node.otherwise)
    }
  }
  walk(template.nodes)
  return uses
}
