// Jobs of templates that are done in worker threads: rendering what takes long, rendering drafts, and checking.

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

/** Rendered parts, and a sample model for the template. */
export interface RenderedWithModel extends Rendered {
  readonly suggestedModel: object
}

/** Input and result of each job, by its kind. All of it can be sent to a thread. */
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
  /** The model as JSON, in which numbers stay as they were written. */
  readonly model: string
  readonly limits: RenderLimits
  /** A sample model is wanted as well. */
  readonly suggest: boolean
}

interface DraftRendering {
  readonly draft: DraftInput
  /** The saved layout that it names, when it brings none. */
  readonly layout: Source | undefined
  /** As JSON; one that fits is made when it is left out. */
  readonly model: string | undefined
  readonly limits: RenderLimits
}

/** Does one job after the other; what it has read of templates is remembered. */
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

/** A model that a template and its layout take. */
export function suggestModel(template: RenderedParts, layout: RenderedParts | undefined): object {
  const trees = [template.subject, template.html, template.text, layout?.html, layout?.text]
  return sampleModel(trees.filter((tree) => tree !== undefined))
}
