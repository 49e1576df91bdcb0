// Declaration of an endpoint, from which the server, the checks, the audit log and the reference are derived.

import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Scope } from '../access/scopes.ts'
import type { BodyBytes, BodyRule } from '../http/body-rule.ts'
import type { FieldProblem, ProblemCode } from '../model/problem.ts'

/**
 * Effect of a change on the account, which depends on whether the change gives away data or access, or destroys data.
 *
 * - `access`: changes how a user logs in, or the rights of a user.
 * - `data`: lets mail or its events be read elsewhere afterwards.
 * - `destruction`: destroys data for good.
 * - `withdrawal`: takes access from others, which has to be quick.
 * - `login`: logs a user in, or asks for the password.
 * - `none`: has none of these effects.
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

/** Declaration of the consequence, required for every endpoint with a method other than GET. */
export type Decided =
  | { readonly method: 'GET'; readonly consequence?: undefined }
  | { readonly method: Exclude<Route['method'], 'GET'>; readonly consequence: Consequence }

/** Present state of an object that `If-Match` may name. */
export interface Present {
  /** The object as GET shows it, from which its ETag is derived. */
  readonly shown: object
  /** Stored version, which the commit of a change compares again; see `seenBy` of `if-match.ts`. */
  readonly seen: unknown
}

/** Returns the secret with which a caller authenticated. The store does not contain this secret. */
export type SecretOf = (request: FastifyRequest) => string | undefined

/** Endpoint of the API. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly schema: FastifySchema & {
    readonly tags: readonly string[]
    readonly summary: string
    readonly description?: string
    /**
     * Shapes of the body by media type, for an endpoint that takes more than JSON. The OpenAPI document shows these shapes
     * instead of `body`, which the server validates.
     */
    readonly bodies?: Readonly<Record<string, TSchema>>
    readonly produces?: readonly string[]
  }
  /** Problem codes of the endpoint's refusals, in addition to the refusals of every endpoint with an API key. */
  readonly refusals: readonly ProblemCode[]
  /**
   * Scope that the endpoint requires; the table of scopes (`access/scopes.ts`) tells the kinds of keys and the role of a
   * user that may have the scope. `any-credential` for an endpoint that every key and SMTP credential may call.
   */
  readonly scope: Scope | 'any-credential'
  /** True for an endpoint that a public key may call from the web pages of its origins; no other endpoint is for it. */
  readonly forPages?: true
  /**
   * How many domains a request works in; undefined for an endpoint of the whole account, and for an endpoint with
   * `:domain` in its path. Users call an endpoint with this property below `/api/domains/:domain_id`.
   *
   * - `one`: the domain of the key, or the domain that `?domain=` names. A request to read one object needs no
   *   `?domain=`, because the ID of the object tells its domain.
   * - `all`: the same, and without `?domain=` every domain of a management key; `sendersOf` returns the domains.
   * - `from`: the same as `one`, and without `?domain=` the domain of the sender's address; `senderFrom` returns it.
   */
  readonly domains?: 'one' | 'all' | 'from' | undefined
  /**
   * Effect of a request. `reads` requires only the right to read, and is the default for GET and for no other method.
   * `charges` consumes a credit, so the endpoint offers no HEAD request, since a response without a body would be
   * useless.
   */
  readonly effect?: Effect
  /** True if a request may run long read statements, so that other accounts' reads come first. */
  readonly readsLong?: boolean
  /** Rule for the request body; required for every endpoint with a body. */
  readonly body?: BodyRule
  /**
   * Name of the action in the audit log, such as `key.create`; `false` for a change that is not logged. Every endpoint
   * that changes something has to declare a name or `false`.
   */
  readonly audit?: string | false
  /**
   * Consequence of the change, which decides whether a recent login is required, and whether the owners are notified.
   */
  readonly consequence?: Consequence | undefined
  /**
   * True if responses have the `ETag` of their object. A function for a change that `If-Match` may condition: the
   * function returns the present object, and another version is refused with `changed_meanwhile`; the handler passes
   * `seenBy(request)` to its write.
   */
  readonly versioned?: true | ((request: FastifyRequest) => Promise<Present>)
  /** Returns the part of an object that its version depends on; by default the whole object. */
  readonly versionOf?: (object: object) => object
  /**
   * `handler` if the handler itself gives a repeated `Idempotency-Key` the first response, in the commit of its
   * message. The server does so for every other POST that changes something and requires a caller (`answer-once.ts`).
   */
  readonly once?: 'handler'
  /**
   * `people` if only requests of users are in the audit log, because each message and each list of addresses names its
   * API key itself.
   */
  readonly auditOf?: 'people'
  /**
   * Finds problems beyond the schema in the valid fields of a body. Called for a body of the wrong shape, so that all
   * problems are reported together; the handler reports the problems of a body of the right shape. Returns the problems
   * or throws them as `validation_failed`, and changes nothing.
   */
  check?(request: FastifyRequest, fields: object): Found | Promise<Found>
  handler(request: FastifyRequest, reply: FastifyReply): Promise<unknown>
}

