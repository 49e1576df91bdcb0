// An SMTP connection to another mail host: opens and encrypts the connection, and sends one message after another.

import type { Envelope } from '../model/envelope.ts'
import type { JournalPlace } from '../model/journal-place.ts'
import type { ConnectOptions } from './connect-options.ts'
import { guardOptions } from './connect-options.ts'
import { dial, TAKES_TOO_LONG } from './dial.ts'
import type { Dialog } from './envelope-dialog.ts'
import type { Extensions } from './extensions.ts'
import { writeEntry } from './journal-entry.ts'
import type { MessageData } from './message-data.ts'
import { open } from './opening.ts'
import { probeRecipient } from './probe.ts'
import type { StageFailure, TransactionEnd } from './stage.ts'
import { defaultTimeouts, type Timeouts } from './timeouts.ts'
import type { TlsState } from './tls.ts'
import { isSmall, type RecipientResult, runTransaction } from './transaction.ts'
import { Transcript } from './transcript.ts'
import { Wire } from './wire.ts'
import { guardEnvelope } from './wire-guard.ts'

export type { ConnectOptions }

/** A connection that can take a message, or the stage and reason of the failure. */
export type ConnectResult<Connection extends SmtpConnection = SmtpConnection> =
  | { readonly connection: Connection; readonly failure?: undefined; readonly transcript?: undefined }
  | {
      readonly connection?: undefined
      readonly failure: StageFailure
      readonly transcript: string
      /** IP address that accepted the TCP connection, if any. */
      readonly address?: string | undefined
      /** Own IP address of that TCP connection. */
      readonly source?: string | undefined
    }

/** Result of one message. */
export interface TransactionResult {
  /** One result per recipient, in the order of the envelope. */
  readonly recipients: readonly RecipientResult[]
  /** Transcript of the dialog; the transcript of the first message on a connection includes the opening. */
  readonly transcript: string
}

/** Conditions under which a message is sent to the host. */
export interface Handover {
  /**
   * Returns the remaining time to send the message, in milliseconds. Called before the last bytes are written: if no
   * time is left, the last bytes are not sent, and the host has no message (error `withdrawn`).
   */
  readonly leftMs?: (() => number) | undefined
  /** Place in the journal at which this delivery is recorded. */
  readonly place?: JournalPlace | undefined
}

/**
 * An open connection for transactions in sequence; some hosts also allow the next transaction ahead of the reply to the
 * previous transaction.
 */
export interface SmtpConnection {
  readonly address: string
  /** Own IP address of the connection. */
  readonly source: string | undefined
  readonly hostName: string
  /** SMTP extensions that the host offers on the open connection, after STARTTLS if TLS is used. */
  readonly extensions: Extensions
  /** TLS state; undefined on a plaintext connection. */
  readonly tls: TlsState | undefined
  /** Number of transactions in which the host accepted a message. */
  readonly messagesSent: number
  /** True if the host sent no reply to a message that was sent ahead of the reply to the previous message. */
  readonly lostAhead: boolean
  /** Called whenever `canPipelineNext` may have become true. */
  whenAhead: (() => void) | undefined
  /** True if the connection can take another transaction now. */
  readonly usable: boolean
  /**
   * True if the connection can take a message before the host has replied to the previous message: RFC 2920 §3.1 allows
   * commands directly after a message, and a transaction with BDAT (RFC 3030 §2) waits for no reply in between. The
   * host must have accepted a message by BDAT before, have a long round-trip time, and reply promptly.
   */
  readonly canPipelineNext: boolean
  /** True if messages are sent by BDAT; becomes false when a host that offers CHUNKING does not recognise BDAT. */
  readonly chunking: boolean
  /**
   * Sends one message, after all messages that were passed to `send` earlier. Never rejects because of the host's
   * behaviour; throws for an envelope that SMTP commands cannot carry. `signal` ends the dialog with the error
   * `timeout`, at any stage. A delivery is written into the journal as soon as the reply is read.
   */
  send(
    envelope: Envelope,
    message: MessageData,
    signal?: AbortSignal,
    handover?: Handover,
  ): Promise<TransactionResult>
  /** Asks the host by RCPT whether the recipient is accepted, without sending a message; otherwise like `send`. */
  probe(envelope: Envelope, signal?: AbortSignal): Promise<TransactionResult>
  /** Sends QUIT, waits a short time for the reply, and closes the connection. */
  close(): Promise<void>
  /** Closes the connection without QUIT. A transaction under way ends with the error `closed`. */
  destroy(): void
}

