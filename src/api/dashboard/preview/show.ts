// POST /api/preview: gives HTML back as a document for a sandboxed frame, so that a draft looks as its mail will.

import { Type } from 'typebox'
import { otherBodyWanted } from '../../../http/body-rule.ts'
import { FOREIGN_HTML_HEADERS, foreignDocument } from '../../../lib/foreign-html.ts'
import { defineDashboardRoute } from '../route.ts'

/**
 * A form of the editor's page posts to it, into its frame: a document inside the page itself would be under the
 * page's own policy, which lets no mail's styles in. It comes from our own pages only, as every POST.
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

/** Of an XLSX workbook that is its first sheet: a browser need not read it, and sees what will be sent. */
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
