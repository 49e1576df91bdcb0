// Checks a template or a layout before saving, and reports all problems together.

import { isId } from '../lib/ids.ts'
import { nearest } from '../lib/nearest.ts'
import type { FieldProblem } from '../model/problem.ts'
import { type LayoutInput, NO_LAYOUT, TEMPLATE_LIMITS, type TemplateInput } from '../model/template.ts'
import { isTemplate, parseTemplate } from '../template-language/parse.ts'
import { positionOf } from '../template-language/syntax-problem.ts'
import type { Position, Template } from '../template-language/tree.ts'
import { OWN_NAMES, type Use, usesOf } from '../template-language/uses.ts'
import type { RenderedParts } from './compiled.ts'
import { type EditedText, editedText } from './edited-tags.ts'
import { foreignTags, variableOf } from './foreign-tags.ts'
import { pathProblem } from './required.ts'

/** Names with an `@`: the content in a layout, and the unsubscribe link of a recipient. */
const CONTENT = 'content'
const LINK = 'unsubscribe_url'
const NAMES: readonly string[] = [CONTENT, LINK]

/** Result of a check: all problems that prevent saving, and the parsed parts. */
export interface Checked {
  readonly problems: readonly FieldProblem[]
  readonly parts: RenderedParts
}

/**
 * Checks a template; the check of the largest template takes up to half a second.
 *
 * @param model model for rendering, if a model is known in addition to the sample model
 */
export function checkTemplate(input: TemplateInput, model?: object): Checked {
  const problems = [...checkNames(input), ...checkParts(input), ...checkSample(input)]
  const isOwn = ownNames(input, model)
  const parts = {
    subject: readPart('subject', input.subject, problems, isOwn),
    html: readPart('html', input.html, problems, isOwn),
    text: readPart('text', input.text, problems, isOwn),
  }
  for (const [part, read] of Object.entries(parts)) {
    for (const use of read?.uses ?? []) {
      if (use.name !== CONTENT) continue
      problems.push(
        at(part, use, 'misplaced_content', 'Only a layout may contain {{{ @content }}}; remove it.'),
      )
    }
  }
  if (/[\r\n]/.test(input.subject ?? '')) {
    problems.push({ path: 'subject', code: 'invalid_characters', message: 'A subject is one line.' })
  }
  const required = input.required ?? []
  if (required.length > TEMPLATE_LIMITS.required) {
    const message = `At most ${TEMPLATE_LIMITS.required} paths can be required.`
    problems.push({ path: 'required', code: 'too_many', message })
  }
  for (const [index, path] of required.slice(0, TEMPLATE_LIMITS.required).entries()) {
    const message = pathProblem(path)
    if (message !== undefined) problems.push({ path: `required[${index}]`, code: 'invalid_path', message })
  }
  return { problems, parts: { subject: parts.subject?.tree, html: parts.html?.tree, text: parts.text?.tree } }
}

/** Checks a layout in the same way as `checkTemplate`. */
export function checkLayout(input: LayoutInput, model?: object): Checked {
  const problems = [...checkNames(input), ...checkParts(input), ...checkSample(input)]
  const isOwn = ownNames(input, model)
  const html = readPart('html', input.html, problems, isOwn)
  const text = readPart('text', input.text, problems, isOwn)
  if (html !== undefined) problems.push(...checkPlaceholder('html', html))
  if (text !== undefined) problems.push(...checkPlaceholder('text', text))
  return { problems, parts: { subject: undefined, html: html?.tree, text: text?.tree } }
}

function checkPlaceholder(part: string, { uses }: ReadPart): FieldProblem[] {
  const [first, second] = uses.filter(({ name }) => name === CONTENT)
  const code = 'invalid_placeholder'
  if (first === undefined) {
    return [
      { path: part, code, message: 'The layout lacks {{{ @content }}}, the place where the template goes.' },
    ]
  }
  if (second !== undefined)
    return [at(part, second, code, 'The layout contains {{{ @content }}} more than once.')]
  if (first.inBlock) {
    const message =
      'The layout contains {{{ @content }}} within a block, which may omit or repeat the content; move it out of the block.'
    return [at(part, first, code, message)]
  }
  if (first.raw) return []
  return [at(part, first, code, 'The content takes three braces and nothing else: {{{ @content }}}.')]
}

/** True if a text has the form of an alias. */
export const isAlias = (text: string): boolean => /^[A-Za-z][A-Za-z0-9._-]*$/.test(text)

