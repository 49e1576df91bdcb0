// The variables of a template: the values that its parts print, and the values that the template requires.

import { isMissing, pathParts } from './required.ts'

/** Value of the model that a template prints or requires. */
export interface TemplateVariable {
  /** Path of the value, such as `order.number`. */
  readonly name: string
  /** True if the template cannot be rendered without the value. */
  readonly required: boolean
}

/** Maximum number of printed variables, because each row of a list may be checked for each variable. */
const MAX_PRINTED = 200

/**
 * Returns the required variables, then the printed variables in the order of their first use, at most 200. A value that
 * only controls whether a block is printed is not a variable.
 *
 * @param required required paths of the template
 * @param suggestedModel sample model of the template and its layout
 */
export function variablesOf(
  required: readonly string[],
  suggestedModel: object,
): readonly TemplateVariable[] {
  const known = new Set(required.map((path) => pathParts(path).join('.')))
  return [
    ...required.map((name) => ({ name, required: true })),
    ...[...printedPaths(suggestedModel, '')]
      .filter((name) => !known.has(name))
      .slice(0, MAX_PRINTED)
      .map((name) => ({ name, required: false })),
  ]
}

/** Yields the paths of texts and lists in a sample model. */
function* printedPaths(model: object, before: string): Generator<string> {
  for (const [name, value] of Object.entries(model)) {
    const path = `${before}${name}`
    if (typeof value === 'string' || Array.isArray(value)) yield path
    else if (typeof value === 'object' && value !== null) yield* printedPaths(value, `${path}.`)
  }
}

/** Returns a function that tells whether a model has no value for the variable. */
export function lackOf({ name }: TemplateVariable): (model: object) => boolean {
  const parts = pathParts(name)
  return (model) => isMissing(model, parts)
}
