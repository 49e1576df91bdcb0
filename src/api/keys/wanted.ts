// Reads the properties of a key from a request, and compares the key with the rights of its maker.

import type { FastifyRequest } from 'fastify'
import { beyondByChange, beyondOwnRights, type Rights, type WantedRights } from '../../access/key-rights.ts'
import { type KeyProperties, keyProblems, readScopes } from '../../access/keys.ts'
import { isOfOperator, type Scope, scopesOfPattern, USUAL_SCOPES, usualGrants } from '../../access/scopes.ts'
import { readTime } from '../../http/filters.ts'
import { isId } from '../../lib/ids.ts'
import { isOfVerification, type KeyKind } from '../../model/key-kind.ts'
import type { FieldProblem } from '../../model/problem.ts'
import { domainsOfKeys } from '../../store/access/key-reads.ts'
import type { Key } from '../../store/access/keys.ts'
import { type Read, reading } from '../../store/database/store.ts'
import { findInbox } from '../../store/inboxes/inboxes.ts'
import { type Caller, callerOf, rightsOf } from '../caller.ts'
import type { KeyPatch, NewKeyBody } from '../contract/key.ts'
import { findNamedDomain } from '../domain-of-request.ts'

/** Properties that a request gives for a key, and all problems of the properties. */
export interface ReadKey {
  readonly properties: Partial<KeyProperties>
  /** IDs of the domains; null for every domain of the account, and undefined for no change. */
  readonly domainIds: readonly string[] | null | undefined
  /** Test inbox of a new test credential. */
  readonly inboxId: string | undefined
  readonly problems: FieldProblem[]
}

