// Stage at which a dialog with another mail host stopped, and the reason, as values.

import type { Reply } from '../model/reply.ts'

/** The steps of a dialog, in order; `message` is while the data is written, `end-of-data` after the final dot. */
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
 * Reasons for having no usable reply. `local`: our own machine refused (no such local address, no file descriptors);
 * `tls`: the handshake failed; `certificate`: it did not verify; `no-tls`, `no-auth`: needed and not offered;
 * `tls-policy`: a rule of the destination forbids this host; `loop`: the host is ourselves; `size`, `smtputf8`,
 * `eight-bit`: this host cannot take this message, which was found before MAIL; `withdrawn`: the sender was no longer to
 * send it.
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
  /** One sentence for a log or a dashboard; may hold text of the system, never a secret. */
  readonly message: string
  /** Reason why a certificate does not verify, by OpenSSL's or Node's code, or `DANE`. */
  readonly reason?: string | undefined
}

/** The error of a message that was withdrawn before all of it had left. */
export const WITHDRAWN: DialogError = {
  code: 'withdrawn',
  message: 'The message was withdrawn before all of it was sent',
}

/** A dialog that stopped: the stage, and the reply or the error that stopped it (one of the two). */
export interface StageFailure {
  readonly stage: Stage
  /** A 4xx or 5xx reply. */
  readonly reply?: Reply
  readonly error?: DialogError
}

/** The failure that a reply means which is not the one hoped for: its refusal, or a breach of the protocol. */
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

/** The system's error of a socket in our words. */
export function socketError(error: NodeJS.ErrnoException): DialogError {
  const code = error.code ?? ''
  if (code.startsWith('ERR_SSL') || code === 'EPROTO') return tlsError(error)
  return { code: systemErrors[code] ?? 'closed', message: error.message }
}

/** A failed handshake, or TLS that broke later: OpenSSL's reason, without the places in its source. */
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
