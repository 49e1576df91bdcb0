// Finds and renders the templates of all domains: quick templates on the event loop, and slow templates in worker
// threads.

import { cacheOf } from '../lib/caches.ts'
import { nearest } from '../lib/nearest.ts'
import type { TemplateOrigin } from '../model/message-origin.ts'
import type { FieldProblem } from '../model/problem.ts'
import { type DraftInput, NO_LAYOUT } from '../model/template.ts'
import type { TrackedPlaces } from '../model/tracking-link.ts'
import type { Read } from '../store/database/store.ts'
import type { Owner } from '../store/messages/owner.ts'
import { findLayout, layoutAliases } from '../store/workspace/layouts.ts'
import { findTemplate, templateAliases } from '../store/workspace/templates.ts'
import type { Loaded, WorkspaceCache } from '../store/workspace/workspace-cache.ts'
import { RenderBudget, type RenderLimits } from '../template-language/render.ts'
import { LIMITS } from '../template-language/tree.ts'
import {
  charactersOf,
  layoutSource,
  type Source,
  type TemplateSource,
  Trees,
  templateSource,
  versionOf,
} from './compiled.ts'
import { hasLayout, layoutOf } from './drafts.ts'
import { CannotConvert } from './html-conversion.ts'
import { type RenderedWithModel, suggestModel } from './jobs.ts'
import {
  cannotConvert,
  isRendered,
  needsConversion,
  type Rendered,
  renderQuickly,
  type Unrendered,
} from './render.ts'
import type { WantedPlaces } from './tracked-places.ts'
import { type TemplateVariable, variablesOf } from './variables.ts'
import type { TemplateThreads, WorkFor } from './worker-pool.ts'

/** A template to render, with its layout and model. */
export interface RenderRequest {
  /** Alias or ID of the template. */
  readonly template: string
  /** Alias or ID of a layout that replaces the template's own layout; `none` for no layout. */
  readonly layout: string | undefined
  readonly model: object
}

/** Owner of the template, and options of the work for this owner. */
export type RenderFor = Owner & WorkFor

/** Maximum work on the event loop: well under a millisecond. */
const QUICK: RenderLimits = { steps: 5_000, bytes: 100_000 }
/** Time for which a template that exceeded `QUICK` goes directly to a thread. */
const SLOW_FOR_MS = 60_000

/** The texts of a template and its layout at the time of the lookup. */
export interface TemplateSnapshot {
  readonly template: TemplateSource
  readonly layout: Source | undefined
}

/** Finds and renders templates and layouts, which are cached until a change. */
export class Templates {
  readonly #read: Read
  readonly #workspaceCache: WorkspaceCache
  readonly #workers: TemplateThreads
  readonly #limits: RenderLimits
  readonly #trees = new Trees()
  /** Time until which a template counts as slow, in milliseconds of `performance.now()`. */
  readonly #slow = cacheOf<number>('slow_templates')

  /** @param maxBytes maximum number of bytes of all parts of a rendered message together */
  constructor(
    read: Read,
    workspaceCache: WorkspaceCache,
    workers: TemplateThreads,
    maxBytes: number = LIMITS.bytes,
  ) {
    this.#read = read
    this.#workspaceCache = workspaceCache
    this.#workers = workers
    this.#limits = { steps: LIMITS.steps, bytes: maxBytes }
  }

  /**
   * Renders a template of the owner, and returns the names of the template and its layout as well; returns problems if
   * the template does not exist or the model does not fit.
   */
  async render(
    owner: RenderFor,
    request: RenderRequest,
  ): Promise<(Rendered & { readonly origin: TemplateOrigin }) | Unrendered> {
    const found = await this.find(owner, request)
    if (!isSnapshot(found)) return found
    const rendered = await this.renderSnapshot(owner, found, request.model)
    return isRendered(rendered) ? { ...rendered, origin: originOfSnapshot(found) } : rendered
  }

  /** Renders a template with the texts of its snapshot. */
  async renderSnapshot(
    workFor: WorkFor,
    snapshot: TemplateSnapshot,
    model: object,
  ): Promise<Rendered | Unrendered> {
    return this.#renderQuickly(snapshot, model) ?? this.#renderInThread(workFor, snapshot, model)
  }

