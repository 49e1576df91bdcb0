// Rates of requests without a key: by client network, and by user once logged in.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { clientNetwork } from '../lib/client-network.ts'
import { type Rate, RateLimiter } from '../lib/rate-limiter.ts'
import { Problem } from '../model/problem.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Credential or role that is needed: a key of a kind, a role of the dashboard, the operator; `nobody` needs none.
     */
    authorization?: string
    /** Unit by which its requests are counted; by default the client network. */
    rate?: 'key' | 'network'
    /** Answers hits of tracked links, of which the proxies of mail services bring very many. */
    hits?: boolean
  }
}

/** Many people may be behind one address; a page of the dashboard takes some fifty requests. */
const NETWORK_RATE: Rate = { count: 1_000, perMs: 5_000 }
/** Answers that need no look at the store; a proxy of a mail service stands for millions of readers. */
const HIT_RATE: Rate = { count: 20_000, perMs: 5_000 }
const USER_RATE: Rate = { count: 500, perMs: 5_000 }
/** Refusals of one network that are answered at once. A connection takes no other request until its answer. */
const PROMPT_REFUSALS: Rate = { count: 100, perMs: 1_000 }
const LATE_MS = 1_000

/** Counts by a monotonic clock. */
export class RequestRates {
  readonly #limiter = new RateLimiter()

  /**
   * Counts a request before its key is known. Throws `rate_limit_exceeded`; where that does not slow a
   * network down, after a second, so that refusals do not take the time of other clients.
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

  /** Counts a request of a user who is logged in. */
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
