// A submitted message as the rules take it: as it came where it is sound, else mended, else refused.

import { isSound, mend } from '../mime/mend/mend.ts'
import { isMendProblem, type MendProblem } from '../mime/mend/problem.ts'
import {
  isRawMessage,
  parseRawMessage,
  type RawMessage,
  type RawMessageProblem,
} from '../mime/raw-message.ts'
import { type Author, authorOf, requireSingleFields } from './header-rules.ts'
import { HEADER_LIMITS } from './limits.ts'
import { Refusal } from './replies.ts'

/** A message that may be passed on, and its author. */
export interface UsableMessage extends Author {
  readonly raw: RawMessage
  /** All of it: the bytes that came, or those of the mended message in memory of its own. */
  readonly octets: Buffer
}

/**
 * Reads a message from `domain` with the envelope's sender. A mended message has to pass the same rules as one that is
 * passed on as it came. Throws `Refusal` for what cannot be mended, and for a sender of another domain.
 */
export function usableMessage(octets: Buffer, domain: string, envelopeFrom: string): UsableMessage {
  const given = parseRawMessage(octets, HEADER_LIMITS)
  if (isRawMessage(given)) {
    const author = authorOf(given, domain)
    if (author !== undefined && isSound(given)) return { raw: given, octets, ...author }
  } else if (given.code === 'nul' || given.code === 'bare_newline' || given.code === 'too_many_headers') {
    throw refusalOf(given)
  }
  // An empty message is a mistake of its program.
  if (octets.length === 0) throw new Refusal(554, '5.6.0', 'The message is empty')
  const mended = mend(octets, { from: envelopeFrom, domain }, HEADER_LIMITS)
  if (isMendProblem(mended)) throw refusalOfMending(mended)
  return asMended(mended, domain)
}

function asMended(octets: Buffer, domain: string): UsableMessage {
  const raw = parseRawMessage(octets, HEADER_LIMITS)
  if (!isRawMessage(raw)) throw refusalOf(raw)
  requireSingleFields(raw)
  const author = authorOf(raw, domain)
  if (author === undefined) {
    throw new Refusal(550, '5.7.1', 'A sender is not exactly one address that all programs read alike')
  }
  if (raw.hasLongLines) throw new Refusal(554, '5.6.0', 'A line of the body is longer than 998 bytes')
  return { raw, octets, ...author }
}

function refusalOf({ code, problem }: RawMessageProblem): Refusal {
  switch (code) {
    case 'nul':
    case 'bare_newline':
      // SMTP smuggling: what is refused here can end no message anywhere.
      return new Refusal(550, '5.6.0', problem)
    case 'header_too_large':
    case 'too_many_headers':
      return new Refusal(552, '5.3.4', problem)
    default:
      return new Refusal(554, '5.6.0', problem)
  }
}

function refusalOfMending({ fault, problem }: MendProblem): Refusal {
  if (fault === 'sender') return new Refusal(550, '5.7.1', problem)
  return fault === 'size' ? new Refusal(552, '5.3.4', problem) : new Refusal(554, '5.6.0', problem)
}
