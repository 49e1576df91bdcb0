// Parses the text of a template into its tree, or returns all of its problems.

import { excess } from './extent.ts'
import { type Program, parseText } from './grammar.ts'
import { positionOf, syntaxProblem } from './syntax-problem.ts'
import { Translation } from './translate.ts'
import { LIMITS, type SyntaxProblem, type Template } from './tree.ts'

/**
 * Parses a template. Only a text is a template; an object is refused, even if the object looks like a parsed template.
 * Runs in linear time, and the length is limited.
 */
export function parseTemplate(text: unknown): Template | readonly SyntaxProblem[] {
  if (typeof text !== 'string') return [{ line: 1, column: 1, message: 'A template is a text.' }]
  if (text.length > LIMITS.characters) {
    return [{ line: 1, column: 1, message: `A template has at most ${LIMITS.characters} characters.` }]
  }
  const nul = text.indexOf('\0')
  if (nul >= 0) return [{ ...positionOf(text, nul), message: 'A template has no NUL characters.' }]
  const problem = excess(text)
  if (problem !== undefined) return [problem]
  let program: Program
  try {
    program = parseText(text)
  } catch (error) {
    return [syntaxProblem(text, error)]
  }
  const translation = new Translation()
  const nodes = translation.nodes(program.body)
  return translation.problems.length > 0 ? translation.problems : { nodes }
}

/** True if parsing a template returned its tree. */
export const isTemplate = (read: Template | readonly SyntaxProblem[]): read is Template => 'nodes' in read
