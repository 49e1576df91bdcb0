// GET and POST /v1/reports, GET /v1/reports/{report_id} and …/raw: reports of receivers about a domain.

import { describeAuditAction } from '../../access/audit.ts'
import { BodyBytes, bodyMissing } from '../../http/body-rule.ts'
import { nulProblems, readTime } from '../../http/filters.ts'
import { type FieldProblem, invalidFields, Problem } from '../../model/problem.ts'
import { MAX_REPORT_BYTES } from '../../model/report.ts'
import type { ReportIntake } from '../../reports/intake.ts'
import { type Read, reading, type Store } from '../../store/database/store.ts'
import type { Owner } from '../../store/messages/owner.ts'
import {
  findReport,
  findReportContent,
  listReports,
  listRowsOfReport,
  type StoredReport,
} from '../../store/reports/reports.ts'
import { senderOfRequest } from '../caller.ts'
import {
  REPORT_FILES,
  ReportBody,
  ReportList,
  ReportParams,
  ReportQuery,
  ReportSummary,
  ReportView,
} from '../contract/report.ts'
import { listById, pageOfDomains } from '../domain-pages.ts'
import { defineRoute, type Route } from '../route.ts'
import { dayOf, reportSummary, reportView } from './view.ts'

const tags = ['Deliverability']
const params = ReportParams
const list = '/v1/reports'
const one = '/v1/reports/:report_id'
const MAX_ROWS = 500

export interface ReportServices {
  readonly read: Read
  readonly store: Store
  readonly reports: ReportIntake
}

export const reportRoutes = (services: ReportServices): readonly Route[] => [
  listRoute(services),
  uploadRoute(services),
  showRoute(services),
  rawRoute(services),
]

const listRoute = ({ read }: ReportServices) =>
  defineRoute({
    method: 'GET',
    url: list,
    schema: {
      tags,
      summary: 'List reports',
      description: 'Newest first: DMARC and TLS reports of receivers, and complaints.',
      querystring: ReportQuery,
      response: { 200: ReportList },
    },
    refusals: ['malformed_request', 'validation_failed'],
    scope: 'incidents:read',
    domains: 'all',
    async handler(request) {
      const { kind, submitter, from, to, ...paging } = request.query
      const problems: FieldProblem[] = nulProblems(request.query)
      const filter = {
        kind,
        submitter,
        from: readTime('from', from, problems),
        to: readTime('to', to, problems),
      }
      if (problems.length > 0) throw invalidFields(problems)
      return pageOfDomains(request, paging, {
        ...listById('rpt', async (owner, limit, cursor) => {
          const found = await reading(listReports(read, owner, filter, limit, cursor))
          return found.map((report) => ({ ...report, domainName: owner.domainName }))
        }),
        view: (report) => reportSummary(report, report.domainName),
      })
    },
  })

const uploadRoute = ({ store, reports }: ReportServices) =>
  defineRoute({
    method: 'POST',
    url: list,
    consequence: 'none',
    schema: {
      tags,
      summary: 'Upload a report',
      description:
        'The body is the file itself: XML, JSON, gzip, zip, or a whole mail. The content decides its kind, whatever the Content-Type is. A report that was received before is answered with 200 and the first report. A report about another domain, and a file that is no report, are refused.',
      body: ReportBody,
      bodies: REPORT_FILES,
      response: { 200: ReportSummary, 201: ReportSummary },
    },
    refusals: ['malformed_request', 'domain_not_permitted', 'body_too_large', 'validation_failed'],
    scope: 'incidents:write',
    domains: 'one',
    body: { kinds: ['file'], maxBytes: MAX_REPORT_BYTES },
    audit: 'report.upload',
    async handler(request, reply) {
      const { body } = request
      if (!(body instanceof BodyBytes)) throw bodyMissing(request)
      const { domainName, ...owner } = senderOfRequest(request)
      const { report, isNew } = await reports.upload({ ...owner, domainName }, body.bytes, store)
      describeAuditAction({ detail: { kind: report.kind, submitter: report.submitter } })
      const view = reportSummary(report, domainName)
      if (!isNew) return { ...view, duplicate_of: report.id }
      reply.code(201).header('location', `${list}/${report.id}`)
      return view
    },
  })

const showRoute = ({ read }: ReportServices) =>
  defineRoute({
    method: 'GET',
    url: one,
    schema: { tags, summary: 'Retrieve a report', params, response: { 200: ReportView } },
    refusals: ['not_found', 'validation_failed'],
    scope: 'incidents:read',
    domains: 'one',
    async handler(request) {
      const owner = senderOfRequest(request)
      const report = await reportOf(read, owner, request.params.report_id)
      const [rows, content] = await reading(
        Promise.all([
          report.kind === 'dmarc' ? listRowsOfReport(read, report, dayOf(report), MAX_ROWS) : [],
          findReportContent(read, report.id),
        ]),
      )
      return reportView(report, owner.domainName, rows, content !== undefined)
    },
  })

const rawRoute = ({ read }: ReportServices) =>
  defineRoute({
    method: 'GET',
    url: `${one}/raw`,
    schema: {
      tags,
      summary: 'Retrieve the file of a report',
      description: 'Returns the file as it was received, byte for byte; it is kept for 45 days.',
      params,
      produces: ['application/octet-stream'],
    },
    refusals: ['not_found', 'content_removed'],
    scope: 'content:read',
    domains: 'one',
    async handler(request, reply) {
      const report = await reportOf(read, senderOfRequest(request), request.params.report_id)
      await request.holdAnswer(reply, Number(report.size))
      const raw = await reading(findReportContent(read, report.id))
      if (raw === undefined) {
        throw new Problem('content_removed', 'The file of this report was removed: it is kept for 45 days.')
      }
      reply
        .type('application/octet-stream')
        .header('content-disposition', `attachment; filename="${report.id}"`)
        .header('x-content-type-options', 'nosniff')
      return reply.send(Buffer.from(raw.buffer, raw.byteOffset, raw.length))
    },
  })

/** Returns a report of a domain. Throws `not_found`. */
async function reportOf(read: Read, owner: Owner, id: string): Promise<StoredReport> {
  const found = id.includes('\0') ? undefined : await reading(findReport(read, owner, id))
  if (found === undefined) throw new Problem('not_found', 'There is no report with this ID.')
  return found
}
