// GET /api/domains/:domain_id/inbound/:inbound_id/html: returns the HTML of an inbound message for a sandboxed frame.

import { FOREIGN_HTML_HEADERS, foreignDocument } from '../../../lib/foreign-html.ts'
import { Problem } from '../../../model/problem.ts'
import { senderOfRequest } from '../../caller.ts'
import { defineDashboardRoute } from '../route.ts'
import type { DashboardServices } from '../services.ts'

export const showInboundHtml = ({ showingInbound }: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/domains/:domain_id/inbound/:inbound_id/html',
    role: 'viewer',
    schema: {},
    async handler(request, reply) {
      const { inbound_id: id } = request.params
      const admit = (bytes: number): Promise<void> => request.holdAnswer(reply, bytes)
      const content = await showingInbound.html(senderOfRequest(request), id, admit)
      if (content === undefined) throw new Problem('not_found', 'There is no such HTML in this domain.')
      return reply.headers(FOREIGN_HTML_HEADERS).send(foreignDocument(content.html, content.files))
    },
  })
