// From a template, its layout and a model to subject, HTML and text.

import { randomBytes } from 'node:crypto'
import type { FieldProblem } from '../model/problem.ts'
import { UNSUBSCRIBE_MARK, withoutUnsubscribeMark } from '../model/unsubscribe-link.ts'
import { RenderRefusal, render } from '../template-language/render.ts'
import type { Template as Tree } from '../template-language/tree.ts'
import type { CompiledTemplate, RenderedParts } from './compiled.ts'
import { CannotConvert, type Conversion, type Converted } from './html-conversion.ts'
import { missingPaths } from './required.ts'

/** What a template gives. */
export interface Rendered {
  /** Null when the template has none. */
  readonly subject: string | null
  readonly html: string | null
  readonly text: string | null
}

/** What cannot be rendered with this model, and why. */
export type Unrendered = readonly FieldProblem[]

export const isRendered = (result: Rendered | Unrendered): result is Rendered => !Array.isArray(result)

/** Works on HTML for the one that it is rendered for, as `HtmlConversion` does. */
export type Convert = (conversion: Conversion) => Promise<Converted>

/** A template as far as rendering goes, saved or not. */
type RenderedTemplate = Omit<CompiledTemplate, 'stored'>

/**
 * Renders a template within its layout. The parts that the template has are put into those of the layout; a template
 * without text gets the text of its HTML.
 */
export async function renderTemplate(
  template: RenderedTemplate,
  layout: RenderedParts | undefined,
  model: object,
  convert: Convert,
): Promise<Rendered | Unrendered> {
  const missing = missingPaths(template.required, model)
  if (missing.length > 0) return missing
  const trees = new TreeRendering(template, layout, model)
  const html = trees.html()
  const parts = { subject: trees.subject(), html, text: trees.text() }
  if (trees.problems.length > 0) return trees.problems
  const { inlineCss } = template
  if (html === null || (parts.text !== null && !inlineCss)) return trees.marked(parts)
  try {
    // With the words of the layout's text around it when it has one, else of all the HTML.
    const own = parts.text === null && layout?.text !== undefined ? trees.ownHtml : null
    const converted = await convert({
      html,
      inlineCss,
      makeText: parts.text === null && own === null,
    })
    const made = own === null ? null : await convert({ html: own, inlineCss: false, makeText: true })
    const text = parts.text ?? (made === null ? converted.text : trees.aroundText(made.text ?? ''))
    if (trees.problems.length > 0) return trees.problems
    return trees.marked({ ...parts, html: converted.html, text })
  } catch (error) {
    if (!(error instanceof CannotConvert)) throw error
    return [
      { path: 'html', code: 'cannot_convert', message: `The HTML cannot be worked on: ${error.message}.` },
    ]
  }
}

/** Renders the parts; `problems` then holds what went wrong. */
class TreeRendering {
  readonly problems: FieldProblem[] = []
  readonly #template: RenderedParts
  readonly #layout: RenderedParts | undefined
  readonly #model: object
  /**
   * What `{{{ @unsubscribe_url }}}` gives first: a word that nobody can know. In the end it is the mark, since each
   * recipient has a link of their own, which is put in when the message is composed. A mark in a value that is not
   * printed as it is (`{{name}}`) is none: or whoever chooses a name could keep mail from being sent, or the way out of it.
   */
  readonly #link = `unsubscribe-${randomBytes(16).toString('hex')}`
  /** The HTML without the layout. */
  ownHtml: string | null = null

  constructor(template: RenderedParts, layout: RenderedParts | undefined, model: object) {
    this.#template = template
    this.#layout = layout
    this.#model = model
  }

  subject(): string | null {
    const subject = this.#render('subject', this.#template.subject)
    if (subject === null || !/[\r\n\0]/.test(subject)) return subject
    const message = 'A value would put a line break or NUL into the subject; a header has none.'
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

  /** Text that was made of HTML, within the layout. */
  aroundText(text: string): string | null {
    return this.#around('text', text)
  }

  /** With marks where the link goes. */
  marked({ subject, html, text }: Rendered): Rendered {
    const put = (body: string | null): string | null => body?.replaceAll(this.#link, UNSUBSCRIBE_MARK) ?? null
    return { subject, html: put(html), text: put(text) }
  }

  #around(part: 'html' | 'text', content: string | null): string | null {
    const tree = this.#layout?.[part]
    return content === null || tree === undefined ? content : this.#render(part, tree, content)
  }

  #render(part: 'subject' | 'html' | 'text', tree: Tree | undefined, content?: string): string | null {
    if (tree === undefined) return null
    const data = { unsubscribe_url: this.#link, ...(content === undefined ? {} : { content }) }
    try {
      return render(tree, this.#model, { html: part === 'html', data, guard: withoutUnsubscribeMark })
    } catch (error) {
      if (!(error instanceof RenderRefusal)) throw error
      this.problems.push({ path: part, code: error.code, message: error.message })
      return null
    }
  }
}