  /**
   * Checks a saved or unsaved template, and renders the template with a sample model; syntax problems include the line.
   */
  renderSample(
    workFor: WorkFor,
    { template, layout }: TemplateSnapshot,
  ): Promise<RenderedWithModel | Unrendered> {
    const { subject = null, html, text, inlineCss } = template
    const draft = { subject, html, text, inline_css: inlineCss }
    const job = { draft, layout, model: undefined, limits: this.#limits }
    const weight = charactersOf(draft) + charactersOf(layout)
    return inThread(this.#workers.run(workFor, 'renderDraft', job, weight))
  }

  /**
   * Returns the variables of a template and its layout; only the required variables if the template cannot be rendered
   * with sample values.
   */
  async variables(workFor: WorkFor, snapshot: TemplateSnapshot): Promise<readonly TemplateVariable[]> {
    const { required } = snapshot.template
    const sample = await this.renderSample(workFor, snapshot)
    return variablesOf(required, isRendered(sample) ? sample.suggestedModel : {})
  }

  /**
   * Returns the rendering problems that are found quickly, for a request that is refused anyway because of other
   * problems.
   */
  async problemsFoundQuickly(owner: Owner, request: RenderRequest): Promise<Unrendered> {
    const found = await this.find(owner, request)
    if (!isSnapshot(found)) return found
    const rendered = this.#renderQuickly(found, request.model)
    return rendered === undefined || isRendered(rendered) ? [] : rendered
  }

  /** Renders a template of the owner and suggests a model; undefined if the template does not exist. */
  async show(owner: RenderFor, request: RenderRequest): Promise<RenderedWithModel | Unrendered | undefined> {
    const found = await this.find(owner, request)
    if (!isSnapshot(found)) return found.some(({ path }) => path === 'template') ? undefined : found
    const { template, layout } = found
    const rendered = this.#renderQuickly(found, request.model)
    if (rendered === undefined) return this.#renderInThread(owner, found, request.model, true)
    if (!isRendered(rendered)) return rendered
    const around = layout && this.#trees.parts(layout)
    return { ...rendered, suggestedModel: suggestModel(this.#trees.template(template), around) }
  }

  /** Renders an unsaved template, with a sample model if no model is given; problems include their line and column. */
  async renderDraft(
    owner: RenderFor,
    draft: DraftInput,
    model: object | undefined,
  ): Promise<RenderedWithModel | Unrendered> {
    const named = hasLayout(draft) ? undefined : layoutOf(draft)
    const layout = named === undefined ? undefined : await this.#layout(owner, named)
    const written = model === undefined ? undefined : JSON.stringify(model)
    const job = { draft, layout, model: written, limits: this.#limits }
    const rendered = await inThread(
      this.#workers.run(owner, 'renderDraft', job, charactersOf(draft) + charactersOf(layout)),
    )
    if (named === undefined || layout !== undefined) return rendered
    return [...(isRendered(rendered) ? [] : rendered), await this.#notFound(owner, 'layout', named)]
  }

  /**
   * Returns the places in HTML that can be tracked; undefined if the HTML is nested too deep or takes too long to
   * parse.
   */
  async trackedPlaces(
    workFor: WorkFor,
    html: string,
    wanted: WantedPlaces,
  ): Promise<TrackedPlaces | undefined> {
    try {
      return await this.#workers.run(workFor, 'trackedPlaces', { html, wanted }, html.length)
    } catch (error) {
      if (error instanceof CannotConvert) return undefined
      throw error
    }
  }

  /** Renders a template on the event loop; undefined if rendering would take too long. */
  #renderQuickly({ template, layout }: TemplateSnapshot, model: object): Rendered | Unrendered | undefined {
    const key = versionOf(template)
    if ((this.#slow.get(key) ?? 0) > performance.now()) return undefined
    if (!this.#trees.isQuick(template) || (layout !== undefined && !this.#trees.isQuick(layout))) {
      return undefined
    }
    const compiled = this.#trees.template(template)
    if (needsConversion(compiled)) return undefined
    const around = layout && this.#trees.parts(layout)
    const rendered = renderQuickly(compiled, around, model, new RenderBudget(QUICK))
    if (rendered === undefined) this.#slow.set(key, performance.now() + SLOW_FOR_MS, 8)
    return rendered
  }

  #renderInThread(
    owner: WorkFor,
    { template, layout }: TemplateSnapshot,
    model: object,
    suggest: true,
  ): Promise<RenderedWithModel | Unrendered>
  #renderInThread(
    owner: WorkFor,
    { template, layout }: TemplateSnapshot,
    model: object,
  ): Promise<Rendered | Unrendered>
  #renderInThread(owner: WorkFor, { template, layout }: TemplateSnapshot, model: object, suggest = false) {
    const job = { template, layout, model: JSON.stringify(model), limits: this.#limits, suggest }
    return inThread(this.#workers.run(owner, 'render', job, charactersOf(template) + charactersOf(layout)))
  }

  /**
   * Returns the texts of a template of the owner and of the template's layout; returns problems if the template or the
   * layout does not exist.
   */
  async find(
    owner: Owner,
    { template: reference, layout: wanted }: Omit<RenderRequest, 'model'>,
  ): Promise<TemplateSnapshot | Unrendered> {
    const template = await this.#template(owner, reference)
    if (template === undefined) return [await this.#notFound(owner, 'template', reference)]
    const named = wanted ?? template.layoutId ?? NO_LAYOUT
    if (named === NO_LAYOUT) return { template, layout: undefined }
    const layout = await this.#layout(owner, named)
    return layout === undefined ? [await this.#notFound(owner, 'layout', named)] : { template, layout }
  }

  /** Returns the problem of a template or layout that does not exist, with the alias that was probably meant. */
  async #notFound(owner: Owner, noun: 'template' | 'layout', reference: string): Promise<FieldProblem> {
    const meant = await this.#meantBy(owner, noun, reference)
    const hint = meant === undefined ? '.' : `; did you mean ${meant}?`
    const message = `There is no ${noun} "${reference.slice(0, 100)}" in this domain${hint}`
    return { path: noun, code: 'not_found', message }
  }

  async #meantBy(owner: Owner, noun: 'template' | 'layout', reference: string): Promise<string | undefined> {
    const aliasesOf = noun === 'template' ? templateAliases : layoutAliases
    return this.#workspaceCache.get<string | undefined>(
      `meant ${noun} ${owner.domainId} ${reference}`,
      async () => {
        const value = nearest(reference, await aliasesOf(this.#read, owner, COMPARED))
        return { value, weight: MEANT + 2 * reference.length }
      },
    )
  }

  async #template(owner: Owner, reference: string): Promise<TemplateSource | undefined> {
    const found = this.#workspaceCache.get<TemplateSource | undefined>(
      `template ${owner.domainId} ${reference}`,
      async () => {
        const stored = await findTemplate(this.#read, owner, reference)
        return weighed(stored && templateSource(stored))
      },
    )
    return found
  }

  async #layout(owner: Owner, reference: string): Promise<Source | undefined> {
    const found = this.#workspaceCache.get<Source | undefined>(
      `layout ${owner.domainId} ${reference}`,
      async () => {
        const stored = await findLayout(this.#read, owner, reference)
        return weighed(stored && layoutSource(stored))
      },
    )
    return found
  }
}

/** Returns the names of a template and its layout, for the record of a message. */
export const originOfSnapshot = ({ template, layout }: TemplateSnapshot): TemplateOrigin => ({
  template_id: template.id,
  ...(template.alias ? { template_alias: template.alias } : {}),
  ...(layout === undefined ? {} : { layout: layout.alias ?? layout.id }),
})

export const isSnapshot = (found: TemplateSnapshot | Unrendered): found is TemplateSnapshot =>
  !Array.isArray(found)

/**
 * Returns the result of a job in a worker thread. A failed job becomes a problem of the HTML, because only HTML takes a
 * long time.
 */
async function inThread<Result>(work: Promise<Result>): Promise<Result | Unrendered> {
  try {
    return await work
  } catch (error) {
    if (error instanceof CannotConvert) return [cannotConvert(error.message)]
    throw error
  }
}

/** Number of aliases, the newest ones, that are compared with a reference to a missing template or layout. */
const COMPARED = 200
/** Estimated memory of a suggested alias in bytes, without the reference. */
const MEANT = 300

/** Memory of a source in bytes, without its texts. */
const SOURCE = 1_000

const weighed = <Value extends Source>(value: Value | undefined): Loaded<Value | undefined> => ({
  value,
  weight: value === undefined ? 0 : SOURCE + 2 * charactersOf(value),
})
