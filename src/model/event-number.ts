// Numbers of events and recipients for services whose IDs are integers.

import { createHash } from 'node:crypto'
import { timeOfId } from '../lib/ids.ts'

/** Beginning of the seconds in numbers: 2020, so that numbers of 68 years are exact in every language. */
const EPOCH_SECONDS = 1_577_836_800
const HASH_BITS = 22
const HASHES = 2 ** HASH_BITS

/**
 * Returns the number of an event: the second of the event and 22 bits of a hash of its ID, a whole number below 2^53.
 *
 * @param at time of the event, in milliseconds since the epoch
 */
export function numberOfEvent({ id, at }: { readonly id: string; readonly at: number }): number {
  const hash = createHash('sha256').update(id).digest().readUInt32BE() >>> (32 - HASH_BITS)
  return Math.max(0, Math.floor(at / 1_000) - EPOCH_SECONDS) * HASHES + hash
}

/** Returns the second in the number of an event, as milliseconds since the epoch. */
export const secondOfNumber = (number: number): number =>
  (Math.floor(number / HASHES) + EPOCH_SECONDS) * 1_000

/** A recipient of a message, for which some services have a message of its own. */
export interface NumberedRecipient {
  readonly accountId: string
  readonly messageId: string
  /** Address of the recipient as it is stored. */
  readonly email: string
}

/**
 * Returns the number of a recipient: the second of the message, and a hash of the ID of the message and the address, so
 * that a message is found by the number without a table.
 */
export const numberOfRecipient = ({ messageId, email }: Omit<NumberedRecipient, 'accountId'>): number =>
  numberOfEvent({ id: `${messageId} ${email}`, at: timeOfId(messageId) })

/** Returns the token of a recipient, 16 letters and digits, which clients store and do not send. */
export const tokenOfRecipient = ({ accountId, messageId, email }: NumberedRecipient): string =>
  createHash('sha256')
    .update(`${accountId} ${messageId} ${email}`)
    .digest('base64url')
    .replaceAll(/[-_]/g, 'x')
    .slice(0, 16)
