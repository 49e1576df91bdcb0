// Lists, creates and revokes the API keys and SMTP credentials of a domain, and the Verification keys of an account.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { describeAuditAction } from '../../../access/audit.ts'
import { createKey, keyProblems } from '../../../access/keys.ts'
import { readTime } from '../../../http/filters.ts'
import { formatTime } from '../../../lib/rfc3339.ts'
import { type FieldProblem, invalidFields, Problem } from '../../../model/problem.ts'
import { type Key, listKeys, revokeKey } from '../../../store/access/keys.ts'
import { reading } from '../../../store/database/store.ts'
import {
  KeyMade,
  KeyView,
  NewKeyBody,
  SmtpCredentialMade,
  SmtpCredentialView,
  SmtpListenerView,
} from '../../contract/dashboard-keys.ts'
import { wholeList } from '../../contract/dashboard-people.ts'
import type { RequestOf } from '../../route.ts'
import { changedBy, type DashboardRoute, defineDashboardRoute, sessionOf } from '../route.ts'
import type { DashboardServices } from '../services.ts'

const KeyParams = Type.Object({ key_id: Type.String() })

interface KindOfKey {
  readonly kind: Key['kind']
  readonly url: string
  /** Noun for this kind of key in the audit log. */
  readonly noun: string
  readonly shapes: { readonly view: TSchema; readonly made: TSchema }
  view(key: Key): object
  /** Returns the fields of the list response in addition to the rows. */
  readonly beside?: () => object
  /** Returns the fields of a new key in addition to the view of the key. */
  secret(key: Key, secret: string): object
}

const common = (key: Key): Omit<KeyView, 'key_id'> => ({
  name: key.name,
  last4: key.last4,
  rate: key.rate,
  created_at: new Date(key.created_at).toISOString(),
  last_used_at: formatTime(key.last_used_at),
  expires_at: formatTime(key.expires_at),
  revoked_at: formatTime(key.revoked_at),
})

export const keyRoutes = (services: DashboardServices): readonly DashboardRoute[] => {
  const apiKey = {
    noun: 'key',
    shapes: { view: KeyView, made: KeyMade },
    view: (key: Key): KeyView => ({ key_id: key.id, ...common(key) }),
    secret: (_: Key, key: string) => ({ key }),
  }
  return [
    ...routesOf(services, { ...apiKey, kind: 'sending', url: '/api/domains/:domain_id/keys' }),
    ...routesOf(services, { ...apiKey, kind: 'verification', url: '/api/verification/keys' }),
    ...routesOf(services, {
      kind: 'smtp',
      url: '/api/domains/:domain_id/smtp-credentials',
      noun: 'smtp-credential',
      shapes: { view: SmtpCredentialView, made: SmtpCredentialMade },
      view: (key): SmtpCredentialView => ({ username: key.id, ...common(key) }),
      beside: () => ({ listener: services.smtpListener() }),
      secret: (_, password) => ({ password, ...services.smtpListener() }),
    }),
  ]
}

const routesOf = (services: DashboardServices, kind: KindOfKey): readonly DashboardRoute[] => [
  defineDashboardRoute({
    method: 'GET',
    url: kind.url,
    role: 'viewer',
    schema: {
      response: {
        200: Type.Object({ data: Type.Array(kind.shapes.view), listener: Type.Optional(SmtpListenerView) }),
      },
    },
    handler: async (request) => ({
      ...wholeList((await keysOf(services, kind, request)).map(kind.view)),
      ...kind.beside?.(),
    }),
  }),
  defineDashboardRoute({
    method: 'POST',
    url: kind.url,
    consequence: 'access',
    role: 'developer',
    audit: `${kind.noun}.create`,
    schema: { body: NewKeyBody, response: { 201: kind.shapes.made } },
    check: (_, fields) => readKey(fields, services.clock.now()).problems,
    handler: (request, reply) => make(services, kind, request, reply),
  }),
  defineDashboardRoute({
    method: 'DELETE',
    url: `${kind.url}/:key_id`,
    consequence: 'withdrawal',
    role: 'developer',
    audit: `${kind.noun}.revoke`,
    schema: { params: KeyParams },
    handler: (request, reply) => revoke(services, kind, request, reply),
  }),
]

/** Returns the keys of the domain in the path, or the keys of the account if the path contains no domain. */
async function keysOf({ read }: DashboardServices, kind: KindOfKey, request: FastifyRequest): Promise<Key[]> {
  const all = await reading(listKeys(read, sessionOf(request).account_id, [kind.kind]))
  return all.filter((key) => key.domain_id === (request.domain?.id ?? null))
}

async function make(
  { store, clock, notices }: DashboardServices,
  kind: KindOfKey,
  request: RequestOf<string, { body: typeof NewKeyBody }>,
  reply: FastifyReply,
): Promise<object> {
  const { name, rate } = request.body
  const { expiresAt, problems } = readKey(request.body, clock.now())
  if (problems.length > 0) throw invalidFields(problems)
  describeAuditAction({ detail: { name, domain: request.domain?.name } })
  const { key, secret } = await createKey(
    { store, clock },
    {
      accountId: sessionOf(request).account_id,
      domainId: request.domain?.id ?? null,
      kind: kind.kind,
      name,
      expiresAt,
      rate: rate ?? null,
    },
  )
  const where = request.domain === null ? 'the account' : request.domain.name
  notices.tellOwners({
    ...changedBy(request),
    change: 'key',
    subject: `${kind.noun} ${key.name} of ${where}`,
  })
  reply.code(201)
  return { ...kind.view(key), ...kind.secret(key, secret) }
}

/** Returns the expiry of a new key, and all problems of the given fields. */
function readKey({ name, expires_at, rate }: Partial<NewKeyBody>, now: number) {
  const problems: FieldProblem[] = []
  const expiresAt = readTime('expires_at', expires_at ?? undefined, problems) ?? null
  const fields = { ...(name === undefined ? {} : { name }), ...(rate === undefined ? {} : { rate }) }
  return { expiresAt, problems: [...problems, ...keyProblems({ ...fields, expiresAt }, now)] }
}

/** Revokes a key; a repeated request has the same result. */
async function revoke(
  services: DashboardServices,
  kind: KindOfKey,
  request: RequestOf<string, { params: typeof KeyParams }>,
  reply: FastifyReply,
): Promise<void> {
  const { key_id: id } = request.params
  const key = (await keysOf(services, kind, request)).find((one) => one.id === id)
  if (key === undefined) throw new Problem('not_found', 'There is no such key.')
  describeAuditAction({ detail: { name: key.name, domain: request.domain?.name } })
  const { store, clock } = services
  await store.write(revokeKey, { accountId: key.account_id, id, now: clock.now() })
  reply.code(204)
}
