// GET and POST /v1/accounts, GET, PATCH and DELETE /v1/accounts/{account_id}, and the credits, keys and usage of an
// account: administration of the installation's accounts by operators and platforms.

import { Type } from 'typebox'
import { formProblems, newAccount, requireName } from '../../access/accounts.ts'
import { describeAuditAction } from '../../access/audit.ts'
import { externalIdTaken, type Invitations } from '../../access/invitations.ts'
import { cancelMailOf } from '../../domains/domains.ts'
import { MAX_SMALL_BODY } from '../../http/body-rule.ts'
import { idCursor, page } from '../../http/page.ts'
import type { Clock } from '../../lib/clock.ts'
import { changedAllowance, givenAllowance, NO_ALLOWANCE } from '../../model/allowance.ts'
import { requireConfirmed } from '../../model/confirmation.ts'
import { changedMeanwhile, type FieldProblem, invalidFields, Problem } from '../../model/problem.ts'
import { deleteAccount } from '../../store/access/account-removal.ts'
import { type Account, changeAccount, pageOfAccounts } from '../../store/access/accounts.ts'
import { operatingAccountId } from '../../store/access/operating-account.ts'
import { reading, type Store } from '../../store/database/store.ts'
import { grantCredits } from '../../store/verification/verification-credits.ts'
import { usageView } from '../account/usage.ts'
import type { AccountShowing } from '../account/view.ts'
import { callerOf, inviterOf, isCommandLine } from '../caller.ts'
import { UsageQuery, UsageView } from '../contract/account.ts'
import {
  AccountChange,
  AccountList,
  AccountParams,
  AccountsQuery,
  CreditBalance,
  CreditsBody,
  NewAccountBody,
  NewAccountView,
  OperatedAccount,
} from '../contract/accounts.ts'
import { ConfirmQuery } from '../contract/common.ts'
import { seenBy } from '../if-match.ts'
import { invitedView } from '../invitations/view.ts'
import { defineRoute, paramsOf, type Route } from '../route.ts'
import { mintKey } from './mint-key.ts'
import { accountById, noSuchAccount, operatedAccount, presentAccount, versionOfAccount } from './view.ts'

const tags = ['Accounts']
const params = AccountParams
const one = '/v1/accounts/:account_id'
const body = { maxBytes: MAX_SMALL_BODY } as const
const OF_CHANGE = [
  'malformed_request',
  'not_found',
  'conflict',
  'body_too_large',
  'validation_failed',
] as const

/** Services of all accounts of the installation. */
export interface OperatedAccounts extends AccountShowing {
  readonly store: Store
  readonly clock: Clock
  readonly invitations: Invitations
}

export const operatedAccountRoutes = (services: OperatedAccounts): readonly Route[] => [
  list(services),
  create(services),
  show(services),
  change(services),
  remove(services),
  grant(services),
  mintKey(services),
  showUsage(services),
]

/** Time span in which mail counts as recent use of an account. */
const USE_MS = 30 * 86_400_000

const list = ({ store, clock }: OperatedAccounts) =>
  defineRoute({
    method: 'GET',
    url: '/v1/accounts',
    schema: {
      tags,
      summary: 'List accounts',
      description: 'All accounts of the installation, newest first.',
      querystring: AccountsQuery,
      response: { 200: AccountList },
    },
    refusals: ['malformed_request', 'validation_failed'],
    scope: 'accounts:read',
    async handler(request) {
      const { name, status, external_id: externalId, ...paging } = request.query
      const now = clock.now()
      const operating = await reading(operatingAccountId(store.read))
      const filter = { name, status, externalId }
      return page(
        paging,
        idCursor('acc'),
        (limit, cursor) => reading(pageOfAccounts(store.read, filter, limit, cursor, now - USE_MS)),
        ({ id }) => id,
        (account) => ({
          ...operatedAccount(account, now),
          operates: account.id === operating,
          users: account.users,
          domains: account.domains,
          stored_bytes: Number(account.stored_bytes ?? 0) + Number(account.test_bytes ?? 0),
          accepted_30_days: Number(account.recent ?? 0),
          bounced_30_days: Number(account.recent_bounced ?? 0),
        }),
      )
    },
  })

