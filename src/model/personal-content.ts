// Stored content of a raw message with places that differ by recipient: the message, and the plan of these places.

import type { TrackingWishes } from './tracking.ts'
import type { TrackedPlaces } from './tracking-link.ts'

/** A body with places that differ by recipient. */
export interface PersonalBody {
  /** First byte and byte after the last, in the body of the message, in its transfer encoding. */
  readonly place: readonly [start: number, end: number]
  readonly encoding: 'quoted-printable' | 'base64'
  /** Tracked links and pixel, at bytes of the decoded body; absent if none are tracked. */
  readonly tracking?: TrackedPlaces
}

/** Parts of a message that differ by recipient. */
export interface PersonalPlan {
  /** True if each recipient gets the header fields of a broadcast, and a link in place of the mark in the bodies. */
  readonly unsubscribable: boolean
  /** Set if the unsubscribe fields are those of the sender. */
  readonly keepsWayOut?: true
  /** Tag by which complaints are counted. */
  readonly tag: string | null
  /** Tracking requested by the message itself, for resending it. */
  readonly wishes: TrackingWishes
  /** The bodies in the order of the message. */
  readonly bodies: readonly PersonalBody[]
}

const NEWLINE = 10

/** Returns the stored form: the plan on a line of JSON, then the message, in memory of its own. */
export function packPersonal(plan: PersonalPlan, message: Buffer): Buffer {
  const line = Buffer.from(`${JSON.stringify(plan)}\n`)
  const content = Buffer.allocUnsafeSlow(line.length + message.length)
  line.copy(content)
  message.copy(content, line.length)
  return content
}

/** Returns the plan and the message, a view of the content. Throws a SyntaxError for other bytes. */
export function unpackPersonal(content: Buffer): { plan: PersonalPlan; message: Buffer } {
  const end = content.indexOf(NEWLINE)
  const plan = JSON.parse(content.toString('utf8', 0, Math.max(0, end))) as PersonalPlan
  return { plan, message: content.subarray(end + 1) }
}
