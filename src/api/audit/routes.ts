// GET /v1/audit: the audit log of an account, as pages or as a CSV file.

import { sendCsv } from '../../http/csv-answer.ts'
import { nulProblems, readTime } from '../../http/filters.ts'
import { idCursor, page } from '../../http/page.ts'
import { formatTime } from '../../lib/rfc3339.ts'
import { type FieldProblem, invalidFields } from '../../model/problem.ts'
import { type AuditFilter, type AuditRow, listAudit } from '../../store/access/audit-log.ts'
import { type Read, reading } from '../../store/database/store.ts'
import { findObjectNames } from '../../store/search/object-names.ts'
import { writeCsv } from '../../tables/csv.ts'
import { callerOf } from '../caller.ts'
import { AuditList, AuditQuery, type AuditView } from '../contract/audit.ts'
import { rowsInTurn } from '../file-rows.ts'
import { defineRoute } from '../route.ts'

/** Audit entry with the name of its target. */
type NamedRow = AuditRow & { readonly targetName: string | null }

/** Adds the names of the targets to audit entries of one account. */
async function named(read: Read, accountId: string, rows: readonly AuditRow[]): Promise<NamedRow[]> {
  const names = await findObjectNames(
    read,
    accountId,
    rows.flatMap(({ target }) => target ?? []),
  )
  return rows.map((row) => ({ ...row, targetName: names.get(row.target ?? '') ?? null }))
}

const auditView = (row: NamedRow): AuditView => ({
  audit_id: row.id,
  at: formatTime(row.at),
  user_id: row.user_id,
  actor: row.actor,
  action: row.action,
  target: row.target,
  target_name: row.targetName,
  address: row.address,
  detail: JSON.parse(row.detail),
})

const AUDIT_COLUMNS = ['at', 'actor', 'action', 'target', 'target_name', 'address', 'detail', 'audit_id']
const AUDIT_PAGE = 500

/** Yields the audit entries of a file, newest first. */
async function* auditLines(read: Read, accountId: string, filter: AuditFilter): AsyncGenerator<object> {
  for (let cursor: string | undefined; ; ) {
    const rows = await listAudit(read, accountId, filter, AUDIT_PAGE, cursor)
    for (const row of await named(read, accountId, rows)) yield { ...auditView(row), detail: row.detail }
    cursor = rows.at(-1)?.id
    if (rows.length < AUDIT_PAGE) return
  }
}

/** Returns the filter for audit entries from a query. Throws `validation_failed`. */
function auditFilter(query: AuditQuery): AuditFilter {
  const problems: FieldProblem[] = nulProblems(query)
  const { actor, action } = query
  const [after, before] = [
    readTime('after', query.after, problems),
    readTime('before', query.before, problems),
  ]
  if (problems.length > 0) throw invalidFields(problems)
  return { actor, action, after, before }
}

export const listLog = ({ read }: { readonly read: Read }) =>
  defineRoute({
    method: 'GET',
    url: '/v1/audit',
    schema: {
      tags: ['Account'],
      summary: 'List the audit log',
      description:
        'Every change of the account and of its objects, newest first, by users, keys, the operator and the command line.',
      querystring: AuditQuery,
      response: { 200: AuditList },
      produces: ['text/csv'],
    },
    refusals: ['malformed_request', 'validation_failed'],
    scope: 'audit:read',
    async handler(request, reply) {
      const { accountId } = callerOf(request)
      const { format, actor: _, action: __, after: ___, before: ____, ...paging } = request.query
      const filter = auditFilter(request.query)
      if (format === 'csv') {
        sendCsv(reply, 'audit-log.csv')
        return writeCsv(AUDIT_COLUMNS, rowsInTurn(accountId, auditLines(read, accountId, filter)))
      }
      return page(
        paging,
        idCursor('aud'),
        (most, from) =>
          reading(
            listAudit(read, accountId, filter, most, from).then((rows) => named(read, accountId, rows)),
          ),
        (row) => row.id,
        auditView,
      )
    },
  })
