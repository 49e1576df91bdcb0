// Rates of requests without a key: by client network, and by user once logged in.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { clientNetwork } from '../lib/client-network.ts'
import { type Rate, RateLimiter } from '../lib/rate-limiter.ts'
import { Problem } from '../model/problem.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Credential or role that is needed: a key of a kind, a role of the dashboard, the operator; `nobody` needs none. */
    authorization?: string
    /** Unit by which its requests are counted; by default the client network. */
    rate?: 'key' | 'network'
  }
}

/** Many people may be behind one address; a page of the dashboard takes some fifty requests. */
const NETWORK_RATE: Rate = { count: 1_000, perMs: 5_000 }
const USER_RATE: Rate = { count: 500, perMs: 5_000 }

/** Counts by a clock that nobody sets. */
export class RequestRates {
  readonly #limiter = new RateLimiter()

  /** Counts a request of somebody who has not shown a key yet. Throws `rate_limit_exceeded`. */
  readonly byNetwork = (
    request: FastifyRequest,
    _reply: FastifyReply,
    done: (error?: Error) => void,
  ): void => {
    const { rate = 'network' } = request.routeOptions.config
    done(rate === 'network' ? this.#take('network', clientNetwork(request.ip), NETWORK_RATE) : undefined)
  }

  /** Counts a request of somebody who is logged in. */
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
