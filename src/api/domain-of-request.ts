// Finds the domain that a request works in: the domain of a key, the domain in the path, or the domain in `?domain=`.

import { domainToASCII } from 'node:url'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Credential } from '../access/credentials.ts'
import { isId } from '../lib/ids.ts'
import { type FieldProblem, invalidFields, Problem } from '../model/problem.ts'
import type { KeyDomain } from '../store/access/key-reads.ts'
import { type Read, reading } from '../store/database/store.ts'
import { type Domain, findDomain, findDomainById } from '../store/domains/domain-rows.ts'
import { findDomainOfObject, isLive, tellsDomain } from '../store/search/domain-of-object.ts'
import type { Sender } from '../submission/authorize.ts'
import { type Caller, callerInDomain, callerOf, senderOfRequest } from './caller.ts'
import type { ChangeAnswer, Check } from './endpoint.ts'
import { effectOf, paramsOf, type Route } from './route.ts'
import { testRefused } from './scope-refusal.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Domain in the path, which belongs to the account of the caller; null if the path contains no domain. */
    domain: Domain | null
  }
}

/** Returns the domain in the path of a request; the domain belongs to the account of the caller. */
export function domainOf(request: FastifyRequest): Domain {
  if (request.domain === null) throw new Error('this route has no domain')
  return request.domain
}

/** Query parameter of every endpoint that works in one domain or in all domains of a key. */
export const DomainQuery = {
  domain: Type.Optional(
    Type.String({
      maxLength: 300,
      description: 'For a key of several domains: the domain, by name or ID',
    }),
  ),
}

/** Maximum number of domains that a refusal lists as choices. */
const MAX_CHOICES = 100

/** Domain that a request names; undefined if the account has no such domain. */
export async function findNamedDomain(
  read: Read,
  accountId: string,
  named: string,
): Promise<Domain | undefined> {
  if (isId('dom', named)) return reading(findDomainById(read, accountId, named))
  const name = nameOf(named)
  return name === undefined ? undefined : reading(findDomain(read, accountId, name))
}

/** Returns a domain name in A-labels and lower case; undefined for a text that is no domain name. */
function nameOf(text: string): string | undefined {
  const name = text.length > 300 ? '' : domainToASCII(text.trim().replace(/\.$/, ''))
  return name === '' ? undefined : name
}

/**
 * Returns the domain that a path or a filter names. Throws `not_found` if the account has no such domain, and
 * `domain_not_permitted` if the key of the caller does not work on the domain.
 */
export async function permittedDomain(read: Read, caller: Caller, named: string): Promise<Domain> {
  const domain = await findOfAccount(read, caller, named)
  if (domain === undefined) throw noSuchDomain()
  if (caller.domains?.has(domain.id) === false) throw otherDomain(caller, domain.name)
  return domain
}

const findOfAccount = async (
  read: Read,
  { accountId }: Caller,
  named: string,
): Promise<Domain | undefined> => (named.includes('\0') ? undefined : findNamedDomain(read, accountId, named))

const noSuchDomain = (): Problem => new Problem('not_found', 'The account has no such domain.')

const otherDomain = ({ key }: Caller, name: string): Problem => {
  const own = key?.domain_name ?? [...(key?.managed.values() ?? [])].map((one) => one.name).join(', ')
  return new Problem(
    'domain_not_permitted',
    `This key does not work on ${name}; it works on ${own || 'no domain'}.`,
  )
}

/**
 * Returns the hook of an endpoint that sets the caller within the domain of the request, and the domain in the path;
 * undefined for an endpoint of the whole account. Removes `domain` from the query. The hook of a request of a Sending
 * key reads nothing.
 */
