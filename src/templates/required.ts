// The paths that a template requires of its model.

import type { FieldProblem } from '../model/problem.ts'
import { follow } from '../template-language/values.ts'

/** `order.items` as its names. */
export const pathParts = (path: string): string[] => path.split('.')

/** A problem for each required path that the model lacks, or has as null. */
export function missingPaths(required: readonly string[], model: object): FieldProblem[] {
  return required
    .filter((path) => (follow(model, pathParts(path)) ?? null) === null)
    .map((path) => ({
      path: `template_model.${path}`,
      code: 'required',
      message: 'The template requires it, and it is missing or null.',
    }))
}
