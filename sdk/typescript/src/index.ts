// The client of the HTTP API of Postrider.

export { type FailureCode, PostriderError } from './error.ts'
export type { EventStream } from './event-stream.ts'
export type { Nouns, WebhookEvent } from './generated/nouns.ts'
export type * from './generated/types.ts'
export type { Listing, Page } from './listing.ts'
export {
  type AccountOptions,
  headersOf,
  operationIds,
  Postrider,
  type PostriderOptions,
} from './postrider.ts'
export type { RequestOptions } from './request.ts'
export { type RequestHeaders, type VerifyOptions, WebhookVerificationError, webhooks } from './webhooks.ts'
