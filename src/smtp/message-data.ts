// Sends the message itself, after the 354 reply to DATA or by BDAT, and interprets the reply.

import type { Reply } from '../model/reply.ts'
import { eventLoopBudget } from '../threads/event-loop-budget.ts'
import { KeyedSemaphore } from '../threads/keyed-semaphore.ts'
import { dotStuffed } from './dot-stuffing.ts'
import { refusal, type Stage, type StageFailure, WITHDRAWN } from './stage.ts'
import type { Timeouts } from './timeouts.ts'
import type { Wire, Written } from './wire.ts'

/** A composed and signed message, in which every line ends with CRLF. */
export interface MessageData {
  /** Bytes of the message in order, in chunks of any size. */
  readonly chunks: readonly Buffer[]
  /** Number of bytes. */
  readonly size: number
  /** True if the body holds bytes over 127 (RFC 6152). */
  readonly needs8Bit?: boolean
  /** True if the header section holds UTF-8 (RFC 6531); non-ASCII addresses of the envelope are detected separately. */
  readonly needsSmtpUtf8?: boolean
}

/** The command that carries a message: DATA (RFC 5321 §4.1.1.4) or BDAT (RFC 3030 §2). */
export type DataCommand = 'DATA' | 'BDAT'

/** Size, in bytes, of the blocks in which a message is written, each with its own timeout. */
export const BLOCK = 256 * 1024

/**
 * Writes the message, followed by the final dot or preceded by the BDAT command. Returns a 2xx reply, otherwise the
 * failure.
 */
export async function sendMessage(
  wire: Wire,
  { message, mayEnd }: { readonly message: MessageData; readonly mayEnd: () => boolean },
  timeouts: Timeouts,
  by: DataCommand,
): Promise<Reply | StageFailure> {
  const whole = message.size <= BLOCK
  const turn = wire.isNear && whole ? await turnToSend(wire) : FAR_TURN
  if (!mayEnd()) {
    turn.giveUp()
    wire.fail(WITHDRAWN)
    return broken(wire, 'message')
  }
  const chunks = whole ? message.chunks : cut(message.chunks)
  const pieces = by === 'BDAT' ? withBdat('', message, wire) : dotStuffed(chunks)
  if (by === 'DATA') recordMessage(wire, message)
  // The wait for the reply begins before the write, because a host may refuse in the middle of a message.
  const answer = wire.expect(1, whole ? timeouts.dataEnd : timeouts.dataBlock, Number.POSITIVE_INFINITY)
  turn.until(answer)
  const written = whole
    ? wire.writeData([...pieces])
    : await writeBlocks(wire, pieces, answer, timeouts, mayEnd)
  const [parsed] = await answer
  await flushKnown(written)
  return messageOutcome(wire, written, parsed?.reply)
}

/**
 * Resolves when the operating system has taken the bytes, or after two turns of the event loop. Node may report a reply
 * before the end of the write: Node reads sockets first, and reports the end of a TLS write one turn later.
 */
export async function flushKnown(written: Written): Promise<void> {
  for (let turns = 0; turns < 2 && !written.flushed; turns++) await new Promise(setImmediate)
}

/**
 * Returns the command lines `before`, BDAT and the message as pieces to write, and records the pieces in the
 * transcript. The bytes of the message follow the BDAT command directly and unchanged (RFC 3030 §2).
 */
export function withBdat(before: string, message: MessageData, wire: Wire): Buffer[] {
  // The bytes are counted here, because the host would read a byte beyond the announced length as a command.
  const length = message.chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  const commands = `${before}BDAT ${length} LAST\r\n`
  wire.record(commands)
  recordMessage(wire, message)
  return [Buffer.from(commands), ...message.chunks]
}

/** Returns the outcome of a written message: the positive reply of the host, otherwise the failure. */
export function messageOutcome(wire: Wire, written: Written, reply: Reply | undefined): Reply | StageFailure {
  if (!written.flushed) {
    // A host never accepts a message without its end, and the connection is useless after an incomplete message.
    wire.fail({ code: 'protocol', message: 'The host answered in the middle of the message' })
    return reply !== undefined && reply.code >= 400 ? refusal('message', reply) : broken(wire, 'message')
  }
  // A missing reply to a complete message leaves the outcome unknown: the host may have accepted the message.
  if (reply === undefined) return broken(wire, 'end-of-data')
  return reply.code < 300 ? reply : outOfStep(wire, refusal('end-of-data', reply))
}

/** Maximum usual reply time of a prompt host, in milliseconds. */
const PROMPT_MS = 3
/**
 * Maximum number of messages that a prompt near host has not answered yet, on all connections together. A process that
 * is killed loses the replies that it has not read, and the next process sends these messages again. A host that
 * usually replies at once may pause on a busy machine, and would reply to all messages of the pause together.
 */
