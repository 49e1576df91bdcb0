// The declaration of an endpoint, from which the server, the checks, the audit log and the reference are derived.

import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { BodyBytes, BodyRule } from '../http/body-rule.ts'
import type { FieldProblem, ProblemCode } from '../model/problem.ts'

/**
 * Effect of a change on the account: whether it gives data or access to someone else, or destroys.
 *
 * - `access`: it changes how somebody logs in, or somebody's rights.
 * - `data`: mail or its events can be read elsewhere afterwards.
 * - `destruction`: it destroys data for good.
 * - `withdrawal`: it takes access from others, which has to be quick.
 * - `login`: it is a login, or asks for the password itself.
 * - `none`: none of these.
 */
export type Consequence = 'access' | 'data' | 'destruction' | 'withdrawal' | 'login' | 'none'

/** Consequences that require a login within the last ten minutes, since a session may be unattended or stolen. */
export const RECENT_LOGIN: Readonly<Record<Consequence, boolean>> = {
  access: true,
  data: true,
  destruction: true,
  withdrawal: false,
  login: false,
  none: false,
}

/** Every endpoint with a method other than GET has to declare its consequence. */
export type Decided =
  | { readonly method: 'GET'; readonly consequence?: undefined }
  | { readonly method: Exclude<Route['method'], 'GET'>; readonly consequence: Consequence }

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
  /** Refusals of the endpoint, in addition to those of every endpoint with a key. */
  readonly refusals: readonly ProblemCode[]
  /** Kind of key that the endpoint needs, if any. */
  readonly key?: 'sending' | 'verification'
  /**
   * `reads`: needs only the right to read; by default every GET and no other endpoint. `charges`: a call takes a
   * credit, so that HEAD, whose answer would be useless, is not offered in addition to GET.
   */
  readonly effect?: Effect
  /** Every endpoint with a body has to declare it. */
  readonly body?: BodyRule
  /**
   * Name in the audit log, such as `key.create`; `false` for a change that is not logged. Every endpoint that changes
   * something has to declare it.
   */
  readonly audit?: string | false
  /** Decides whether the login has to be recent, and whether the owners are notified. */
  readonly consequence?: Consequence | undefined
  /**
   * A repetition under the same `Idempotency-Key` gets the first answer again. The server does that for every POST that
   * changes something and needs a caller (`answer-once.ts`), unless the `handler` does it in the commit of its message.
   */
  readonly once?: 'handler'
  /** `people`: requests of keys are not logged, as each message and each list of addresses names its key itself. */
  readonly auditOf?: 'people'
  /**
   * Finds problems beyond the schema in the valid fields of a body. Called for a body of the wrong shape, so that all
   * problems are reported together; the handler reports those of a valid body. Returns the problems, or throws
   * `validation_failed` with them; changes nothing.
   */
  check?(request: FastifyRequest, fields: object): Found | Promise<Found>
  handler(request: FastifyRequest, reply: FastifyReply): Promise<unknown>
}

type Found = readonly FieldProblem[]

export type Effect = 'reads' | 'changes' | 'charges'

/** Returns the effect of an endpoint, which follows from its method by default. */
export const effectOf = ({ method, effect }: Pick<Route, 'method' | 'effect'>): Effect =>
  effect ?? (method === 'GET' ? 'reads' : 'changes')

/** True for an endpoint whose answers the server stores under the `Idempotency-Key` of the request. */
export const isAnsweredOnce = (route: Pick<Route, 'method' | 'effect' | 'once'>): boolean =>
  route.method === 'POST' && effectOf(route) === 'changes' && route.once === undefined

/**
 * True for an action whose body may be omitted because none of its fields is required. A change (PATCH) without a body
 * would do nothing, so its body was probably lost; an endpoint with several media types was probably sent another one.
 */
export const needsNoBody = ({
  method,
  schema,
  body,
}: Pick<Route, 'method' | 'body'> & NeedsSchema): boolean => {
  const shape = schema.body as { readonly type?: string; readonly required?: readonly string[] } | undefined
  return method === 'POST' && shape?.type === 'object' && !shape.required?.length && body?.kinds === undefined
}

interface NeedsSchema {
  readonly schema: FastifySchema
}

/** Type of a part of a request, from its schema. */
type Part<Schema, Name extends string, Otherwise = unknown> = Schema extends {
  readonly [One in Name]: infer Shape extends TSchema
}
  ? Static<Shape>
  : Otherwise

/** Names in a path: `message_id` in `/v1/messages/:message_id/raw`. */
type NamesIn<Url extends string> = Url extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : Url extends `${string}:${infer Name}`
    ? Name
    : never

/** A request with the types of the route's path and schema. */
export type RequestOf<Url extends string, Schema, Body = unknown> = FastifyRequest<{
  Params: Part<Schema, 'params', { readonly [Name in NamesIn<Url>]: string }>
  Querystring: Part<Schema, 'querystring'>
  Body:
    | Part<Schema, 'body'>
    | (Body extends { readonly kinds: readonly (infer Kind)[] }
        ? ('csv' extends Kind ? string : never) | ('lines' extends Kind ? BodyBytes : never)
        : never)
}>

/** A route whose handler gets typed requests. */
export type Typed<
  Base extends Pick<Route, 'url' | 'body' | 'check' | 'handler'>,
  Url extends string,
  Schema,
  Body,
> = Omit<Base, 'url' | 'schema' | 'body' | 'check' | 'handler'> & {
  readonly url: Url
  readonly schema: Schema
  readonly body?: Body
  check?(
    request: RequestOf<Url, Schema, Body>,
    fields: Partial<Part<Schema, 'body', object>>,
  ): Found | Promise<Found>
  handler(request: RequestOf<Url, Schema, Body>, reply: FastifyReply): Promise<unknown>
}

/** Declares an endpoint; its handler gets requests with the types of the schema. */
export const defineRoute = <Url extends string, Schema extends Route['schema'], Body extends BodyRule>(
  route: Typed<Route, Url, Schema, Body> & Decided,
): Route => route

/** Returns the parameters in the path of a request of any route, by name. */
export const paramsOf = ({ params }: FastifyRequest): Readonly<Record<string, string>> =>
  params as Readonly<Record<string, string>>
