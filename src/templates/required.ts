// Checks the paths that a template requires in its model.

import type { FieldProblem } from '../model/problem.ts'
import { follow } from '../template-language/values.ts'

/**
 * Returns the names of a path such as `order.items`. A name in brackets may contain any characters, as in a template:
 * `items.[0].x`.
 */
export const pathParts = (path: string): string[] =>
  path.split(/\.(?![^[\]]*\])/).map((part) => /^\[([^[\]]+)\]$/.exec(part)?.[1] ?? part)

const PATH =
  /^(?:\[[^[\]\0-\x1f\x7f]+\]|[^[\]./\0-\x20\x7f]+)(?:\.(?:\[[^[\]\0-\x1f\x7f]+\]|[^[\]./\0-\x20\x7f]+))*$/

/** Returns the reason why no model can have this path, with the remedy; undefined for a valid path. */
export function pathProblem(path: string): string | undefined {
  const beginning = /^(?:\.{0,2}\/|this[./])+/.exec(path)?.[0]
  if (beginning !== undefined) return `A path begins in the model; remove "${beginning.slice(0, 40)}".`
  if (path === 'this') return 'A path begins in the model; name a field of it.'
  if (path.startsWith('@root.')) return 'A path begins in the model; remove "@root.".'
  if (path.startsWith('@')) return 'Values of the model have no @; put a field name with @ in brackets.'
  if (/[^.[]\[\d+\]/.test(path)) return 'An item of a list has a dot before its brackets: items.[0].title.'
  if (!PATH.test(path)) {
    return 'Give a path such as order.items or items.[0].title: names with dots between, in brackets where they hold other characters.'
  }
  return pathParts(path).includes('__proto__') ? 'Nothing is found under __proto__; remove it.' : undefined
}

/** True if the value at a path, given as `pathParts` returns it, is missing or null in the model. */
export const isMissing = (model: object, parts: readonly string[]): boolean =>
  (follow(model, parts) ?? null) === null

/** Returns a problem for each required path that is missing or null in the model. */
export function missingPaths(required: readonly string[], model: object): FieldProblem[] {
  return required
    .filter((path) => isMissing(model, pathParts(path)))
    .map((path) => ({
      path: `template_model.${path}`,
      code: 'required',
      message: 'The template requires this value, but the value is missing or null.',
    }))
}
