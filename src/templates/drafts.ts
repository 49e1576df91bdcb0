// Drafts: templates and layouts that are rendered while they are written, before they are saved.

import type { FieldProblem } from '../model/problem.ts'
import { type DraftInput, NO_LAYOUT } from '../model/template.ts'
import { isTemplate, parseTemplate } from '../template-language/parse.ts'
import { sampleModel } from '../template-language/sample-model.ts'
import type { Template as Tree } from '../template-language/tree.ts'
import { checkLayout, checkTemplate } from './check.ts'
import type { RenderedParts } from './compiled.ts'
import { type Convert, type Rendered, renderTemplate, type Unrendered } from './render.ts'

/** What a draft gives, and a model that it takes. */
export interface RenderedDraft extends Rendered {
  readonly suggestedModel: object
}

/** Everything that is wrong with a draft, its layout's parts called `layout_html` and `layout_text`. */
export function checkDraft(draft: DraftInput): FieldProblem[] {
  const problems = checkTemplate({ ...draft, alias: null, name: 'Draft' })
  if (!hasLayout(draft)) return problems
  const layout = checkLayout({
    name: 'Draft',
    html: draft.layout_html ?? null,
    text: draft.layout_text ?? null,
  })
  return [...problems, ...layout.map((problem) => ({ ...problem, path: `layout_${problem.path}` }))]
}

/** Whether a draft brings its own layout. */
export const hasLayout = ({ layout_html, layout_text }: DraftInput): boolean =>
  Boolean(layout_html) || Boolean(layout_text)

/**
 * Renders a draft that `checkDraft` has nothing against.
 *
 * @param saved the layout that it names, when it brings none
 */
export async function renderDraft(
  draft: DraftInput,
  saved: RenderedParts | undefined,
  model: object | undefined,
  convert: Convert,
): Promise<RenderedDraft | Unrendered> {
  const own = { subject: treeOf(draft.subject), html: treeOf(draft.html), text: treeOf(draft.text) }
  const around = hasLayout(draft)
    ? { subject: undefined, html: treeOf(draft.layout_html), text: treeOf(draft.layout_text) }
    : saved
  const trees = [own.subject, own.html, own.text, around?.html, around?.text]
  const suggestedModel = sampleModel(trees.filter((tree) => tree !== undefined))
  const rendered = await renderTemplate(
    { ...own, required: draft.required ?? [], inlineCss: draft.inline_css === true },
    around,
    model ?? suggestedModel,
    convert,
  )
  return 'subject' in rendered ? { ...rendered, suggestedModel } : rendered
}

/** The layout that a draft names; undefined for none. */
export const layoutOf = ({ layout }: DraftInput): string | undefined =>
  !layout || layout === NO_LAYOUT ? undefined : layout

function treeOf(text: string | null | undefined): Tree | undefined {
  if (!text) return undefined
  const read = parseTemplate(text)
  return isTemplate(read) ? read : undefined
}
