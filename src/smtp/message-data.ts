// Sends the message itself, by DATA after the 354 or by BDAT, and interprets the reply.

import type { Reply } from '../model/reply.ts'
import { eventLoopBudget } from '../threads/event-loop-budget.ts'
import { dotStuffed } from './dot-stuffing.ts'
import { refusal, type Stage, type StageFailure, WITHDRAWN } from './stage.ts'
import type { Timeouts } from './timeouts.ts'
import type { Wire, Written } from './wire.ts'

/** A message to send: composed and signed, every line ends with CRLF. */
export interface MessageData {
  /** The bytes in order, split anywhere. */
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

/** Bytes written before the host must have taken them. */
export const BLOCK = 256 * 1024

/**
 * Writes the message, with its final dot or after its BDAT. Returns the reply if it is a 2xx, otherwise the failure.
 */
export async function sendMessage(
  wire: Wire,
  { message, mayEnd }: { readonly message: MessageData; readonly mayEnd: () => boolean },
  timeouts: Timeouts,
  by: DataCommand,
): Promise<Reply | StageFailure> {
  if (wire.isNear) await eventLoopBudget.end()
  if (!mayEnd()) {
    wire.fail(WITHDRAWN)
    return broken(wire, 'message')
  }
  const whole = message.size <= BLOCK
  const chunks = whole ? message.chunks : cut(message.chunks)
  const pieces = by === 'BDAT' ? withBdat('', message, wire) : dotStuffed(chunks)
  if (by === 'DATA') recordMessage(wire, message)
  // The wait begins before the writing, because a host may refuse in the middle of a message.
  const answer = wire.expect(1, whole ? timeouts.dataEnd : timeouts.dataBlock, Number.POSITIVE_INFINITY)
  if (whole) holdWorkUntilAnswered(wire, answer)
  const written = whole
    ? wire.writeData([...pieces])
    : await writeBlocks(wire, pieces, answer, timeouts, mayEnd)
  const [parsed] = await answer
  await flushKnown(written)
  return messageOutcome(wire, written, parsed?.reply)
}

/**
 * Resolves when the bytes have left, or cannot leave any more. Node may report a reply before the end of the writing:
 * it reads sockets first, and over TLS it reports the end of writing one turn later.
 */
export async function flushKnown(written: Written): Promise<void> {
  for (let turns = 0; turns < 2 && !written.flushed; turns++) await new Promise(setImmediate)
}

/**
 * Returns the command lines `before`, BDAT and the message as pieces to write, and records them in the transcript.
 * RFC 3030 §2: the bytes follow the command directly, unchanged.
 */
export function withBdat(before: string, message: MessageData, wire: Wire): Buffer[] {
  // The bytes are counted here, as one byte too many would be read as a command.
  const length = message.chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  const commands = `${before}BDAT ${length} LAST\r\n`
  wire.record(commands)
  recordMessage(wire, message)
  return [Buffer.from(commands), ...message.chunks]
}

/** Returns the outcome of a written message: the reply to it, or the failure if none came. */
export function messageOutcome(wire: Wire, written: Written, reply: Reply | undefined): Reply | StageFailure {
  if (!written.flushed) {
    // A message without its end is not accepted, and half a message makes the connection useless.
    wire.fail({ code: 'protocol', message: 'The host answered in the middle of the message' })
    return reply !== undefined && reply.code >= 400 ? refusal('message', reply) : broken(wire, 'message')
  }
  // From here on a missing reply leaves the outcome unknown: the host may have accepted the message.
  if (reply === undefined) return broken(wire, 'end-of-data')
  return reply.code < 300 ? reply : outOfStep(wire, refusal('end-of-data', reply))
}

/** A host with a longer usual reply time, in milliseconds, delays no other work. */
const PROMPT_MS = 3

/**
 * Delays other work while a near host is about to answer a message: if the process were killed with an unread reply,
 * the next process would send the message again.
 */
export function holdWorkUntilAnswered(wire: Wire, answer: Promise<unknown>): void {
  const from = performance.now()
  const heard = wire.isNear && wire.usualAnswerMs < PROMPT_MS ? eventLoopBudget.holdWork() : undefined
  void answer.then(() => {
    // One quick reply shows that the host is quick. A busy machine delays single replies, a slow host delays all of
    // them.
    wire.usualAnswerMs = Math.min(performance.now() - from, 2 * wire.usualAnswerMs + 0.5)
    heard?.()
  })
}

/** Ends the dialog if the failure shows that the replies of the host do not match the commands. */
export function outOfStep(wire: Wire, failure: StageFailure): StageFailure {
  if (failure.error !== undefined) wire.fail(failure.error)
  return failure
}

function recordMessage(wire: Wire, message: MessageData): void {
  // toLocaleString would cost more than the rest of this function.
  const length = String(message.size).replace(/\B(?=(\d{3})+$)/g, ',')
  wire.transcript.sent(`(${length} bytes of message)`)
}

/** Returns the failure of a broken connection, even if the host announced its end. */
function broken(wire: Wire, stage: Stage): StageFailure {
  return { stage, error: wire.error ?? { code: 'closed', message: 'The connection was closed' } }
}

/** Writes block by block, each after the host has taken the one before; stops when the host replies or is gone. */
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
    // RFC 5321 §4.1.1.4: a host accepts no message without its end.
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

/** Groups the pieces into blocks of `BLOCK` bytes or slightly more; larger pieces are cut. */
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
