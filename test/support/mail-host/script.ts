// The interface of a scripted mail host: options, commands, answers, and ready-made scripts.

import type { Certificate } from '../certificate.ts'

/** Properties of a connection for tests. */
export interface HostConnection {
  readonly id: number
  readonly remoteAddress: string
  /** The dialled address of this host. */
  readonly localAddress: string
  /** Every received line, in order; `(message)` for the data. */
  readonly commands: string[]
  /** Every received chunk as text; one write usually arrives as one chunk. */
  readonly chunks: string[]
  helo: string
  tls: boolean
  authenticated: boolean
  closed: boolean
}

/** A message that the host accepted. */
export interface HostMail {
  readonly from: string
  readonly recipients: readonly string[]
  /** Message as the sender composed it: without doubled dots and the final dot. */
  readonly data: Buffer
  /** Bytes as transmitted: by DATA including the final dot and its CRLF, by BDAT only the message. */
  readonly wire: Buffer
  readonly helo: string
  /** Parameters of MAIL, such as `SIZE=100 BODY=8BITMIME`. */
  readonly parameters: string
  readonly tls: boolean
  readonly connection: HostConnection
}

/** A command to be answered. `CONNECT` is the greeting, `MESSAGE` the final dot, `BDAT` comes after its bytes. */
interface HostCommand {
  readonly verb: string
  /** Text after the verb, unchanged. */
  readonly argument: string
  /** Address of MAIL or RCPT. */
  readonly address: string
  /** How often this host received this verb with this argument, from 1. */
  readonly attempt: number
  readonly connection: HostConnection
  /** Sender named by MAIL. */
  readonly from: string
  readonly recipients: readonly string[]
}

/** A complete answer; a string is short for `{ reply }`. */
export interface HostAnswer {
  /** Reply without the last CRLF; `\n` becomes CRLF. Undefined: no reply. */
  readonly reply?: string
  /** Sent unchanged after the reply. */
  readonly raw?: string | Buffer
  readonly delayMs?: number
  /** Sends byte by byte, with this delay. */
  readonly byteDelayMs?: number
  /**
   * Action afterwards: `close` ends the connection politely, `reset` breaks it, `hang` sends and reads nothing more;
   * `garbage` answers the next bytes, such as a TLS handshake, with random bytes; `broken-tls` sends such bytes below
   * TLS.
   */
  readonly after?: 'close' | 'reset' | 'hang' | 'garbage' | 'broken-tls'
}

/** Returns `undefined` for the usual answer. */
export type HostScript = (
  command: HostCommand,
) => string | HostAnswer | undefined | Promise<string | HostAnswer | undefined>

export interface MailHostOptions {
  /** The greeting; default `220 mx.test ESMTP`. */
  readonly banner?: string
  /** EHLO keywords in addition to STARTTLS and AUTH; an empty list with `ehlo: false` makes an old host. */
  readonly extensions?: readonly string[]
  /** True if EHLO is supported; default true. */
  readonly ehlo?: boolean
  /**
   * True if BDAT is supported; otherwise its bytes are read as commands. `usualExtensions` do not offer it,
   * `chunkingExtensions` do.
   */
  readonly bdat?: boolean
  /** Offers STARTTLS. */
  readonly tls?: boolean
  /** Certificate for TLS; default a self-signed one for `mx.test`. */
  readonly certificate?: Certificate
  /** TLS from the first byte. */
  readonly implicitTls?: boolean
  /** The only valid credentials; MAIL then requires a login. */
  readonly auth?: { readonly user: string; readonly password: string }
  readonly authMechanisms?: readonly string[]
  /** Called before every answer. */
  readonly script?: HostScript
  /** Address to listen on; default 127.0.0.1. */
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

/** The usual ones and CHUNKING (RFC 3030). */
export const chunkingExtensions: readonly string[] = [...usualExtensions, 'CHUNKING']

/** A script that greylists: 451 for the first `times` tries of a sender and recipient, then the usual answer. */
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

/** A script with one answer to one verb. */
export function answerTo(verb: string, answer: string | HostAnswer): HostScript {
  return (command) => (command.verb === verb ? answer : undefined)
}
