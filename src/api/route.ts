// The declaration of an endpoint: the server, the checks, the audit log and the reference all come from it.

import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { BodyBytes, BodyRule } from '../http/body-rule.ts'
import type { FieldProblem, ProblemCode } from '../model/problem.ts'

/**
 * Effect of a change on what the account holds, by the question: does it give data or access to someone else, or destroy?
 *
 * - `access`: it changes how somebody gets in, or who may do what.
 * - `data`: mail or its events can be had elsewhere afterwards.
 * - `destruction`: what is lost cannot be had again.
 * - `withdrawal`: it takes away what others have, which has to be quick.
 * - `login`: it is a way in, or asks for the password itself.
 * - `none`: none of these.
 */
export type Consequence = 'access' | 'data' | 'destruction' | 'withdrawal' | 'login' | 'none'

/** Consequences for which a session has to be of the last ten minutes: an unattended or stolen one does not suffice. */
export const RECENT_LOGIN: Readonly<Record<Consequence, boolean>> = {
  access: true,
  data: true,
  destruction: true,
  withdrawal: false,
  login: false,
  none: false,
}

/** Every endpoint with another method than GET has to say its consequence. */
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
  /** Refusals of its own, beside those of every endpoint with a key. */
  readonly refusals: readonly ProblemCode[]
  /** Kind of key, where it wants a key. */
  readonly key?: 'sending' | 'verification'
  /**
   * `reads`: needs the right to read only; by default every GET and nothing else. `charges`: it takes a credit, so that
   * HEAD, which has no answer of use, is not offered beside GET.
   */
  readonly effect?: Effect
  /** Every endpoint with a body has to say it. */
  readonly body?: BodyRule
  /**
   * The name in the audit log, such as `key.create`; `false` for a change that is not worth telling. Every endpoint
   * that changes something has to say it.
   */
  readonly audit?: string | false
  /** It decides on the age of a person's login, and whether the owners are told. */
  readonly consequence?: Consequence | undefined
  /**
   * A repeat under the same `Idempotency-Key` gets the first answer again. The server sees to that for every POST that
   * changes something and wants a caller (`answer-once.ts`); here stands who does it instead: the `handler`, in the
   * commit of the message that it takes.
   */
  readonly once?: 'handler'
  /** Keys are not logged: each message and each list of addresses names its key itself. */
  readonly auditOf?: 'people'
  /**
   * Finds what the schema cannot tell, in the fields of a body that fit it: asked for a body of the wrong shape, so that
   * all problems are told at once; those of a right one are told by the handler. Answers them, or throws
   * `validation_failed` with them; changes nothing.
   */
  check?(request: FastifyRequest, fields: object): Found | Promise<Found>
  handler(request: FastifyRequest, reply: FastifyReply): Promise<unknown>
}

type Found = readonly FieldProblem[]

export type Effect = 'reads' | 'changes' | 'charges'

/** The effect of an endpoint, by its method where it does not say. */
export const effectOf = ({ method, effect }: Pick<Route, 'method' | 'effect'>): Effect =>
  effect ?? (method === 'GET' ? 'reads' : 'changes')

/** True for an endpoint whose answers the server keeps under the `Idempotency-Key` of the request. */
export const isAnsweredOnce = (route: Pick<Route, 'method' | 'effect' | 'once'>): boolean =>
  route.method === 'POST' && effectOf(route) === 'changes' && route.once === undefined

/**
 * True for an action whose body may be left out: none of its fields is required. A change (PATCH) without a body would do
 * nothing, so that its body was lost; one of several media types is more likely sent as another one.
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

/** The type of a part of a request: that of its schema. */
type Part<Schema, Name extends string, Otherwise = unknown> = Schema extends {
  readonly [One in Name]: infer Shape extends TSchema
}
  ? Static<Shape>
  : Otherwise

/** The names in a path: of `/v1/messages/:message_id/raw` it is `message_id`. */
type NamesIn<Url extends string> = Url extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : Url extends `${string}:${infer Name}`
    ? Name
    : never

/** A request in the types of the route's path and schema. */
export type RequestOf<Url extends string, Schema, Body = unknown> = FastifyRequest<{
  Params: Part<Schema, 'params', { readonly [Name in NamesIn<Url>]: string }>
  Querystring: Part<Schema, 'querystring'>
  Body:
    | Part<Schema, 'body'>
    | (Body extends { readonly kinds: readonly (infer Kind)[] }
        ? ('csv' extends Kind ? string : never) | ('lines' extends Kind ? BodyBytes : never)
        : never)
}>

/** A route whose handler gets its requests typed. */
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

/** Declares an endpoint; its handler gets requests in the types of the schema. */
export const defineRoute = <Url extends string, Schema extends Route['schema'], Body extends BodyRule>(
  route: Typed<Route, Url, Schema, Body> & Decided,
): Route => route

/** The names in the path of a request of any route, by what the path calls them. */
export const paramsOf = ({ params }: FastifyRequest): Readonly<Record<string, string>> =>
  params as Readonly<Record<string, string>>