/** Reads the fields of a new key, or of a change of a key of this kind. */
export async function readKey(
  read: Read,
  request: FastifyRequest,
  kind: KeyKind,
  fields: Partial<NewKeyBody> | KeyPatch,
  now: number,
): Promise<ReadKey> {
  const problems: FieldProblem[] = []
  const { name, expires_at, rate, networks, recipients, origins } = fields
  const expiresAt =
    expires_at === undefined ? undefined : (readTime('expires_at', expires_at ?? undefined, problems) ?? null)
  const scopes =
    scopesOf('scopes', kind, fields.scopes, problems) ??
    (fields.scopes === null ? USUAL_SCOPES[kind] : undefined)
  const grants = readGrants(kind, fields, problems)
  const properties = {
    ...(name === undefined ? {} : { name }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(rate === undefined ? {} : { rate }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(grants === undefined ? {} : { grants }),
    ...(networks === undefined ? {} : { networks }),
    ...(recipients === undefined ? {} : { recipients }),
    ...(origins === undefined ? {} : { origins }),
  }
  problems.push(...originsOf(kind, fields))
  problems.push(...emptyListProblems(fields), ...keyProblems(properties, now))
  const testing = 'mode' in fields || 'inbox_id' in fields ? (fields as ModeFields) : {}
  const { accountId } = callerOf(request)
  const inbox = await readInbox(read, accountId, testing)
  if (kind !== 'sending' && kind !== 'smtp') problems.push(...noTestProblems(testing))
  else problems.push(...inbox.problems)
  problems.push(...scopeLimits(request, kind, fields))
  const domainIds = await readDomains(read, accountId, kind, fields.domains, problems)
  return { properties, domainIds, inboxId: inbox.inboxId, problems }
}

/** Returns the problems of the origins, which only a public key has, and needs. */
function originsOf(kind: KeyKind, fields: Partial<NewKeyBody> | KeyPatch): FieldProblem[] {
  const { origins } = fields
  if (kind === 'public') return originProblems(origins ?? ('kind' in fields ? [] : undefined))
  if (origins === undefined) return []
  return [{ path: 'origins', code: 'not_together', message: 'Only a public key has origins.' }]
}

/** Returns the problems of the fields of a test credential for a key that sends no mail. */
const noTestProblems = ({ mode, inbox_id }: ModeFields): FieldProblem[] => [
  ...(mode === 'test'
    ? [{ path: 'mode', code: 'not_together', message: 'Only Sending keys and SMTP credentials can test.' }]
    : []),
  ...(inbox_id === undefined
    ? []
    : [{ path: 'inbox_id', code: 'not_together', message: 'Only test credentials have an inbox.' }]),
]

function scopesOf(
  path: 'scopes' | 'grants',
  kind: KeyKind,
  words: readonly string[] | null | undefined,
  problems: FieldProblem[],
): readonly Scope[] | undefined {
  return words == null ? undefined : readScopes(kind, path, words, problems)
}

/** Returns the problems of empty lists, which would permit nothing, and must not be read as left out. */
const emptyListProblems = (fields: Pick<KeyPatch, 'scopes' | 'domains'>): FieldProblem[] =>
  (['scopes', 'domains'] as const).flatMap((path) =>
    fields[path]?.length === 0
      ? [{ path, code: 'required', message: 'The list is empty; give one at least, or leave the field out.' }]
      : [],
  )

function readGrants(
  kind: KeyKind,
  { grants, scopes }: Partial<NewKeyBody>,
  problems: FieldProblem[],
): readonly Scope[] | undefined {
  if (grants !== undefined && grants !== null && kind !== 'management') {
    const message = 'Only a management key has grants; leave them out.'
    problems.push({ path: 'grants', code: 'not_together', message })
    return undefined
  }
  if (grants === null) return usualGrants(readScopes(kind, 'scopes', scopes ?? [], []))
  return scopesOf('grants', kind, grants, problems)
}

/** Returns the problems of a management key without scopes, and of scopes of the operator in another account. */
function scopeLimits(
  request: FastifyRequest,
  kind: KeyKind,
  { scopes, grants }: Partial<NewKeyBody>,
): FieldProblem[] {
  if (kind !== 'management') return []
  const isOperator = [...callerOf(request).scopes].some(isOfOperator)
  if (isOperator) return []
  return [['scopes', scopes] as const, ['grants', grants] as const].flatMap(([path, words]) =>
    (words ?? []).flatMap((word, index) =>
      (scopesOfPattern(word) ?? []).some(isOfOperator)
        ? [{ path: `${path}[${index}]`, code: 'beyond_own_rights', message: 'Only operators can give this.' }]
        : [],
    ),
  )
}

/** Returns the IDs of the named domains, and adds a problem for each domain that the account does not have. */
export async function readDomains(
  read: Read,
  accountId: string,
  kind: KeyKind,
  named: readonly string[] | null | undefined,
  problems: FieldProblem[],
): Promise<readonly string[] | null | undefined> {
  if (named == null) return named
  if (named.length === 0) return undefined
  if (isOfVerification(kind)) {
    problems.push({ path: 'domains', code: 'not_together', message: 'A key that verifies has no domain.' })
    return undefined
  }
  if (kind === 'sending' && named.length !== 1) {
    problems.push({ path: 'domains', code: 'too_many', message: 'A Sending key has one domain; name it.' })
    return undefined
  }
  const found = await Promise.all(named.map((one) => findNamedDomain(read, accountId, one)))
  for (const [index, domain] of found.entries()) {
    if (domain !== undefined) continue
    const message = 'The account has no such domain; add it first.'
    problems.push({ path: `domains[${index}]`, code: 'unknown_domain', message })
  }
  return [...new Set(found.flatMap((domain) => domain?.id ?? []))]
}

/** Returns the problems of a new key whose rights go beyond those of the caller. */
export function beyondNewKey(
  request: FastifyRequest,
  kind: KeyKind,
  { properties, domainIds }: Pick<ReadKey, 'properties' | 'domainIds'>,
): FieldProblem[] {
  return beyondOwnRights(rightsOf(callerOf(request)), {
    ...{ kind, scopes: USUAL_SCOPES[kind], networks: null, recipients: null, expiresAt: null },
    ...properties,
    domains: isOfVerification(kind) ? undefined : (domainIds ?? null),
  })
}

/**
 * Returns the properties of a new key, whose networks and recipients are those of the key that creates it unless the
 * request gives others.
 */
export const inheriting = ({ key }: Caller, properties: Partial<KeyProperties>): Partial<KeyProperties> => ({
  ...(key?.networks == null ? {} : { networks: key.networks }),
  ...(key?.recipients == null ? {} : { recipients: key.recipients }),
  ...properties,
})

/** Returns the only domain of a caller; undefined if the caller works on several domains. */
export const onlyDomain = (domains: ReadonlySet<string> | null): readonly string[] | undefined =>
  domains?.size === 1 ? [...domains] : undefined

/** Returns the rights of a stored key. */
export async function heldRights(read: Read, key: Key): Promise<Rights> {
  const listed = await reading(domainsOfKeys(read, key.account_id, [key.id]))
  const ids = (listed.get(key.id) ?? []).map(({ id }) => id)
  const listOf = (text: string | null): readonly string[] | null => (text === null ? null : JSON.parse(text))
  return {
    scopes: new Set<Scope>(JSON.parse(key.scopes)),
    grants: new Set<Scope>(JSON.parse(key.grants)),
    domains: key.every_domain === 1 ? null : new Set(ids),
    networks: listOf(key.networks),
    recipients: listOf(key.recipients),
    expiresAt: key.expires_at,
    rate: null,
  }
}

const wantedOf = (kind: KeyKind, held: Rights, changes: Partial<WantedRights>): WantedRights => ({
  kind,
  scopes: [...held.scopes],
  grants: [...held.grants],
  domains: held.domains && [...held.domains],
  networks: held.networks,
  recipients: held.recipients,
  expiresAt: held.expiresAt,
  ...changes,
})

/** Returns the problems of a changed key whose rights go beyond those of the caller and those that the key had. */
export async function beyondChangedKey(
  read: Read,
  request: FastifyRequest,
  key: Key,
  { properties, domainIds }: Pick<ReadKey, 'properties' | 'domainIds'>,
): Promise<FieldProblem[]> {
  const held = await heldRights(read, key)
  const changes = { ...properties, ...(domainIds === undefined ? {} : { domains: domainIds }) }
  return beyondByChange(rightsOf(callerOf(request)), held, wantedOf(key.kind, held, changes))
}

/** Returns the problems of a key whose new secret would give the caller more rights than it has. */
export async function beyondHeldKey(read: Read, request: FastifyRequest, key: Key): Promise<FieldProblem[]> {
  return beyondOwnRights(rightsOf(callerOf(request)), wantedOf(key.kind, await heldRights(read, key), {}))
}

/** Fields of a request that choose the mode of a credential. */
interface ModeFields {
  readonly mode?: 'live' | 'test' | undefined
  readonly inbox_id?: string | undefined
}

/**
 * Returns the test inbox of a new Sending key or SMTP credential, undefined for a live credential, and all problems of
 * the fields. `inbox_id` alone also asks for a test credential.
 */
async function readInbox(
  read: Read,
  accountId: string,
  { mode, inbox_id: id }: ModeFields,
): Promise<{ readonly inboxId: string | undefined; readonly problems: FieldProblem[] }> {
  const refused = (path: string, code: string, message: string) => ({
    inboxId: undefined,
    problems: [{ path, code, message }],
  })
  if (id === undefined) {
    return mode === 'test'
      ? refused('inbox_id', 'required', 'Name the test inbox that gets the mail.')
      : { inboxId: undefined, problems: [] }
  }
  if (mode === 'live') {
    return refused('inbox_id', 'not_together', 'A live credential has no inbox; give the mode test.')
  }
  const inbox = isId('inb', id) ? await reading(findInbox(read, { accountId, id })) : undefined
  if (inbox !== undefined) return { inboxId: id, problems: [] }
  return refused('inbox_id', 'unknown_inbox', 'The account has no such test inbox; create it first.')
}

/** Maximum number of origins of a public key. */
const MAX_ORIGINS = 50

/** Returns the problems of the origins of a public key; `undefined` for no change. */
function originProblems(origins: readonly string[] | undefined): FieldProblem[] {
  if (origins === undefined) return []
  if (origins.length === 0) {
    return [{ path: 'origins', code: 'required', message: 'Name the web pages that may use the key.' }]
  }
  if (origins.length > MAX_ORIGINS) {
    return [{ path: 'origins', code: 'too_many', message: `Give at most ${MAX_ORIGINS}.` }]
  }
  return origins.flatMap((origin, index) => {
    if (isPublicOrigin(origin)) return []
    const message = 'Give an origin without a path, such as https://www.example.com or http://localhost:3000.'
    return [{ path: `origins[${index}]`, code: 'invalid_origin', message }]
  })
}

/** Host names of a developer's own machine, whose pages have no certificate. */
const LOCAL = /^(?:localhost|127\.0\.0\.1|\[::1\])$/

/**
 * True for an origin as a browser sends it (RFC 6454 §6.2): `https` with a host and at most a port, or `http` on the
 * machine of the browser.
 */
function isPublicOrigin(text: string): boolean {
  if (text.length > 300) return false
  const url = URL.parse(text)
  if (url === null || url.origin !== text) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOCAL.test(url.hostname))
}
