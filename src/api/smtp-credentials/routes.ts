// GET and POST /v1/smtp-credentials, GET, PATCH and DELETE …/{username}, POST …/rotate: the SMTP credentials of an
// account.

import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { describeAuditAction } from '../../access/audit.ts'
import { changeKey, createKey, rotateKey } from '../../access/keys.ts'
import type { LoginNotices } from '../../access/login-notices.ts'
import { MAX_SMALL_BODY } from '../../http/body-rule.ts'
import type { Clock } from '../../lib/clock.ts'
import { type FieldProblem, invalidFields, Problem } from '../../model/problem.ts'
import { findKey } from '../../store/access/key-reads.ts'
import { type Key, revokeKey } from '../../store/access/keys.ts'
import { reading, type Store } from '../../store/database/store.ts'
import { type Domain, domainNames } from '../../store/domains/domain-rows.ts'
import { type Caller, callerOf } from '../caller.ts'
import { KeyRotation } from '../contract/key.ts'
import {
  NewSmtpCredentialBody,
  SmtpCredentialList,
  SmtpCredentialMade,
  SmtpCredentialParams,
  SmtpCredentialPatch,
  SmtpCredentialQuery,
  SmtpCredentialView,
  type SmtpListenerView,
} from '../contract/smtp-credential.ts'
import { findNamedDomain } from '../domain-of-request.ts'
import { keyPage } from '../keys/page.ts'
import { judgedRights, overlapOf, USUAL_OVERLAP } from '../keys/rotation.ts'
import { keyViews } from '../keys/view.ts'
import {
  beyondChangedKey,
  beyondHeldKey,
  beyondNewKey,
  inheriting,
  onlyDomain,
  readKey,
} from '../keys/wanted.ts'
import { defineRoute, type Route } from '../route.ts'

const tags = ['SMTP credentials']
const params = SmtpCredentialParams
const list = '/v1/smtp-credentials'
const one = `${list}/:username` as const
const body = { maxBytes: MAX_SMALL_BODY } as const

export interface SmtpCredentialServices {
  readonly store: Store
  readonly clock: Clock
  /** Notices to the owners about credentials that users create; undefined on a node without the dashboard. */
  readonly notices?: Pick<LoginNotices, 'tellOwners'> | undefined
  /** Returns the host and ports of SMTP submission. */
  readonly smtpListener: () => SmtpListenerView
}

export const smtpCredentialRoutes = (services: SmtpCredentialServices): readonly Route[] => [
  listRoute(services),
  createRoute(services),
  showRoute(services),
  changeRoute(services),
  rotateRoute(services),
  revokeRoute(services),
]

const listRoute = (services: SmtpCredentialServices) =>
  defineRoute({
    method: 'GET',
    url: list,
    schema: {
      tags,
      summary: 'List SMTP credentials',
      description:
        'Newest first, with expired and revoked credentials. A key of some domains lists the credentials of these domains.',
      querystring: SmtpCredentialQuery,
      response: { 200: SmtpCredentialList },
    },
    refusals: ['malformed_request', 'validation_failed', 'domain_not_permitted', 'not_found'],
    scope: 'keys:read',
    async handler(request) {
      const { accountId } = callerOf(request)
      const { data, next_cursor } = await keyPage(services, request, request.query, ['smtp'], 'smtp')
      const listener = services.smtpListener()
      return { data: await viewsOf(services, accountId, data), next_cursor, listener }
    },
  })

const createRoute = (services: SmtpCredentialServices) =>
  defineRoute({
    method: 'POST',
    url: list,
    consequence: 'access',
    schema: {
      tags,
      summary: 'Create an SMTP credential',
      description:
        'The password is shown only here, with the host and the ports to use. A credential sends from one domain. Networks and recipients that are left out are those of the creating key, and no others can be given.',
      body: NewSmtpCredentialBody,
      response: { 201: SmtpCredentialMade },
    },
    refusals: ['malformed_request', 'body_too_large', 'validation_failed', 'not_found'],
    scope: 'keys:write',
    body,
    audit: 'smtp-credential.create',
    check: async (request, fields) => (await readNew(services, request, fields)).problems,
    async handler(request, reply) {
      const { store, clock, notices } = services
      const caller = callerOf(request)
      const { accountId } = caller
      const { properties, domain, inboxId, problems } = await readNew(services, request, request.body)
      if (domain === undefined || problems.length > 0) throw invalidFields(problems)
      const { name } = request.body
      describeAuditAction({ detail: { name, domain: domain.name } })
      const { key, secret } = await createKey(
        { store, clock },
        { ...properties, name, accountId, kind: 'smtp', domainId: domain.id, inboxId, createdBy: caller.id },
      )
      if (caller.userId !== null) {
        const subject = `smtp-credential ${name} of ${domain.name}`
        notices?.tellOwners({ accountId, by: caller.name, address: request.ip, change: 'key', subject })
      }
      reply.code(201).header('location', `${list}/${key.id}`)
      return { ...(await viewOf(services, key)), password: secret }
    },
  })

