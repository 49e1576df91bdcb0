// The program of a thread that holds connections to mail hosts. The thread reads and records replies immediately, even
// if the process is busy.

import { setPriority } from 'node:os'
import { type MessagePort, parentPort } from 'node:worker_threads'
import type { Envelope } from '../../model/envelope.ts'
import { eventLoopBudget } from '../../threads/event-loop-budget.ts'
import { inBatches } from '../../threads/message-batching.ts'
import { weigh } from '../../threads/shared-bytes.ts'
import { connect, type OpenConnection } from '../connection.ts'
import { type Answer, type AnswerOf, type ConnectionState, monotonicMs, type Order } from './orders.ts'

/**
 * Three quarters of the time may be spent in waits for near hosts, because the thread has no other work; the remaining
 * quarter keeps a slow host from blocking other hosts.
 */
eventLoopBudget.waitShare = 0.75

/**
 * Maximum time for processing orders in each turn of the event loop, in milliseconds; replies of hosts stay unread in
 * this time.
 */
const ORDERS_MS = 0.5

/**
 * Nice value of this thread, if the system allows a value below the default: the thread can read a reply although other
 * threads use the CPU.
 */
const NICE = -5

// Linux changes the priority of the calling thread alone (setpriority(2), "BUGS").
if (process.platform === 'linux') {
  try {
    setPriority(0, NICE)
  } catch {
    // The thread keeps the default priority without CAP_SYS_NICE or a suitable limit (LimitNICE of systemd).
  }
}

const port = parentPort as MessagePort
const connections = new Map<number, OpenConnection>()

/** An order under way. */
interface ActiveDialog {
  readonly abort: AbortController
  /** Time until which the message may be sent, in milliseconds of `monotonicMs`. */
  endsAt: number
}

const underWay = new Map<number, ActiveDialog>()

port.on(
  'message',
  inBatches((orders: readonly Order[]) => orders.forEach(follow), ORDERS_MS),
)

function follow(order: Order): void {
  if (order.kind === 'connect') void open(order)
  else if (order.kind === 'send' || order.kind === 'probe') void transact(order)
  else if (order.kind === 'close') void close(order)
  else if (order.kind === 'abort') underWay.get(order.id)?.abort.abort()
  else if (order.kind === 'time') setTime(order)
  else destroy(order)
}

/**
 * Answers of this turn of the event loop, posted together, because each message between threads wakes the receiving
 * thread.
 */
let answers: Answer[] = []

function tell(answer: Answer): void {
  answers.push(answer)
  if (answers.length > 1) return
  setImmediate(() => {
    port.postMessage(answers)
    answers = []
  })
}

async function open({ id, options }: Extract<Order, { kind: 'connect' }>): Promise<void> {
  const result = await abortable(id, ({ abort: { signal } }) => connect({ ...options, signal }))
  const { connection } = result
  if (connection === undefined) return tell({ kind: 'not-opened', id, result })
  const { address, source, hostName, extensions, tls } = connection
  connections.set(id, connection)
  const tellState = (): void => {
    if (connections.has(id)) tell({ kind: 'state', connection: id, state: stateOf(connection) })
  }
  const opened = { address, source, hostName, extensions, tls }
  tell({ kind: 'opened', id, opened, state: stateOf(connection) })
  connection.whenAhead = tellState
  connection.whenOver(tellState)
}

async function transact(order: Extract<Order, { kind: 'send' | 'probe' }>): Promise<void> {
  const { id, connection: name, envelope } = order
  const connection = connections.get(name)
  if (connection === undefined) return tell({ kind: 'ended', id, connection: name, ...endedBefore(envelope) })
  const result = await abortable(id, (own) => {
    const { signal } = own.abort
    if (order.kind === 'probe') return connection.probe(envelope, signal)
    const { pieces, ...message } = order.message
    for (const { buffer } of pieces) weigh(buffer)
    const { place, endsAt } = order
    own.endsAt = endsAt
    const leftMs = (): number => own.endsAt - monotonicMs()
    const chunks = pieces.map((piece) => Buffer.from(piece.buffer, piece.byteOffset, piece.length))
    return connection.send(envelope, { ...message, chunks }, signal, { place, leftMs })
  })
  tell({ kind: 'ended', id, connection: name, result, state: stateOf(connection) })
}

/** Returns the result of a transaction on a connection that was closed before. */
function endedBefore({ recipients }: Envelope): Pick<AnswerOf<'ended'>, 'result' | 'state'> {
  const failure = {
    stage: 'mail',
    error: { code: 'closed', message: 'The connection was closed by this side' },
  } as const
  const state = { messagesSent: 0, lostAhead: false, chunking: false, isOver: true, aheadSilentMs: undefined }
  return {
    result: { recipients: recipients.map(() => ({ failure })), transcript: failure.error.message },
    state,
  }
}

async function close({ id, connection: name }: Extract<Order, { kind: 'close' }>): Promise<void> {
  const connection = connections.get(name)
  connections.delete(name)
  await connection?.close()
  tell({ kind: 'closed', id, connection: name })
}

function destroy({ connection: name }: Extract<Order, { kind: 'destroy' }>): void {
  const connection = connections.get(name)
  connections.delete(name)
  connection?.destroy()
}

function setTime({ id, endsAt }: Extract<Order, { kind: 'time' }>): void {
  const own = underWay.get(id)
  if (own !== undefined) own.endsAt = endsAt
}

async function abortable<T>(id: number, work: (own: ActiveDialog) => Promise<T>): Promise<T> {
  const own = { abort: new AbortController(), endsAt: Number.POSITIVE_INFINITY }
  underWay.set(id, own)
  try {
    return await work(own)
  } finally {
    underWay.delete(id)
  }
}

function stateOf(connection: OpenConnection): ConnectionState {
  const { messagesSent, lostAhead, chunking, canPipelineNext, silentMs, isOver } = connection
  return { messagesSent, lostAhead, chunking, isOver, aheadSilentMs: canPipelineNext ? silentMs : undefined }
}
