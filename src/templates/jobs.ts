// Template jobs that run in worker threads: slow renderings, drafts, checks and searches for tracked places.

import { parseWritten } from '../lib/written-numbers.ts'
import type { FieldProblem } from '../model/problem.ts'
import type { DraftInput, LayoutInput, TemplateInput } from '../model/template.ts'
import type { TrackedPlaces } from '../model/tracking-link.ts'
import { RenderBudget, type RenderLimits } from '../template-language/render.ts'
import { sampleModel } from '../template-language/sample-model.ts'
import { checkLayout, checkTemplate } from './check.ts'
import { type RenderedParts, type Source, type TemplateSource, Trees } from './compiled.ts'
import { readDraft } from './drafts.ts'
import type { Convert } from './html-conversion.ts'
import { isRendered, type Rendered, renderTemplate, type Unrendered } from './render.ts'
import { trackedPlaces, type WantedPlaces } from './tracked-places.ts'

/** Rendered parts, and a sample model of the template. */
export interface RenderedWithModel extends Rendered {
  readonly suggestedModel: object
}

/** Input and result of each kind of job, all of which can be sent to a thread. */
export interface Jobs {
  render: {
    readonly job: SavedRendering
    readonly result: Rendered | RenderedWithModel | Unrendered
  }
  renderDraft: {
    readonly job: DraftRendering
    readonly result: RenderedWithModel | Unrendered
  }
  checkTemplate: { readonly job: TemplateInput; readonly result: readonly FieldProblem[] }
  checkLayout: { readonly job: LayoutInput; readonly result: readonly FieldProblem[] }
  trackedPlaces: { readonly job: TrackedHtml; readonly result: TrackedPlaces | undefined }
}

export type JobKind = keyof Jobs

interface TrackedHtml {
  readonly html: string
  readonly wanted: WantedPlaces
}

interface SavedRendering {
  readonly template: TemplateSource
  readonly layout: Source | undefined
  /** The model as JSON, so that numbers keep their spelling. */
  readonly model: string
  readonly limits: RenderLimits
  /** True if a sample model is requested as well. */
  readonly suggest: boolean
}

interface DraftRendering {
  readonly draft: DraftInput
  /** The saved layout that the draft names, if the draft has no layout of its own. */
  readonly layout: Source | undefined
  /** The model as JSON; if undefined, a sample model is used. */
  readonly model: string | undefined
  readonly limits: RenderLimits
}

/** Runs jobs one after another, and caches parsed templates. */
export class JobRunner {
  readonly #trees = new Trees()
  readonly #convert: Convert

  constructor(convert: Convert) {
    this.#convert = convert
  }

  run<Kind extends JobKind>(kind: Kind, job: Jobs[Kind]['job']): Jobs[Kind]['result'] {
    return this.#jobs[kind](job)
  }

  readonly #jobs: { readonly [Kind in JobKind]: (job: Jobs[Kind]['job']) => Jobs[Kind]['result'] } = {
    render: (job) => this.#render(job),
    renderDraft: (job) => this.#renderDraft(job),
    checkTemplate: (input) => checkTemplate(input).problems,
    checkLayout: (input) => checkLayout(input).problems,
    trackedPlaces: ({ html, wanted }) => trackedPlaces(html, wanted),
  }

  #render({ template: source, layout: around, model, limits, suggest }: SavedRendering) {
    const [template, layout] = [this.#trees.template(source), around && this.#trees.parts(around)]
    const values = parseWritten(model) as object
    const rendered = renderTemplate(template, layout, values, new RenderBudget(limits), this.#convert)
    if (!suggest || !isRendered(rendered)) return rendered
    return { ...rendered, suggestedModel: suggestModel(template, layout) }
  }

  #renderDraft({ draft, layout, model, limits }: DraftRendering): RenderedWithModel | Unrendered {
    const given = model === undefined ? undefined : (parseWritten(model) as object)
    const { problems, template, ownLayout } = readDraft(draft, given)
    if (problems.length > 0) return problems
    const around = ownLayout ?? (layout && this.#trees.parts(layout))
    const suggestedModel = suggestModel(template, around)
    const budget = new RenderBudget(limits)
    const rendered = renderTemplate(template, around, given ?? suggestedModel, budget, this.#convert)
    return isRendered(rendered) ? { ...rendered, suggestedModel } : rendered
  }
}

/** Returns a sample model for a template and its layout. */
export function suggestModel(template: RenderedParts, layout: RenderedParts | undefined): object {
  const trees = [template.subject, template.html, template.text, layout?.html, layout?.text]
  return sampleModel(trees.filter((tree) => tree !== undefined))
}