const create = ({ invitations, clock }: OperatedAccounts) =>
  defineRoute({
    method: 'POST',
    url: '/v1/accounts',
    consequence: 'access',
    schema: {
      tags,
      summary: 'Create an account',
      description:
        'With `owner_email` the owner gets an invitation by mail, whose link is in the response as well. Nobody can log in to an account without an owner; its keys are made with `POST /v1/accounts/{account_id}/keys`.',
      body: NewAccountBody,
      response: { 201: NewAccountView },
    },
    refusals: ['malformed_request', 'conflict', 'body_too_large', 'validation_failed'],
    scope: 'accounts:write',
    body,
    audit: 'account.create',
    check: (_, { name, owner_email }) =>
      formProblems({
        ...(name === undefined ? {} : { name }),
        ...(owner_email === undefined ? {} : { owner_email }),
      }),
    async handler(request, reply): Promise<NewAccountView> {
      const { owner_email: ownerEmail, ...fields } = request.body
      const account = accountOf(fields, clock.now())
      const { name, external_id } = account
      const named = external_id === null ? {} : { external_id }
      describeAuditAction({
        detail: { name, ...(ownerEmail === undefined ? {} : { owner_email: ownerEmail }), ...named },
      })
      const invited = await invitations.openAccount(inviterOf(callerOf(request)), account, ownerEmail)
      reply.code(201).header('location', `/v1/accounts/${account.id}`)
      return {
        ...operatedAccount(account, clock.now()),
        invitation: invited === undefined ? null : invitedView(invited),
      }
    },
  })

/** Returns a new account with the given fields. Throws `validation_failed`. */
function accountOf({ name, ...fields }: Omit<NewAccountBody, 'owner_email'>, now: number): Account {
  const { status = 'active', reason = null } = fields
  const allowance = changedAllowance(NO_ALLOWANCE, fields, now)
  if (allowance === undefined) throw invalidFields([amountRequired])
  return newAccount(name.trim(), now, {
    ...{ ...allowance, allowance_total: givenAllowance(allowance) },
    status,
    reason,
    suspended_at: status === 'suspended' ? now : null,
    external_id: fields.external_id ?? null,
    stored_bytes_limit: fields.stored_bytes_limit ?? null,
    domains_limit: fields.domains_limit ?? null,
    keys_limit: fields.keys_limit ?? null,
  })
}

const amountRequired: FieldProblem = {
  path: 'sending_allowance',
  code: 'required',
  message: 'Give the number of recipients of each month, or leave allowance_renews out.',
}

const show = ({ store, clock }: OperatedAccounts) =>
  defineRoute({
    method: 'GET',
    url: one,
    schema: { tags, summary: 'Retrieve an account', params, response: { 200: OperatedAccount } },
    refusals: ['not_found'],
    scope: 'accounts:read',
    versioned: true,
    versionOf: versionOfAccount,
    handler: async (request) =>
      operatedAccount(await accountById(store.read, request.params.account_id), clock.now()),
  })

const change = ({ store, clock }: OperatedAccounts) =>
  defineRoute({
    method: 'PATCH',
    url: one,
    consequence: 'access',
    schema: {
      tags,
      summary: 'Change an account',
      description:
        'Omitted fields stay unchanged, and null resets a field to its default. A suspension takes effect on every node at once: the account can neither send nor verify, and its queued messages are held. The recipients of the present month count against a new allowance of each month.',
      params,
      body: AccountChange,
      response: { 200: OperatedAccount },
    },
    refusals: OF_CHANGE,
    scope: 'accounts:write',
    body,
    audit: 'account.change',
    versioned: (request) => presentAccount(store.read, paramsOf(request).account_id ?? '', clock.now()),
    versionOf: versionOfAccount,
    check: (_, { name }) => formProblems(name === undefined ? {} : { name }),
    async handler(request) {
      const id = request.params.account_id
      const { name, ...others } = request.body
      const changes = { ...others, ...(name === undefined ? {} : { name: requireName(name.trim()) }) }
      describeAuditAction({ detail: { ...changes } })
      const suspends = changes.status === 'suspended' && !isCommandLine(callerOf(request))
      // Only the command line of the machine can end the suspension of the account that operates the installation.
      if (suspends && (await reading(operatingAccountId(store.read))) === id) {
        throw new Problem('conflict', 'This account operates the installation; it cannot be suspended.')
      }
      const account =
        Object.keys(changes).length === 0
          ? await accountById(store.read, id)
          : await store.write(changeAccount, { id, changes, seen: seenBy<number>(request), now: clock.now() })
      if (account === undefined) throw noSuchAccount()
      if (account === 'other_version') throw changedMeanwhile()
      if (account === 'taken') throw await externalIdTaken(store.read, changes.external_id ?? '')
      if (account === 'no_amount') throw invalidFields([amountRequired])
      return operatedAccount(account, clock.now())
    },
  })

