// Renders a saved template or a draft without sending it.

import type { FastifyRequest } from 'fastify'
import { type FieldProblem, invalidFields, Problem } from '../../model/problem.ts'
import type { RenderedWithModel } from '../../templates/jobs.ts'
import { isRendered, type Unrendered } from '../../templates/render.ts'
import type { RenderFor, Templates } from '../../templates/templates.ts'
import { senderOfRequest } from '../caller.ts'
import { DraftBody, ReferenceParams, RenderBody, RenderedView } from '../contract/template.ts'
import { isGone } from '../read-turns.ts'
import { defineRoute } from '../route.ts'
import { besidesText } from './edit-routes.ts'

export const renderTemplate = (templates: Templates) =>
  defineRoute({
    method: 'POST',
    url: '/v1/templates/:id_or_alias/render',
    consequence: 'none',
    schema: {
      tags: ['Templates'],
      summary: 'Render a template without sending it',
      params: ReferenceParams,
      body: RenderBody,
      response: { 200: RenderedView },
    },
    refusals: ['malformed_request', 'not_found', 'body_too_large', 'validation_failed'],
    scope: 'templates:read',
    domains: 'one',
    body: { maxBytes: 'content' },
    effect: 'reads',
    async check(request, { template_model: model = {}, layout }) {
      const template = request.params.id_or_alias
      const { template_model: given } = request.body
      const found = await templates.problemsFoundQuickly(rendererOf(request), { template, layout, model })
      // Problems of the model are not reported if `template_model` is missing, because the body may contain the model
      // under a wrong name.
      const isTold = ({ path }: FieldProblem) =>
        path !== 'template' && (given !== undefined || !path.startsWith('template_model'))
      return found.filter(isTold)
    },
    async handler(request) {
      const template = request.params.id_or_alias
      const { template_model: model = {}, layout } = request.body
      const rendered = await templates.show(rendererOf(request), { template, layout, model })
      if (rendered === undefined)
        throw new Problem('not_found', 'There is no template with this ID or alias.')
      return renderedView(rendered)
    },
  })

export const renderDraft = (templates: Templates) =>
  defineRoute({
    method: 'POST',
    url: '/v1/render',
    consequence: 'none',
    schema: {
      tags: ['Templates'],
      summary: 'Render a template that is not saved',
      description:
        'Renders a draft for editors and tests. Syntax problems have a line and a column, and nothing is stored.',
      body: DraftBody,
      response: { 200: RenderedView },
    },
    refusals: ['malformed_request', 'body_too_large', 'validation_failed'],
    scope: 'templates:read',
    domains: 'one',
    body: { maxBytes: 'content' },
    effect: 'reads',
    async check(request, { template_model: model, ...draft }) {
      const rendered = await templates.renderDraft(rendererOf(request), draft, model)
      return isRendered(rendered) ? [] : besidesText(request, rendered)
    },
    async handler(request) {
      const { template_model: model, ...draft } = request.body
      return renderedView(await templates.renderDraft(rendererOf(request), draft, model))
    },
  })

const rendererOf = (request: FastifyRequest): RenderFor => ({
  ...senderOfRequest(request),
  isGone: () => isGone(request),
})

function renderedView(rendered: RenderedWithModel | Unrendered): object {
  if (!isRendered(rendered)) throw invalidFields(rendered)
  const { suggestedModel, ...parts } = rendered
  return { ...parts, suggested_template_model: suggestedModel }
}
