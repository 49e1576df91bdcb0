// Checks and renders a draft of a template as Postmark does, each part on its own.

import type { Static } from 'typebox'
import type { RenderedView } from '../../api/contract/template.ts'
import { type FieldProblem, Problem } from '../../model/problem.ts'
import { FieldNames } from '../reading.ts'
import type { Translation } from '../translation.ts'

const DRAFT = new FieldNames(
  ...['Subject', 'HtmlBody', 'TextBody', 'TestRenderModel', 'TemplateType', 'LayoutTemplate'],
  'InlineCssForHtmlTestRender',
)

/** Parts of a template: the name at Postmark, the name at `/v1`, and the name in a draft of a layout. */
const PARTS = [
  ['Subject', 'subject', 'subject'],
  ['HtmlBody', 'html', 'layout_html'],
  ['TextBody', 'text', 'layout_text'],
] as const

/** Content around which a draft of a layout is rendered. */
const INSIDE = 'Content'

export async function validateTemplate(translation: Translation): Promise<object> {
  const fields = translation.body(DRAFT)
  const isLayout = fields.word('TemplateType', ['Standard', 'Layout']) === 'Layout'
  const parts = new Map(PARTS.map(([name]) => [name, fields.text(name)]))
  const model = fields.model('TestRenderModel')
  const shared = {
    inline_css: fields.flag('InlineCssForHtmlTestRender') ?? true,
    ...(model === undefined ? {} : { template_model: model }),
    ...(isLayout || !fields.has('LayoutTemplate') ? {} : { layout: fields.text('LayoutTemplate') }),
  }
  const wrong = new Map<string, FieldProblem[]>()
  let rendered: Static<typeof RenderedView> | undefined
  // The second round renders the parts without the parts that the first round has found to be wrong.
  for (let round = 0; rendered === undefined && round < 2; round++) {
    const draft: Record<string, unknown> = { ...shared }
    if (isLayout) Object.assign(draft, { html: INSIDE, text: INSIDE })
    for (const [name, plain, ofLayout] of PARTS) {
      const text = parts.get(name)
      if (text !== undefined && !wrong.has(name)) draft[isLayout ? ofLayout : plain] = text
    }
    if (!PARTS.some(([, plain]) => draft[plain] !== undefined)) break
    try {
      rendered = (await translation.v1<Static<typeof RenderedView>>('templates.renderDraft', { body: draft }))
        .body
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'validation_failed') throw error
      for (const problem of error.errors) {
        const name = partOf(problem.path)
        wrong.set(name, [...(wrong.get(name) ?? []), problem])
      }
    }
  }
  return {
    AllContentIsValid: wrong.size === 0,
    ...Object.fromEntries(
      PARTS.map(([name, plain]) => [
        name,
        sectionOf(parts.get(name), rendered?.[plain] ?? null, wrong.get(name)),
      ]),
    ),
    SuggestedTemplateModel: rendered?.suggested_template_model ?? {},
  }
}

/** Returns the part at Postmark that a path is about; the HTML for a path of another field. */
const partOf = (path: string): string =>
  PARTS.find(([, plain, ofLayout]) => path === plain || path === ofLayout)?.[0] ?? 'HtmlBody'

const sectionOf = (
  given: string | undefined,
  rendered: string | null,
  problems: readonly FieldProblem[] = [],
): object | null =>
  given === undefined && problems.length === 0
    ? null
    : {
        ContentIsValid: problems.length === 0,
        ValidationErrors: problems.map(({ message, line = 1, column = 1 }) => ({
          Message: message,
          Line: line,
          CharacterPosition: column,
        })),
        RenderedContent: problems.length === 0 ? rendered : null,
      }
