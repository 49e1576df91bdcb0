// POST /v1/operator/queue/…: runs the actions retry, cancel, pause and resume of `postrider queue` over HTTP.

import { MAX_SMALL_BODY } from '../../http/body-rule.ts'
import { invalidFields } from '../../model/problem.ts'
import { HOLD_KINDS, type HoldKind, PAUSE_KINDS } from '../../model/queue-state.ts'
import type { QueueControl } from '../../operator/queue.ts'
import {
  HoldAnswer,
  PauseBody,
  QueueActionAnswer,
  QueueActionBody,
  ResumeBody,
} from '../contract/operator.ts'
import { defineRoute, type Route } from '../route.ts'

const tags = ['Operator']
const refusals: Route['refusals'] = ['malformed_request', 'not_found', 'validation_failed']

const WHAT = {
  retry:
    'Makes queued recipients due at once. Active recipients are not affected, and scheduled recipients keep their time.',
  cancel: 'Cancels queued recipients. Active recipients are not affected.',
}

export const actOnQueue = (queue: QueueControl, action: 'retry' | 'cancel') =>
  defineRoute({
    method: 'POST',
    url: `/v1/operator/queue/${action}`,
    consequence: action === 'cancel' ? 'destruction' : 'none',
    schema: {
      tags,
      summary: action === 'retry' ? 'Retry recipients now' : 'Cancel recipients',
      description: WHAT[action],
      body: QueueActionBody,
      response: { 200: QueueActionAnswer },
    },
    refusals: [...refusals, 'conflict'],
    scope: 'operator:write',
    body: { maxBytes: MAX_SMALL_BODY },
    audit: `queue.${action}`,
    async handler(request) {
      const { message_id: message, all, ...rest } = request.body
      const selected = { message, ...rest }
      const narrowed = Object.values(selected).some((one) => one !== undefined)
      // An action without a selection requires `all`, so that a forgotten field does not change the whole queue.
      if (narrowed === (all === true)) {
        const message = narrowed
          ? '`all` cannot be combined with a selection; omit one of them.'
          : 'Give a selection: message_id, destination, stream, domain, restored, or all.'
        throw invalidFields([{ path: narrowed ? 'all' : '', code: 'invalid_selection', message }])
      }
      return { recipients: await queue.act(action, selected) }
    },
  })

export const pauseQueue = (queue: QueueControl) =>
  defineRoute({
    method: 'POST',
    url: '/v1/operator/queue/pause',
    consequence: 'none',
    schema: {
      tags,
      summary: 'Pause a destination, stream or domain',
      description:
        'Starts no new attempts. Running attempts end normally, and messages are still accepted and queued.',
      body: PauseBody,
      response: { 200: HoldAnswer },
    },
    refusals,
    scope: 'operator:write',
    body: { maxBytes: MAX_SMALL_BODY },
    audit: 'queue.pause',
    async handler(request) {
      const { kind, value } = await queue.pause({
        ...heldOf(request.body, PAUSE_KINDS),
        note: request.body.note,
      })
      return { kind, value, paused: true }
    },
  })

export const resumeQueue = (queue: QueueControl) =>
  defineRoute({
    method: 'POST',
    url: '/v1/operator/queue/resume',
    consequence: 'none',
    schema: {
      tags,
      summary: 'Resume a destination, stream or domain',
      description: 'The response is 404 if the object is not paused.',
      body: ResumeBody,
      response: { 200: HoldAnswer },
    },
    refusals,
    scope: 'operator:write',
    body: { maxBytes: MAX_SMALL_BODY },
    audit: 'queue.resume',
    async handler(request) {
      const { kind, value } = await queue.resume(heldOf(request.body, HOLD_KINDS))
      return { kind, value, paused: false }
    },
  })

function heldOf<Kind extends HoldKind>(
  body: Readonly<Partial<Record<Kind, string>>>,
  kinds: readonly Kind[],
): { readonly kind: Kind; readonly value: string } {
  const given = kinds.flatMap((kind) => {
    const value = body[kind]
    return value === undefined ? [] : [{ kind, value }]
  })
  const [only] = given
  if (only !== undefined && given.length === 1) return only
  throw invalidFields([
    { path: '', code: 'invalid_selection', message: 'Give one of destination, stream and domain.' },
  ])
}
