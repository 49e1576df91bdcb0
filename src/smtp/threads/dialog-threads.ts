// Threads that hold the connections to mail hosts, so that no other work of the process delays reading a reply.

import type { Worker } from 'node:worker_threads'
import type { Part } from '../../lib/lifecycle.ts'
import { inBatches } from '../../threads/message-batching.ts'
import { startThread } from '../../threads/thread.ts'
import { guardOptions } from '../connect-options.ts'
import type { ConnectOptions, ConnectResult, Handover } from '../connection.ts'
import { type Answer, type AnswerOf, monotonicMs, type Order } from './orders.ts'
import { type DialogOrders, ThreadedConnection } from './threaded-connection.ts'

/**
 * Size of the young generation of the heap, in MB: large enough for the state of a hundred dialogs, so that the state
 * is not promoted.
 */
const YOUNG_MB = 12

/** Interval, in milliseconds, at which threads receive the remaining sending times of messages. */
const TELL_TIMES_MS = 1_000

const endOf = (leftMs: Handover['leftMs']): number =>
  leftMs === undefined ? Number.POSITIVE_INFINITY : monotonicMs() + leftMs()

/** Types of the answers to each kind of order. */
interface AnswerTo {
  readonly connect: AnswerOf<'opened' | 'not-opened'>
  readonly send: AnswerOf<'ended'>
  readonly probe: AnswerOf<'ended'>
  readonly close: AnswerOf<'closed'>
}

/** The threads of a node for dialogs with mail hosts; each thread starts with its first connection. */
export class DialogThreads implements Part {
  readonly name = 'threads of the dialogs with mail hosts'
  readonly #threads: DialogThread[]

  /** @param count number of threads, at least one */
  constructor(count: number) {
    this.#threads = Array.from({ length: count }, () => new DialogThread())
  }

  async stop(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.end()))
  }

  /** Opens a connection like `connect`, in the thread with the fewest connections. */
  readonly connect = (options: ConnectOptions): Promise<ConnectResult> => {
    const thread = this.#threads.reduce((best, one) => (one.count < best.count ? one : best))
    return thread.connect(options)
  }
}

/** One thread. */
class DialogThread {
  #worker: Worker | undefined
  #next = 1
  readonly #asked = new Map<number, (answer: Answer) => void>()
  readonly #connections = new Map<number, ThreadedConnection>()
  /** Messages under way whose sending time is limited. */
  readonly #limited = new Map<number, Handover['leftMs']>()
  #timer: NodeJS.Timeout | undefined
  #orders: Order[] = []

  /** Number of connections that are open or being opened. */
  get count(): number {
    return this.#connections.size + this.#asked.size
  }

  async connect({ signal, ...options }: ConnectOptions): Promise<ConnectResult> {
    guardOptions(options)
    const answer = await this.#ask('connect', { options }, signal)
    if (answer.kind === 'not-opened') return answer.result
    return { connection: this.#connections.get(answer.id) as ThreadedConnection }
  }

  async end(): Promise<void> {
    clearInterval(this.#timer)
    await this.#worker?.terminate()
  }

  #ordersFor(connection: number): DialogOrders {
    return {
      send: (envelope, message, { place, leftMs }, signal) => {
        const endsAt = endOf(leftMs)
        const limited = Number.isFinite(endsAt) ? leftMs : undefined
        return this.#ask('send', { connection, envelope, message, place, endsAt }, signal, limited)
      },
      probe: (envelope, signal) => this.#ask('probe', { connection, envelope }, signal),
      close: async () => {
        await this.#ask('close', { connection })
        this.#connections.delete(connection)
      },
      destroy: () => {
        this.#post({ kind: 'destroy', connection })
        this.#connections.delete(connection)
      },
    }
  }

  #ask<Kind extends keyof AnswerTo>(
    kind: Kind,
    order: Omit<Extract<Order, { readonly kind: Kind }>, 'kind' | 'id'>,
    signal?: AbortSignal,
    leftMs?: Handover['leftMs'],
  ): Promise<AnswerTo[Kind]> {
    const id = this.#next++
    const abort = (): void => this.#post({ kind: 'abort', id })
    return new Promise((resolve) => {
      this.#post({ kind, id, ...order } as unknown as Order)
      this.#asked.set(id, (answer) => {
        signal?.removeEventListener('abort', abort)
        this.#limited.delete(id)
        resolve(answer as AnswerTo[Kind])
      })
      if (leftMs !== undefined) this.#limited.set(id, leftMs)
      // A pending order keeps the process alive.
      if (this.#asked.size === 1) this.#worker?.ref()
      if (signal?.aborted) abort()
      else signal?.addEventListener('abort', abort)
    })
  }

  /**
   * Queues an order; the orders of one turn of the event loop are posted together, because each message wakes the
   * receiving thread.
   */
  #post(order: Order): void {
    this.#worker ??= this.#start()
    this.#orders.push(order)
    if (this.#orders.length === 1) setImmediate(this.#postAll)
  }

  readonly #postAll = (): void => {
    const orders = this.#orders
    this.#orders = []
    const pieces = orders.flatMap((order) => (order.kind === 'send' ? order.message.pieces : []))
    const moved = pieces.flatMap(({ buffer }) => (buffer instanceof ArrayBuffer ? [buffer] : []))
    this.#worker?.postMessage(orders, moved)
  }

  #start(): Worker {
    const program = new URL('./dialog-thread.ts', import.meta.url)
    const worker = startThread(program, { youngMb: YOUNG_MB }, 'mail hosts')
    worker.unref()
    this.#timer = setInterval(() => this.#tellTimes(), TELL_TIMES_MS).unref()
    worker.on(
      'message',
      inBatches((answers: readonly Answer[]) => answers.forEach(this.#hear)),
    )
    worker.on('error', (error) => {
      // The dialogs of a failed thread are lost, so the node ends, and the supervisor restarts the node.
      setImmediate(() => {
        throw error
      })
    })
    return worker
  }

  /** Sends the current end of the sending time of each message under way, because leases are renewed meanwhile. */
  #tellTimes(): void {
    for (const [id, leftMs] of this.#limited) this.#post({ kind: 'time', id, endsAt: endOf(leftMs) })
  }

  readonly #hear = (answer: Answer): void => {
    if (answer.kind === 'state') {
      this.#connections.get(answer.connection)?.note(answer.state)
      return
    }
    if (answer.kind === 'opened') {
      const { id, opened, state } = answer
      this.#connections.set(id, new ThreadedConnection(this.#ordersFor(id), opened, state))
    }
    this.#asked.get(answer.id)?.(answer)
    this.#asked.delete(answer.id)
    if (this.#asked.size === 0) this.#worker?.unref()
  }
}
