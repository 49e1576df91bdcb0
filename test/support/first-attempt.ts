// Sends one message and returns the end of its first attempt, as in the history.

import assert from 'node:assert/strict'
import { inspectMessage } from '../../src/store/queue/queue-control.ts'
import type { TestApp } from './app.ts'

/** The end of an attempt: the event, and the stored attempt. */
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

/** Sends a message to this address; further fields as in a send request. */
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
