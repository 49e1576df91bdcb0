// Types of a scripted mail host (options, commands, answers), and ready-made scripts.

import type { Certificate } from '../certificate.ts'

/** State of an SMTP connection that tests read. */
export interface HostConnection {
  readonly id: number
  readonly remoteAddress: string
  /** Address of the mail host to which the client connected. */
  readonly localAddress: string
  /** Received lines, in order; `(message)` stands for the data of a message. */
  readonly commands: string[]
  /** Received chunks as text; a single write of the client usually arrives as one chunk. */
  readonly chunks: string[]
  helo: string
  tls: boolean
  authenticated: boolean
  closed: boolean
}

/** A message that the mail host accepted. */
export interface HostMail {
  readonly from: string
  readonly recipients: readonly string[]
  /** The message as the sender composed it, without dot-stuffing and the final dot. */
  readonly data: Buffer
  /** The transmitted bytes: a DATA message with the final dot and its CRLF, or the message alone after BDAT. */
  readonly wire: Buffer
  readonly helo: string
  /** Parameters of the MAIL command, such as `SIZE=100 BODY=8BITMIME`. */
  readonly parameters: string
  readonly tls: boolean
  readonly connection: HostConnection
}

/**
 * A command that needs an answer. `CONNECT` stands for the greeting, and `MESSAGE` for the final dot; the answer to
 * `BDAT` follows after the bytes of the chunk have arrived.
 */
interface HostCommand {
  readonly verb: string
  /** Text after the verb, without changes. */
  readonly argument: string
  /** Address in a MAIL or RCPT command; otherwise empty. */
  readonly address: string
  /** Number of times that the mail host has received this verb with this argument, from 1. */
  readonly attempt: number
  readonly connection: HostConnection
  /** Sender of the last MAIL command. */
  readonly from: string
  readonly recipients: readonly string[]
}

/** An answer of the mail host; a string is short for `{ reply }`. */
export interface HostAnswer {
  /** SMTP reply without the last CRLF; `\n` becomes CRLF. There is no reply if the field is undefined. */
  readonly reply?: string
  /** Bytes that are sent unchanged after the reply. */
  readonly raw?: string | Buffer
  readonly delayMs?: number
  /** Delay between single bytes, in milliseconds; the bytes are sent together if the field is undefined. */
  readonly byteDelayMs?: number
  /**
   * Action after the reply: `close` ends the connection; `reset` resets the connection; `hang` sends and reads nothing
   * more; `garbage` answers the next bytes, such as a TLS handshake, with invalid bytes; `broken-tls` writes plaintext
   * to the socket under TLS.
   */
  readonly after?: 'close' | 'reset' | 'hang' | 'garbage' | 'broken-tls'
}

/** Returns the answer to a command; `undefined` means the usual answer. */
export type HostScript = (
  command: HostCommand,
) => string | HostAnswer | undefined | Promise<string | HostAnswer | undefined>

export interface MailHostOptions {
  /** The greeting; `220 mx.test ESMTP` by default. */
  readonly banner?: string
  /** EHLO keywords in addition to STARTTLS and AUTH; an empty list and `ehlo: false` simulate an old mail host. */
  readonly extensions?: readonly string[]
  /** True if the mail host supports EHLO, as by default. */
  readonly ehlo?: boolean
  /**
   * True if the mail host supports BDAT; otherwise the bytes of BDAT are read as commands. `chunkingExtensions`
   * announce BDAT, `usualExtensions` do not.
   */
  readonly bdat?: boolean
  /** True if the mail host offers STARTTLS. */
  readonly tls?: boolean
  /** Certificate for TLS; by default, a self-signed certificate for `mx.test`. */
  readonly certificate?: Certificate
  /** True if TLS begins with the first byte. */
  readonly implicitTls?: boolean
  /** The only valid credentials; MAIL requires a login if this field is set. */
  readonly auth?: { readonly user: string; readonly password: string }
  readonly authMechanisms?: readonly string[]
  /** Function that is called before every answer. */
  readonly script?: HostScript
  /** Address on which the mail host listens; 127.0.0.1 by default. */
  readonly address?: string
  readonly port?: number
}

export const usualExtensions: readonly string[] = [
  'PIPELINING',
  'SIZE 26214400',
  '8BITMIME',
  'SMTPUTF8',
  'ENHANCEDSTATUSCODES',
]

/** The usual extensions and CHUNKING (RFC 3030). */
export const chunkingExtensions: readonly string[] = [...usualExtensions, 'CHUNKING']

/**
 * Returns a script that greylists: the reply to RCPT is 451 for the first `times` attempts of each pair of sender and
 * recipient.
 */
export function greylist(times = 1): HostScript {
  const seen = new Map<string, number>()
  return ({ verb, address, from }) => {
    if (verb !== 'RCPT') return undefined
    const key = `${from} ${address}`
    const count = (seen.get(key) ?? 0) + 1
    seen.set(key, count)
    return count > times ? undefined : '451 4.7.1 Greylisted, please try again later'
  }
}

/** Returns a script that gives one answer to one verb. */
export function answerTo(verb: string, answer: string | HostAnswer): HostScript {
  return (command) => (command.verb === verb ? answer : undefined)
}
