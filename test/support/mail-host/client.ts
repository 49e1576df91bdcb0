// Scripted mail hosts and client connections that are closed at the end of their test.

import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { ConnectOptions, SmtpConnection } from '../../../src/smtp/connection.ts'
import type { MessageData } from '../../../src/smtp/message-data.ts'
import type { Timeouts } from '../../../src/smtp/timeouts.ts'
import { connect } from '../dialog-threads.ts'
import { MailHost } from './mail-host.ts'
import { chunkingExtensions, type HostAnswer, type HostScript, type MailHostOptions } from './script.ts'

/** Starts a mail host, which offers CHUNKING unless the options name other extensions. */
export async function startHost(options: MailHostOptions = {}): Promise<MailHost> {
  const host = await MailHost.start({ extensions: chunkingExtensions, ...options })
  after(() => host.stop())
  return host
}

/** Opens a connection to a mail host on 127.0.0.1, with TLS if the mail host offers STARTTLS. */
export async function openTo(
  host: { port: number },
  timeouts: Partial<Timeouts> = {},
  more: Partial<ConnectOptions> = {},
): Promise<SmtpConnection> {
  const { connection, failure } = await connect({
    address: '127.0.0.1',
    port: host.port,
    hostName: 'mx.test',
    heloName: 'us.test',
    tls: 'opportunistic',
    // Test hosts have a short round-trip time, so commands are always sent ahead.
    aheadFromMs: 0,
    timeouts,
    ...more,
  })
  assert.equal(failure, undefined)
  after(() => connection!.destroy())
  return connection!
}

/** Timeouts by the command that gets no reply; commands that are sent together use the longest of their timeouts. */
const STEPS: Readonly<Record<string, Partial<Timeouts>>> = {
  CONNECT: { greeting: 100 },
  EHLO: { ehlo: 100 },
  MAIL: { mail: 1_000, rcpt: 1_000, dataInit: 1_000 },
  RCPT: { mail: 1_000, rcpt: 1_000, dataInit: 1_000 },
  DATA: { mail: 1_000, rcpt: 1_000, dataInit: 1_000 },
  MESSAGE: { dataEnd: 100 },
  BDAT: { dataEnd: 100 },
}

/**
 * Returns timeouts in milliseconds for a dialog in which the mail host gives this answer to `verb`: short timeouts if
 * the reply never ends, otherwise the usual timeouts, which a busy machine does not reach.
 */
export function timeoutsFor(
  verb: string,
  { reply, raw, after: end, byteDelayMs }: HostAnswer,
): Partial<Timeouts> {
  const isSilent = reply === undefined && raw === undefined && (end === undefined || end === 'hang')
  return isSilent || byteDelayMs !== undefined ? (STEPS[verb] as Partial<Timeouts>) : {}
}

/** Returns a message that consists of these chunks. */
export function messageOf(...chunks: (string | Buffer)[]): MessageData {
  const buffers = chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk))
  return { chunks: buffers, size: buffers.reduce((size, chunk) => size + chunk.length, 0) }
}

/** Returns a script that refuses these recipients, or all recipients if there are no arguments. */
export function refuseRecipients(...addresses: string[]): HostScript {
  return ({ verb, address }) =>
    verb === 'RCPT' && (addresses.length === 0 || addresses.includes(address))
      ? '550 5.1.1 No such user'
      : undefined
}
