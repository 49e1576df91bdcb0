// Attack: clients pipeline requests and do not read the responses. Requests without an API key ask for the OpenAPI
// document, and requests with a key ask for complete messages.

import { setTimeout as sleep } from 'node:timers/promises'
import type { UnreadPipeline } from '../loads/unread-pipeline.ts'
import { type Answered, type Attacked, type Recipe, together } from '../recipe.ts'

const MESSAGE_BYTES = 2_000_000

const get = (path: string, key?: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\n${key === undefined ? '' : `Authorization: Bearer ${key}\r\n`}\r\n`

/** Sends a large message of the attacker and returns its ID. */
async function sendLarge({ url, attacker }: Attacked): Promise<string> {
  const response = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${attacker.sendingKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      from: `a@${attacker.domain.name}`,
      to: [{ email: 'b@receiver.test' }],
      subject: 'Large',
      text: 'All work and no play. '.repeat(MESSAGE_BYTES / 22),
    }),
  })
  return ((await response.json()) as { message_id: string }).message_id
}

export const recipe: Recipe = {
  sentence:
    '20 connections pipeline 1,500 requests each for the OpenAPI document, others for messages; no client reads.',
  async run(attacked): Promise<Answered> {
    const { url, attacker, load } = attacked
    const id = await sendLarge(attacked)
    const unread = { url, unreadMs: 12_000, readMs: 3_000 }
    const pipeline = (request: string, connections: number, times: number): Promise<Answered> =>
      load('unread-pipeline.ts', { ...unread, request, connections, times } satisfies UnreadPipeline)
    const document = pipeline(get('/v1/openapi.json'), 20, 1_500)
    await sleep(6_000)
    const key = attacker.sendingKey
    return together(
      document,
      pipeline(get(`/v1/messages/${id}/raw`, key), 4, 100),
      pipeline(get(`/v1/messages/${id}?include=content`, key), 4, 100),
    )
  },
}