const remove = ({ store, clock }: OperatedAccounts) =>
  defineRoute({
    method: 'DELETE',
    url: one,
    consequence: 'destruction',
    schema: {
      tags,
      summary: 'Delete an account',
      description:
        'Requires the name of the account in `?confirm=`. The users, keys, domains, webhooks and address lists of the account end at once, and queued messages are cancelled; attempts in progress continue to their end. Messages and logs remain until their retention ends.',
      params,
      querystring: ConfirmQuery,
      response: { 204: Type.Null() },
    },
    refusals: ['not_found', 'conflict', 'validation_failed'],
    scope: 'accounts:write',
    audit: 'account.delete',
    versioned: (request) => presentAccount(store.read, paramsOf(request).account_id ?? '', clock.now()),
    versionOf: versionOfAccount,
    async handler(request, reply) {
      const { id, name } = await accountById(store.read, request.params.account_id)
      requireConfirmed(request.query.confirm, 'account', [name])
      describeAuditAction({ detail: { name } })
      const now = clock.now()
      const deleted = await store.write(deleteAccount, { id, seen: seenBy<number>(request), now })
      if (deleted.kind === 'not_found') throw noSuchAccount()
      if (deleted.kind === 'other_version') throw changedMeanwhile()
      if (deleted.kind === 'operating') {
        throw new Problem('conflict', 'This account operates the installation; it cannot be deleted.')
      }
      // A message that is not cancelled here is cancelled when a node claims it, because its domain is deleted.
      for (const domain of deleted.domains) await cancelMailOf(store, domain, now)
      return reply.code(204).send()
    },
  })

const grant = ({ store, clock }: OperatedAccounts) =>
  defineRoute({
    method: 'POST',
    url: `${one}/credits`,
    consequence: 'none',
    schema: {
      tags,
      summary: 'Grant credits to an account',
      description: 'A negative number takes credits back. The balance never falls below 0.',
      params,
      body: CreditsBody,
      response: { 200: CreditBalance },
    },
    refusals: ['malformed_request', 'not_found', 'body_too_large', 'validation_failed'],
    scope: 'accounts:write',
    body,
    audit: 'credits.grant',
    check: (_, { credits }) => creditProblems(credits),
    async handler(request): Promise<CreditBalance> {
      const { credits, note = null } = request.body
      const problems = creditProblems(credits)
      if (problems.length > 0) throw invalidFields(problems)
      describeAuditAction({ detail: { credits, note } })
      const { id: accountId } = await accountById(store.read, request.params.account_id)
      const granted = await store.write(grantCredits, { accountId, credits, note, now: clock.now() })
      if (granted === undefined) throw noSuchAccount()
      return { verification_credits: granted.balance }
    },
  })

const creditProblems = (credits: number | undefined): FieldProblem[] =>
  credits === 0
    ? [{ path: 'credits', code: 'invalid_value', message: 'Give a number of credits other than 0.' }]
    : []

const showUsage = (services: OperatedAccounts) =>
  defineRoute({
    method: 'GET',
    url: `${one}/usage`,
    schema: {
      tags,
      summary: 'Retrieve the usage of an account',
      description:
        'Returns the number of recipients by the day or month in which an event happened, delayed by about one second.',
      params,
      querystring: UsageQuery,
      response: { 200: UsageView },
    },
    refusals: ['not_found', 'validation_failed'],
    scope: 'accounts:read',
    readsLong: true,
    async handler(request): Promise<UsageView> {
      const { id: accountId } = await accountById(services.store.read, request.params.account_id)
      return usageView(services, { accountId, domainIds: undefined }, request.query, services.clock.now())
    },
  })
