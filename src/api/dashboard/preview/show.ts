// POST /api/preview: returns HTML as a document for a sandboxed frame, so that a draft looks like its mail.

import { Type } from 'typebox'
import { otherBodyWanted } from '../../../http/body-rule.ts'
import { FOREIGN_HTML_HEADERS, foreignDocument } from '../../../lib/foreign-html.ts'
import { defineDashboardRoute } from '../route.ts'

/**
 * Endpoint to which a form of the editor's page posts, into its frame: a document inside the page itself would be under
 * the page's policy, which does not allow a mail's styles. Like every POST, it is accepted from the dashboard's own
 * pages only.
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
 * Endpoint that returns a table as CSV: the first sheet of an XLSX workbook, so that a browser need not parse it and
 * shows what will be sent.
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
