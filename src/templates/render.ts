// Renders a template with its layout and a model to subject, HTML and text.

import { randomBytes } from 'node:crypto'
import type { FieldProblem } from '../model/problem.ts'
import { UNSUBSCRIBE_MARK, withoutUnsubscribeMark } from '../model/unsubscribe-link.ts'
import { type RenderBudget, RenderRefusal, render } from '../template-language/render.ts'
import type { Template as Tree } from '../template-language/tree.ts'
import type { CompiledTemplate, RenderedParts } from './compiled.ts'
import { CannotConvert, type Convert } from './html-conversion.ts'
import { missingPaths } from './required.ts'

/** Rendered parts of a template. */
export interface Rendered {
  /** Rendered subject; null if the template has no subject. */
  readonly subject: string | null
  readonly html: string | null
  readonly text: string | null
}

/** Problems that prevent rendering a template with the given model. */
export type Unrendered = readonly FieldProblem[]

export const isRendered = (result: Rendered | Unrendered): result is Rendered => !Array.isArray(result)

/** A saved or unsaved template with all data that rendering needs. */
type RenderedTemplate = CompiledTemplate

/** True if libraries have to convert the HTML. */
export const needsConversion = ({ html, text, inlineCss }: RenderedTemplate): boolean =>
  html !== undefined && (text === undefined || inlineCss)

/**
 * Renders a template within its layout, without converting the HTML; the layout surrounds each part of the template.
 * Returns undefined if rendering exceeds the budget.
 */
export function renderQuickly(
  template: RenderedTemplate,
  layout: RenderedParts | undefined,
  model: object,
  budget: RenderBudget,
): Rendered | Unrendered | undefined {
  const missing = missingPaths(template.required, model)
  if (missing.length > 0) return missing
  const trees = new TreeRendering(template, layout, model, budget)
  const parts = { subject: trees.subject(), html: trees.html(), text: trees.text() }
  if (trees.isBeyondBudget) return undefined
  return trees.problems.length > 0 ? trees.problems : trees.marked(parts)
}

/**
 * Renders a template like `renderQuickly`, and converts its HTML; a template without text gets a text made from the
 * HTML.
 */
export function renderTemplate(
  template: RenderedTemplate,
  layout: RenderedParts | undefined,
  model: object,
  budget: RenderBudget,
  convert: Convert,
): Rendered | Unrendered {
  const missing = missingPaths(template.required, model)
  if (missing.length > 0) return missing
  const trees = new TreeRendering(template, layout, model, budget)
  const parts = { subject: trees.subject(), html: trees.html(), text: trees.text() }
  const { html } = parts
  if (trees.problems.length > 0) return trees.problems
  const { inlineCss } = template
  if (html === null || (parts.text !== null && !inlineCss)) return trees.marked(parts)
  try {
    // A layout that has a text part surrounds a text made from the HTML without the layout; any other layout leaves the
    // text to be made from the whole HTML.
    const own = parts.text === null && layout?.text !== undefined ? trees.ownHtml : null
    const converted = convert({ html, inlineCss, makeText: parts.text === null && own === null })
    budget.bytes += Buffer.byteLength(html)
    budget.print(converted.html)
    const made = own === null ? null : convert({ html: own, inlineCss: false, makeText: true })
    const text = parts.text ?? (made === null ? converted.text : trees.aroundText(made.text ?? ''))
    if (made === null && parts.text === null) budget.print(text ?? '')
    if (trees.problems.length > 0) return trees.problems
    return trees.marked({ ...parts, html: converted.html, text })
  } catch (error) {
    return [problemOf(error, 'html')]
  }
}

/** Returns the problem that a refusal reports for a part. Throws any other error. */
function problemOf(error: unknown, path: string): FieldProblem {
  if (error instanceof RenderRefusal) return { path, code: error.code, message: error.message }
  if (error instanceof CannotConvert) return cannotConvert(error.message)
  throw error
}

/** Returns the problem of HTML that cannot be converted. */
export const cannotConvert = (reason: string): FieldProblem => ({
  path: 'html',
  code: 'cannot_convert',
  message: `The HTML cannot be processed: ${reason}.`,
})

/** Renders the parts and collects their `problems`; stops rendering when the budget is spent. */
class TreeRendering {
  readonly problems: FieldProblem[] = []
  isBeyondBudget = false
  readonly #budget: RenderBudget
  readonly #template: RenderedParts
  readonly #layout: RenderedParts | undefined
  readonly #model: object
  /**
   * Temporary output of `{{{ @unsubscribe_url }}}`: a random word, replaced by the mark at the end. When the message is
   * composed, each recipient gets a separate link in place of the mark. A mark in a value that is not printed raw
   * (`{{name}}`) does not count, because otherwise a recipient could choose a name that prevents sending or removes the
   * link.
   */
  readonly #link = `unsubscribe-${randomBytes(16).toString('hex')}`
  /** The HTML without the layout. */
  ownHtml: string | null = null

  constructor(
    template: RenderedParts,
    layout: RenderedParts | undefined,
    model: object,
    budget: RenderBudget,
  ) {
    this.#template = template
    this.#layout = layout
    this.#model = model
    this.#budget = budget
  }

  subject(): string | null {
    const subject = this.#render('subject', this.#template.subject)
    if (subject === null || !/[\r\n\0]/.test(subject)) return subject
    const message = 'A value contains a line break or NUL, which a subject must not contain.'
    this.problems.push({ path: 'subject', code: 'invalid_characters', message })
    return null
  }

  html(): string | null {
    this.ownHtml = this.#render('html', this.#template.html)
    return this.#around('html', this.ownHtml)
  }

  text(): string | null {
    return this.#around('text', this.#render('text', this.#template.text))
  }

  /** Returns a text made from HTML, within the layout. */
  aroundText(text: string): string | null {
    this.#budget.print(text)
    return this.#around('text', text)
  }

  /** Returns the parts with the mark in place of each temporary link. */
  marked({ subject, html, text }: Rendered): Rendered {
    const put = (body: string | null): string | null => body?.replaceAll(this.#link, UNSUBSCRIBE_MARK) ?? null
    return { subject, html: put(html), text: put(text) }
  }

  #around(part: 'html' | 'text', content: string | null): string | null {
    const tree = this.#layout?.[part]
    if (content === null || tree === undefined) return content
    // The content is printed again within the layout, so its bytes are returned to the budget.
    this.#budget.bytes += Buffer.byteLength(content)
    return this.#render(part, tree, content)
  }

  #render(part: 'subject' | 'html' | 'text', tree: Tree | undefined, content?: string): string | null {
    if (tree === undefined || this.isBeyondBudget) return null
    const data = { unsubscribe_url: this.#link, ...(content === undefined ? {} : { content }) }
    try {
      return render(tree, this.#model, {
        html: part === 'html',
        data,
        guard: withoutUnsubscribeMark,
        budget: this.#budget,
      })
    } catch (error) {
      const problem = problemOf(error, part)
      this.problems.push(problem)
      this.isBeyondBudget = problem.code !== 'unsafe_link'
      return null
    }
  }
}
