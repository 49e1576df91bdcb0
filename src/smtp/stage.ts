// The results of a dialog with another mail host as values: the stage at which the dialog stopped, the reason, and the
// end of a transaction.

import type { Reply } from '../model/reply.ts'

/**
 * The steps of a dialog, in order; `message` is the step in which the data is written, and `end-of-data` is the step
 * after the final dot.
 */
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
 * Reasons why a dialog has no usable reply. `local`: this machine refused the connection (no such local address, no
 * file descriptors); `tls`: the TLS handshake failed; `certificate`: the certificate is not valid; `no-tls`, `no-auth`:
 * the host does not offer the required TLS or authentication; `tls-policy`: a policy of the destination forbids this
 * host; `loop`: the host is this installation; `size`, `smtputf8`, `eight-bit`: this host cannot take this message, as
 * known before MAIL; `withdrawn`: the client lost the right to send the message.
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

/** A failure of a dialog that is not a reply of the host. */
export interface DialogError {
  readonly code: DialogErrorCode
  /** One sentence for a log or a dashboard; may contain text of the system, never a secret. */
  readonly message: string
  /**
   * Error code of OpenSSL or Node for an invalid certificate, or `DANE` for a certificate that violates the TLSA
   * records.
   */
  readonly reason?: string | undefined
}

/** The error of a message that was withdrawn before the whole message was sent. */
export const WITHDRAWN: DialogError = {
  code: 'withdrawn',
  message: 'The message was withdrawn before it was sent completely',
}

/** Failure of a dialog: the stage, and either the reply or the error that ended the dialog. */
export interface StageFailure {
  readonly stage: Stage
  /** A 4xx or 5xx reply. */
  readonly reply?: Reply
  readonly error?: DialogError
}

/** Returns the failure for an unexpected reply: the refusal, or a protocol error. */
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
 * Returns the error of a TLS handshake or TLS connection that failed: the reason that OpenSSL gives, without source
 * locations.
 */
export function tlsError(error: Error & { readonly reason?: unknown }): DialogError {
  const reason = typeof error.reason === 'string' ? error.reason : error.message.split('\n', 1)[0]
  return { code: 'tls', message: `TLS failed: ${reason}` }
}

/** Stages of a dialog before the RCPT command. */
export const BEFORE_RCPT: ReadonlySet<Stage> = new Set([
  'connect',
  'greeting',
  'ehlo',
  'starttls',
  'auth',
  'mail',
])
/** Stages at which the host may have received a part of the message. */
export const AFTER_CONTENT: ReadonlySet<Stage> = new Set(['message', 'end-of-data'])

/**
 * Result for one recipient: the reply to the message if the host accepted the message for this recipient, otherwise the
 * failure and its stage. A failure at `end-of-data` with an `error` leaves the outcome unknown: the host may have the
 * message.
 */
export type RecipientResult =
  | { readonly reply: Reply; readonly failure?: undefined }
  | { readonly reply?: undefined; readonly failure: StageFailure }

/** Results of a transaction, and the state of the connection after the transaction. */
export interface TransactionEnd {
  /** One result per recipient, in the order of the envelope. */
  readonly recipients: readonly RecipientResult[]
  /** True if the next transaction must begin with RSET, because the host still holds an envelope sender. */
  readonly resetNext: boolean
}

/** Combines the results: recipients without a separate failure share the outcome of the message. */
export function settle(
  failures: readonly (StageFailure | undefined)[],
  outcome?: Reply | StageFailure,
): RecipientResult[] {
  return failures.map((failure) => {
    if (failure !== undefined) return { failure }
    return 'stage' in outcome! ? { failure: outcome } : { reply: outcome! }
  })
}
