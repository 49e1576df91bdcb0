// Finds the inbox that a request names, and reads the time that a request waits for mail.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { MAX_WAIT_MS } from '../../inboxes/inbox-mails.ts'
import { isId } from '../../lib/ids.ts'
import { type FieldProblem, Problem } from '../../model/problem.ts'
import { type Read, reading } from '../../store/database/store.ts'
import { findInbox, type TestInbox } from '../../store/inboxes/inboxes.ts'
import { callerOf } from '../caller.ts'
import { paramsOf } from '../route.ts'

/**
 * Returns the inbox in the path of a request. Throws `not_found` if the account has no such inbox, and for every inbox
 * but its own to a test credential.
 */
export async function inboxOfRequest(read: Read, request: FastifyRequest): Promise<TestInbox> {
  const { accountId, mode, key } = callerOf(request)
  const { inbox_id: id = '' } = paramsOf(request)
  const isOwn = mode === 'live' || key?.inbox_id === id
  const inbox = isOwn && isId('inb', id) ? await reading(findInbox(read, { accountId, id })) : undefined
  if (inbox === undefined) throw new Problem('not_found', 'There is no test inbox with this ID.')
  return inbox
}

/** Reads a time to wait such as `10s`; adds a problem for any other text. Returns milliseconds. */
export function readWait(path: string, text: string, problems: FieldProblem[]): number {
  const [, digits, unit] = /^(\d{1,6})(ms|s)$/.exec(text) ?? []
  const ms = digits === undefined ? Number.NaN : Number(digits) * (unit === 's' ? 1_000 : 1)
  if (ms <= MAX_WAIT_MS) return ms
  problems.push({ path, code: 'invalid_value', message: 'Give a time of at most 30s, such as 10s.' })
  return 0
}

/** Returns a signal that is aborted when the client disconnects. */
export function goneSignal(reply: FastifyReply): AbortSignal {
  const ended = new AbortController()
  reply.raw.once('close', () => ended.abort())
  if (reply.raw.destroyed) ended.abort()
  return ended.signal
}
