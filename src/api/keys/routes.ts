// GET and POST /v1/keys, GET, PATCH and DELETE /v1/keys/{key_id}, POST …/rotate: the API keys of an account.

import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { describeAuditAction } from '../../access/audit.ts'
import { changeKey, createKey, rotateKey } from '../../access/keys.ts'
import type { LoginNotices } from '../../access/login-notices.ts'
import { MAX_SMALL_BODY } from '../../http/body-rule.ts'
import type { Clock } from '../../lib/clock.ts'
import { isOfVerification } from '../../model/key-kind.ts'
import { type FieldProblem, invalidFields, Problem } from '../../model/problem.ts'
import { findKey } from '../../store/access/key-reads.ts'
import { type Key, revokeKey } from '../../store/access/keys.ts'
import { reading, type Store } from '../../store/database/store.ts'
import { domainNames } from '../../store/domains/domain-rows.ts'
import { callerOf } from '../caller.ts'
import {
  KeyList,
  KeyMade,
  KeyParams,
  KeyPatch,
  KeyQuery,
  KeyRotation,
  KeyView,
  NewKeyBody,
} from '../contract/key.ts'
import { defineRoute, type Route } from '../route.ts'
import { showCurrentKey } from './current.ts'
import { keyPage } from './page.ts'
import { judgedRights, overlapOf, USUAL_OVERLAP } from './rotation.ts'
import { keyViews } from './view.ts'
import {
  beyondChangedKey,
  beyondHeldKey,
  beyondNewKey,
  heldRights,
  inheriting,
  onlyDomain,
  readKey,
} from './wanted.ts'

const tags = ['Keys']
const params = KeyParams
const one = '/v1/keys/:key_id'
const body = { maxBytes: MAX_SMALL_BODY } as const
const LISTED = ['sending', 'verification', 'public', 'management'] as const

export interface KeyServices {
  readonly store: Store
  readonly clock: Clock
  /** Notices to the owners about keys that users create. */
  readonly notices?: Pick<LoginNotices, 'tellOwners'> | undefined
}

export const keyRoutes = (services: KeyServices): readonly Route[] => [
  showCurrentKey,
  listKeys(services),
  createRoute(services),
  showKey(services),
  changeRoute(services),
  rotateRoute(services),
  revokeRoute(services),
]

const listKeys = (services: KeyServices) =>
  defineRoute({
    method: 'GET',
    url: '/v1/keys',
    schema: {
      tags,
      summary: 'List keys',
      description:
        'Newest first, with expired and revoked keys. A key of some domains lists the keys of these domains.',
      querystring: KeyQuery,
      response: { 200: KeyList },
    },
    refusals: ['malformed_request', 'validation_failed', 'domain_not_permitted', 'not_found'],
    scope: 'keys:read',
    async handler(request) {
      const { kind, ...query } = request.query
      const kinds = kind === undefined ? LISTED : [kind]
      const { data, next_cursor } = await keyPage(services, request, query, kinds, 'key')
      const { store, clock } = services
      return {
        data: await keyViews(store.read, callerOf(request).accountId, data, clock.now()),
        next_cursor,
      }
    },
  })

const createRoute = (services: KeyServices) =>
  defineRoute({
    method: 'POST',
    url: '/v1/keys',
    consequence: 'access',
    schema: {
      tags,
      summary: 'Create a key',
      description:
        'The secret is shown only here. A key has no more scopes, domains, networks and recipients than the key or the user that creates it; scopes among the `grants` of a management key may be given as well. Networks and recipients that are left out are those of the creating key. Only a user who has logged in recently creates a management key.',
      body: NewKeyBody,
      response: { 201: KeyMade },
    },
    refusals: ['malformed_request', 'session_required', 'body_too_large', 'validation_failed', 'not_found'],
    scope: 'keys:write',
    body,
    audit: 'key.create',
    async check(request, fields) {
      const { kind } = fields
      if (kind === undefined) return []
      return (await readKey(services.store.read, request, kind, fields, services.clock.now())).problems
    },
    async handler(request, reply) {
      const { store, clock, notices } = services
      const { kind, name } = request.body
      const caller = callerOf(request)
      if (kind === 'management') requireUser(request, 'create a management key')
      const given = await readKey(store.read, request, kind, request.body, clock.now())
      const properties = inheriting(caller, given.properties)
      const domainIds = kind === 'sending' ? (given.domainIds ?? onlyDomain(caller.domains)) : given.domainIds
      const problems = [...given.problems, ...requiredProblems(request.body, domainIds)]
      if (problems.length === 0) problems.push(...beyondNewKey(request, kind, { properties, domainIds }))
      if (problems.length > 0) throw invalidFields(problems)
      const where = await domainDetail(services, caller.accountId, domainIds)
      describeAuditAction({ detail: { name, kind, ...where } })
      const { key, secret } = await createKey(services, {
        ...properties,
        ...{ kind, name, accountId: caller.accountId, createdBy: caller.id, inboxId: given.inboxId },
        domainId: kind === 'sending' ? (domainIds?.[0] ?? null) : null,
        domainIds: kind === 'management' ? (domainIds ?? undefined) : undefined,
      })
      if (caller.userId !== null) {
        const { accountId, name: by } = caller
        notices?.tellOwners({
          accountId,
          by,
          address: request.ip,
          change: 'key',
          subject: `${kind} key ${name} of ${where.domain ?? 'the account'}`,
        })
      }
      reply.code(201).header('location', `/v1/keys/${key.id}`)
      return { ...(await viewOf(services, key)), key: secret }
    },
  })

