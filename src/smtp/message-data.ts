// Hands over the message itself after the 354, and waits for the host's answer to it.

import type { Reply } from '../model/reply.ts'
import { dotStuffed } from './dot-stuffing.ts'
import { refusal, type Stage, type StageFailure } from './stage.ts'
import type { Timeouts } from './timeouts.ts'
import type { Wire } from './wire.ts'

/** A message on its way out: composed and signed, every line ended by CRLF. */
export interface MessageData {
  /** The octets in order, cut anywhere. */
  readonly chunks: readonly Buffer[]
  /** Their number. */
  readonly size: number
  /** The body holds octets over 127 (RFC 6152). */
  readonly needs8Bit?: boolean
  /** The header section holds UTF-8 (RFC 6531); non-ASCII addresses in the envelope are seen without this. */
  readonly needsSmtpUtf8?: boolean
}

/** Octets written before the host must have taken them. */
const BLOCK = 256 * 1024

/** Writes the message and its final dot; the reply to it when it is a 2xx, else how it failed. */
export async function sendMessage(
  wire: Wire,
  message: MessageData,
  timeouts: Timeouts,
): Promise<Reply | StageFailure> {
  const pieces = dotStuffed(message.chunks)
  // Not toLocaleString: that costs more than the rest of this function.
  const octets = String(message.size).replace(/\B(?=(\d{3})+$)/g, ',')
  wire.transcript.sent(`(${octets} octets of message)`)
  const whole = message.size <= BLOCK
  // Before the writing: a host may refuse in the middle of a message.
  const answer = wire.listen(1, whole ? timeouts.dataEnd : timeouts.dataBlock, Number.POSITIVE_INFINITY)
  if (whole) wire.write(pieces)
  else await writeBlocks(wire, pieces, answer, timeouts)
  const [parsed] = await answer
  if (!wire.flushed) {
    // Without the final dot nothing was accepted, and half a message on the line makes it useless.
    wire.fail({ code: 'protocol', message: 'The host answered in the middle of the message' })
    if (parsed === undefined) return broken(wire, 'message')
    if (parsed.reply.code >= 400) return refusal('message', parsed.reply)
  }
  // From here on a lost reply leaves the outcome unknown: the host may have taken the message.
  if (parsed === undefined) return broken(wire, 'end-of-data')
  return parsed.reply.code < 300 ? parsed.reply : refusal('end-of-data', parsed.reply)
}

/** A line that broke, whatever the host announced before. */
function broken(wire: Wire, stage: Stage): StageFailure {
  return { stage, error: wire.error ?? { code: 'closed', message: 'The connection was closed' } }
}

/** Writes block by block, each when the host has taken the one before; stops when it answers or is gone. */
async function writeBlocks(
  wire: Wire,
  pieces: readonly Buffer[],
  answer: Promise<unknown>,
  timeouts: Timeouts,
): Promise<void> {
  let answered = false
  void answer.then(() => {
    answered = true
  })
  for (const block of blocks(pieces)) {
    if (answered) {
      wire.flushed = false
      return
    }
    wire.expectWithin(timeouts.dataBlock)
    const flushed = new Promise<void>((resolve) => wire.write(block, resolve))
    await Promise.race([flushed, answer])
  }
  wire.expectWithin(timeouts.dataEnd)
}

/** The pieces in groups of `BLOCK` octets or little more; larger ones are cut. */
function* blocks(pieces: readonly Buffer[]): Generator<Buffer[]> {
  let block: Buffer[] = []
  let size = 0
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += BLOCK) {
      const part = piece.length <= BLOCK ? piece : piece.subarray(at, at + BLOCK)
      block.push(part)
      size += part.length
      if (size < BLOCK) continue
      yield block
      block = []
      size = 0
    }
  }
  if (block.length > 0) yield block
}
