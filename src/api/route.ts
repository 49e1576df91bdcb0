// What an endpoint says of itself: the server, the checks and the reference all come from it.

import type { FastifyReply, FastifyRequest, FastifySchema, preValidationHookHandler } from 'fastify'
import type { ProblemCode } from '../model/problem.ts'

/** One endpoint. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly schema: FastifySchema & {
    readonly tags: readonly string[]
    readonly summary: string
    readonly description?: string
    readonly consumes?: readonly string[]
    readonly produces?: readonly string[]
  }
  /** How it may refuse, beside the refusals that every endpoint with a key has. */
  readonly refusals: readonly ProblemCode[]
  /** Which kind of key it wants, where it wants a key. */
  readonly preValidation?: preValidationHookHandler
  /** The handler looks at `bodyProblems` itself, to tell them together with what only it finds. */
  readonly attachValidation?: boolean
  /** A body of `text/csv` is taken as well, as its text. */
  readonly takesCsv?: boolean
  /** A body that a form of our own pages posts is taken as well. */
  readonly takesForm?: boolean
  /** It changes nothing, though it is no GET: who may read may call it. */
  readonly changesNothing?: boolean
  /** It takes a credit, so that HEAD, of which nobody has an answer, is not offered beside GET. */
  readonly takesCredit?: boolean
  /** The largest body; without it, that of the installation. */
  readonly maxBodyBytes?: number
  handler(request: FastifyRequest, reply: FastifyReply): Promise<unknown>
}

/** Names the type of an endpoint. */
export const defineRoute = (route: Route): Route => route
