// A connection to a mail host whose dialog runs in another thread.

import type { Envelope } from '../../model/envelope.ts'
import { inSharedMemory } from '../../threads/shared-bytes.ts'
import {
  type Handover,
  MAX_UNANSWERED,
  PROMPT_MS,
  type SmtpConnection,
  type TransactionResult,
} from '../connection.ts'
import type { Extensions } from '../extensions.ts'
import type { MessageData } from '../message-data.ts'
import type { TlsState } from '../tls.ts'
import { guardEnvelope } from '../wire-guard.ts'
import type { ConnectionState, OpenedConnection, SentMessage } from './orders.ts'

/** Passes the operations of a connection to its thread. */
export interface DialogOrders {
  send(
    envelope: Envelope,
    message: SentMessage,
    handover: Handover,
    signal: AbortSignal | undefined,
  ): Promise<Transacted>
  probe(envelope: Envelope, signal: AbortSignal | undefined): Promise<Transacted>
  close(): Promise<void>
  destroy(): void
}

/** Result of a transaction, and the state of the connection after the transaction. */
export interface Transacted {
  readonly result: TransactionResult
  readonly state: ConnectionState
}

/**
 * A connection that holds the last state that its thread has sent; the state in the thread decides if this copy is
 * outdated.
 */
export class ThreadedConnection implements SmtpConnection {
  readonly address: string
  readonly source: string | undefined
  readonly hostName: string
  readonly extensions: Extensions
  readonly tls: TlsState | undefined
  whenAhead: (() => void) | undefined
  readonly #orders: DialogOrders
  #state: ConnectionState
  /**
   * Time until which a message may be sent ahead of the reply to the previous message, in milliseconds of
   * `performance.now()`.
   */
  #aheadUntil = 0
  /** Number of transactions under way. */
  #underWay = 0
  #isDestroyed = false

  constructor(orders: DialogOrders, opened: OpenedConnection, state: ConnectionState) {
    this.address = opened.address
    this.source = opened.source
    this.hostName = opened.hostName
    this.extensions = opened.extensions
    this.tls = opened.tls
    this.#orders = orders
    this.#state = state
  }

  get messagesSent(): number {
    return this.#state.messagesSent
  }

  get lostAhead(): boolean {
    return this.#state.lostAhead
  }

  get chunking(): boolean {
    return this.#state.chunking
  }

  get usable(): boolean {
    return this.#underWay === 0 && this.#alive
  }

  get canPipelineNext(): boolean {
    const isBusy = this.#underWay > 0 && this.#underWay < MAX_UNANSWERED
    return isBusy && this.#alive && performance.now() < this.#aheadUntil
  }

  get #alive(): boolean {
    return !this.#isDestroyed && !this.#state.isOver
  }

  /** Applies a state that the thread has sent without an order. */
  note(state: ConnectionState): void {
    this.#take(state)
    if (this.canPipelineNext) this.whenAhead?.()
  }

  async send(
    envelope: Envelope,
    message: MessageData,
    signal?: AbortSignal,
    handover: Handover = {},
  ): Promise<TransactionResult> {
    guardEnvelope(envelope)
    return this.#transact(() => this.#orders.send(envelope, sent(message), handover, signal))
  }

  async probe(envelope: Envelope, signal?: AbortSignal): Promise<TransactionResult> {
    guardEnvelope(envelope)
    if (this.#underWay > 0) throw new Error('A transaction is under way on this connection')
    return this.#transact(() => this.#orders.probe(envelope, signal))
  }

  async close(): Promise<void> {
    this.#isDestroyed = true
    await this.#orders.close()
  }

  destroy(): void {
    this.#isDestroyed = true
    this.#orders.destroy()
  }

  async #transact(order: () => Promise<Transacted>): Promise<TransactionResult> {
    this.#underWay++
    // The thread reports when the next transaction may follow this one.
    this.#aheadUntil = 0
    const { result, state } = await order()
    this.#underWay--
    this.#take(state)
    return result
  }

  #take(state: ConnectionState): void {
    this.#state = state
    const { aheadSilentMs } = state
    this.#aheadUntil = aheadSilentMs === undefined ? 0 : performance.now() + PROMPT_MS - aheadSilentMs
  }
}

/**
 * Maximum size, in bytes, of a message that is copied for each dialog; larger pieces are in memory shared by threads.
 */
const MAX_COPIED = 64 * 1024

/** Returns a message in pieces that can be sent to a thread. */
function sent({ chunks, size, needs8Bit = false, needsSmtpUtf8 = false }: MessageData): SentMessage {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  const pieces = length <= MAX_COPIED ? [joined(chunks, length)] : chunks.map(shareable)
  return { size, needs8Bit, needsSmtpUtf8, pieces }
}

function joined(chunks: MessageData['chunks'], length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/** Copies of message chunks in shared memory, one copy for all recipients of the same message. */
const copies = new WeakMap<Buffer, Uint8Array>()

function shareable(chunk: Buffer): Uint8Array {
  if (chunk.buffer instanceof SharedArrayBuffer) return chunk
  if (chunk.length <= MAX_COPIED) return new Uint8Array(chunk)
  let copy = copies.get(chunk)
  if (copy === undefined) {
    copy = inSharedMemory(chunk)
    copies.set(chunk, copy)
  }
  return copy
}