function checkNames({ alias, name }: TemplateInput | LayoutInput): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (/[\0-\x1f\x7f]/.test(name)) {
    problems.push({ path: 'name', code: 'invalid_characters', message: 'A name has no control characters.' })
  }
  if (name.length > TEMPLATE_LIMITS.nameLength || (alias?.length ?? 0) > TEMPLATE_LIMITS.aliasLength) {
    const { nameLength, aliasLength } = TEMPLATE_LIMITS
    const message = `A name has at most ${nameLength} characters, an alias ${aliasLength}.`
    problems.push({ path: 'name', code: 'too_long', message })
  }
  if (name.trim() === '') problems.push({ path: 'name', code: 'required', message: 'Give it a name.' })
  if (alias === undefined || alias === null) return problems
  if (!isAlias(alias)) {
    const message = 'An alias begins with a letter; letters, digits, ".", "-" and "_" follow.'
    problems.push({ path: 'alias', code: 'invalid_alias', message })
  } else if (alias === NO_LAYOUT || isId('tpl', alias) || isId('lay', alias)) {
    problems.push({ path: 'alias', code: 'invalid_alias', message: 'This word means something else.' })
  }
  return problems
}

function checkParts({ html, text }: TemplateInput | LayoutInput): FieldProblem[] {
  if (html || text) return []
  return [{ path: 'html', code: 'required', message: 'Give html or text, or both.' }]
}

function checkSample({ sample_model: sample }: TemplateInput | LayoutInput): FieldProblem[] {
  if (!sample || JSON.stringify(sample).length <= TEMPLATE_LIMITS.characters) return []
  const message = `A sample model has at most ${TEMPLATE_LIMITS.characters} characters as JSON; leave some items of its lists out.`
  return [{ path: 'sample_model', code: 'too_long', message }]
}

/** A parsed part: its tree, and the uses of names with an `@`, with their positions in the given text. */
interface ReadPart {
  readonly tree: Template
  readonly uses: readonly Use[]
}

/** Parses a part; undefined if the part is missing or has syntax errors, which are added to `problems`. */
function readPart(
  part: string,
  text: string | null | undefined,
  problems: FieldProblem[],
  isOwn: (name: string) => boolean,
): ReadPart | undefined {
  if (!text) return undefined
  const { text: readable, originalOf } = part === 'subject' ? unedited(text) : editedText(text)
  for (const { message, code, ...place } of foreignProblems(part, readable, isOwn)) {
    problems.push(at(part, originalOf(place), code, message))
  }
  const tree = parseTemplate(readable)
  if (isTemplate(tree)) {
    const uses = usesOf(tree).map((use) => ({ ...use, ...originalOf(use) }))
    problems.push(...checkUses(part, uses))
    return { tree, uses }
  }
  problems.push(...tree.map((problem) => at(part, originalOf(problem), 'template_syntax', problem.message)))
  return undefined
}

const unedited = (text: string): EditedText => ({ text, originalOf: (place) => place })

/** Returns problems for uses of unknown names, and for uses of the unsubscribe link as a value. */
function checkUses(part: string, uses: readonly Use[]): FieldProblem[] {
  return uses.flatMap((use) => {
    if (!NAMES.includes(use.name)) {
      const near = nearest(use.name, [...NAMES, ...OWN_NAMES])
      const hint = near === undefined ? '; values of the model have no @.' : `; did you mean "@${near}"?`
      return [at(part, use, 'unknown_variable', `There is no "@${use.name.slice(0, 40)}"${hint}`)]
    }
    if (use.name !== LINK || (part !== 'subject' && !use.inCall)) return []
    const message =
      part === 'subject'
        ? 'A subject cannot contain a link; remove it.'
        : 'The link is inserted for each recipient at the end and can only be printed: {{{ @unsubscribe_url }}}.'
    return [at(part, use, 'misplaced_unsubscribe_url', message)]
  })
}

const MAX_FOREIGN = 20

/** Returns the problems of placeholders of other services. */
function foreignProblems(
  part: string,
  text: string,
  isOwn: (name: string) => boolean,
): (Position & Pick<FieldProblem, 'code' | 'message'>)[] {
  const tags = foreignTags(text, part === 'html', isOwn).slice(0, MAX_FOREIGN)
  return tags.map(({ text: tag, index, isUnsubscribe }) => {
    const shown = tag.slice(0, 80)
    const place = positionOf(text, index)
    if (!isUnsubscribe) {
      const message = `"${shown}" belongs to another service and would be sent unchanged; write a variable such as {{${variableOf(tag)}}}.`
      return { ...place, code: 'foreign_placeholder', message }
    }
    const orOwn = tag.startsWith('{{') ? ', or name it in "required" where it is in your model' : ''
    const message = `"${shown}" is no link here; write {{{ @unsubscribe_url }}} where the link goes${orOwn}.`
    return { ...place, code: 'foreign_unsubscribe_link', message }
  })
}

/** Returns a function that is true for names of variables: required variables, and fields of a known model. */
function ownNames(
  input: { readonly required?: readonly string[]; readonly sample_model?: object | null },
  model: object = {},
): (name: string) => boolean {
  const names = [...(input.required ?? []), ...Object.keys(input.sample_model ?? {}), ...Object.keys(model)]
  return (name) => names.includes(name) || names.includes(name.split('.')[0] ?? '')
}

/** Returns a problem at a position; the message of the problem contains the position too. */
const at = (path: string, { line, column }: Position, code: string, message: string): FieldProblem => ({
  path,
  code,
  message: `Line ${line}, column ${column}: ${message}`,
  line,
  column,
})
