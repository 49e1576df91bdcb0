// What a template gives without being sent: one that is saved, or a draft.

import { invalidFields, Problem } from '../../model/problem.ts'
import type { DraftInput } from '../../model/template.ts'
import { isRendered } from '../../templates/render.ts'
import type { Templates } from '../../templates/templates.ts'
import { requireSendingKey, senderOfRequest } from '../authenticate.ts'
import { DraftBody, ReferenceParams, RenderBody, RenderedView } from '../contract/template.ts'
import { defineRoute } from '../route.ts'
import { referenceOf } from './editor.ts'

export const renderTemplate = (templates: Templates) =>
  defineRoute({
    method: 'POST',
    url: '/v1/templates/:id_or_alias/render',
    schema: {
      tags: ['Templates'],
      summary: 'Render a template without sending it',
      params: ReferenceParams,
      body: RenderBody,
      response: { 200: RenderedView },
    },
    refusals: ['malformed_request', 'not_found', 'body_too_large', 'validation_failed'],
    preValidation: requireSendingKey,
    changesNothing: true,
    async handler(request) {
      const owner = senderOfRequest(request)
      const template = referenceOf(request)
      const { template_model: model = {}, layout } = request.body as {
        readonly template_model?: object
        readonly layout?: string
      }
      const suggested = await templates.suggestModel(owner, template, layout)
      if (suggested === undefined) throw new Problem('not_found', 'There is no such template for this key.')
      const rendered = await templates.render(owner, { template, layout, model })
      if (!isRendered(rendered)) throw invalidFields(rendered)
      return { ...rendered, suggested_template_model: suggested }
    },
  })

export const renderDraft = (templates: Templates) =>
  defineRoute({
    method: 'POST',
    url: '/v1/render',
    schema: {
      tags: ['Templates'],
      summary: 'Render a template that is not saved',
      description:
        'For editors and tests: syntax problems come with their line and column, and nothing is stored.',
      body: DraftBody,
      response: { 200: RenderedView },
    },
    refusals: ['malformed_request', 'body_too_large', 'validation_failed'],
    preValidation: requireSendingKey,
    changesNothing: true,
    async handler(request) {
      const { template_model: model, ...draft } = request.body as DraftInput & {
        readonly template_model?: object
      }
      const rendered = await templates.renderDraft(senderOfRequest(request), draft, model)
      if (!('subject' in rendered)) throw invalidFields(rendered)
      const { suggestedModel, ...parts } = rendered
      return { ...parts, suggested_template_model: suggestedModel }
    },
  })
