// Limits the rate of requests without a key: by client network, and by user after a login.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { clientNetwork } from '../lib/client-network.ts'
import { type Rate, RateLimiter } from '../lib/rate-limiter.ts'
import { Problem } from '../model/problem.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Credential or role that the route requires: a scope of a key, a role of the dashboard or the operator's token;
     * `nobody` means that neither is required.
     */
    authorization?: string
    /** Unit by which requests are counted; the client network by default. */
    rate?: 'key' | 'network'
    /**
     * True for the routes of tracked links and tracking pixels. Mail services often request these routes through
     * proxies.
     */
    hits?: boolean
  }
}

/**
 * Maximum rate of requests from one client network. Many people may share one IP address, and loading a page of the
 * dashboard takes about fifty requests.
 */
const NETWORK_RATE: Rate = { count: 1_000, perMs: 5_000 }
/**
 * Maximum rate of requests for tracked links, which are answered without reading the store. One proxy of a mail service
 * may represent millions of readers.
 */
const HIT_RATE: Rate = { count: 20_000, perMs: 5_000 }
const USER_RATE: Rate = { count: 500, perMs: 5_000 }
/**
 * Maximum rate of immediate refusals for one network. Later refusals are delayed, and a connection accepts no other
 * request until its response is sent.
 */
const PROMPT_REFUSALS: Rate = { count: 100, perMs: 1_000 }
const LATE_MS = 1_000

/** Counts requests against rate limits, using the monotonic clock. */
export class RequestRates {
  readonly #limiter = new RateLimiter()

  /**
   * Counts a request before its key is known. Throws `rate_limit_exceeded`, after a delay of a second if the network
   * continues after many refusals, so that refusals take no time from other clients.
   */
  readonly byNetwork = (
    request: FastifyRequest,
    _reply: FastifyReply,
    done: (error?: Error) => void,
  ): void => {
    const { rate = 'network', hits = false } = request.routeOptions.config
    const network = clientNetwork(request.ip)
    const limits = hits ? ([`hits of ${network}`, HIT_RATE] as const) : ([network, NETWORK_RATE] as const)
    const refusal = rate === 'network' ? this.#take('network', ...limits) : undefined
    if (refusal === undefined || this.#isPrompt(network)) done(refusal)
    else setTimeout(done, LATE_MS, refusal)
  }

  #isPrompt(network: string): boolean {
    return this.#limiter.take(`refusals ${network}`, PROMPT_REFUSALS, performance.now()).allowed
  }

  /** Counts a request of a logged-in user. */
  byUser(userId: string): void {
    const problem = this.#take('user', userId, USER_RATE)
    if (problem !== undefined) throw problem
  }

  #take(policy: 'network' | 'user', name: string, rate: Rate): Problem | undefined {
    const { allowed, resetSeconds } = this.#limiter.take(`${policy} ${name}`, rate, performance.now())
    if (allowed) return undefined
    return new Problem('rate_limit_exceeded', 'Too many requests in a short time; please wait a moment.', {
      retryAfter: Math.max(1, resetSeconds),
      violatedPolicies: [policy],
    })
  }
}