export function domainHook(
  route: Pick<Route, 'url' | 'domains' | 'method' | 'effect'>,
  read: Read,
): Check | undefined {
  if (route.url.includes('/:domain')) {
    return (request, _reply, done) => {
      enterPath(read, request).then(() => done(), done)
    }
  }
  if (route.domains === undefined) return undefined
  return (request, _reply, done) => {
    const query = request.query as { domain?: unknown }
    const caller = callerOf(request)
    if (query.domain === undefined && caller.sender !== undefined) {
      done()
      return
    }
    enterDomain(read, route, request, query.domain).then(() => done(), done)
    delete query.domain
  }
}

async function enterPath(read: Read, request: FastifyRequest): Promise<void> {
  const caller = callerOf(request)
  const domain = await permittedDomain(read, caller, paramsOf(request).domain ?? '')
  request.domain = domain
  if (caller.key?.kind === 'management') request.caller = callerInDomain(caller.key, domain)
}

async function enterDomain(
  read: Read,
  route: Pick<Route, 'domains' | 'method' | 'effect'>,
  request: FastifyRequest,
  named: unknown,
): Promise<void> {
  const caller = callerOf(request)
  const { key } = caller
  if (key === undefined) throw new Error('a user names the domain in the path')
  if (named !== undefined) {
    const domain = await namedDomain(read, caller, key, named)
    if (key.kind === 'management') request.caller = callerInDomain(key, domain)
    return
  }
  const [only, ...others] = key.managed.values()
  if (only !== undefined && others.length === 0) request.caller = callerInDomain(key, only)
  else if (route.domains === 'one')
    request.caller = callerInDomain(key, await domainOfPath(read, route, request, key))
}

/** Returns the domain that `?domain=` names. */
async function namedDomain(read: Read, caller: Caller, key: Credential, named: unknown): Promise<KeyDomain> {
  if (typeof named !== 'string' || named === '' || named.includes('\0')) {
    throw invalidFields([
      { path: 'domain', code: 'invalid_domain', message: 'Give the name or the ID of one domain.' },
    ])
  }
  const name = nameOf(named)
  for (const domain of domainsOfKey(key)) if (domain.id === named || domain.name === name) return domain
  const other = await findNamedDomain(read, key.account_id, named)
  // The key was read before the domain was created.
  if (other !== undefined && key.kind === 'management' && key.every_domain === 1) return other
  throw other === undefined ? noSuchDomain() : otherDomain(caller, other.name)
}

function domainsOfKey(key: Credential): Iterable<KeyDomain> {
  const { domain_id: id, domain_name: name, domain_status: status } = key
  if (id === null || name === null || status === null) return key.managed.values()
  return [{ id, name, status }]
}

/**
 * Returns the domain of the object whose ID a reading request has in its path. Throws `validation_failed` with the
 * domains as choices if the request has to name its domain.
 */
async function domainOfPath(
  read: Read,
  route: Pick<Route, 'method' | 'effect'>,
  request: FastifyRequest,
  key: Credential,
): Promise<KeyDomain> {
  const [id = ''] = Object.values(paramsOf(request))
  if (effectOf(route) !== 'reads' || !tellsDomain(id)) throw domainRequired(key)
  const found = await reading(findDomainOfObject(read, key.account_id, [...key.managed.keys()], id))
  const domain = found === undefined ? undefined : key.managed.get(found)
  if (domain === undefined) throw new Problem('not_found', 'There is nothing with this ID.')
  return domain
}

function domainRequired(key: Credential): Problem {
  const choices = [...key.managed.values()].slice(0, MAX_CHOICES).map(({ name }) => name)
  const message = 'This key works on several domains; name one with ?domain=.'
  const none = 'This key works on no domain; add a domain first.'
  const problem: FieldProblem = {
    path: 'domain',
    code: 'required',
    message: choices.length === 0 ? none : message,
  }
  return invalidFields([{ ...problem, choices }])
}

/** Returns the senders in all domains that a request reads: one domain, or every domain of a management key. */
export function sendersOf(request: FastifyRequest): readonly Sender[] {
  const { sender, key } = callerOf(request)
  if (sender !== undefined || key === undefined) return [senderOfRequest(request)]
  return [...key.managed.values()].flatMap((domain) => callerInDomain(key, domain).sender ?? [])
}

