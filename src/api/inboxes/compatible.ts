// Parts that the pages of Mailpit and of MailHog share: their inbox, their options and their refusals.

import type { FastifyRequest } from 'fastify'
import type { Checking, CheckThreads } from '../../check/checking.ts'
import { MAX_SMALL_BODY } from '../../http/body-rule.ts'
import type { InboxMails } from '../../inboxes/inbox-mails.ts'
import type { Clock } from '../../lib/clock.ts'
import { Problem } from '../../model/problem.ts'
import type { Store } from '../../store/database/store.ts'
import type { InboxOwner } from '../../store/inboxes/mails.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Inbox of the request, to which the client has logged in; null for other requests. */
    inbox: InboxOwner | null
  }
}

/** Services that the pages of both programs use. */
export interface Compatible {
  readonly store: Store
  readonly clock: Clock
  readonly mails: InboxMails
  /** Limit of stored bytes of accounts without a separate limit; undefined for no limit. */
  readonly storedBytesPerAccount: number | undefined
  /** Signal that is aborted when the server stops. */
  readonly stopping: AbortSignal
  /** Opens the check of messages, which also asks the hosts of links and the spam filter. */
  readonly openChecking: () => Promise<Checking>
  /** True if a spam filter is configured. */
  readonly hasSpamFilter: boolean
  /** Threads that make thumbnails. */
  readonly threads: CheckThreads
}

/** Returns the inbox of a request that `logIn` has admitted. */
export function inboxOf({ inbox }: FastifyRequest): InboxOwner {
  if (inbox === null) throw new Error('the client has not logged in')
  return inbox
}

/** Returns a refusal with a sentence, for the status 400. */
export const badRequest = (message: string): Problem => new Problem('malformed_request', message)

export const pageNotFound = (): Problem => new Problem('not_found', '404 page not found')

/** Options of a route of these pages, which have their own login and are not part of the API. */
export const route = {
  schema: { hide: true } as object,
  config: { authorization: 'inbox key', rate: 'key', body: { maxBytes: MAX_SMALL_BODY } },
} as const

/** Returns the body of a request as an object; an empty one for a missing body. */
export function bodyOf({ body }: FastifyRequest): Readonly<Record<string, unknown>> {
  if (body === undefined || body === null) return {}
  if (typeof body !== 'object' || Array.isArray(body)) throw badRequest('the body is no JSON object')
  return body as Record<string, unknown>
}
