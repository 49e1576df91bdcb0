// Hands over the message itself, by DATA after the 354 or by BDAT, and reads what the host's answer to it means.

import type { Reply } from '../model/reply.ts'
import { eventLoopBudget } from '../threads/event-loop-budget.ts'
import { dotStuffed } from './dot-stuffing.ts'
import { refusal, type Stage, type StageFailure, WITHDRAWN } from './stage.ts'
import type { Timeouts } from './timeouts.ts'
import type { Wire, Written } from './wire.ts'

/** A message on its way out: composed and signed, every line ended by CRLF. */
export interface MessageData {
  /** The bytes in order, cut anywhere. */
  readonly chunks: readonly Buffer[]
  /** Their number. */
  readonly size: number
  /** The body holds bytes over 127 (RFC 6152). */
  readonly needs8Bit?: boolean
  /** The header section holds UTF-8 (RFC 6531); non-ASCII addresses in the envelope are seen without this. */
  readonly needsSmtpUtf8?: boolean
}

/** The command that carries a message: DATA (RFC 5321 §4.1.1.4) or BDAT (RFC 3030 §2). */
export type DataCommand = 'DATA' | 'BDAT'

/** Bytes written before the host must have taken them. */
export const BLOCK = 256 * 1024

/**
 * Writes the message, with its final dot or behind its BDAT; the reply to it when it is a 2xx, else how it failed.
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
  // Before the writing: a host may refuse in the middle of a message.
  const answer = wire.expect(1, whole ? timeouts.dataEnd : timeouts.dataBlock, Number.POSITIVE_INFINITY)
  if (whole) heedAnswer(wire, answer)
  const written = whole ? wire.writeData([...pieces]) : await writeBlocks(wire, pieces, answer, timeouts, mayEnd)
  const [parsed] = await answer
  await flushKnown(written)
  return messageOutcome(wire, written, parsed?.reply)
}

/**
 * Resolves when it is known whether the bytes have left. Of an answer that has come meanwhile, Node may tell sooner
 * than of the end of writing: over TLS it tells that in the next turn, and of a socket it reads first.
 */
export async function flushKnown(written: Written): Promise<void> {
  for (let turns = 0; turns < 2 && !written.flushed; turns++) await new Promise(setImmediate)
}

/**
 * The command lines `before`, BDAT, and the message, as pieces to write; the transcript has them then. RFC 3030 §2:
 * the bytes follow the command at once, as they are.
 */
export function withBdat(before: string, message: MessageData, wire: Wire): Buffer[] {
  // Counted, not believed: one byte too many would be read as a command.
  const octets = message.chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  const commands = `${before}BDAT ${octets} LAST\r\n`
  wire.record(commands)
  recordMessage(wire, message)
  return [Buffer.from(commands), ...message.chunks]
}

/** Outcome of a written message: the reply to it, or the failure if none came. */
export function messageOutcome(wire: Wire, written: Written, reply: Reply | undefined): Reply | StageFailure {
  if (!written.flushed) {
    // Without its end no message is accepted, and half of one on the line makes it useless.
    wire.fail({ code: 'protocol', message: 'The host answered in the middle of the message' })
    return reply !== undefined && reply.code >= 400 ? refusal('message', reply) : broken(wire, 'message')
  }
  // From here on a lost reply leaves the outcome unknown: the host may have taken the message.
  if (reply === undefined) return broken(wire, 'end-of-data')
  return reply.code < 300 ? reply : outOfStep(wire, refusal('end-of-data', reply))
}

/** A host that usually takes longer for its answer, in milliseconds, holds up no other work. */
const PROMPT_MS = 3

/**
 * Lets nothing else begin while a near host is about to answer a message: an answer that lies unread when the process
 * is killed is not known to the next one, which sends the message again.
 */
export function heedAnswer(wire: Wire, answer: Promise<unknown>): void {
  const from = performance.now()
  const heard = wire.isNear && wire.usualAnswerMs < PROMPT_MS ? eventLoopBudget.holdWork() : undefined
  void answer.then(() => {
    // One quick answer shows that the host is quick; a busy machine makes single ones late, a slow host makes all of them.
    wire.usualAnswerMs = Math.min(performance.now() - from, 2 * wire.usualAnswerMs + 0.5)
    heard?.()
  })
}

/** Ends the dialog when the failure is that the host's replies do not match our commands. */
export function outOfStep(wire: Wire, failure: StageFailure): StageFailure {
  if (failure.error !== undefined) wire.fail(failure.error)
  return failure
}

function recordMessage(wire: Wire, message: MessageData): void {
  // Not toLocaleString: that costs more than the rest of this function.
  const octets = String(message.size).replace(/\B(?=(\d{3})+$)/g, ',')
  wire.transcript.sent(`(${octets} octets of message)`)
}

/** A connection that broke, after any announcement of the host. */
function broken(wire: Wire, stage: Stage): StageFailure {
  return { stage, error: wire.error ?? { code: 'closed', message: 'The connection was closed' } }
}

/** Writes block by block, each when the host has taken the one before; stops when it answers or is gone. */
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
    // RFC 5321 §4.1.1.4: a host takes no message whose end it has not seen.
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

/** The pieces in groups of `BLOCK` bytes or little more; larger ones are cut. */
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

/** The pieces, those of more than `BLOCK` bytes in several. */
function* cut(pieces: Iterable<Buffer>): Generator<Buffer> {
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += BLOCK) {
      yield piece.length <= BLOCK ? piece : piece.subarray(at, at + BLOCK)
    }
  }
}
