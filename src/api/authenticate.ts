// Authenticates an API key, limits its rate, and checks its scope again during long responses.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { type CredentialRates, inWords } from '../access/credential-rates.ts'
import type { Credential, Credentials } from '../access/credentials.ts'
import type { Scope } from '../access/scopes.ts'
import type { Callers } from '../http/body.ts'
import { clientNetwork } from '../lib/client-network.ts'
import type { Clock } from '../lib/clock.ts'
import type { Allowed, Rate, RateLimiter } from '../lib/rate-limiter.ts'
import { Problem } from '../model/problem.ts'
import { type CallerCheck, callerOfKey } from './caller.ts'
import type { SecretOf } from './route.ts'
import { mayCall, notPermitted } from './scope-refusal.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Scope that the endpoint requires of a key; `any-credential` for an endpoint that every key may call, and undefined
     * for an endpoint without a key.
     */
    scope?: Scope | 'any-credential' | undefined
    /** Returns the secret of a request, for an endpoint that takes the secret from another place than a bearer token. */
    secretOf?: SecretOf | undefined
    /** True if a public key may call the endpoint. */
    forPages?: boolean
  }
}

/** Hooks that run before every endpoint that requires an API key. */
export class Authentication implements CallerCheck {
  readonly #credentials: Credentials
  readonly #rates: CredentialRates
  readonly #clock: Clock
  readonly #failureRate: Rate
  readonly #failures: RateLimiter

  /**
   * @param failureRate maximum rate of failed authentications of one client network
   * @param failures rate limiter that counts failed authentications
   */
  constructor(
    credentials: Credentials,
    rates: CredentialRates,
    clock: Clock,
    failureRate: Rate,
    failures: RateLimiter,
  ) {
    this.#credentials = credentials
    this.#rates = rates
    this.#clock = clock
    this.#failureRate = failureRate
    this.#failures = failures
  }

  /**
   * Identifies the caller; responds 401 without a valid bearer credential, 403 to a key that may not be used from the
   * address of the client, 429 after too many requests. Runs before the request body is read.
   */
  readonly identify = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    const found = this.#find(request)
    if (found instanceof Promise) {
      found.then((credential) => done(this.#admit(credential, request, reply)), done)
    } else {
      done(this.#admit(found, request, reply))
    }
  }

  /** Returns the credential of a request; undefined if the credential is missing, unknown, revoked or expired. */
  #find(request: FastifyRequest): Credential | undefined | Promise<Credential | undefined> {
    const secret = secretOf(request)
    if (secret !== undefined) return this.#credentials.find(secret)
    if (request.routeOptions.config.scope !== 'any-credential') return undefined
    const login = basicLogin(request)
    return login && this.#findSmtp(login)
  }

  async #findSmtp({ username, password }: NonNullable<ReturnType<typeof basicLogin>>) {
    const found = await this.#credentials.find(password)
    return found?.kind === 'smtp' && found.id === username ? found : undefined
  }

  #admit(
    credential: Credential | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Error | undefined {
    // An SMTP password is not valid as a bearer token.
    if (credential === undefined || (credential.kind === 'smtp' && secretOf(request) !== undefined)) {
      return this.failure(request)
    }
    if (!this.#credentials.permits(credential, request.ip)) {
      return this.failure(request, networkRefused(request.ip))
    }
    if (credential.kind === 'public') {
      const refusal = this.#refusalOfPage(credential, request, reply)
      if (refusal !== undefined) return refusal
    }
    this.#credentials.used(credential, request.ip)
    request.caller = callerOfKey(credential)
    request.callerCheck = this
    const taken = this.#rates.take(credential)
    addRateFields(reply, taken)
    if (taken.allowed) return undefined
    return new Problem('rate_limit_exceeded', `This key may make ${inWords(taken.rate, 'requests')}.`, {
      retryAfter: Math.max(1, taken.resetSeconds),
      violatedPolicies: ['key'],
    })
  }