/** Function that opens connections, in this thread or in another thread. */
export type Connect = (options: ConnectOptions) => Promise<ConnectResult>

/**
 * Opens a connection, and resolves when the host is ready for MAIL. Never rejects because of the host's behaviour.
 * Throws a TypeError for invalid options.
 */
export async function connect(options: ConnectOptions): Promise<ConnectResult<OpenConnection>> {
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
  // A socket that the host has closed meanwhile has no address.
  const localAddress = source?.address ?? socket.localAddress
  const wire = new Wire(socket, transcript)
  const chosen = { ...options, address, heloName: source?.heloName ?? options.heloName }
  const opened = await endedBy(signal, wire, () => open(wire, chosen, timeouts))
  if ('stage' in opened) {
    wire.fail({ code: 'closed', message: 'The opening of the connection was aborted' })
    return { failure: opened, transcript: transcript.text(), address, source: localAddress }
  }
  const { extensions, tls } = opened
  const chunking = extensions.chunking && options.chunking !== false
  const dialog = { wire, timeouts, extensions, chunking, allWritten: false }
  return { connection: new OpenConnection(chosen, localAddress, dialog, tls) }
}

/** Maximum number of unanswered messages on one connection. */
export const MAX_UNANSWERED = 3
/** Maximum time since the last bytes from a host, in milliseconds, at which a message may be sent ahead of a reply. */
export const PROMPT_MS = 1_000

/** An SMTP connection whose dialog runs in this thread. */
export class OpenConnection implements SmtpConnection {
  readonly address: string
  readonly source: string | undefined
  readonly hostName: string
  readonly extensions: Extensions
  readonly tls: TlsState | undefined
  messagesSent = 0
  lostAhead = false
  whenAhead: (() => void) | undefined
  readonly #dialog: Dialog
  #transactions = 0
  /** Number of transactions under way. */
  #underWay = 0
  /** Settles when the newest transaction has ended, and thus all transactions. */
  #ended: Promise<unknown> = Promise.resolve()
  /** True once the host has accepted a message by BDAT; an announcement of CHUNKING is not sufficient. */
  #knowsBdat = false
  #resetNext = false

  constructor(
    options: ConnectOptions,
    source: string | undefined,
    dialog: Dialog,
    tls: TlsState | undefined,
  ) {
    this.address = options.address
    this.source = source
    this.hostName = options.hostName
    this.extensions = dialog.extensions
    this.tls = tls
    this.#dialog = dialog
    // Sending ahead is worthwhile only over long round trips, because more messages then wait for a reply, and a
    // message without a reply is sent again after a crash of the node.
    if (options.aheadFromMs !== undefined) dialog.wire.nearMs = options.aheadFromMs
  }

  get usable(): boolean {
    return this.#underWay === 0 && this.#alive
  }

  get canPipelineNext(): boolean {
    const { wire, extensions, allWritten, chunking } = this.#dialog
    return (
      this.#underWay > 0 &&
      this.#underWay < MAX_UNANSWERED &&
      allWritten &&
      chunking &&
      extensions.pipelining &&
      this.#knowsBdat &&
      this.#alive &&
      !wire.isNear &&
      this.silentMs < PROMPT_MS
    )
  }

  /** True if the connection accepts no more transactions. */
  get isOver(): boolean {
    return !this.#alive
  }

  /** Time since the last bytes from the host, in milliseconds. */
  get silentMs(): number {
    return performance.now() - this.#dialog.wire.heardAt
  }