/** Returns the problems of missing fields, which depend on the kind of key. */
function requiredProblems(
  { kind, scopes, domains }: NewKeyBody,
  domainIds: readonly string[] | null | undefined,
): FieldProblem[] {
  if (kind === 'sending' && domainIds == null && domains == null) {
    return [{ path: 'domains', code: 'required', message: 'Name the domain that the key sends for.' }]
  }
  if (kind === 'management' && scopes == null) {
    return [{ path: 'scopes', code: 'required', message: 'Give the scopes of the management key.' }]
  }
  return []
}

/** Returns the names of the domains of a new key for the audit log. */
async function domainDetail(
  { store }: KeyServices,
  accountId: string,
  domainIds: readonly string[] | null | undefined,
): Promise<{ readonly domain?: string }> {
  if (domainIds == null || domainIds.length === 0) return {}
  const names = await reading(domainNames(store.read, accountId, domainIds))
  return { domain: names.join(', ') }
}

const showKey = (services: KeyServices) =>
  defineRoute({
    method: 'GET',
    url: one,
    schema: { tags, summary: 'Retrieve a key', params, response: { 200: KeyView } },
    refusals: ['not_found'],
    scope: 'keys:read',
    handler: async (request) => viewOf(services, await findVisible(services, request, request.params.key_id)),
  })

const changeRoute = (services: KeyServices) =>
  defineRoute({
    method: 'PATCH',
    url: one,
    consequence: 'access',
    schema: {
      tags,
      summary: 'Change a key',
      description:
        'Omitted fields stay unchanged, and null resets a field to its default. The change takes effect on every node at once. The key gets no right that neither the caller nor the key has.',
      params,
      body: KeyPatch,
      response: { 200: KeyView },
    },
    refusals: [
      'malformed_request',
      'session_required',
      'not_found',
      'conflict',
      'body_too_large',
      'validation_failed',
    ],
    scope: 'keys:write',
    body,
    audit: 'key.change',
    async check(request, fields) {
      const key = await findVisible(services, request, request.params.key_id)
      return (await readKey(services.store.read, request, key.kind, fields, services.clock.now())).problems
    },
    async handler(request) {
      const { store, clock } = services
      const key = await findChangeable(services, request, request.params.key_id)
      const { problems, properties, domainIds } = await readKey(
        store.read,
        request,
        key.kind,
        request.body,
        clock.now(),
      )
      problems.push(...movingProblems(key, domainIds))
      if (problems.length === 0) {
        problems.push(...(await beyondChangedKey(store.read, request, key, { properties, domainIds })))
      }
      if (problems.length > 0) throw invalidFields(problems)
      await describeKey(services, key, { fields: Object.keys(request.body) })
      const { account_id: accountId, id } = key
      await changeKey(services, {
        ...{ ...properties, accountId, id, judged: judgedRights(key) },
        ...(key.kind === 'management' ? { domainIds } : {}),
      })
      return viewOf(services, await findVisible(services, request, id))
    },
  })

