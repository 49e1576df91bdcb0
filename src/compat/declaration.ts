// Declares the calls of another service. Mounting, docs/compatibility.md and the tests of rights derive from the
// declarations.

import type { FastifyRequest } from 'fastify'
import type { Effect, Route, SecretOf } from '../api/route.ts'
import type { BodyRule } from '../http/body-rule.ts'
import type { CompatibleService } from '../lib/setting-kinds.ts'
import type { Problem } from '../model/problem.ts'
import type { Translation } from './translation.ts'

/** A call of another service. */
export interface VendorCall {
  readonly method: Route['method']
  /** Path as the service has it, with parameters such as `/bounces/:id`; served in any case of letters. */
  readonly path: string
  /** Heading of the call in docs/compatibility.md. */
  readonly noun: string
  readonly summary: string
  /** Scope that the key needs, as at `/v1`. */
  readonly scope: Route['scope']
  /** `differs` if the call does something else than at the service; `refused` if the call is known and not served. */
  readonly state: 'served' | 'differs' | 'refused'
  /** Differences, or the reason of the refusal, as sentences; required unless the call is served. */
  readonly differences?: string
  /** Effect of a request, by default as for `Route`. */
  readonly effect?: Effect
  /** Rule for the body; a small JSON object by default. */
  readonly body?: BodyRule
  /** True if the body is a JSON array. */
  readonly takesArray?: boolean
  /** True if the call takes the token of the service that only checks requests; see `Vendor.testToken`. */
  readonly takesTestToken?: boolean
  /**
   * `handler` if `submission` gives a repeated `Idempotency-Key` the first response. For any other POST, the response
   * to the first request is stored.
   */
  readonly once?: 'handler'
  /** Returns the response body; the status is 200 unless the handler sets another one. Absent for a refused call. */
  handler?(translation: Translation): Promise<unknown>
}

/** Response to a refused request, in the form of a service. */
export interface Refusal {
  readonly status: number
  /** A text is sent as text/plain, any other value as JSON. */
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Another service. */
export interface Vendor {
  /** Name of its folder here; its calls are served below `/compat/<name>`. */
  readonly name: CompatibleService
  /** Name in prose. */
  readonly title: string
  /** Returns the secret of a request from the place where the clients of the service send it. */
  readonly secretOf: SecretOf
  /** Secret with which the service only checks requests; such a request stores nothing and belongs to no account. */
  readonly testToken?: string
  /** Returns the response to a refused request; reads the table of errors of the service. */
  refusal(problem: Problem, request: FastifyRequest): Refusal
  /**
   * Requests to the root of the installation that belong to the service: the beginnings of the paths, and the scheme of
   * `Authorization`, which distinguishes services with the same paths.
   */
  readonly atRoot?: { readonly paths: readonly string[]; readonly scheme: 'basic' | 'bearer' }
  readonly calls: readonly VendorCall[]
}
