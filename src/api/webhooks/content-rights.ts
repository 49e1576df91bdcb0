// Webhooks of callers without the scope `content:read`: a webhook that gets received mail would show them contents.

import type { FastifyRequest } from 'fastify'
import type { FeedEventType } from '../../model/account-event.ts'
import { EVENT_TYPES } from '../../model/event.ts'
import type { Webhook } from '../../store/webhooks/webhooks.ts'
import { FORMATS } from '../../webhooks/request.ts'
import type { WebhookChanges, WebhookInput } from '../../webhooks/webhook-fields.ts'
import { callerOf, requireScope } from '../caller.ts'

const mayReadContent = (request: FastifyRequest): boolean => callerOf(request).scopes.has('content:read')

/** True if a webhook with these event types gets received mail; no types means all types. */
const getsContent = (types: readonly FeedEventType[]): boolean =>
  types.length === 0 || types.includes('received')

/**
 * Returns a new webhook as its maker may have it: without the right to read contents, a webhook for all event types gets
 * all but `received`. Throws `scope_not_permitted` if the maker asks for `received` and may not read contents.
 */
export function withinRights(request: FastifyRequest, input: WebhookInput): WebhookInput {
  if (mayReadContent(request)) return input
  const { event_types: types = [], format = 'standard' } = input
  if (types.includes('received')) requireScope(request, 'content:read')
  if (types.length > 0) return input
  const others = EVENT_TYPES.filter((type) => type !== 'received' && FORMATS[format].types.has(type))
  return { ...input, event_types: others }
}

/**
 * Throws `scope_not_permitted` for a change of a webhook that gets received mail before or after the change, by a caller
 * who may not read contents: the change could send contents elsewhere.
 */
export function requireRightTo(request: FastifyRequest, webhook: Webhook, changes: WebhookChanges): void {
  const types: readonly FeedEventType[] = JSON.parse(webhook.event_types)
  if (getsContent(types) || getsContent(changes.event_types ?? types)) requireScope(request, 'content:read')
}

/** True if the caller may see the requests of a webhook, which have contents if the webhook gets received mail. */
export const maySeeRequests = (request: FastifyRequest, { event_types: types }: Webhook): boolean =>
  mayReadContent(request) || !getsContent(JSON.parse(types))