/** Reads the fields of a new credential, and returns all problems, also of rights that the caller lacks. */
async function readNew(
  { store, clock }: SmtpCredentialServices,
  request: FastifyRequest,
  { domain: named, ...fields }: Partial<NewSmtpCredentialBody>,
) {
  const caller = callerOf(request)
  const given = await readKey(store.read, request, 'smtp', fields, clock.now())
  const properties = inheriting(caller, given.properties)
  const { domain, problem } = await readDomain(store, caller, named)
  const problems = [...(problem === undefined ? [] : [problem]), ...given.problems]
  if (problems.length === 0 && domain !== undefined) {
    problems.push(...ofSending(beyondNewKey(request, 'smtp', { properties, domainIds: [domain.id] })))
  }
  return { properties, domain, inboxId: given.inboxId, problems }
}

/** Returns problems of rights as problems of a credential, whose only scope is no field of a request. */
const ofSending = (problems: readonly FieldProblem[]): FieldProblem[] =>
  problems.map((problem) =>
    problem.path.startsWith('scopes')
      ? { ...problem, path: '', message: 'You do not have messages:send and cannot give it away.' }
      : problem,
  )

/** Returns the domain of a new credential, which a caller of one domain need not name. */
async function readDomain(
  { read }: Store,
  caller: Caller,
  named: string | undefined,
): Promise<{ readonly domain?: Domain | undefined; readonly problem?: FieldProblem }> {
  const wanted = named ?? onlyDomain(caller.domains)?.[0]
  if (wanted === undefined) {
    const message = 'Name the domain that the credential sends from.'
    return { problem: { path: 'domain', code: 'required', message } }
  }
  const domain = wanted.includes('\0') ? undefined : await findNamedDomain(read, caller.accountId, wanted)
  if (domain === undefined) {
    const message = 'The account has no such domain; add it first.'
    return { problem: { path: 'domain', code: 'unknown_domain', message } }
  }
  if (caller.domains?.has(domain.id) !== false) return { domain }
  const message = 'Your key does not work on this domain; name another.'
  return { problem: { path: 'domain', code: 'beyond_own_rights', message } }
}

const showRoute = (services: SmtpCredentialServices) =>
  defineRoute({
    method: 'GET',
    url: one,
    schema: { tags, summary: 'Retrieve an SMTP credential', params, response: { 200: SmtpCredentialView } },
    refusals: ['not_found'],
    scope: 'keys:read',
    handler: async (request) =>
      viewOf(services, await findVisible(services, request, request.params.username)),
  })

const changeRoute = (services: SmtpCredentialServices) =>
  defineRoute({
    method: 'PATCH',
    url: one,
    consequence: 'access',
    schema: {
      tags,
      summary: 'Change an SMTP credential',
      description:
        'Omitted fields stay unchanged, and null resets a field to its default. The change takes effect on every node at once. A credential stays at its domain.',
      params,
      body: SmtpCredentialPatch,
      response: { 200: SmtpCredentialView },
    },
    refusals: ['malformed_request', 'not_found', 'conflict', 'body_too_large', 'validation_failed'],
    scope: 'keys:write',
    body,
    audit: 'smtp-credential.change',
    async check(request, fields) {
      await findVisible(services, request, request.params.username)
      return (await readKey(services.store.read, request, 'smtp', fields, services.clock.now())).problems
    },
    async handler(request) {
      const { store, clock } = services
      const key = await findChangeable(services, request, request.params.username)
      const { problems, properties } = await readKey(store.read, request, 'smtp', request.body, clock.now())
      if (problems.length === 0) {
        const changed = { properties, domainIds: undefined }
        problems.push(...ofSending(await beyondChangedKey(store.read, request, key, changed)))
      }
      if (problems.length > 0) throw invalidFields(problems)
      await describe(services, key, { fields: Object.keys(request.body) })
      const { account_id: accountId, id } = key
      await changeKey(services, { ...properties, accountId, id, judged: judgedRights(key) })
      return viewOf(services, await findVisible(services, request, id))
    },
  })

