// POST /v1/templates/{id_or_alias}/render: what a template gives, without sending it.

import { invalidFields, Problem } from '../../model/problem.ts'
import { isRendered } from '../../templates/render.ts'
import type { Templates } from '../../templates/templates.ts'
import { requireSendingKey, senderOfRequest } from '../authenticate.ts'
import { ReferenceParams, RenderBody, RenderedView } from '../contract/template.ts'
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
    refusals: ['malformed_request', 'not_found', 'body_too_large', 'validation_failed', 'unavailable'],
    preValidation: requireSendingKey,
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