  /**
   * Returns the problem of a request with a public key: it does not come from a web page that the key lists, or the
   * network of the visitor makes too many requests. Lets the page read the response otherwise (Fetch standard §3.2).
   */
  #refusalOfPage(credential: Credential, request: FastifyRequest, reply: FastifyReply): Problem | undefined {
    const { origin } = request.headers
    reply.header('vary', 'Origin')
    if (origin === undefined || !credential.origins.has(origin))
      return this.failure(request, originRefused(origin))
    reply
      .header('access-control-allow-origin', origin)
      .header('access-control-expose-headers', 'Retry-After, X-Request-Id')
    const visitor = `public ${credential.id} ${clientNetwork(request.ip)}`
    const taken = this.#failures.take(visitor, VISITOR_RATE, this.#clock.now())
    if (taken.allowed) return undefined
    return new Problem('rate_limit_exceeded', `A visitor may verify ${inWords(VISITOR_RATE, 'addresses')}.`, {
      retryAfter: Math.max(1, taken.resetSeconds),
      violatedPolicies: ['visitor'],
    })
  }

  async isStillAdmitted(request: FastifyRequest): Promise<boolean> {
    const credential = await this.#credentials.find(secretOf(request) ?? '')
    if (credential === undefined || credential.id !== request.caller?.id) return false
    const caller = callerOfKey(credential)
    const { scope = 'any-credential' } = request.routeOptions.config
    if (!mayCall(caller, scope) || credential.permittedNetworks?.includes(request.ip) === false) return false
    const { sender } = request.caller
    // A key of several domains reads its present domains, unless the request names one domain.
    if (sender === undefined) request.caller = caller
    return sender === undefined || caller.domains?.has(sender.domainId) !== false
  }

  /** Counts a failed authentication, and returns the problem for its response. */
  failure(request: FastifyRequest, problem = unauthenticated()): Problem {
    const taken = this.#failures.take(clientNetwork(request.ip), this.#failureRate, this.#clock.now())
    if (!taken.allowed) {
      return new Problem('rate_limit_exceeded', 'Too many failed authentications from this address.', {
        retryAfter: Math.max(1, taken.resetSeconds),
        violatedPolicies: ['failed-authentications'],
      })
    }
    return problem
  }
}

const unauthenticated = (): Problem =>
  new Problem(
    'authentication_failed',
    'Send a valid API key: Authorization: Bearer <API_KEY>. The key of the request is missing, unknown, revoked or expired.',
  )

/** Maximum rate of requests with a public key from the network of one visitor. */
const VISITOR_RATE: Rate = { count: 20, perMs: 60_000 }

const originRefused = (origin: string | undefined): Problem =>
  new Problem(
    'origin_not_permitted',
    origin === undefined
      ? 'A public key is for web pages; the request names no origin.'
      : `This public key does not list the origin ${origin.slice(0, 300)}.`,
  )

const networkRefused = (address: string): Problem =>
  new Problem(
    'network_not_permitted',
    `This key may not be used from ${address}; its list of networks does not have this address.`,
  )

/** Returns the secret of a request, from the place where its endpoint takes it. */
const secretOf = (request: FastifyRequest): string | undefined =>
  (request.routeOptions.config.secretOf ?? bearerToken)(request)

/** Returns the user name and password of a request (RFC 7617 §2); undefined if there are none. */
export function basicLogin({ headers }: FastifyRequest) {
  const [, encoded] = /^Basic +([A-Za-z0-9+/=]{1,400}) *$/i.exec(headers.authorization ?? '') ?? []
  const [, username, password] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString('utf8')) ?? []
  return username === undefined || password === undefined ? undefined : { username, password }
}

/** Returns the bearer credential of a request; undefined if missing or of an impossible length (RFC 6750 §2.1). */
export const bearerToken = ({ headers }: FastifyRequest): string | undefined =>
  /^Bearer +(\S{1,200}) *$/i.exec(headers.authorization ?? '')?.[1]

/** Adds the header fields about the remaining requests of a rate limit (draft-ietf-httpapi-ratelimit-headers). */
export function addRateFields(
  reply: FastifyReply,
  { rate, remaining, resetSeconds }: Allowed & { readonly rate: Rate },
): void {
  reply.header('ratelimit-policy', policyOf(rate))
  reply.header('ratelimit', `"key";r=${remaining};t=${resetSeconds}`)
}

/** Returns the value of the `RateLimit-Policy` header field, cached by rate. */
function policyOf(rate: Rate): string {
  let policy = policies.get(rate)
  if (policy === undefined) {
    policy = `"key";q=${rate.count};w=${rate.perMs / 1000}`
    policies.set(rate, policy)
  }
  return policy
}

const policies = new WeakMap<Rate, string>()

/** Functions that tell the HTTP server the account of a request body, and whether the caller may send a body. */
export const callers: Callers = { accountOf: ({ caller }) => caller?.accountId, notPermitted }
