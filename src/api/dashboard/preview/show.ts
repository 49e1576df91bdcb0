// POST /api/preview: returns HTML as a document for a sandboxed frame, so that a draft looks like the sent mail.

import { Type } from 'typebox'
import { otherBodyWanted } from '../../../http/body-rule.ts'
import { FOREIGN_HTML_HEADERS, foreignDocument } from '../../../lib/foreign-html.ts'
import { defineDashboardRoute } from '../route.ts'

/**
 * Endpoint to which a form of the editor posts, with a frame as its target. The preview cannot be part of the page
 * itself, because the Content-Security-Policy of the page does not allow the styles of a mail. The endpoint accepts
 * requests only from the dashboard's own pages, like every POST.
 */
export const showPreview = defineDashboardRoute({
  method: 'POST',
  url: '/api/preview',
  consequence: 'none',
  role: 'viewer',
  effect: 'reads',
  body: { kinds: ['form'], maxBytes: 'content' },
  schema: { body: Type.Object({ html: Type.String() }, { additionalProperties: false }) },
  async handler(request, reply) {
    const { html } = request.body
    return reply.headers(FOREIGN_HTML_HEADERS).send(foreignDocument(html))
  },
})

/**
 * Endpoint that returns a table as CSV, for example the first sheet of an XLSX workbook, so that the browser does not
 * parse the table and shows the rows that will be sent.
 */
export const previewTable = (maxBytes: number) =>
  defineDashboardRoute({
    method: 'POST',
    url: '/api/preview/table',
    consequence: 'none',
    role: 'developer',
    effect: 'reads',
    body: { kinds: ['csv'], maxBytes, problems: 'handler' },
    schema: {},
    async handler(request, reply) {
      if (typeof request.body !== 'string') throw otherBodyWanted(request)
      return reply.type('text/csv; charset=utf-8').send(request.body)
    },
  })
