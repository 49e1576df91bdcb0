// Stored content of a raw message whose bodies differ by recipient: the message, and the plan of the places that
// differ.

import type { TrackingWishes } from './tracking.ts'
import type { TrackedPlaces } from './tracking-link.ts'

/** A body of the message with places that differ by recipient. */
export interface PersonalBody {
  /** Start and end (exclusive) of the transfer-encoded body, in bytes of the message body. */
  readonly place: readonly [start: number, end: number]
  readonly encoding: 'quoted-printable' | 'base64'
  /** Tracked links and pixel, as byte positions in the decoded body; absent if nothing is tracked. */
  readonly tracking?: TrackedPlaces
}

/** Parts of a message that differ by recipient. */
export interface PersonalPlan {
  /**
   * True if each recipient gets the header fields of a broadcast, and an unsubscribe link in place of the placeholder
   * in the bodies.
   */
  readonly unsubscribable: boolean
  /** Set if the unsubscribe header fields of the sender are kept. */
  readonly keepsWayOut?: true
  /** Tracking that the message itself requested, needed to send the message again. */
  readonly wishes: TrackingWishes
  /** The bodies, in the order of the message. */
  readonly bodies: readonly PersonalBody[]
}

const NEWLINE = 10

/** Returns the stored form in newly allocated memory: one line of JSON with the plan, then the message. */
export function packPersonal(plan: PersonalPlan, message: Buffer): Buffer {
  const line = Buffer.from(`${JSON.stringify(plan)}\n`)
  const content = Buffer.allocUnsafeSlow(line.length + message.length)
  line.copy(content)
  message.copy(content, line.length)
  return content
}

/** Returns the plan, and the message as a view of the stored content. Throws a SyntaxError if the plan is not JSON. */
export function unpackPersonal(content: Buffer): { plan: PersonalPlan; message: Buffer } {
  const end = content.indexOf(NEWLINE)
  const plan = JSON.parse(content.toString('utf8', 0, Math.max(0, end))) as PersonalPlan
  return { plan, message: content.subarray(end + 1) }
}
