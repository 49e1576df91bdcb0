// The templates of all domains, ready to be rendered.

import type { FieldProblem } from '../model/problem.ts'
import { type DraftInput, NO_LAYOUT } from '../model/template.ts'
import { findLayout, type Layout } from '../store/layouts.ts'
import type { Owner } from '../store/owner.ts'
import type { Loaded, Remembered } from '../store/remembered.ts'
import type { Read } from '../store/store.ts'
import { findTemplate, type Template } from '../store/templates.ts'
import { sampleModel } from '../template-language/sample-model.ts'
import { type CompiledTemplate, type RenderedParts, Trees, weightOf } from './compiled.ts'
import { checkDraft, hasLayout, layoutOf, type RenderedDraft, renderDraft } from './drafts.ts'
import type { HtmlConversion } from './html-conversion.ts'
import { type Convert, type Rendered, renderTemplate, type Unrendered } from './render.ts'

/** Which template to render, and how. */
export interface RenderRequest {
  /** Its alias or ID. */
  readonly template: string
  /** Instead of the template's own layout: the alias or ID of another, or `none`. */
  readonly layout: string | undefined
  readonly model: object
}

/** Finds templates and layouts, remembered until one changes, and renders them. */
export class Templates {
  readonly #read: Read
  readonly #remembered: Remembered
  readonly #conversion: HtmlConversion
  readonly #trees = new Trees()

  constructor(read: Read, remembered: Remembered, conversion: HtmlConversion) {
    this.#read = read
    this.#remembered = remembered
    this.#conversion = conversion
  }

  /** Renders a template of the owner; problems when there is none, or it cannot be rendered with this model. */
  async render(owner: Owner, { template, layout, model }: RenderRequest): Promise<Rendered | Unrendered> {
    const compiled = await this.#template(owner, template)
    if (compiled === undefined) return [notFound('template', template)]
    const wanted = layout ?? compiled.stored.layout_id ?? NO_LAYOUT
    const around = wanted === NO_LAYOUT ? undefined : await this.#layout(owner, wanted)
    if (wanted !== NO_LAYOUT && around === undefined) return [notFound('layout', wanted)]
    return renderTemplate(compiled, around, model, this.#convert(owner))
  }

  /** Renders what is not saved, with a model that fits when none is given; problems have their line and column. */
  async renderDraft(
    owner: Owner,
    draft: DraftInput,
    model: object | undefined,
  ): Promise<RenderedDraft | Unrendered> {
    const problems = checkDraft(draft)
    const named = hasLayout(draft) ? undefined : layoutOf(draft)
    const layout = named === undefined ? undefined : await this.#layout(owner, named)
    if (named !== undefined && layout === undefined) problems.push(notFound('layout', named))
    return problems.length > 0 ? problems : renderDraft(draft, layout, model, this.#convert(owner))
  }

  /** A model that the template and its layout take; undefined when there is no such template. */
  async suggestModel(
    owner: Owner,
    template: string,
    layout: string | undefined,
  ): Promise<object | undefined> {
    const compiled = await this.#template(owner, template)
    if (compiled === undefined) return undefined
    const wanted = layout ?? compiled.stored.layout_id ?? NO_LAYOUT
    const around = wanted === NO_LAYOUT ? undefined : await this.#layout(owner, wanted)
    const trees = [compiled.subject, compiled.html, compiled.text, around?.html, around?.text]
    return sampleModel(trees.filter((tree) => tree !== undefined))
  }

  #convert({ accountId }: Owner): Convert {
    return (conversion) => this.#conversion.convert(accountId, conversion)
  }

  async #template(owner: Owner, reference: string): Promise<CompiledTemplate | undefined> {
    const found = this.#remembered.get<Template | undefined>(
      `template ${owner.domainId} ${reference}`,
      async () => weighed(await findTemplate(this.#read, owner, reference)),
    )
    const stored = found instanceof Promise ? await found : found
    return stored === undefined ? undefined : this.#trees.template(stored)
  }

  async #layout(owner: Owner, reference: string): Promise<RenderedParts | undefined> {
    const found = this.#remembered.get<Layout | undefined>(
      `layout ${owner.domainId} ${reference}`,
      async () => weighed(await findLayout(this.#read, owner, reference)),
    )
    const stored = found instanceof Promise ? await found : found
    return stored === undefined ? undefined : this.#trees.layout(stored)
  }
}

const weighed = <Row extends Layout | Template>(value: Row | undefined): Loaded<Row | undefined> => ({
  value,
  weight: value === undefined ? 100 : weightOf(value),
})

const notFound = (noun: 'template' | 'layout', reference: string): FieldProblem => ({
  path: noun,
  code: 'not_found',
  message: `There is no ${noun} "${reference.slice(0, 100)}" in this domain.`,
})
