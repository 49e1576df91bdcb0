// Types of the tables of tools: the operations that a tool calls, the arguments that it offers, and what it changes.
// Scopes, and the schemas of arguments and results, come from the OpenAPI document by the IDs of the operations.

import type { Postrider } from '../../typescript/src/index.ts'

/** Names for `--allow`, each of which permits some changes. */
export const ALLOWABLE = ['verify', 'suppressions', 'messages', 'templates', 'webhooks', 'send'] as const
export type Allowable = (typeof ALLOWABLE)[number]

/** Arguments of a call; the server has checked them against the schema. */
// biome-ignore lint/suspicious/noExplicitAny: the schema of each tool decides
export type Arguments = any

/** Services that a call may use. */
export interface Call {
  readonly postrider: Postrider
  /** Client of the admin listener, which has the API of the operator. */
  readonly admin: Postrider
  /** Address of the service. */
  readonly url: string
  readonly signal: AbortSignal
}

/** Effect of a tool on the service, as in the annotations of MCP. */
interface Hints {
  readonly destructive: boolean
  readonly idempotent: boolean
  readonly openWorld: boolean
}

export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  /** IDs of the operations that the tool calls; empty for a tool that reads public pages. */
  readonly operations: readonly string[]
  /** IDs of operations that the tool calls besides, and whose responses are not part of the result. */
  readonly besides?: readonly string[]
  /** Names of the offered arguments: parameters of the first operation, or fields of its body. */
  readonly offers: readonly string[]
  /** Own arguments with their schemas. */
  readonly own?: Readonly<Record<string, object>>
  /** Schema of the result, if not the response of the only operation. */
  readonly result?: object
  /** Name under which the tool must be allowed; absent for a tool that only reads. */
  readonly allow?: Allowable
  /** Absent for a tool that only reads. */
  readonly changes?: Hints
  /** Question to the user before the call, if the client can ask. */
  asks?(given: Arguments): string
  call(call: Call, given: Arguments): Promise<object>
}

/** Arguments of a list. */
export const PAGE = ['limit', 'cursor', 'domain'] as const

/** Maximum number of rows of a result. */
export const MAX_ROWS = 25

/** Requests a page of a list, which is an object without `format`. */
export const page = async (list: PromiseLike<object | string>): Promise<object> => (await list) as object
