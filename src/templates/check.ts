// Checks a template or a layout before it is saved, and reports all problems at once.

import { isId } from '../lib/ids.ts'
import { nearest } from '../lib/nearest.ts'
import type { FieldProblem } from '../model/problem.ts'
import { type LayoutInput, NO_LAYOUT, TEMPLATE_LIMITS, type TemplateInput } from '../model/template.ts'
import { isTemplate, parseTemplate } from '../template-language/parse.ts'
import { positionOf } from '../template-language/syntax-problem.ts'
import type { SyntaxProblem, Template } from '../template-language/tree.ts'
import { OWN_NAMES, usesOf } from '../template-language/uses.ts'
import type { RenderedParts } from './compiled.ts'
import { pathProblem } from './required.ts'

/** Names behind an `@` for the content in a layout, and for a recipient's own link. */
const CONTENT = 'content'
const LINK = 'unsubscribe_url'
const NAMES: readonly string[] = [CONTENT, LINK]

/** Everything that keeps an input from being saved, and its parts as they were read on the way. */
export interface Checked {
  readonly problems: readonly FieldProblem[]
  readonly parts: RenderedParts
}

/** Checks a template. Takes up to half a second for the largest. */
export function checkTemplate(input: TemplateInput): Checked {
  const problems = [...checkNames(input), ...checkParts(input), ...checkSample(input)]
  const parts = {
    subject: parsePart('subject', input.subject, problems),
    html: parsePart('html', input.html, problems),
    text: parsePart('text', input.text, problems),
  }
  for (const [part, template] of Object.entries(parts)) {
    for (const use of template === undefined ? [] : usesOf(template)) {
      if (use.name !== CONTENT) continue
      problems.push(at(part, use, 'misplaced_content', 'Only a layout has {{{ @content }}}; take it away.'))
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
  return { problems, parts }
}

/** Checks a layout. */
export function checkLayout(input: LayoutInput): Checked {
  const problems = [...checkNames(input), ...checkParts(input), ...checkSample(input)]
  const html = parsePart('html', input.html, problems)
  const text = parsePart('text', input.text, problems)
  if (html !== undefined) problems.push(...checkPlaceholder('html', html))
  if (text !== undefined) problems.push(...checkPlaceholder('text', text))
  return { problems, parts: { subject: undefined, html, text } }
}

function checkPlaceholder(part: string, template: Template): FieldProblem[] {
  const [first, second] = usesOf(template).filter(({ name }) => name === CONTENT)
  const code = 'invalid_placeholder'
  if (first === undefined) {
    return [{ path: part, code, message: 'It lacks {{{ @content }}}, the place where the template goes.' }]
  }
  if (second !== undefined) return [at(part, second, code, 'It has {{{ @content }}} more than once.')]
  if (first.inBlock) {
    const message =
      'It has {{{ @content }}} within a block, which may leave it out or repeat it; move it out.'
    return [at(part, first, code, message)]
  }
  if (first.raw) return []
  return [at(part, first, code, 'The content takes three braces and nothing else: {{{ @content }}}.')]
}

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
  if (!/^[A-Za-z][A-Za-z0-9._-]*$/.test(alias)) {
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

/** The part's tree; undefined when there is no such part, or its syntax is wrong, which is then told. */
function parsePart(
  part: string,
  text: string | null | undefined,
  problems: FieldProblem[],
): Template | undefined {
  if (!text) return undefined
  const read = parseTemplate(text)
  if (isTemplate(read)) {
    problems.push(...checkUses(part, read), ...checkForeignLinks(part, text))
    return read
  }
  problems.push(...read.map((problem) => at(part, problem, 'template_syntax', problem.message)))
  return undefined
}

/** Finds uses of names that nothing provides, and uses of the placeholder of a link as a value. */
function checkUses(part: string, template: Template): FieldProblem[] {
  return usesOf(template).flatMap((use) => {
    if (!NAMES.includes(use.name)) {
      const near = nearest(use.name, [...NAMES, ...OWN_NAMES])
      const hint = near === undefined ? '; values of the model have no @.' : `; did you mean "@${near}"?`
      return [at(part, use, 'unknown_variable', `There is no "@${use.name.slice(0, 40)}"${hint}`)]
    }
    if (use.name !== LINK || (part !== 'subject' && !use.inCall)) return []
    const message =
      part === 'subject'
        ? 'A subject has no link; take it away.'
        : 'The link is put in for each recipient at the end; print it: {{{ @unsubscribe_url }}}.'
    return [at(part, use, 'misplaced_unsubscribe_url', message)]
  })
}

/**
 * Placeholders of other services for the recipient's own link: here they would be sent as they stand, or as nothing.
 */
const FOREIGN_LINK =
  /\{\{[{&]?\s{0,9}pm:unsubscribe(?:_url)?\b|<%asm_[a-z_]{1,40}%>|%(?:tag_|mailing_list_)?unsubscribe_url%|\*\|UNSUB\b/i

function checkForeignLinks(part: string, text: string): FieldProblem[] {
  const found = FOREIGN_LINK.exec(text)
  if (found === null) return []
  const message = `"${found[0]}" is no link here; write {{{ @unsubscribe_url }}} where the link goes.`
  return [at(part, positionOf(text, found.index), 'foreign_unsubscribe_link', message)]
}

const at = (
  path: string,
  { line, column }: Pick<SyntaxProblem, 'line' | 'column'>,
  code: string,
  message: string,
): FieldProblem => ({ path, code, message: `Line ${line}, column ${column}: ${message}`, line, column })
