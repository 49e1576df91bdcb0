// Interface of a scripted mail host: options, commands, answers, and ready-made scripts.

import type { Certificate } from '../certificate.ts'

/** Properties of a connection that a test may want to know. */
export interface HostConnection {
  readonly id: number
  readonly remoteAddress: string
  /** The one of this host's addresses that was dialled. */
  readonly localAddress: string
  /** Every line that came, in order; `(message)` for the data. */
  readonly commands: string[]
  /** Every chunk that came, as text: what was sent in one write arrives as one, mostly. */
  readonly chunks: string[]
  helo: string
  tls: boolean
  authenticated: boolean
  closed: boolean
}

/** A message that the host took. */
export interface HostMail {
  readonly from: string
  readonly recipients: readonly string[]
  /** As the sender composed it: dots un-doubled, the final dot removed. */
  readonly data: Buffer
  /** As it came over the line: by DATA up to and with the final dot and its CRLF, by BDAT the bytes alone. */
  readonly wire: Buffer
  readonly helo: string
  /** The parameters of MAIL, such as `SIZE=100 BODY=8BITMIME`. */
  readonly parameters: string
  readonly tls: boolean
  readonly connection: HostConnection
}

/**
 * A command that is about to be answered. `CONNECT` is the greeting, `MESSAGE` the final dot, `BDAT` is after its
 * bytes.
 */
interface HostCommand {
  readonly verb: string
  /** Text behind the verb, as it came. */
  readonly argument: string
  /** The address of MAIL or RCPT. */
  readonly address: string
  /** Number of times that this host saw this verb with this argument, from 1. */
  readonly attempt: number
  readonly connection: HostConnection
  /** The sender named by MAIL. */
  readonly from: string
  readonly recipients: readonly string[]
}

/** An answer in full; a string is short for `{ reply }`. */
export interface HostAnswer {
  /** Without the last CRLF; `\n` inside becomes CRLF. Absent: nothing is said. */
  readonly reply?: string
  /** Sent as it stands, after the reply. */
  readonly raw?: string | Buffer
  readonly delayMs?: number
  /** Sends byte by byte, this long apart. */
  readonly octetDelayMs?: number
  /**
   * Afterwards: `close` ends the connection politely, `reset` breaks it, `hang` says and reads nothing more; `garbage`
   * answers what comes next, such as a TLS handshake, with bytes that mean nothing; `broken-tls` sends such below TLS.
   */
  readonly after?: 'close' | 'reset' | 'hang' | 'garbage' | 'broken-tls'
}

/** `undefined` means the usual answer. */
export type HostScript = (
  command: HostCommand,
) => string | HostAnswer | undefined | Promise<string | HostAnswer | undefined>

export interface MailHostOptions {
  /** The greeting; `220 mx.test ESMTP` unless told. */
  readonly banner?: string
  /** The EHLO keywords besides STARTTLS and AUTH; an empty list and `ehlo: false` make an old host. */
  readonly extensions?: readonly string[]
  /** EHLO is understood; true by default. */
  readonly ehlo?: boolean
  /**
   * BDAT is understood; where it is not, its bytes are read as commands. `usualExtensions` do not offer it,
   * `chunkingExtensions` do.
   */
  readonly bdat?: boolean
  /** Offers STARTTLS. */
  readonly tls?: boolean
  /** Shown in TLS; a self-signed one for `mx.test` unless told. */
  readonly certificate?: Certificate
  /** Speaks TLS from the first byte. */
  readonly implicitTls?: boolean
  /** The only credentials that are right; MAIL needs them then. */
  readonly auth?: { readonly user: string; readonly password: string }
  readonly authMechanisms?: readonly string[]
  /** Asked before every answer. */
  readonly script?: HostScript
  /** The address to listen on; 127.0.0.1 unless told. */
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

/** A script that gives one answer to one verb. */
export function answerTo(verb: string, answer: string | HostAnswer): HostScript {
  return (command) => (command.verb === verb ? answer : undefined)
}
