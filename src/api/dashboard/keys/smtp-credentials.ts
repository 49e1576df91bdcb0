// Lists, creates and revokes the SMTP credentials of a domain.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { describeAuditAction } from '../../../access/audit.ts'
import { createKey, keyProblems } from '../../../access/keys.ts'
import { readTime } from '../../../http/filters.ts'
import { formatTime } from '../../../lib/rfc3339.ts'
import { type FieldProblem, invalidFields, Problem } from '../../../model/problem.ts'
import { type Key, listKeys, revokeKey } from '../../../store/access/keys.ts'
import { reading } from '../../../store/database/store.ts'
import {
  NewSmtpCredentialBody,
  SmtpCredentialMade,
  SmtpCredentialView,
  SmtpListenerView,
} from '../../contract/dashboard-keys.ts'
import { wholeList } from '../../contract/dashboard-people.ts'
import { domainOf } from '../../domain-of-request.ts'
import type { RequestOf } from '../../route.ts'
import { changedBy, type DashboardRoute, defineDashboardRoute, sessionOf } from '../route.ts'
import type { DashboardServices } from '../services.ts'

const Params = Type.Object({ username: Type.String() })
const URL_OF_LIST = '/api/domains/:domain_id/smtp-credentials'

const credentialView = (key: Key): SmtpCredentialView => ({
  username: key.id,
  name: key.name,
  last4: key.last4,
  rate: key.rate,
  created_at: new Date(key.created_at).toISOString(),
  last_used_at: formatTime(key.last_used_at),
  expires_at: formatTime(key.expires_at),
  revoked_at: formatTime(key.revoked_at),
})

export const smtpCredentialRoutes = (services: DashboardServices): readonly DashboardRoute[] => [
  defineDashboardRoute({
    method: 'GET',
    url: URL_OF_LIST,
    role: 'viewer',
    schema: {
      response: { 200: Type.Object({ data: Type.Array(SmtpCredentialView), listener: SmtpListenerView }) },
    },
    handler: async (request) => ({
      ...wholeList((await credentialsOf(services, request)).map(credentialView)),
      listener: services.smtpListener(),
    }),
  }),
  defineDashboardRoute({
    method: 'POST',
    url: URL_OF_LIST,
    consequence: 'access',
    role: 'developer',
    audit: 'smtp-credential.create',
    schema: { body: NewSmtpCredentialBody, response: { 201: SmtpCredentialMade } },
    check: (_, fields) => readFields(fields, services.clock.now()).problems,
    handler: (request, reply) => make(services, request, reply),
  }),
  defineDashboardRoute({
    method: 'DELETE',
    url: `${URL_OF_LIST}/:username`,
    consequence: 'withdrawal',
    role: 'developer',
    audit: 'smtp-credential.revoke',
    schema: { params: Params },
    handler: (request, reply) => revoke(services, request, reply),
  }),
]

/** Returns the SMTP credentials of the domain in the path. */
async function credentialsOf({ read }: DashboardServices, request: FastifyRequest): Promise<Key[]> {
  const all = await reading(listKeys(read, sessionOf(request).account_id, ['smtp']))
  return all.filter((key) => key.domain_id === domainOf(request).id)
}

async function make(
  { store, clock, notices, smtpListener }: DashboardServices,
  request: RequestOf<string, { body: typeof NewSmtpCredentialBody }>,
  reply: FastifyReply,
): Promise<object> {
  const { name, rate } = request.body
  const { expiresAt, problems } = readFields(request.body, clock.now())
  if (problems.length > 0) throw invalidFields(problems)
  const domain = domainOf(request)
  const { user_id: createdBy, account_id: accountId } = sessionOf(request)
  describeAuditAction({ detail: { name, domain: domain.name } })
  const { key, secret } = await createKey(
    { store, clock },
    { accountId, domainId: domain.id, kind: 'smtp', name, expiresAt, rate: rate ?? null, createdBy },
  )
  notices.tellOwners({
    ...changedBy(request),
    change: 'key',
    subject: `smtp-credential ${key.name} of ${domain.name}`,
  })
  reply.code(201)
  return { ...credentialView(key), password: secret, ...smtpListener() }
}

/** Returns the expiry of a new credential, and all problems of the given fields. */
function readFields({ name, expires_at, rate }: Partial<NewSmtpCredentialBody>, now: number) {
  const problems: FieldProblem[] = []
  const expiresAt = readTime('expires_at', expires_at ?? undefined, problems) ?? null
  const fields = { ...(name === undefined ? {} : { name }), ...(rate === undefined ? {} : { rate }) }
  return { expiresAt, problems: [...problems, ...keyProblems({ ...fields, expiresAt }, now)] }
}

/** Revokes a credential; a repeated request has the same result. */
async function revoke(
  services: DashboardServices,
  request: RequestOf<string, { params: typeof Params }>,
  reply: FastifyReply,
): Promise<void> {
  const { username } = request.params
  const key = (await credentialsOf(services, request)).find((one) => one.id === username)
  if (key === undefined) throw new Problem('not_found', 'There is no such SMTP credential.')
  describeAuditAction({ detail: { name: key.name, domain: domainOf(request).name } })
  const { store, clock } = services
  await store.write(revokeKey, { accountId: key.account_id, id: key.id, now: clock.now() })
  reply.code(204)
}
