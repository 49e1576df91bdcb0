// Drafts: templates and layouts rendered during editing, before they are saved.

import type { FieldProblem } from '../model/problem.ts'
import { type DraftInput, NO_LAYOUT } from '../model/template.ts'
import { checkLayout, checkTemplate } from './check.ts'
import type { CompiledTemplate, RenderedParts } from './compiled.ts'

/** A parsed draft, or all of its problems. */
export interface ReadDraft {
  /** Problems of the draft; problems of its own layout have the paths `layout_html` and `layout_text`. */
  readonly problems: readonly FieldProblem[]
  readonly template: CompiledTemplate
  /** Layout that the draft contains; undefined if the draft contains no layout. */
  readonly ownLayout: RenderedParts | undefined
}

/** True if a draft contains its own layout. */
export const hasLayout = ({ layout_html, layout_text }: DraftInput): boolean =>
  Boolean(layout_html) || Boolean(layout_text)

/** Returns the saved layout that a draft names; undefined if the draft names no saved layout. */
export const layoutOf = ({ layout }: DraftInput): string | undefined =>
  !layout || layout === NO_LAYOUT ? undefined : layout

/**
 * Parses and checks a draft.
 *
 * @param model model for rendering; its fields are known variables
 */
export function readDraft(draft: DraftInput, model?: object): ReadDraft {
  const { problems, parts } = checkTemplate({ ...draft, alias: null, name: 'Draft' }, model)
  const template = { ...parts, required: draft.required ?? [], inlineCss: draft.inline_css === true }
  if (!hasLayout(draft)) return { problems, template, ownLayout: undefined }
  const { layout_html: html = null, layout_text: text = null } = draft
  const layout = checkLayout({ name: 'Draft', html, text }, model)
  const ofLayout = layout.problems.map((problem) => ({ ...problem, path: `layout_${problem.path}` }))
  return { problems: [...problems, ...ofLayout], template, ownLayout: layout.parts }
}
