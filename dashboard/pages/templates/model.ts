// The template model of a preview: JSON that the user types, and that is saved with the template.

import { useState } from 'react'
import type { FieldProblem } from '../../client.ts'
import { templates } from '../../texts/en/templates.ts'
import { fill } from '../../texts/texts.ts'

const words = templates.model

export interface Model {
  /** The typed text, or the suggested model as text. */
  readonly text: string
  /** The parsed model; undefined if there is none. */
  readonly value: object | undefined
  /** The model together with suggested values for missing variables, for completion. */
  readonly known: object
  readonly problems: readonly FieldProblem[]
  change(text: string): void
  /** Adds suggested values for missing variables to the model. */
  complete(suggested: object): void
}

/**
 * Returns the model of a draft. If the user has not typed a model, the model is the first suggestion of the service.
 * The suggestion is shown but not saved, and stays the same during edits, so that the values in the preview do not
 * change after each key.
 */
export function useModel(
  typed: string,
  change: (text: string) => void,
  suggested: object | undefined,
): Model {
  const [first, setFirst] = useState(suggested)
  if (first === undefined && suggested !== undefined) setFirst(suggested)
  const text = typed === '' && first !== undefined ? writtenModel(first) : typed
  const { value, problem } = readModel(text)
  return {
    text,
    value,
    known: merged(value ?? {}, suggested ?? {}),
    problems: problem === undefined ? [] : [problem],
    change,
    complete(suggested) {
      if (problem === undefined) change(writtenModel(merged(value ?? {}, suggested)))
    },
  }
}

export const writtenModel = (value: object): string => JSON.stringify(value, null, 2)

interface Read {
  readonly value?: object
  readonly problem?: FieldProblem
}

/** Reads a typed model; an empty text is no model. */
export function readModel(text: string): Read {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return { value }
    return { problem: problem(words.noObject) }
  } catch (error) {
    const message = (error as Error).message
    const at = /line (\d+) column (\d+)/.exec(message)
    return {
      problem: {
        ...problem(fill(words.invalid, { problem: message })),
        ...(at === null ? {} : { line: Number(at[1]), column: Number(at[2]) }),
      },
    }
  }
}

const problem = (message: string): FieldProblem => ({ path: 'template_model', code: 'invalid_json', message })

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Merges two objects; values of the first object take precedence, and lists are not merged. */
function merged(own: object, other: object): object {
  const result: Record<string, unknown> = { ...own }
  for (const [name, value] of Object.entries(other)) {
    const mine = result[name]
    if (!Object.hasOwn(own, name)) result[name] = value
    else if (isObject(mine) && isObject(value)) result[name] = merged(mine, value)
  }
  return result
}
