// Authenticates an API key, limits its rate, and checks that its kind may make the request.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { type CredentialRates, inWords } from '../access/credential-rates.ts'
import type { Credentials } from '../access/credentials.ts'
import type { Callers } from '../http/body.ts'
import { clientNetwork } from '../lib/client-network.ts'
import type { Clock } from '../lib/clock.ts'
import type { Allowed, Rate, RateLimiter } from '../lib/rate-limiter.ts'
import { Problem } from '../model/problem.ts'
import type { Credential } from '../store/access/keys.ts'
import { type CallerCheck, callerOfKey } from './caller.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Kind of key that the endpoint requires; undefined if the endpoint requires no key. */
    key?: 'sending' | 'verification' | undefined
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
   * Identifies the caller; responds 401 without a valid bearer credential, 429 after too many requests. Runs before the
   * request body is read.
   */
  readonly identify = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    const secret = bearerToken(request)
    const found = secret === undefined ? undefined : this.#credentials.find(secret)
    if (found instanceof Promise) {
      found.then((credential) => done(this.#admit(credential, request, reply)), done)
    } else {
      done(this.#admit(found, request, reply))
    }
  }

  #admit(
    credential: Credential | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Error | undefined {
    // An SMTP password is not valid as a bearer token.
    if (credential === undefined || credential.kind === 'smtp') return this.failure(request)
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

  async isStillAdmitted(request: FastifyRequest): Promise<boolean> {
    const credential = await this.#credentials.find(bearerToken(request) ?? '')
    return credential !== undefined && credential.id === request.caller?.id
  }

  /** Counts a failed authentication, and returns the problem for its response. */
  failure(request: FastifyRequest): Problem {
    const taken = this.#failures.take(clientNetwork(request.ip), this.#failureRate, this.#clock.now())
    if (!taken.allowed) {
      return new Problem('rate_limit_exceeded', 'Too many failed authentications from this address.', {
        retryAfter: Math.max(1, taken.resetSeconds),
        violatedPolicies: ['failed-authentications'],
      })
    }
    return new Problem(
      'authentication_failed',
      'Send a valid API key: Authorization: Bearer <API_KEY>. It is missing, unknown, revoked or expired.',
    )
  }
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

const WRONG_KIND = {
  sending: 'This needs a Sending API key (send_…); a Verification key cannot send or read mail.',
  verification: 'This needs a Verification API key (verify_…); a Sending key cannot verify addresses.',
} as const

/**
 * Returns the problem for a key of the wrong kind; undefined if the kind is right, or if the endpoint requires no key.
 */
export function notPermitted({ routeOptions, caller }: FastifyRequest): Problem | undefined {
  const { key } = routeOptions.config
  if (key === undefined || caller?.limits.kind === key) return undefined
  return new Problem('key_kind_not_permitted', WRONG_KIND[key])
}

/** Functions that tell the HTTP server the account of a request body, and whether the caller may send a body. */
export const callers: Callers = { accountOf: ({ caller }) => caller?.accountId, notPermitted }