/** Returns the problem of a change that would move a Sending key to another domain. */
function movingProblems(
  { kind, domain_id }: Key,
  domainIds: readonly string[] | null | undefined,
): FieldProblem[] {
  if (kind !== 'sending' || domainIds === undefined || domainIds?.[0] === domain_id) return []
  const message = 'A Sending key stays at its domain; create another key for another domain.'
  return [{ path: 'domains', code: 'unchangeable', message }]
}

const rotateRoute = (services: KeyServices) =>
  defineRoute({
    method: 'POST',
    url: `${one}/rotate`,
    consequence: 'access',
    schema: {
      tags,
      summary: 'Rotate the secret of a key',
      description:
        'Makes a new secret, shown here only. The secret so far stays valid for `overlap`; both are one key in lists, limits and the audit log.',
      params,
      body: KeyRotation,
      response: { 200: KeyMade },
    },
    refusals: [
      'malformed_request',
      'session_required',
      'not_found',
      'conflict',
      'body_too_large',
      'validation_failed',
    ],
    scope: 'keys:write',
    body,
    audit: 'key.rotate',
    check: (_, { overlap }) => overlapOf(overlap).problems,
    async handler(request) {
      const key = await findChangeable(services, request, request.params.key_id)
      const { ms, problems } = overlapOf(request.body.overlap)
      if (problems.length === 0) problems.push(...(await beyondHeldKey(services.store.read, request, key)))
      if (problems.length > 0) throw invalidFields(problems)
      await describeKey(services, key, { overlap: request.body.overlap ?? USUAL_OVERLAP })
      const secret = await rotateKey(services, key, ms, judgedRights(key))
      return { ...(await viewOf(services, await findVisible(services, request, key.id))), key: secret }
    },
  })

const revokeRoute = (services: KeyServices) =>
  defineRoute({
    method: 'DELETE',
    url: one,
    consequence: 'withdrawal',
    schema: {
      tags,
      summary: 'Revoke a key',
      description: 'Every node refuses the key from now on. Repeating this has the same result.',
      params,
      response: { 204: Type.Null() },
    },
    refusals: ['session_required', 'not_found'],
    scope: 'keys:write',
    audit: 'key.revoke',
    async handler(request, reply) {
      const { store, clock } = services
      const key = await findVisible(services, request, request.params.key_id)
      if (key.kind === 'management') requireUser(request, 'revoke a management key')
      await describeKey(services, key)
      await store.write(revokeKey, { accountId: key.account_id, id: key.id, now: clock.now() })
      return reply.code(204).send()
    },
  })

/** Adds the name, the kind and the domain of a key to the entry of the audit log. */
async function describeKey(services: KeyServices, key: Key, more: object = {}): Promise<void> {
  const where = await domainDetail(services, key.account_id, idsOf(key))
  describeAuditAction({ detail: { name: key.name, kind: key.kind, ...where, ...more } })
}

const idsOf = ({ domain_id }: Key): readonly string[] => (domain_id === null ? [] : [domain_id])

/** Throws `session_required` unless the caller is a user, or the command line of the machine. */
function requireUser(request: FastifyRequest, what: string): void {
  if (callerOf(request).role !== null) return
  throw new Problem('session_required', `Only a user can ${what}: log in to the dashboard.`)
}

/** Returns a key that the caller may see. Throws `not_found`, also for a key of a domain that the caller lacks. */
async function findVisible({ store }: KeyServices, request: FastifyRequest, id: string): Promise<Key> {
  const { accountId, domains } = callerOf(request)
  const key = await reading(findKey(store.read, accountId, id))
  if (key === undefined || key.kind === 'smtp') throw notFound()
  if (domains === null || isOfVerification(key.kind)) return key
  const held = await heldRights(store.read, key)
  if (held.domains === null || held.domains.size === 0 || !held.domains.isSubsetOf(domains)) throw notFound()
  return key
}

const notFound = (): Problem => new Problem('not_found', 'There is no key with this ID.')

/** Returns a key that the caller may change. Throws `session_required` and `conflict`, and as `findVisible`. */
async function findChangeable(services: KeyServices, request: FastifyRequest, id: string): Promise<Key> {
  const key = await findVisible(services, request, id)
  if (key.kind === 'management') requireUser(request, 'change a management key')
  if (key.revoked_at === null) return key
  throw new Problem('conflict', 'This key is revoked and cannot be changed; create another key.')
}

async function viewOf({ store, clock }: KeyServices, key: Key): Promise<KeyView> {
  const [view] = await keyViews(store.read, key.account_id, [key], clock.now())
  return view as KeyView
}
