// A node with an inbound listener for bounces, delivered messages, and clients that send reports.

import type { Answer } from './app.ts'
import { TestApp, type TestAppOptions } from './app.ts'
import { RawSmtpClient } from './raw-smtp-client.ts'

/** Host name of return paths in these tests. */
export const RETURN_PATH_HOST = 'rp.sender.test'

/** Starts a node with its inbound listener on a free port. */
export const startInbound = (options: TestAppOptions = {}): Promise<TestApp> =>
  TestApp.start({
    ...options,
    env: { POSTRIDER_INBOUND_PORT: '0', POSTRIDER_RETURN_PATH_HOST: RETURN_PATH_HOST, ...options.env },
  })

/** A message that a mail host has accepted. */
export interface HandedOver {
  readonly id: string
  /** Return paths by recipient. */
  readonly returnPaths: ReadonlyMap<string, string>
  /** Return path of the first recipient. */
  readonly returnPath: string
  /** The message as it was transmitted. */
  readonly raw: string
}

/** Sends a message and waits until all recipients have it. */
export async function handOver(app: TestApp, fields: object = {}): Promise<HandedOver> {
  const id = await app.send(fields)
  await app.messageIn(id, 'delivered')
  return handedOver(app, id)
}

/** Returns return paths and bytes of a message that the scripted mail host accepted. */
export function handedOver(app: TestApp, id: string): HandedOver {
  const mails = app.host.mails.filter((mail) => mail.data.includes(id.slice(4)))
  const returnPaths = new Map(mails.flatMap(({ from, recipients }) => recipients.map((one) => [one, from])))
  const [first] = mails
  if (first === undefined) throw new Error(`no mail host has received ${id}`)
  return { id, returnPaths, returnPath: first.from, raw: first.data.toString('latin1') }
}

/** Opens an SMTP session with the inbound listener and sends EHLO. */
export async function knock(app: TestApp, helo = 'mx.receiver.example'): Promise<RawSmtpClient> {
  const client = await RawSmtpClient.connect(app.app.inboundPort as number)
  await client.reply()
  await client.ask(`EHLO ${helo}`)
  return client
}

/** Sends a bounce or report to one address or several; returns the last SMTP reply. */
export async function bringBack(
  app: TestApp,
  to: string | readonly string[],
  mail: Buffer,
  from = '',
  helo?: string,
): Promise<string> {
  const client = await knock(app, helo)
  try {
    for (const line of [`MAIL FROM:<${from}>`, ...[to].flat().map((one) => `RCPT TO:<${one}>`), 'DATA']) {
      const reply = await client.ask(line)
      if (!/^[23]/.test(reply)) return reply
    }
    client.send(mail.toString('latin1').replace(/^\./gm, '..'))
    return await client.ask('\r\n.')
  } finally {
    client.vanish()
  }
}

/** Returns the message as the API shows it. */
export const show = async (app: TestApp, id: string): Promise<Answer['body']> =>
  (await app.call('GET', `/v1/messages/${id}`)).body

/** Returns the events of a message that have this type. */
export const eventsOf = (message: Answer['body'], type: string): Answer['body'][] =>
  message.events.filter((event: { type: string }) => event.type === type)
