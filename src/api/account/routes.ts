// GET and PATCH /v1/account, GET /v1/account/usage: the account of the caller and its usage.

import { formProblems, requireName } from '../../access/accounts.ts'
import { describeAuditAction } from '../../access/audit.ts'
import type { LoginNotices } from '../../access/login-notices.ts'
import { MAX_SMALL_BODY } from '../../http/body-rule.ts'
import { changedMeanwhile } from '../../model/problem.ts'
import { renameAccount } from '../../store/access/accounts.ts'
import type { Store } from '../../store/database/store.ts'
import { presentAccount, versionOfAccount } from '../accounts/view.ts'
import { callerOf } from '../caller.ts'
import { AccountPatch, AccountView, UsageQuery, UsageView } from '../contract/account.ts'
import { seenBy } from '../if-match.ts'
import { defineRoute, type Route } from '../route.ts'
import { usageView } from './usage.ts'
import { type AccountShowing, accountView } from './view.ts'

const tags = ['Account']

/** Services of the caller's account. */
export interface AccountServices extends AccountShowing {
  readonly store: Store
  /** Notices to the owners about a new name. */
  readonly notices?: Pick<LoginNotices, 'tellOwners'> | undefined
}

export const accountRoutes = (services: AccountServices): readonly Route[] => [
  showAccount(services),
  changeAccount(services),
  showUsage(services),
]

const showAccount = (services: AccountServices) =>
  defineRoute({
    method: 'GET',
    url: '/v1/account',
    schema: { tags, summary: 'Retrieve the account', response: { 200: AccountView } },
    refusals: [],
    scope: 'account:read',
    versioned: true,
    versionOf: versionOfAccount,
    handler: (request) => accountView(services, callerOf(request).accountId),
  })

const changeAccount = (services: AccountServices) =>
  defineRoute({
    method: 'PATCH',
    url: '/v1/account',
    // A rename has consequences for access, because invitations and notices contain the name of the account.
    consequence: 'access',
    schema: { tags, summary: 'Rename the account', body: AccountPatch, response: { 200: AccountView } },
    refusals: ['malformed_request', 'body_too_large', 'validation_failed'],
    scope: 'account:write',
    body: { maxBytes: MAX_SMALL_BODY },
    audit: 'account.rename',
    versioned: (request) => presentAccount(services.read, callerOf(request).accountId, services.clock.now()),
    versionOf: versionOfAccount,
    check: (_, fields) => formProblems(fields),
    async handler(request) {
      const { accountId: id, accountName: before, name: by } = callerOf(request)
      const name = requireName(request.body.name.trim())
      describeAuditAction({ detail: { from: before, to: name } })
      const seen = seenBy<number>(request)
      const renamed = await services.store.write(renameAccount, { id, name, seen, now: services.clock.now() })
      if (!renamed && seen !== undefined) throw changedMeanwhile()
      services.notices?.tellOwners({
        accountId: id,
        by,
        address: request.ip,
        change: 'renamed',
        subject: `${before} is now ${name}`,
      })
      return accountView(services, id)
    },
  })

const showUsage = (services: AccountServices) =>
  defineRoute({
    method: 'GET',
    url: '/v1/account/usage',
    schema: {
      tags,
      summary: 'Retrieve the usage of the account',
      description:
        'Returns the number of recipients by the day or month in which an event happened, delayed by about one second. A key of some domains gets the mail of these domains.',
      querystring: UsageQuery,
      response: { 200: UsageView },
    },
    refusals: ['validation_failed'],
    scope: 'account:read',
    readsLong: true,
    handler(request): Promise<UsageView> {
      const { accountId, domains } = callerOf(request)
      const owner = { accountId, domainIds: domains === null ? undefined : [...domains] }
      return usageView(services, owner, request.query, services.clock.now())
    },
  })
