// Mail for inbound streams in tests: creates streams by the API, sends messages to the inbound listener, and reads the
// parsed messages.

import type { Answer, TestApp } from './app.ts'
import { knock } from './inbound.ts'
import { until } from './test-clock.ts'

/** Creates an inbound stream that accepts mail for these addresses. */
export async function createInboundStream(
  app: TestApp,
  addresses: readonly string[],
  alias = 'replies',
  fields: object = {},
): Promise<void> {
  const stream = { alias, name: alias, kind: 'inbound', addresses, ...fields }
  const { status, body } = await app.call('POST', '/v1/streams', stream)
  if (status !== 201) throw new Error(`the stream was refused: ${JSON.stringify(body)}`)
}

/** Sends a message to the inbound listener; returns the last SMTP reply. */
export async function bringMail(
  app: TestApp,
  to: string | readonly string[],
  mail: Buffer | string,
  from = 'jo@author.example',
): Promise<string> {
  const client = await knock(app)
  try {
    for (const line of [`MAIL FROM:<${from}>`, ...[to].flat().map((one) => `RCPT TO:<${one}>`), 'DATA']) {
      const reply = await client.ask(line)
      if (!/^[23]/.test(reply)) return reply
    }
    // The CRLF before the final dot is part of the message.
    client.send(Buffer.from(mail).toString('latin1').replace(/^\./gm, '..').replace(/\r\n$/, ''))
    return await client.ask('\r\n.')
  } finally {
    client.vanish()
  }
}

/** Returns the inbound messages, newest first, as soon as this many messages are processed. */
export function inboundMessages(app: TestApp, count: number, query = ''): Promise<Answer['body'][]> {
  return until(`${count} inbound messages are read`, async () => {
    const { body } = await app.call('GET', `/v1/inbound?limit=200${query}`)
    const read = body.data.filter(({ status }: { status: string }) => status === 'processed')
    return read.length >= count && read
  })
}

/** Returns a message with these header fields and this body. */
export const mailOf = (fields: Readonly<Record<string, string>>, body: string): string =>
  `${Object.entries({
    From: 'Jo Doe <jo@author.example>',
    To: 'support@example.test',
    Subject: 'Hello',
    Date: 'Fri, 20 Nov 2026 10:00:00 +0100',
    'Message-ID': '<one@author.example>',
    ...fields,
  })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n${body}`
