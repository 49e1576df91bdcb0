// /api/operator/accounts…: administration of the installation's accounts by the operator.

import { formProblems } from '../../../access/accounts.ts'
import { describeAuditAction } from '../../../access/audit.ts'
import { idCursor, page } from '../../../http/page.ts'
import { Problem } from '../../../model/problem.ts'
import {
  type Account,
  changeAccount,
  findAccount,
  findOperatingAccount,
  pageOfAccounts,
} from '../../../store/access/accounts.ts'
import { reading } from '../../../store/database/store.ts'
import { grantCredits } from '../../../store/verification/verification-credits.ts'
import {
  AccountChange,
  ChangedAccountView,
  CreditsBody,
  CreditsView,
  NewAccountBody,
  NewAccountView,
  OperatedAccountList,
  OperatedAccountQuery,
} from '../../contract/dashboard-operator.ts'
import { invitedView } from '../../invitations/view.ts'
import { type DashboardRoute, defineDashboardRoute, sessionOf } from '../route.ts'
import type { DashboardServices } from '../services.ts'

export const operatedAccounts = (services: DashboardServices): readonly DashboardRoute[] => [
  list(services),
  create(services),
  change(services),
  grant(services),
]

const accountView = (account: Account): ChangedAccountView => ({
  account_id: account.id,
  name: account.name,
  status: account.status,
  sending_allowance: account.sending_allowance,
  stored_bytes_limit: account.stored_bytes_limit,
  verification_credits: account.verification_credits,
  created_at: new Date(account.created_at).toISOString(),
})

/** Time span in which mail counts as recent use of an account. */
const USE_MS = 30 * 86_400_000

const list = ({ read, clock }: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/operator/accounts',
    role: 'operator',
    schema: { querystring: OperatedAccountQuery, response: { 200: OperatedAccountList } },
    async handler(request) {
      // The operator is a user of the operating account.
      const { account_id: own } = sessionOf(request)
      return page(
        request.query,
        idCursor('acc'),
        (limit, cursor) => reading(pageOfAccounts(read, limit, cursor, clock.now() - USE_MS)),
        ({ id }) => id,
        (account) => ({
          ...accountView(account),
          operates: account.id === own,
          users: account.users,
          domains: account.domains,
          stored_bytes: Number(account.stored_bytes ?? 0),
          accepted_30_days: Number(account.recent ?? 0),
          bounced_30_days: Number(account.recent_bounced ?? 0),
        }),
      )
    },
  })

const create = ({ invitations }: DashboardServices) =>
  defineDashboardRoute({
    method: 'POST',
    url: '/api/operator/accounts',
    consequence: 'access',
    role: 'operator',
    audit: 'account.create',
    schema: { body: NewAccountBody, response: { 201: NewAccountView } },
    check: (_, fields) => formProblems(fields),
    async handler(request, reply): Promise<NewAccountView> {
      const { name, owner_email: ownerEmail } = request.body
      describeAuditAction({ detail: { name, owner_email: ownerEmail } })
      const { user_id: id, email } = sessionOf(request)
      const { account, ...invited } = await invitations.openAccount(
        { id, email },
        { name: name.trim(), ownerEmail },
      )
      reply.code(201)
      return { ...accountView(account), invitation: invitedView(invited) }
    },
  })

const notFound = (): Problem => new Problem('not_found', 'There is no such account.')

const change = ({ store, clock, read }: DashboardServices) =>
  defineDashboardRoute({
    method: 'PATCH',
    url: '/api/operator/accounts/:account_id',
    consequence: 'access',
    role: 'operator',
    audit: 'account.change',
    schema: { body: AccountChange, response: { 200: ChangedAccountView } },
    async handler(request) {
      const id = request.params.account_id
      const changes = request.body
      describeAuditAction({ detail: { ...changes } })
      if (changes.status === 'suspended' && (await reading(findOperatingAccount(read)))?.id === id) {
        throw new Problem('conflict', 'This account operates the installation; it cannot be suspended.')
      }
      if (Object.keys(changes).length === 0) {
        const found = await reading(findAccount(read, id))
        if (found === undefined) throw notFound()
        return accountView(found)
      }
      const account = await store.write(changeAccount, { id, changes, now: clock.now() })
      if (account === undefined) throw notFound()
      return accountView(account)
    },
  })

const grant = ({ store, clock, read }: DashboardServices) =>
  defineDashboardRoute({
    method: 'POST',
    url: '/api/operator/accounts/:account_id/credits',
    consequence: 'none',
    role: 'operator',
    audit: 'credits.grant',
    schema: { body: CreditsBody, response: { 200: CreditsView } },
    async handler(request) {
      const accountId = request.params.account_id
      const { credits, note = null } = request.body
      describeAuditAction({ detail: { credits, note } })
      if ((await reading(findAccount(read, accountId))) === undefined) throw notFound()
      const balance = await store.write(grantCredits, { accountId, credits, note, now: clock.now() })
      if (balance === undefined) throw notFound()
      return { verification_credits: balance }
    },
  })
