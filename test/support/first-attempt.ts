// Sends one message and returns the result of its first attempt, from the history of the message.

import assert from 'node:assert/strict'
import { inspectMessage } from '../../src/store/queue/queue-control.ts'
import type { TestApp } from './app.ts'

/** The result of an attempt: fields of the event and of the stored attempt. */
export interface FirstAttempt {
  readonly id: string
  readonly status: string
  readonly reason: string
  readonly category: string | undefined
  readonly hard: boolean | undefined
  readonly mx: string | null
  readonly address: string | null
  readonly tls: string | null
  readonly transcript: string
}

/** Sends a message to this address; `fields` are further fields of the send request. */
export async function firstAttempt(app: TestApp, email: string, fields: object = {}): Promise<FirstAttempt> {
  const id = await app.send({ to: [{ email }], ...fields })
  const message = await app.messageIn(id, 'delivered', 'deferred', 'bounced', 'failed')
  const event = message.events.at(-1)
  const attempt = (await inspectMessage(app.store.read, id))?.attempts[0]
  assert.ok(attempt)
  const { mx, address, tls, transcript } = attempt
  const { reason, category, hard } = event.detail
  return { id, status: event.type, reason, category, hard, mx, address, tls, transcript }
}