const rotateRoute = (services: SmtpCredentialServices) =>
  defineRoute({
    method: 'POST',
    url: `${one}/rotate`,
    consequence: 'access',
    schema: {
      tags,
      summary: 'Rotate the password of an SMTP credential',
      description:
        'Makes a new password, shown here only. The password so far stays valid for `overlap`; the user name stays.',
      params,
      body: KeyRotation,
      response: { 200: SmtpCredentialMade },
    },
    refusals: ['malformed_request', 'not_found', 'conflict', 'body_too_large', 'validation_failed'],
    scope: 'keys:write',
    body,
    audit: 'smtp-credential.rotate',
    check: (_, { overlap }) => overlapOf(overlap).problems,
    async handler(request) {
      const key = await findChangeable(services, request, request.params.username)
      const { ms, problems } = overlapOf(request.body.overlap)
      if (problems.length === 0) {
        problems.push(...ofSending(await beyondHeldKey(services.store.read, request, key)))
      }
      if (problems.length > 0) throw invalidFields(problems)
      await describe(services, key, { overlap: request.body.overlap ?? USUAL_OVERLAP })
      const password = await rotateKey(services, key, ms, judgedRights(key))
      return { ...(await viewOf(services, await findVisible(services, request, key.id))), password }
    },
  })

const revokeRoute = (services: SmtpCredentialServices) =>
  defineRoute({
    method: 'DELETE',
    url: one,
    consequence: 'withdrawal',
    schema: {
      tags,
      summary: 'Revoke an SMTP credential',
      description: 'Every node refuses its logins from now on. Repeating this has the same result.',
      params,
      response: { 204: Type.Null() },
    },
    refusals: ['not_found'],
    scope: 'keys:write',
    audit: 'smtp-credential.revoke',
    async handler(request, reply) {
      const key = await findVisible(services, request, request.params.username)
      await describe(services, key)
      const { account_id: accountId, id } = key
      await services.store.write(revokeKey, { accountId, id, now: services.clock.now() })
      return reply.code(204).send()
    },
  })

/** Adds a credential and its domain to the current audit action. */
async function describe({ store }: SmtpCredentialServices, key: Key, more: object = {}): Promise<void> {
  const ids = key.domain_id === null ? [] : [key.domain_id]
  const [domain] = await reading(domainNames(store.read, key.account_id, ids))
  describeAuditAction({ detail: { name: key.name, domain, ...more } })
}

/** Returns a credential that the caller may see. Throws `not_found`, also for a credential of another domain. */
async function findVisible(
  { store }: SmtpCredentialServices,
  request: FastifyRequest,
  username: string,
): Promise<Key> {
  const { accountId, domains } = callerOf(request)
  const key = await reading(findKey(store.read, accountId, username))
  if (key?.kind === 'smtp' && key.domain_id !== null && domains?.has(key.domain_id) !== false) return key
  throw new Problem('not_found', 'There is no SMTP credential with this user name.')
}

/** Returns a credential that the caller may change. Throws `conflict`, and as `findVisible`. */
async function findChangeable(
  services: SmtpCredentialServices,
  request: FastifyRequest,
  username: string,
): Promise<Key> {
  const key = await findVisible(services, request, username)
  if (key.revoked_at === null) return key
  throw new Problem('conflict', 'This credential is revoked and cannot be changed; create another one.')
}

async function viewOf(services: SmtpCredentialServices, key: Key): Promise<SmtpCredentialView> {
  const [view] = await viewsOf(services, key.account_id, [key])
  return view as SmtpCredentialView
}

async function viewsOf(
  { store, clock, smtpListener }: SmtpCredentialServices,
  accountId: string,
  keys: readonly Key[],
): Promise<SmtpCredentialView[]> {
  const listener = smtpListener()
  const views = await keyViews(store.read, accountId, keys, clock.now())
  return views.map(
    ({ key_id, kind: _, domains: __, scopes: ___, grants: ____, origins: _____, ...view }) => ({
      username: key_id,
      ...view,
      domain: view.domain ?? '',
      domain_id: view.domain_id ?? '',
      ...listener,
    }),
  )
}
