// A connection to another mail host: opened, greeted, encrypted, then used for one message after the other.

import { connect as connectTcp, isIP, isIPv4, type Socket } from 'node:net'
import type { Envelope } from '../model/envelope.ts'
import { authenticate, type Credentials } from './auth.ts'
import type { Dialog } from './envelope-dialog.ts'
import type { Extensions } from './extensions.ts'
import { awaitGreeting, sayHello } from './greeting.ts'
import type { MessageData } from './message-data.ts'
import { probeRecipient } from './probe.ts'
import { type DialogError, type StageFailure, socketError } from './stage.ts'
import { defaultTimeouts, type Timeouts } from './timeouts.ts'
import { encrypt, startTls, type TlsState } from './tls.ts'
import { type RecipientResult, runTransaction } from './transaction.ts'
import type { TransactionEnd } from './transaction-end.ts'
import { Transcript } from './transcript.ts'
import { Wire } from './wire.ts'
import { guardCredentials, guardEnvelope, guardName } from './wire-guard.ts'

/** Whom to connect to, and how. */
export interface ConnectOptions {
  /** An IP address: the one that was checked is the one that is dialled. */
  readonly address: string
  readonly port: number
  /** The name of the MX or relay, for SNI, the certificate, and people. */
  readonly hostName: string
  /** What we call ourselves in EHLO. */
  readonly heloName: string
  /** The address of ours to connect from. */
  readonly localAddress?: string | undefined
  /** `opportunistic`: STARTTLS where it is offered (RFC 7435); `required`: or fail; `never`: plaintext. */
  readonly tls: 'opportunistic' | 'required' | 'never'
  /** The certificate must be valid for `hostName`. */
  readonly verifyCertificate?: boolean | undefined
  /** TLS from the first octet (RFC 8314), as relays have it on port 465; goes before `tls`. */
  readonly implicitTls?: boolean | undefined
  /** For a relay; given away only over TLS or to a loopback address. */
  readonly auth?: Credentials | undefined
  /** False: DATA even where CHUNKING is offered, for a host whose BDAT is known not to work. */
  readonly chunking?: boolean | undefined
  readonly timeouts?: Partial<Timeouts> | undefined
  /** Ends the opening, with the error `timeout` at the stage it has come to. */
  readonly signal?: AbortSignal | undefined
}

/** A connection that can take a message, or where and why there is none. */
export type ConnectResult =
  | { readonly connection: SmtpConnection; readonly failure?: undefined; readonly transcript?: undefined }
  | { readonly connection?: undefined; readonly failure: StageFailure; readonly transcript: string }

/** What came of one message. */
export interface TransactionResult {
  /** One for each recipient of the envelope, in its order. */
  readonly recipients: readonly RecipientResult[]
  /** The dialog; that of a connection's first message begins with its opening. */
  readonly transcript: string
}

/**
 * Opens a connection up to where MAIL may be said. Never rejects for what the host does. Throws a TypeError for
 * options that cannot be meant.
 */
export async function connect(options: ConnectOptions): Promise<ConnectResult> {
  guardOptions(options)
  const timeouts = withDefaults(options.timeouts)
  const transcript = new Transcript()
  transcript.note(`connecting to ${options.hostName} [${options.address}]:${options.port}`)
  const { signal } = options
  const socket = await openSocket(options, timeouts.connect)
  if ('code' in socket) {
    transcript.note(socket.message)
    return { failure: { stage: 'connect', error: socket }, transcript: transcript.text() }
  }
  const wire = new Wire(socket, transcript)
  const opened = await endedBy(signal, wire, () => open(wire, options, timeouts))
  if ('stage' in opened) {
    wire.fail({ code: 'closed', message: 'The connection was given up' })
    return { failure: opened, transcript: transcript.text() }
  }
  const { extensions, tls } = opened
  const chunking = extensions.chunking && options.chunking !== false
  return { connection: new SmtpConnection(options, { wire, timeouts, extensions, chunking }, tls) }
}

/** An open connection; one transaction at a time. */
export class SmtpConnection {
  readonly address: string
  readonly hostName: string
  /** What the host offers, on the line as it now is. */
  readonly extensions: Extensions
  /** Absent on a plaintext connection. */
  readonly tls: TlsState | undefined
  /** Transactions in which the host took a message. */
  messagesSent = 0
  readonly #dialog: Dialog
  #transactions = 0
  #busy = false
  #resetNext = false

  constructor(options: ConnectOptions, dialog: Dialog, tls: TlsState | undefined) {
    this.address = options.address
    this.hostName = options.hostName
    this.extensions = dialog.extensions
    this.tls = tls
    this.#dialog = dialog
  }

  /** Whether it can take another transaction now. */
  get usable(): boolean {
    const { wire } = this.#dialog
    return !this.#busy && wire.error === undefined && wire.closing === undefined
  }

  /** Whether messages go by BDAT; turns false when the host offered CHUNKING and then did not know BDAT. */
  get chunking(): boolean {
    return this.#dialog.chunking
  }

  /**
   * Hands one message over. Never rejects for what the host does; throws for an envelope that cannot be put into
   * commands, and when a transaction is under way. `signal` ends it with the error `timeout`.
   */
  async send(envelope: Envelope, message: MessageData, signal?: AbortSignal): Promise<TransactionResult> {
    const sent = await this.#transact(envelope, signal, () =>
      runTransaction(this.#dialog, envelope, message, this.#resetNext),
    )
    if (sent.recipients.some((recipient) => recipient.reply !== undefined)) this.messagesSent++
    return sent
  }