type Found = readonly FieldProblem[]

export type Effect = 'reads' | 'changes' | 'charges'

/** Returns the effect of an endpoint, which depends on the method by default. */
export const effectOf = ({ method, effect }: Pick<Route, 'method' | 'effect'>): Effect =>
  effect ?? (method === 'GET' ? 'reads' : 'changes')

/**
 * Returns the place of an endpoint below `/api`, where users call the endpoint: a domain, the verification of addresses,
 * or the account.
 */
export function placeOf({ domains, scope }: Pick<Route, 'domains' | 'scope'>) {
  if (domains !== undefined) return 'domain'
  return scope.startsWith('verifications:') ? 'verification' : 'account'
}

/** True for an endpoint whose responses the server stores under the `Idempotency-Key` of the request. */
export const isAnsweredOnce = (route: Pick<Route, 'method' | 'effect' | 'once'>): boolean =>
  route.method === 'POST' && effectOf(route) === 'changes' && route.once === undefined

/**
 * True for an action whose body may be omitted because none of its fields is required. A PATCH without a body would
 * change nothing, so a missing body was probably lost. A client that omits the body at an endpoint with several media
 * types has probably sent a body of another type.
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

/** Type of a part of a request, derived from the schema of the route. */
type Part<Schema, Name extends string, Otherwise = unknown> = Schema extends {
  readonly [One in Name]: infer Shape extends TSchema
}
  ? Static<Shape>
  : Otherwise

/** Parameter names in a path, such as `message_id` in `/v1/messages/:message_id/raw`. */
type NamesIn<Url extends string> = Url extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : Url extends `${string}:${infer Name}`
    ? Name
    : never

/** Request with the types of the route's path and schema. */
export type RequestOf<Url extends string, Schema, Body = unknown> = FastifyRequest<{
  Params: Part<Schema, 'params', { readonly [Name in NamesIn<Url>]: string }>
  Querystring: Part<Schema, 'querystring'>
  Body:
    | Part<Schema, 'body'>
    | (Body extends { readonly kinds: readonly (infer Kind)[] }
        ?
            | ('csv' extends Kind ? string : never)
            | ('lines' extends Kind ? BodyBytes : never)
            | ('mail' extends Kind ? BodyBytes : never)
            | ('file' extends Kind ? BodyBytes : never)
        : never)
}>

/** Route whose handler gets typed requests. */
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

/** Declares an endpoint, whose handler gets requests with the types of the schema. */
export const defineRoute = <Url extends string, Schema extends Route['schema'], Body extends BodyRule>(
  route: Typed<Route, Url, Schema, Body> & Decided,
): Route => route

/** Returns the path parameters of a request of any route, by name. */
export const paramsOf = ({ params }: FastifyRequest): Readonly<Record<string, string>> =>
  params as Readonly<Record<string, string>>
