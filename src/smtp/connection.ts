// A connection to another mail host: opened, greeted, encrypted, then used for one message after the other.

import type { Envelope } from '../model/envelope.ts'
import type { ConnectOptions } from './connect-options.ts'
import { guardOptions } from './connect-options.ts'
import { dial, TAKES_TOO_LONG } from './dial.ts'
import type { Dialog } from './envelope-dialog.ts'
import type { Extensions } from './extensions.ts'
import type { MessageData } from './message-data.ts'
import { open } from './opening.ts'
import { probeRecipient } from './probe.ts'
import type { StageFailure } from './stage.ts'
import { defaultTimeouts, type Timeouts } from './timeouts.ts'
import type { TlsState } from './tls.ts'
import { type RecipientResult, runTransaction } from './transaction.ts'
import type { TransactionEnd } from './transaction-end.ts'
import { Transcript } from './transcript.ts'
import { Wire } from './wire.ts'
import { guardEnvelope } from './wire-guard.ts'

export type { ConnectOptions }

/** A connection that can take a message, or where and why there is none. */
export type ConnectResult =
  | { readonly connection: SmtpConnection; readonly failure?: undefined; readonly transcript?: undefined }
  | {
      readonly connection?: undefined
      readonly failure: StageFailure
      readonly transcript: string
      /** The address that answered, when one did. */
      readonly address?: string | undefined
    }

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
  const note = (text: string) => transcript.note(text)
  const addresses = [options.address, ...(options.otherAddresses ?? [])]
  note(`connecting to ${options.hostName} [${addresses.join('], [')}]:${options.port}`)
  const { port, sources, signal } = options
  const dialled = await dial({ addresses, port, sources, timeoutMs: timeouts.connect, signal, note })
  if ('code' in dialled) {
    note(dialled.message)
    return { failure: { stage: 'connect', error: dialled }, transcript: transcript.text() }
  }
  const { socket, address, source } = dialled
  if (addresses.length > 1) note(`connected to [${address}]`)
  if (source !== undefined) note(`from [${source.address}]`)
  const wire = new Wire(socket, transcript)
  const chosen = { ...options, address, heloName: source?.heloName ?? options.heloName }
  const opened = await endedBy(signal, wire, () => open(wire, chosen, timeouts))
  if ('stage' in opened) {
    wire.fail({ code: 'closed', message: 'The connection was given up' })
    return { failure: opened, transcript: transcript.text(), address }
  }
  const { extensions, tls } = opened
  const chunking = extensions.chunking && options.chunking !== false
  return { connection: new SmtpConnection(chosen, { wire, timeouts, extensions, chunking }, tls) }
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

function withDefaults(timeouts: Partial<Timeouts> | undefined): Timeouts {
  return timeouts === undefined ? defaultTimeouts : { ...defaultTimeouts, ...timeouts }
}