  /** Calls `report` once when the connection has ended. */
  whenOver(report: () => void): void {
    this.#dialog.wire.whenOver(report)
  }

  get #alive(): boolean {
    const { wire } = this.#dialog
    return wire.error === undefined && wire.closing === undefined
  }

  get chunking(): boolean {
    return this.#dialog.chunking
  }

  async send(
    envelope: Envelope,
    message: MessageData,
    signal?: AbortSignal,
    handover: Handover = {},
  ): Promise<TransactionResult> {
    guardEnvelope(envelope)
    const ahead = this.canPipelineNext && isSmall(message)
    if (this.#underWay > 0 && !ahead) {
      // This message waits until all earlier transactions have ended; no later message overtakes this message.
      this.#dialog.allWritten = false
      await this.#ended
      return this.send(envelope, message, signal, handover)
    }
    const { leftMs, place } = handover
    const mayEnd = (): boolean => leftMs === undefined || leftMs() > 0
    const sent = await this.#transact(signal, ahead, async () => {
      const start = { resetFirst: this.#resetNext, ahead, mayEnd }
      const end = await runTransaction(this.#dialog, envelope, message, start)
      if (place !== undefined) this.#note(end, place)
      return end
    })
    if (sent.recipients.some((recipient) => recipient.reply !== undefined)) {
      this.messagesSent++
      this.#knowsBdat ||= this.chunking
    }
    this.lostAhead ||= ahead && sent.recipients.some(isUnknown)
    return sent
  }

  /**
   * Writes the delivery into the journal before the result is reported, so that the next process finds the delivery
   * after a crash.
   */
  #note({ recipients: [first] }: TransactionEnd, place: JournalPlace): void {
    if (first?.reply === undefined) return
    const { hostName: mx, address, source, tls } = this
    const own = source === undefined ? {} : { source }
    writeEntry(place, { mx, address, ...own, ...(tls && { tls: tls.protocol }), reply: first.reply })
  }

  async probe(envelope: Envelope, signal?: AbortSignal): Promise<TransactionResult> {
    guardEnvelope(envelope)
    return this.#transact(signal, false, () => probeRecipient(this.#dialog, envelope, this.#resetNext))
  }

  async #transact(
    signal: AbortSignal | undefined,
    ahead: boolean,
    run: () => Promise<TransactionEnd>,
  ): Promise<TransactionResult> {
    if (this.#underWay > 0 && !ahead) throw new Error('A transaction is under way on this connection')
    this.#underWay++
    const { wire } = this.#dialog
    if (this.#transactions++ > 0) {
      wire.transcript = new Transcript()
      const before = ahead ? ', ahead of the reply to the one before' : ''
      wire.transcript.note(
        `message ${this.#transactions} on the connection to ${this.hostName} [${this.address}]${before}`,
      )
    }
    const { transcript } = wire
    this.#dialog.allWritten = false
    const ending = this.#end(endedBy(signal, wire, run), this.#ended)
    this.#ended = ending
    if (this.canPipelineNext) this.whenAhead?.()
    const { recipients } = await ending
    return { recipients, transcript: transcript.text() }
  }

  /** Applies the result of a transaction, after the end of the previous transaction. */
  async #end(running: Promise<TransactionEnd>, before: Promise<unknown>): Promise<TransactionEnd> {
    const end = await running
    await before
    this.#resetNext = end.resetNext
    this.#underWay--
    if (this.#dialog.wire.closing !== undefined) this.destroy()
    return end
  }

  async close(): Promise<void> {
    if (this.usable) {
      this.#underWay++
      await this.#dialog.wire.command('QUIT', this.#dialog.timeouts.quit)
    }
    this.destroy()
  }

  destroy(): void {
    this.#dialog.wire.fail({ code: 'closed', message: 'The connection was closed by this side' })
  }
}

const isUnknown = ({ failure }: RecipientResult): boolean =>
  failure?.stage === 'end-of-data' && failure.error !== undefined

/** Runs a part of the dialog; the signal ends the dialog at any point. */
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
