// The stage at which a dialog with another mail host stopped, and the reason, as values.

import type { Reply } from '../model/reply.ts'

/** The steps of a dialog, in order; `message` while the data is written, `end-of-data` after the final dot. */
export type Stage =
  | 'connect'
  | 'greeting'
  | 'ehlo'
  | 'starttls'
  | 'auth'
  | 'mail'
  | 'rcpt'
  | 'data'
  | 'message'
  | 'end-of-data'

/**
 * Reasons for having no usable reply. `local`: the own machine refused (no such local address, no file descriptors);
 * `tls`: the handshake failed; `certificate`: it did not verify; `no-tls`, `no-auth`: needed and not offered;
 * `tls-policy`: a policy of the destination forbids this host; `loop`: the host is this installation; `size`,
 * `smtputf8`, `eight-bit`: this host cannot take this message, as known before MAIL; `withdrawn`: the sender lost the
 * right to send it.
 */
export type DialogErrorCode =
  | 'timeout'
  | 'refused'
  | 'reset'
  | 'unreachable'
  | 'closed'
  | 'local'
  | 'tls'
  | 'certificate'
  | 'no-tls'
  | 'no-auth'
  | 'tls-policy'
  | 'loop'
  | 'protocol'
  | 'size'
  | 'smtputf8'
  | 'eight-bit'
  | 'withdrawn'

/** A failure other than a reply. */
export interface DialogError {
  readonly code: DialogErrorCode
  /** One sentence for a log or a dashboard; may contain text of the system, never a secret. */
  readonly message: string
  /** Code of OpenSSL or Node for a certificate that does not verify, or `DANE`. */
  readonly reason?: string | undefined
}

/** The error of a message that was withdrawn before all of it was sent. */
export const WITHDRAWN: DialogError = {
  code: 'withdrawn',
  message: 'The message was withdrawn before all of it was sent',
}

/** The end of a dialog: the stage, and either the reply or the error that stopped it. */
export interface StageFailure {
  readonly stage: Stage
  /** A 4xx or 5xx reply. */
  readonly reply?: Reply
  readonly error?: DialogError
}

/** Returns the failure for an unexpected reply: the refusal, or a breach of the protocol. */
export function refusal(stage: Stage, reply: Reply): StageFailure {
  if (reply.code >= 400) return { stage, reply }
  return { stage, error: { code: 'protocol', message: `Unexpected reply ${reply.code} ${reply.text}` } }
}

const systemErrors: Readonly<Record<string, DialogErrorCode>> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  ECONNABORTED: 'reset',
  EPIPE: 'reset',
  ETIMEDOUT: 'timeout',
  EHOSTUNREACH: 'unreachable',
  EHOSTDOWN: 'unreachable',
  ENETUNREACH: 'unreachable',
  ENETDOWN: 'unreachable',
  EADDRNOTAVAIL: 'local',
  EADDRINUSE: 'local',
  EAFNOSUPPORT: 'local',
  EINVAL: 'local',
  EACCES: 'local',
  EPERM: 'local',
  EMFILE: 'local',
  ENFILE: 'local',
  ENOBUFS: 'local',
}

/** Maps a socket error of the system to a DialogError. */
export function socketError(error: NodeJS.ErrnoException): DialogError {
  const code = error.code ?? ''
  if (code.startsWith('ERR_SSL') || code === 'EPROTO') return tlsError(error)
  return { code: systemErrors[code] ?? 'closed', message: error.message }
}

/**
 * Returns the error of a failed handshake or of TLS that broke later: the reason of OpenSSL, without source
 * locations.
 */
export function tlsError(error: Error & { readonly reason?: unknown }): DialogError {
  const reason = typeof error.reason === 'string' ? error.reason : error.message.split('\n', 1)[0]
  return { code: 'tls', message: `TLS failed: ${reason}` }
}

/** Stages before a recipient was named. */
export const BEFORE_RCPT: ReadonlySet<Stage> = new Set([
  'connect',
  'greeting',
  'ehlo',
  'starttls',
  'auth',
  'mail',
])
/** Stages after which the host has seen something of the message. */
export const AFTER_CONTENT: ReadonlySet<Stage> = new Set(['message', 'end-of-data'])