/** Returns the sender of a request that answers for one domain only, such as a request for a file. */
export function oneSenderOf(request: FastifyRequest): Sender {
  const { sender, key } = callerOf(request)
  if (sender === undefined && key !== undefined) throw domainRequired(key)
  return senderOfRequest(request)
}

/**
 * Returns the sender of a request that sends mail from the address `from`: the domain of the request, or the domain of
 * the address for a key of several domains. Throws `domain_not_permitted` if the key does not work on the domain of the
 * address, and `validation_failed` for an address without a domain.
 */
export function senderFrom(request: FastifyRequest, from: unknown): Sender {
  const caller = callerOf(request)
  if (caller.sender !== undefined || caller.key === undefined) return senderOfRequest(request)
  const { key } = caller
  if (typeof from !== 'string') throw domainRequired(key)
  const written = from.slice(from.lastIndexOf('@') + 1)
  const senders = sendersByName(key)
  const sender = senders.get(written) ?? senders.get(nameOf(written) ?? '')
  if (sender !== undefined) return sender
  const message = 'Use an address at a domain of this key.'
  throw new Problem('domain_not_permitted', `This key does not send from ${written.slice(0, 253)}.`, {
    errors: [{ path: 'from', code: 'domain_not_permitted', message }],
  })
}

/** Returns the senders of a management key by domain name; the same map while the credential is cached. */
function sendersByName(key: Credential): ReadonlyMap<string, Sender> {
  let senders = senderMaps.get(key)
  if (senders === undefined) {
    senders = new Map(
      key.managed.values().flatMap((domain) => {
        const { sender } = callerInDomain(key, domain)
        return sender === undefined ? [] : [[domain.name, sender] as const]
      }),
    )
    senderMaps.set(key, senders)
  }
  return senders
}

const senderMaps = new WeakMap<Credential, ReadonlyMap<string, Sender>>()

/** Domain of an object, which the object shows to a management key. */
interface ShownDomain {
  readonly domain?: string
  readonly domain_id?: string
}

/** Returns the domain fields of an object: its domain for a management key, nothing for another caller. */
export const shownDomain = (
  request: FastifyRequest,
  { domainId, domainName }: Pick<Sender, 'domainId' | 'domainName'>,
): ShownDomain =>
  callerOf(request).key?.kind === 'management' ? { domain: domainName, domain_id: domainId } : {}

/** Adds the domain of the request to the object that a management key reads or has changed. */
export const domainShowing: ChangeAnswer = (request, reply, payload, done) => {
  // A refused request may have no caller, and a problem document is no object of a domain.
  const sender = reply.statusCode < 400 ? request.caller?.sender : undefined
  const isObject = typeof payload === 'object' && payload !== null && !('data' in payload)
  const isShown = isObject && sender !== undefined && request.caller?.key?.kind === 'management'
  done(null, isShown ? { ...payload, ...shownDomain(request, sender) } : payload)
}

/**
 * Returns the hook of an endpoint that changes a message or a bulk, which refuses a test credential unless the message
 * or the bulk is its like; undefined for any other endpoint. The handler refuses an object that does not exist.
 */
export function testMessageHook({ scope }: Pick<Route, 'scope'>, read: Read): Check | undefined {
  if (scope !== 'messages:write') return undefined
  return (request, _reply, done) => {
    if (request.caller?.mode !== 'test') done()
    else refuseLive(read, request).then(() => done(), done)
  }
}

async function refuseLive(read: Read, request: FastifyRequest): Promise<void> {
  const sender = request.caller?.sender
  const { message_id, bulk_id } = request.params as {
    readonly message_id?: string
    readonly bulk_id?: string
  }
  const id = message_id ?? bulk_id ?? ''
  if (sender === undefined || (await reading(isLive(read, sender, id)))) {
    throw testRefused('changes test messages only')
  }
}
