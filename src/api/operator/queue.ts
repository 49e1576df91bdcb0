// GET /v1/operator/queue…: returns waiting recipients, grouped by destination or one by one.

import { Type } from 'typebox'
import { wrongCursor } from '../../http/page.ts'
import { isId, timeOfId } from '../../lib/ids.ts'
import { formatTime } from '../../lib/rfc3339.ts'
import { heldViewForOperator } from '../../model/held.ts'
import { Problem } from '../../model/problem.ts'
import { published, type Standing } from '../../model/queue-state.ts'
import { inspectedDocument } from '../../operator/inspected-document.ts'
import type { QueueControl } from '../../operator/queue.ts'
import type { LastReply } from '../../store/queue/waiting.ts'
import { PageQuery } from '../contract/common.ts'
import { InspectedAnswer, QueueAnswer, WaitingAnswer, WaitingQuery } from '../contract/operator.ts'
import { defineRoute } from '../route.ts'

const tags = ['Operator']
const ListQuery = Type.Object(PageQuery, { additionalProperties: false })

export const listQueue = (queue: QueueControl) =>
  defineRoute({
    method: 'GET',
    url: '/v1/operator/queue',
    schema: {
      tags,
      summary: 'List the queue by destination',
      querystring: ListQuery,
      response: { 200: QueueAnswer },
    },
    refusals: ['malformed_request', 'validation_failed'],
    scope: 'operator:read',
    async handler(request) {
      const { limit = 50, cursor } = request.query
      const [recipients, destination] = readCursor(cursor, /^(\d{1,15}) ([^\s\0]{1,300})$/)
      const after = destination === undefined ? undefined : { recipients: Number(recipients), destination }
      const [lines, pauses] = await Promise.all([queue.list(limit + 1, after), queue.pauses()])
      const page = lines.slice(0, limit)
      const last = page.at(-1)
      const replies = await queue.lastReplies(page.map((line) => line.destination))
      return {
        data: page.map((line) => ({
          destination: line.destination,
          recipients: line.recipients,
          in_attempt: line.inAttempt,
          held: line.held,
          oldest_message_id: line.oldestMessageId,
          oldest_at: formatTime(timeOfId(line.oldestMessageId)),
          next_attempt_at: formatTime(line.nextAttemptAt),
          paused: line.pause !== undefined,
          last_reply: replyView(replies.find(({ destination }) => destination === line.destination)),
        })),
        paused: pauses.map(({ created_at, ...pause }) => ({ ...pause, created_at: formatTime(created_at) })),
        next_cursor:
          lines.length > limit && last !== undefined ? cursorOf(last.recipients, last.destination) : null,
      }
    },
  })

export const listQueuedRecipients = (queue: QueueControl) =>
  defineRoute({
    method: 'GET',
    url: '/v1/operator/queue/recipients',
    schema: {
      tags,
      summary: 'List queued recipients',
      description: 'Returns recipients in the order of their next attempts; filters are combined with AND.',
      querystring: WaitingQuery,
      response: { 200: WaitingAnswer },
    },
    refusals: ['malformed_request', 'not_found', 'validation_failed'],
    scope: 'operator:read',
    async handler(request) {
      const { limit = 50, cursor, message_id: message, ...rest } = request.query
      const [due, id, position] = readCursor(cursor, /^(\d{1,15}) (msg_\w{26}) (\d{1,4})$/)
      const after =
        id === undefined
          ? undefined
          : { nextAttemptAt: Number(due), messageId: id, position: Number(position) }
      const found = await queue.waiting({ ...rest, message }, limit + 1, after)
      const page = found.slice(0, limit)
      const last = page.at(-1)
      return {
        data: page.map((one) => ({
          ...standingView(one),
          message_id: one.messageId,
          email: one.email,
          destination: one.destination,
          domain: one.domainName,
          stream: one.stream,
          status: one.status,
          attempts: one.attempts,
          in_attempt: one.state === 'active',
          held: one.held === null ? null : heldViewForOperator(one.held),
          next_attempt_at: one.held === null ? formatTime(one.nextAttemptAt) : null,
          created_at: formatTime(one.createdAt),
          last_event_at: formatTime(one.lastEventAt),
          smtp_code: one.smtpCode,
          smtp_response: one.smtpResponse,
        })),
        next_cursor:
          found.length > limit && last !== undefined
            ? cursorOf(last.nextAttemptAt, last.messageId, last.position)
            : null,
      }
    },
  })

export const showQueuedMessage = (queue: QueueControl) =>
  defineRoute({
    method: 'GET',
    url: '/v1/operator/queue/messages/:message_id',
    schema: {
      tags,
      summary: 'Show a message with its attempts',
      description: 'Returns a message of any account, as `postrider queue show` does.',
      params: Type.Object({ message_id: Type.String({ maxLength: 100 }) }),
      response: { 200: InspectedAnswer },
    },
    refusals: ['not_found'],
    scope: 'operator:read',
    async handler(request) {
      const { message_id: id } = request.params
      if (!isId('msg', id)) throw new Problem('not_found', 'There is no such message: check the ID.')
      return inspectedDocument(await queue.show(id))
    },
  })

function standingView(one: Standing) {
  const { state, waitsFor } = published(one)
  return { state, waits_for: waitsFor }
}

function replyView(reply: LastReply | undefined) {
  if (reply === undefined) return null
  const { messageId, at, smtpCode, smtpResponse, mx } = reply
  return { message_id: messageId, at: formatTime(at), smtp_code: smtpCode, smtp_response: smtpResponse, mx }
}

/** Returns a cursor with these parts, which contain no white space. */
export const cursorOf = (...parts: readonly (string | number)[]): string =>
  Buffer.from(parts.join(' ')).toString('base64url')

/** Returns the parts of a cursor; empty if there is no cursor. Throws `malformed_request` for an invalid cursor. */
export function readCursor(cursor: string | undefined, form: RegExp): readonly string[] {
  if (cursor === undefined) return []
  const match = form.exec(Buffer.from(cursor, 'base64url').toString('utf8'))
  if (match !== null) return match.slice(1)
  throw wrongCursor()
}
