// Encrypts a plaintext connection to another host.

import { isIP } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { DaneDemand } from '../model/tlsa.ts'
import { daneProblem } from './dane.ts'
import { expectClass } from './greeting.ts'
import { type DialogError, type DialogErrorCode, type StageFailure, tlsError } from './stage.ts'
import type { Wire } from './wire.ts'

/** Encryption of a connection. */
export interface TlsState {
  /** `TLSv1.3` or `TLSv1.2` */
  readonly protocol: string
  readonly cipher: string
  /** True if the certificate is valid for the name of the host and was issued by a known authority. */
  readonly authorized: boolean
  /** Reason why the certificate is not valid. */
  readonly authorizationError?: string
}

/** Options of the handshake: `hostName` is sent as SNI and, with `verify`, must be named by the certificate. */
export interface TlsOptions {
  readonly hostName: string
  readonly verify: boolean
  /** DANE requirement that the certificate of the host must satisfy; overrides `verify`. */
  readonly dane?: DaneDemand | undefined
  /** Timeout for the reply to STARTTLS. */
  readonly replyMs: number
  readonly handshakeMs: number
}

/** Result of a handshake. */
type Handshake = { readonly state: TlsState } | { readonly error: DialogError }

/**
 * Sends STARTTLS and runs the handshake (RFC 3207). `declined` is true if the host refused STARTTLS, and the dialog can
 * continue in plaintext.
 */
export async function startTls(
  wire: Wire,
  options: TlsOptions,
): Promise<{ state: TlsState } | { failure: StageFailure; declined: boolean }> {
  const go = await wire.command('STARTTLS', options.replyMs)
  const failure = expectClass(wire, 'starttls', go, 2)
  if (failure !== undefined)
    return { failure, declined: failure.reply !== undefined && wire.error === undefined }
  // Plaintext that follows the 220 reply must not count as an encrypted reply (RFC 3207 §4.2, CVE-2021-38371).
  if (wire.error !== undefined) return { failure: { stage: 'starttls', error: wire.error }, declined: false }
  const result = await encrypt(wire, options)
  if ('state' in result) return result
  return { failure: { stage: 'starttls', error: result.error }, declined: false }
}

/** Encrypts a connection without pending replies. */
export async function encrypt(wire: Wire, options: TlsOptions): Promise<Handshake> {
  const socket = connectTls({
    socket: wire.detach(),
    host: options.hostName,
    ...(isIP(options.hostName) === 0 ? { servername: options.hostName } : {}),
    // The certificate is checked below: self-signed certificates are common at mail hosts, and TLS without a verified
    // name is better than plaintext (RFC 7435).
    rejectUnauthorized: false,
  })
  const result = await handshake(socket, options.handshakeMs)
  wire.attach(socket)
  if ('error' in result) return giveUp(wire, result.error)
  const { protocol, cipher, authorized, authorizationError } = result.state
  wire.transcript.note(`${protocol}, ${cipher}, ${authorized ? 'verified' : 'not verified'}`)
  if (options.dane !== undefined) {
    const problem = daneProblem(socket, options.dane)
    if (problem !== undefined) return giveUp(wire, { code: 'certificate', message: problem, reason: 'DANE' })
    wire.transcript.note('The certificate matches the TLSA records')
    return result
  }
  if (authorized || !options.verify) return result
  return giveUp(wire, {
    code: 'certificate',
    message: `The certificate cannot be verified (${authorizationError})`,
    reason: authorizationError,
  })
}

function giveUp(wire: Wire, error: DialogError): Handshake {
  // The handshake failed because this side ended the dialog.
  if (wire.error !== undefined) return { error: wire.error }
  wire.transcript.note(error.message)
  wire.fail(error)
  return { error }
}

function handshake(socket: TLSSocket, timeoutMs: number): Promise<Handshake> {
  return new Promise((resolve) => {
    const finish = (result: Handshake) => {
      clearTimeout(timer)
      socket.off('error', onError).off('close', onClose).off('end', onClose)
      resolve(result)
    }
    const fail = (code: DialogErrorCode, message: string) => finish({ error: { code, message } })
    const onError = (error: Error) => finish({ error: tlsError(error) })
    const onClose = () => fail('tls', 'The host closed the connection in the TLS handshake')
    const timer = setTimeout(() => fail('timeout', 'The TLS handshake took too long'), timeoutMs)
    // A failed handshake may emit several error events; an event without a listener would end the process.
    socket.on('error', () => {})
    socket.once('error', onError).once('close', onClose).once('end', onClose)
    socket.once('secureConnect', () => {
      socket.disableRenegotiation()
      finish({ state: describe(socket) })
    })
  })
}

function describe(socket: TLSSocket): TlsState {
  const state = {
    protocol: socket.getProtocol() ?? 'unknown',
    cipher: socket.getCipher().name,
    authorized: socket.authorized,
  }
  if (state.authorized) return state
  const error: unknown = socket.authorizationError // A code or an error, depending on the version of Node.
  return { ...state, authorizationError: error instanceof Error ? error.message : String(error) }
}
