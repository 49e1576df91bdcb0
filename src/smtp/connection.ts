// A connection to another mail host: opened, greeted, encrypted, then used for one message after the other.

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
import type { StageFailure } from './stage.ts'
import { defaultTimeouts, type Timeouts } from './timeouts.ts'
import type { TlsState } from './tls.ts'
import { isSmall, type RecipientResult, runTransaction } from './transaction.ts'
import type { TransactionEnd } from './transaction-end.ts'
import { Transcript } from './transcript.ts'
import { Wire } from './wire.ts'
import { guardEnvelope } from './wire-guard.ts'

export type { ConnectOptions }

/** A connection that can take a message, or where and why there is none. */
export type ConnectResult<Connection extends SmtpConnection = SmtpConnection> =
  | { readonly connection: Connection; readonly failure?: undefined; readonly transcript?: undefined }
  | {
      readonly connection?: undefined
      readonly failure: StageFailure
      readonly transcript: string
      /** The address that answered, when one did. */
      readonly address?: string | undefined
    }

/** Result of one message. */
export interface TransactionResult {
  /** One for each recipient of the envelope, in its order. */
  readonly recipients: readonly RecipientResult[]
  /** The dialog; that of a connection's first message begins with its opening. */
  readonly transcript: string
}

/** Terms on which a message is handed over. */
export interface Handover {
  /**
   * Milliseconds for which the message may be sent. Asked before its last bytes leave: if none are left, the host does
   * not get them, and has no message (error `withdrawn`).
   */
  readonly leftMs?: (() => number) | undefined
  /** Place in the journal for this delivery. */
  readonly place?: JournalPlace | undefined
}

/**
 * An open connection; one transaction after the other, or the next one ahead of the answer where the host allows it.
 */
export interface SmtpConnection {
  readonly address: string
  readonly hostName: string
  /** Extensions that the host offers on the line as it now is. */
  readonly extensions: Extensions
  /** Absent on a plaintext connection. */
  readonly tls: TlsState | undefined
  /** Transactions in which the host took a message. */
  readonly messagesSent: number
  /** The host left a message unanswered that had followed another one ahead of the answer. */
  readonly lostAhead: boolean
  /** Told each time when `canPipelineNext` may have turned true. */
  whenAhead: (() => void) | undefined
  /** True if the connection can take another transaction now. */
  readonly usable: boolean
  /**
   * True if the connection can take a message though another one has not been answered: RFC 2920 §3.1 lets a client go
   * on behind the message it has sent, and with BDAT (RFC 3030 §2) nothing of the next one needs an answer either. Only
   * where the host has taken a message by BDAT before, and is far away but answers promptly.
   */
  readonly canPipelineNext: boolean
  /** True if messages go by BDAT; turns false when the host offered CHUNKING and then did not know BDAT. */
  readonly chunking: boolean
  /**
   * Hands one message over, in its turn. Never rejects for what the host does; throws for an envelope that cannot be
   * put into commands. `signal` ends the dialog with the error `timeout`, at any stage. That the host has taken the
   * message is written into the journal as soon as its answer is read.
   */
  send(
    envelope: Envelope,
    message: MessageData,
    signal?: AbortSignal,
    handover?: Handover,
  ): Promise<TransactionResult>
  /** Asks whether the host takes this one recipient, and sends nothing; else as `send`. */
  probe(envelope: Envelope, signal?: AbortSignal): Promise<TransactionResult>
  /** Says QUIT, waits a short while for the answer, and closes. */
  close(): Promise<void>
  /** Closes without a word. A transaction under way ends with the error `closed`. */
  destroy(): void
}

/** Opens connections: in this thread, or in one of their own. */
export type Connect = (options: ConnectOptions) => Promise<ConnectResult>

/**
 * Opens a connection up to where MAIL may be said. Never rejects for what the host does. Throws a TypeError for
 * options that cannot be meant.
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
  const wire = new Wire(socket, transcript)
  const chosen = { ...options, address, heloName: source?.heloName ?? options.heloName }
  const opened = await endedBy(signal, wire, () => open(wire, chosen, timeouts))
  if ('stage' in opened) {
    wire.fail({ code: 'closed', message: 'The connection was given up' })
    return { failure: opened, transcript: transcript.text(), address }
  }
  const { extensions, tls } = opened
  const chunking = extensions.chunking && options.chunking !== false
  const dialog = { wire, timeouts, extensions, chunking, allWritten: false }
  return { connection: new OpenConnection(chosen, dialog, tls) }
}

/** Messages on one connection that were not answered yet. */
export const MAX_UNANSWERED = 3
/** Longest silence of a host after which another message may follow one that it has not answered, in milliseconds. */
export const PROMPT_MS = 1_000

/** A connection of this thread. */
export class OpenConnection implements SmtpConnection {
  readonly address: string
  readonly hostName: string
  readonly extensions: Extensions
  readonly tls: TlsState | undefined
  messagesSent = 0
  lostAhead = false
  whenAhead: (() => void) | undefined
  readonly #dialog: Dialog
  #transactions = 0
  /** Transactions under way. */
  #underWay = 0
  /** Settles when the newest transaction, and so all of them, have ended. */
  #ended: Promise<unknown> = Promise.resolve()
  /** The host has taken a message by BDAT: it does not only say that it can. */
  #knowsBdat = false
  #resetNext = false

  constructor(options: ConnectOptions, dialog: Dialog, tls: TlsState | undefined) {
    this.address = options.address
    this.hostName = options.hostName
    this.extensions = dialog.extensions
    this.tls = tls
    this.#dialog = dialog
    // A message that is unanswered when a node is killed is sent again: only a long way is worth going ahead.
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

  /** True if it takes nothing any more. */
  get isOver(): boolean {
    return !this.#alive
  }

  /** Time since the last bytes from the host, in milliseconds. */
  get silentMs(): number {
    return performance.now() - this.#dialog.wire.heardAt
  }

  /** Calls `told` once when the connection has come to its end. */
  whenOver(told: () => void): void {
    this.#dialog.wire.whenOver(told)
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
      // It has to wait for its own envelope, and so for all that was said before; nothing overtakes it.
      this.#dialog.allWritten = false
      await this.#ended
      return this.send(envelope, message, signal, handover)
    }
    const { leftMs, place } = handover
    const mayEnd = (): boolean => leftMs === undefined || leftMs() > 0
    const sent = await this.#transact(signal, ahead, async () => {
      const standing = { resetFirst: this.#resetNext, ahead, mayEnd }
      const end = await runTransaction(this.#dialog, envelope, message, standing)
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

  /** Before the end is told to anybody: a process that is killed knows what it has written. */
  #note({ recipients: [first] }: TransactionEnd, place: JournalPlace): void {
    if (first?.reply === undefined) return
    const { hostName: mx, address, tls } = this
    writeEntry(place, { mx, address, ...(tls && { tls: tls.protocol }), reply: first.reply })
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
      const before = ahead ? ', ahead of the answer to the one before' : ''
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

  /** Takes in what a transaction leaves behind, after the one before it. */
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
    this.#dialog.wire.fail({ code: 'closed', message: 'The connection was closed by us' })
  }
}

const isUnknown = ({ failure }: RecipientResult): boolean =>
  failure?.stage === 'end-of-data' && failure.error !== undefined

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
