// POST /v1/accounts/{account_id}/keys: a management key of an account, made by the operator or by a key of a platform.

import type { FastifyRequest } from 'fastify'
import { describeAuditAction } from '../../access/audit.ts'
import { beyondOwnRights, type Rights } from '../../access/key-rights.ts'
import { createKey, keyProblems, readScopes } from '../../access/keys.ts'
import { isOfOperator, type Scope, scopesOfPattern, usualGrants } from '../../access/scopes.ts'
import { MAX_SMALL_BODY } from '../../http/body-rule.ts'
import { readTime } from '../../http/filters.ts'
import type { Clock } from '../../lib/clock.ts'
import { BY_OPERATOR } from '../../model/key-kind.ts'
import { type FieldProblem, invalidFields } from '../../model/problem.ts'
import type { Store } from '../../store/database/store.ts'
import { callerOf, rightsOf } from '../caller.ts'
import { AccountKeyBody, AccountParams } from '../contract/accounts.ts'
import { KeyMade, type KeyView } from '../contract/key.ts'
import { keyViews } from '../keys/view.ts'
import { readDomains } from '../keys/wanted.ts'
import { defineRoute } from '../route.ts'
import { accountById } from './view.ts'

/** Lifetime of a key without a given expiry. */
const USUAL_MS = 3_600_000
/** Maximum lifetime of a key. */
const MAX_MS = 90 * 86_400_000

interface Minting {
  readonly store: Store
  readonly clock: Clock
}

export const mintKey = (services: Minting) =>
  defineRoute({
    method: 'POST',
    url: '/v1/accounts/:account_id/keys',
    consequence: 'access',
    schema: {
      tags: ['Accounts'],
      summary: 'Create a management key of an account',
      description:
        'The secret is shown only here. The key belongs to the account, ends after an hour unless `expires_at` says otherwise, and is in the list of keys and in the audit log of the account as created by the operator. A key gives only scopes among its `grants`, and no further network, recipient, rate or expiry than its own.',
      params: AccountParams,
      body: AccountKeyBody,
      response: { 201: KeyMade },
    },
    refusals: ['malformed_request', 'not_found', 'body_too_large', 'validation_failed'],
    scope: 'accounts:write',
    body: { maxBytes: MAX_SMALL_BODY },
    audit: 'account.key',
    async check(request, fields) {
      const { id } = await accountById(services.store.read, request.params.account_id)
      return (await readWanted(services, request, id, fields)).problems
    },
    async handler(request, reply) {
      const { store, clock } = services
      const { id: accountId } = await accountById(store.read, request.params.account_id)
      const { problems, wanted } = await readWanted(services, request, accountId, request.body)
      if (problems.length > 0) throw invalidFields(problems)
      const { name } = request.body
      describeAuditAction({ detail: { name, scopes: wanted.scopes } })
      const { domainIds, ...properties } = wanted
      const { key, secret } = await createKey(services, {
        ...properties,
        ...{ kind: 'management', name, accountId, domainId: null, createdBy: BY_OPERATOR },
        domainIds: domainIds ?? undefined,
      })
      reply.code(201).header('location', `/v1/keys/${key.id}`)
      const [view] = await keyViews(store.read, accountId, [key], clock.now())
      return { ...(view as KeyView), key: secret }
    },
  })

/** Returns the properties of a wanted key of an account, and all problems of the properties. */
async function readWanted(
  { store, clock }: Minting,
  request: FastifyRequest,
  accountId: string,
  fields: Partial<AccountKeyBody>,
) {
  const now = clock.now()
  const problems: FieldProblem[] = []
  const { key } = callerOf(request)
  const maker = makerOf(request)
  const given = fields.scopes ?? []
  problems.push(...operatorProblems(given))
  const scopes = readScopes('management', 'scopes', given, problems).filter((scope) => !isOfOperator(scope))
  if (fields.scopes?.length === 0) {
    problems.push({ path: 'scopes', code: 'required', message: 'Give one scope at least.' })
  }
  const expiresAt = readExpiry(fields.expires_at, maker.expiresAt, now, problems)
  const networks = fields.networks === undefined ? (key?.networks ?? null) : fields.networks
  const recipients = key?.recipients ?? null
  const grants = usualGrants(scopes).filter((scope) => maker.scopes.has(scope))
  const domainIds = await readDomains(store.read, accountId, 'management', fields.domains, problems)
  if (fields.domains?.length === 0) {
    problems.push({
      path: 'domains',
      code: 'required',
      message: 'Give one domain at least, or leave the field out.',
    })
  }
  const wanted = { scopes, grants, networks, recipients, expiresAt, rate: key?.rate ?? null, domainIds }
  problems.push(
    ...keyProblems({ ...wanted, ...(fields.name === undefined ? {} : { name: fields.name }) }, now),
  )
  if (problems.length === 0) {
    const { domainIds: _, rate: __, ...limited } = wanted
    problems.push(...beyondOwnRights(maker, { kind: 'management', ...limited }))
  }
  return { problems, wanted }
}

/** Returns the rights that the caller may give to a key of another account: the grants of a key, or all of an operator. */
function makerOf(request: FastifyRequest): Rights {
  const caller = callerOf(request)
  const rights = rightsOf(caller)
  const scopes: ReadonlySet<Scope> = caller.key === undefined ? rights.scopes : rights.grants
  return { ...rights, scopes, grants: new Set(), domains: null }
}

/** Returns the problems of scopes of the operator, which no key of another account has. */
const operatorProblems = (words: readonly string[]): FieldProblem[] =>
  words.flatMap((word, index) =>
    (scopesOfPattern(word) ?? []).some(isOfOperator)
      ? [
          {
            path: `scopes[${index}]`,
            code: 'scope_of_other_kind',
            message: 'No key of another account can have this.',
          },
        ]
      : [],
  )

/** Returns the expiry of a key, which is never after the expiry of the key that creates it. */
function readExpiry(
  text: string | null | undefined,
  own: number | null,
  now: number,
  problems: FieldProblem[],
): number {
  const usual = Math.min(now + USUAL_MS, own ?? Number.POSITIVE_INFINITY)
  const expiresAt = readTime('expires_at', text ?? undefined, problems) ?? usual
  if (expiresAt > now + MAX_MS) {
    problems.push({ path: 'expires_at', code: 'too_late', message: 'Give a time at most 90 days ahead.' })
  }
  return expiresAt
}
