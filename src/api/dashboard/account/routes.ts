// /api/account and /api/audit: an account, and the audit log of its users' actions.

import { Type } from 'typebox'
import { formProblems, requireName } from '../../../access/accounts.ts'
import { describeAuditAction } from '../../../access/audit.ts'
import { sendCsv } from '../../../http/csv-answer.ts'
import { nulProblems, readTime } from '../../../http/filters.ts'
import { idCursor, page } from '../../../http/page.ts'
import { formatTime } from '../../../lib/rfc3339.ts'
import { type FieldProblem, invalidFields, Problem } from '../../../model/problem.ts'
import { findAccount, renameAccount } from '../../../store/access/accounts.ts'
import { type AuditFilter, type AuditRow, listAudit } from '../../../store/access/audit-log.ts'
import { type Read, reading } from '../../../store/database/store.ts'
import { readStoredBytes } from '../../../store/messages/stored-bytes.ts'
import { findObjectNames } from '../../../store/search/object-names.ts'
import { writeCsv } from '../../../tables/csv.ts'
import { AccountPatch, AccountView, AuditQuery, AuditView } from '../../contract/dashboard-account.ts'
import { rowsInTurn } from '../../read-turns.ts'
import { changedBy, type DashboardRoute, defineDashboardRoute, sessionOf } from '../route.ts'
import type { DashboardServices } from '../services.ts'

export const accountRoutes = (services: DashboardServices): readonly DashboardRoute[] => [
  showAccount(services),
  changeAccount(services),
  listLog(services),
]

async function accountView(
  { read, storedBytesPerAccount }: DashboardServices,
  id: string,
): Promise<AccountView> {
  const [account, storedBytes] = await reading(
    Promise.all([findAccount(read, id), readStoredBytes(read, id)]),
  )
  if (account === undefined) throw new Problem('not_found', 'The account no longer exists.')
  return {
    account_id: account.id,
    name: account.name,
    status: account.status,
    sending_allowance: account.sending_allowance,
    stored_bytes: storedBytes,
    stored_bytes_limit: account.stored_bytes_limit ?? storedBytesPerAccount ?? null,
    verification_credits: account.verification_credits,
    created_at: formatTime(account.created_at),
  }
}

const showAccount = (services: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/account',
    role: 'viewer',
    schema: { response: { 200: AccountView } },
    handler: (request) => accountView(services, sessionOf(request).account_id),
  })

const changeAccount = (services: DashboardServices) =>
  defineDashboardRoute({
    method: 'PATCH',
    url: '/api/account',
    // A rename has consequences for access, because invitations and notices contain the name of the account.
    consequence: 'access',
    role: 'owner',
    audit: 'account.rename',
    schema: { body: AccountPatch, response: { 200: AccountView } },
    check: (_, fields) => formProblems(fields),
    async handler(request) {
      const { account_id: id, account_name: before } = sessionOf(request)
      const name = requireName(request.body.name.trim())
      describeAuditAction({ detail: { from: before, to: name } })
      await services.store.write(renameAccount, { id, name })
      services.notices.tellOwners({
        ...changedBy(request),
        change: 'renamed',
        subject: `${before} is now ${name}`,
      })
      return accountView(services, id)
    },
  })

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

const listLog = ({ read }: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/audit',
    role: 'admin',
    schema: {
      querystring: AuditQuery,
      response: { 200: Type.Object({ data: Type.Array(AuditView) }) },
    },
    async handler(request, reply) {
      const { account_id } = sessionOf(request)
      const { format, limit, cursor } = request.query
      const filter = auditFilter(request.query)
      if (format === 'csv') {
        sendCsv(reply, 'audit-log.csv')
        return writeCsv(AUDIT_COLUMNS, rowsInTurn(account_id, auditLines(read, account_id, filter)))
      }
      return page(
        { ...(limit === undefined ? {} : { limit }), ...(cursor === undefined ? {} : { cursor }) },
        idCursor('aud'),
        (most, from) =>
          reading(
            listAudit(read, account_id, filter, most, from).then((rows) => named(read, account_id, rows)),
          ),
        (row) => row.id,
        auditView,
      )
    },
  })
