// POST /api/preview/table: gives a table back as the CSV that the service reads it as, to choose what its columns are.

import { otherBodyWanted } from '../../body.ts'
import { defineDashboardRoute } from '../route.ts'

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
