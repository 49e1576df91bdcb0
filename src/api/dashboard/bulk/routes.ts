// POST /api/domains/{domain_id}/bulk/check and GET …/templates/{id_or_alias}/variables: checks before a bulk is sent.

import { otherBodyWanted } from '../../../http/body-rule.ts'
import { nulProblems } from '../../../http/filters.ts'
import { invalidFields, Problem } from '../../../model/problem.ts'
import { isSnapshot } from '../../../templates/templates.ts'
import { givenByCsv } from '../../bulk/send.ts'
import { senderOfRequest } from '../../caller.ts'
import { NewBulkQuery } from '../../contract/bulk.ts'
import { BulkCheckView, TemplateVariablesView } from '../../contract/dashboard-bulk.ts'
import { ReferenceParams } from '../../contract/template.ts'
import { type DashboardRoute, defineDashboardRoute } from '../route.ts'
import type { DashboardServices } from '../services.ts'

export const bulkRoutes = ({
  bulks,
  templates,
  maxBatchBytes,
}: DashboardServices): readonly DashboardRoute[] => [
  defineDashboardRoute({
    method: 'POST',
    url: '/api/domains/:domain_id/bulk/check',
    consequence: 'none',
    role: 'developer',
    effect: 'reads',
    body: { kinds: ['csv'], maxBytes: maxBatchBytes, problems: 'handler' },
    schema: { querystring: NewBulkQuery, response: { 200: BulkCheckView } },
    async handler(request) {
      const { query, body } = request
      const problems = nulProblems(query)
      if (problems.length > 0) throw invalidFields(problems)
      if (typeof body !== 'string') throw otherBodyWanted(request)
      return bulks.check(senderOfRequest(request), givenByCsv(body, query))
    },
  }),
  defineDashboardRoute({
    method: 'GET',
    url: '/api/domains/:domain_id/templates/:id_or_alias/variables',
    role: 'viewer',
    schema: { params: ReferenceParams, response: { 200: TemplateVariablesView } },
    async handler(request) {
      const sender = senderOfRequest(request)
      const template = request.params.id_or_alias
      const found = await templates.find(sender, { template, layout: undefined })
      if (!isSnapshot(found)) throw new Problem('not_found', 'There is no template with this ID or alias.')
      return { data: [...(await templates.variables({ accountId: sender.accountId }, found))] }
    },
  }),
]
