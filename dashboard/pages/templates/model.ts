// The variables that a preview is made with: JSON that is typed, and kept in this browser for each template.

import { useState } from 'react'
import type { FieldProblem } from '../../client.ts'
import { keep, readKept } from '../../kept.ts'

export interface Model {
  /** As typed; undefined until the first suggestion has come. */
  readonly text: string | undefined
  /** Parsed model; undefined while there is none. */
  readonly value: object | undefined
  readonly problems: readonly FieldProblem[]
  change(text: string): void
  /** Takes what is suggested where there is nothing yet. */
  begin(suggested: object): void
  /** Adds what is suggested and missing. */
  complete(suggested: object): void
}

export function useModel(id: string): Model {
  const name = `model ${id}`
  const [text, setText] = useState<string | undefined>(() => readKept('browser', name))
  const parsed = parse(text)
  const change = (next: string) => {
    setText(next)
    keep('browser', name, next)
  }
  return {
    text,
    value: 'value' in parsed ? parsed.value : undefined,
    problems: 'problem' in parsed ? [parsed.problem] : [],
    change,
    begin(suggested) {
      if (text === undefined) setText(written(suggested))
    },
    complete(suggested) {
      if ('value' in parsed) change(written(merged(parsed.value ?? {}, suggested)))
    },
  }
}

const written = (value: object): string => JSON.stringify(value, null, 2)

function parse(
  text: string | undefined,
): { readonly value: object | undefined } | { readonly problem: FieldProblem } {
  if (text === undefined || text.trim() === '') return { value: undefined }
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { value }
    return { problem: problem('The model must be a JSON object, for example { "name": "Ann" }.') }
  } catch (error) {
    const message = (error as Error).message
    const at = /line (\d+) column (\d+)/.exec(message)
    return {
      problem: {
        ...problem(`Invalid JSON: ${message}`),
        ...(at === null ? {} : { line: Number(at[1]), column: Number(at[2]) }),
      },
    }
  }
}

const problem = (message: string): FieldProblem => ({ path: 'template_model', code: 'invalid_json', message })

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Merges two objects; the first takes precedence; lists stay as they are. */
function merged(own: object, other: object): object {
  const result: Record<string, unknown> = { ...own }
  for (const [name, value] of Object.entries(other)) {
    const mine = result[name]
    if (!Object.hasOwn(own, name)) result[name] = value
    else if (isObject(mine) && isObject(value)) result[name] = merged(mine, value)
  }
  return result
}