const MAX_UNANSWERED = 2
/** Maximum wait for replies to earlier messages to a host, in milliseconds; a host that takes longer is not prompt. */
const MAX_PAUSE_MS = 1_000

const unansweredByHost = new KeyedSemaphore(MAX_UNANSWERED)

/** The turn of a message whose last byte may now be written. */
export interface SendingTurn {
  /** Ends the turn when the reply has settled; other work waits for the reply of a prompt near host. */
  readonly until: (answer: Promise<unknown>) => void
  /** Ends the turn of a message that is not sent. */
  readonly giveUp: () => void
}

/** The turn of a message to a host that is far away, for which no work waits. */
export const FAR_TURN: SendingTurn = { until: () => {}, giveUp: () => {} }

/**
 * Waits until the last byte of a message to a near host may be written: until the end of the turn of the event loop, so
 * that no other work delays the read of the reply. A message to a prompt host also waits while `MAX_UNANSWERED` messages
 * to this host have no reply yet, for at most `MAX_PAUSE_MS`.
 */
export async function turnToSend(wire: Wire): Promise<SendingTurn> {
  const answered = wire.usualAnswerMs < PROMPT_MS ? await turnAtHost(wire.peer) : undefined
  await eventLoopBudget.end()
  return {
    giveUp: () => answered?.(),
    until: (answer) => {
      const from = performance.now()
      const heard = wire.usualAnswerMs < PROMPT_MS ? eventLoopBudget.holdWork() : undefined
      void answer.then(() => {
        // One quick reply shows that the host is quick: a busy machine delays single replies, and a slow host delays
        // all replies.
        wire.usualAnswerMs = Math.min(performance.now() - from, 2 * wire.usualAnswerMs + 0.5)
        heard?.()
        answered?.()
      })
    },
  }
}

function turnAtHost(peer: string): Promise<(() => void) | undefined> | (() => void) {
  return (
    unansweredByHost.tryAcquire(peer) ?? unansweredByHost.acquire(peer, AbortSignal.timeout(MAX_PAUSE_MS))
  )
}

/** Ends the dialog if the failure shows that the replies of the host do not match the commands. */
export function outOfStep(wire: Wire, failure: StageFailure): StageFailure {
  if (failure.error !== undefined) wire.fail(failure.error)
  return failure
}

function recordMessage(wire: Wire, message: MessageData): void {
  // The method toLocaleString would cost more time than the rest of this function.
  const length = String(message.size).replace(/\B(?=(\d{3})+$)/g, ',')
  wire.transcript.sent(`(${length} bytes of message)`)
}

/**
 * Returns the error of a broken connection as the failure, even if the host announced the end of the connection with a
 * 421 reply.
 */
function broken(wire: Wire, stage: Stage): StageFailure {
  return { stage, error: wire.error ?? { code: 'closed', message: 'The connection was closed' } }
}

/**
 * Writes the message in blocks, each block after the operating system has taken the previous block; stops when the host
 * replies or the connection ends.
 */
async function writeBlocks(
  wire: Wire,
  pieces: Iterable<Buffer>,
  answer: Promise<unknown>,
  timeouts: Timeouts,
  mayEnd: () => boolean,
): Promise<Written> {
  let answered = false
  void answer.then(() => {
    answered = true
  })
  let written: Written = { flushed: false }
  for (const block of blocks(pieces)) {
    if (answered) return { flushed: false }
    // A message can be withdrawn before its end, because a host accepts only complete messages (RFC 5321 §4.1.1.4).
    if (!mayEnd()) wire.fail(WITHDRAWN)
    if (wire.error !== undefined) return { flushed: false }
    wire.setDeadline(timeouts.dataBlock)
    const flushed = new Promise<void>((resolve) => {
      written = wire.writeData(block, resolve)
    })
    await Promise.race([flushed, answer])
  }
  wire.setDeadline(timeouts.dataEnd)
  return written
}

/** Groups the pieces into blocks of at least `BLOCK` bytes, except the last block; larger pieces are cut. */
function* blocks(pieces: Iterable<Buffer>): Generator<Buffer[]> {
  let block: Buffer[] = []
  let size = 0
  for (const part of cut(pieces)) {
    block.push(part)
    size += part.length
    if (size < BLOCK) continue
    yield block
    block = []
    size = 0
  }
  if (block.length > 0) yield block
}

/** Cuts pieces of more than `BLOCK` bytes. */
function* cut(pieces: Iterable<Buffer>): Generator<Buffer> {
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += BLOCK) {
      yield piece.length <= BLOCK ? piece : piece.subarray(at, at + BLOCK)
    }
  }
}