  /** Asks whether the host takes this one recipient, and sends nothing; else as `send`. */
  probe(envelope: Envelope, signal?: AbortSignal): Promise<TransactionResult> {
    return this.#transact(envelope, signal, () => probeRecipient(this.#dialog, envelope, this.#resetNext))
  }

  async #transact(
    envelope: Envelope,
    signal: AbortSignal | undefined,
    run: () => Promise<TransactionEnd>,
  ): Promise<TransactionResult> {
    guardEnvelope(envelope)
    if (this.#busy) throw new Error('A transaction is under way on this connection')
    this.#busy = true
    const { wire } = this.#dialog
    if (this.#transactions++ > 0) {
      wire.transcript = new Transcript()
      wire.transcript.note(
        `message ${this.#transactions} on the connection to ${this.hostName} [${this.address}]`,
      )
    }
    const end = await endedBy(signal, wire, run)
    this.#resetNext = end.resetNext
    this.#busy = false
    if (wire.closing !== undefined) this.destroy()
    return { recipients: end.recipients, transcript: wire.transcript.text() }
  }

  /** Says QUIT, waits a short while for the answer, and closes. */
  async close(): Promise<void> {
    if (this.usable) {
      this.#busy = true
      await this.#dialog.wire.ask('QUIT', this.#dialog.timeouts.quit)
    }
    this.destroy()
  }

  /** Closes without a word. A transaction under way ends with the error `closed`. */
  destroy(): void {
    this.#dialog.wire.fail({ code: 'closed', message: 'The connection was closed by us' })
  }
}

/** Runs a part of the dialog, which the signal ends where it stands. */
async function endedBy<T>(signal: AbortSignal | undefined, wire: Wire, part: () => Promise<T>): Promise<T> {
  if (signal === undefined) return part()
  const end = () => wire.fail(TAKES_TOO_LONG)
  if (signal.aborted) end()
  signal.addEventListener('abort', end)
  try {
    return await part()
  } finally {
    signal.removeEventListener('abort', end)
  }
}

const TAKES_TOO_LONG: DialogError = { code: 'timeout', message: 'The host took too long in all' }

/** Greeting, EHLO, TLS and login, in that order. */
async function open(
  wire: Wire,
  options: ConnectOptions,
  timeouts: Timeouts,
): Promise<{ extensions: Extensions; tls: TlsState | undefined } | StageFailure> {
  const tlsOptions = {
    hostName: options.hostName,
    verify: options.verifyCertificate ?? false,
    timeoutMs: timeouts.starttls,
  }
  let tls: TlsState | undefined
  if (options.implicitTls) {
    const encrypted = await encrypt(wire, tlsOptions)
    if ('error' in encrypted) return { stage: 'connect', error: encrypted.error }
    tls = encrypted.state
  }
  const refused = await awaitGreeting(wire, timeouts)
  if (refused !== undefined) return refused
  let extensions = await sayHello(wire, options.heloName, timeouts)
  if ('stage' in extensions) return extensions
  if (tls === undefined && options.tls !== 'never') {
    const started = extensions.startTls ? await startTls(wire, tlsOptions) : undefined
    if (started !== undefined && 'state' in started) {
      tls = started.state
      // RFC 3207 §4.2: nothing that was learned in plaintext counts.
      extensions = await sayHello(wire, options.heloName, timeouts)
      if ('stage' in extensions) return extensions
    } else if (options.tls === 'required' || started?.declined === false) {
      return (
        started?.failure ?? {
          stage: 'starttls',
          error: { code: 'no-tls', message: 'STARTTLS is not offered' },
        }
      )
    }
  }
  const failure = await login(wire, options, extensions, tls, timeouts)
  return failure ?? { extensions, tls }
}

async function login(
  wire: Wire,
  options: ConnectOptions,
  extensions: Extensions,
  tls: TlsState | undefined,
  timeouts: Timeouts,
): Promise<StageFailure | undefined> {
  if (options.auth === undefined) return undefined
  if (tls === undefined && !isLoopback(options.address)) {
    return { stage: 'auth', error: { code: 'no-tls', message: 'No password is sent without TLS' } }
  }
  return authenticate(wire, options.auth, extensions.authMechanisms, timeouts.auth)
}

function openSocket(options: ConnectOptions, timeoutMs: number): Promise<Socket | DialogError> {
  return new Promise((resolve) => {
    const { address: host, port, localAddress, signal } = options
    if (signal?.aborted) return resolve(TAKES_TOO_LONG)
    const socket = connectTcp({ host, port, noDelay: true, ...(localAddress ? { localAddress } : {}) })
    const timer = setTimeout(() => finish({ code: 'timeout', message: 'No connection in time' }), timeoutMs)
    const finish = (result: Socket | DialogError) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      socket.off('error', onError)
      if (result !== socket) socket.on('error', () => {}).destroy()
      resolve(result)
    }
    const onAbort = () => finish(TAKES_TOO_LONG)
    signal?.addEventListener('abort', onAbort)
    const onError = (error: NodeJS.ErrnoException) => finish(socketError(error))
    socket.once('error', onError)
    socket.once('connect', () => finish(socket))
  })
}

function guardOptions(options: ConnectOptions): void {
  if (isIP(options.address) === 0)
    throw new TypeError(`Not an IP address: ${JSON.stringify(options.address)}`)
  guardName(options.hostName)
  guardName(options.heloName)
  if (options.auth !== undefined) guardCredentials(options.auth.user, options.auth.password)
}

function withDefaults(timeouts: Partial<Timeouts> | undefined): Timeouts {
  return timeouts === undefined ? defaultTimeouts : { ...defaultTimeouts, ...timeouts }
}

function isLoopback(address: string): boolean {
  return isIPv4(address) ? address.startsWith('127.') : address === '::1'
}
