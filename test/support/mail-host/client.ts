// The client side of a test with a scripted mail host: hosts and connections that end with their test.

import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { ConnectOptions, SmtpConnection } from '../../../src/smtp/connection.ts'
import type { MessageData } from '../../../src/smtp/message-data.ts'
import type { Timeouts } from '../../../src/smtp/timeouts.ts'
import { connect } from '../dialog-threads.ts'
import { MailHost } from './mail-host.ts'
import { chunkingExtensions, type HostAnswer, type HostScript, type MailHostOptions } from './script.ts'

/** Starts a host with CHUNKING, unless other extensions are given. */
export async function startHost(options: MailHostOptions = {}): Promise<MailHost> {
  const host = await MailHost.start({ extensions: chunkingExtensions, ...options })
  after(() => host.stop())
  return host
}

/** Opens a connection to a host on 127.0.0.1, with TLS if it is offered. */
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
    // Test hosts are near.
    aheadFromMs: 0,
    timeouts,
    ...more,
  })
  assert.equal(failure, undefined)
  after(() => connection!.destroy())
  return connection!
}

/** The timeout of each step; replies that are awaited together use the longest of theirs. */
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
 * Returns timeouts, in milliseconds, for a dialog with a host with this answer to `verb`: short if the reply never
 * ends, otherwise the usual ones, which a busy machine does not reach.
 */
export function timeoutsFor(
  verb: string,
  { reply, raw, after: end, byteDelayMs }: HostAnswer,
): Partial<Timeouts> {
  const isSilent = reply === undefined && raw === undefined && (end === undefined || end === 'hang')
  return isSilent || byteDelayMs !== undefined ? (STEPS[verb] as Partial<Timeouts>) : {}
}

/** Returns a message of these chunks. */
export function messageOf(...chunks: (string | Buffer)[]): MessageData {
  const buffers = chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk))
  return { chunks: buffers, size: buffers.reduce((size, chunk) => size + chunk.length, 0) }
}

/** Refuses some recipients, or all when none is given. */
export function refuseRecipients(...addresses: string[]): HostScript {
  return ({ verb, address }) =>
    verb === 'RCPT' && (addresses.length === 0 || addresses.includes(address))
      ? '550 5.1.1 No such user'
      : undefined
}
