// Renders the template that a send request names; each request is rendered once, at acceptance.

import { isId } from '../lib/ids.ts'
import type { TemplateOrigin } from '../model/message-origin.ts'
import type { FieldProblem } from '../model/problem.ts'
import type { SendRequest } from '../model/send-request.ts'
import type { RenderFor, Templates } from '../templates/templates.ts'

/** Request with the content of its template, and the problems found while rendering. */
export interface RenderedRequest {
  readonly request: SendRequest
  readonly problems: readonly FieldProblem[]
  /** Rendered template; undefined if the template was not rendered. */
  readonly template?: TemplateOrigin
}

type Given = Partial<SendRequest>

/** True if a request names a template or a layout. */
export const namesTemplate = ({ template_id, template_alias, layout }: Given): boolean =>
  template_id !== undefined || template_alias !== undefined || layout !== undefined

/**
 * Renders the template that a request names. A template that cannot be rendered is replaced by placeholder content, so
 * that all other problems are found and reported together. Skips fields of the wrong type, because the schema has
 * reported them.
 *
 * @param isRefused returns true if the request with placeholder content would be refused; the template is then checked
 * only for problems that are cheap to find
 */
export async function renderRequest(
  request: Given,
  renderFor: RenderFor,
  templates: Templates,
  isRefused: (standIn: SendRequest) => boolean,
): Promise<RenderedRequest> {
  const { template_id: _id, template_alias: _alias, layout, template_model: model = {}, ...rest } = request
  const standIn = { ...rest, subject: rest.subject ?? '-', html: '-', text: '-' } as SendRequest
  const { reference, path, problems } = namedTemplate(request)
  if (reference === undefined || !isModel(model)) return { request: standIn, problems }
  const wanted = { template: reference, layout: typeof layout === 'string' ? layout : undefined, model }
  const rendered =
    problems.length > 0 || isRefused(standIn)
      ? await templates.problemsFoundQuickly(renderFor, wanted)
      : await templates.render(renderFor, wanted)
  if (!('origin' in rendered)) {
    return { request: standIn, problems: [...problems, ...atField(path, rendered)] }
  }
  const { subject = rendered.subject ?? undefined } = rest
  const content = { subject, html: rendered.html ?? undefined, text: rendered.text ?? undefined }
  const expanded = { ...rest, ...content, [path]: reference } as SendRequest
  return { request: expanded, problems, template: rendered.origin }
}

/** Template that a request names: its reference, if valid, and the field that contains the reference. */
export interface NamedTemplate {
  readonly reference: string | undefined
  readonly path: 'template_alias' | 'template_id'
  readonly problems: readonly FieldProblem[]
}

/** Reads the reference to a template from a request. */
export function namedTemplate(request: Given): NamedTemplate {
  const problems = conflicts(request)
  const { template_id: id, template_alias: alias } = request
  const path = id === undefined ? 'template_alias' : 'template_id'
  const named = id !== undefined && alias !== undefined ? undefined : (id ?? alias)
  if (typeof named !== 'string') return { reference: undefined, path, problems }
  const isOne = isId('tpl', named) === (path === 'template_id')
  return {
    reference: isOne ? named : undefined,
    path,
    problems: isOne ? problems : [...problems, otherKind(path)],
  }
}

function conflicts({ template_id: id, template_alias: alias, html, text }: Given): FieldProblem[] {
  if (id === undefined && alias === undefined) {
    return [
      {
        path: 'layout',
        code: 'conflict',
        message: 'A layout requires a template; name a template, or leave the layout out.',
      },
    ]
  }
  const problems: FieldProblem[] = []
  if (id !== undefined && alias !== undefined) {
    const message = 'Give either template_id or template_alias, not both.'
    problems.push({ path: 'template_alias', code: 'conflict', message })
  }
  for (const [path, part] of Object.entries({ html, text })) {
    if (part === undefined) continue
    problems.push({
      path,
      code: 'conflict',
      message: 'The template contains this field; leave the field out.',
    })
  }
  return problems
}

const isModel = (model: unknown): model is object =>
  typeof model === 'object' && model !== null && !Array.isArray(model)

/** Returns problems with the field that names the template as the path of a missing template. */
export const atField = (
  path: NamedTemplate['path'],
  problems: readonly FieldProblem[],
): readonly FieldProblem[] =>
  problems.map((problem) => (problem.path === 'template' ? { ...problem, path } : problem))

/** Returns the problem of a reference that cannot be a template of this kind: an ID as alias, or the reverse. */
const otherKind = (path: NamedTemplate['path']): FieldProblem => ({
  path,
  code: 'not_found',
  message: 'There is no such template in this domain.',
})
