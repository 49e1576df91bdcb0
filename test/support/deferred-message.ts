// A message of the playground that waits for a further attempt, of a node without delivery.

import type { TestApp } from './app.ts'

const HOUR_MS = 3_600_000

/** Sends a message, and makes its recipients wait for an hour; returns the ID of the message. */
export async function deferredMessage(app: TestApp): Promise<string> {
  const messageId = await app.send({ send_at: new Date(Date.now() + 2 * HOUR_MS).toISOString() })
  await app.store.read
    .updateTable('queue')
    .set({ state: 'deferred', due_at: Date.now() + HOUR_MS } as never)
    .where('message_id', '=', messageId)
    .execute()
  return messageId
}
