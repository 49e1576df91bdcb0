// Stored content of a raw message of which each recipient gets a form of their own: the message, and the places that differ.

import type { TrackingWishes } from './tracking.ts'
import type { TrackedPlaces } from './tracking-link.ts'

/** A body in which something differs by recipient. */
export interface PersonalBody {
  /** The first byte and the byte after the last, in the body of the message, still in its transfer encoding. */
  readonly place: readonly [start: number, end: number]
  readonly encoding: 'quoted-printable' | 'base64'
  /** Its tracked links and pixel, at bytes of the decoded body; absent where none are tracked. */
  readonly tracking?: TrackedPlaces
}

/** Parts of a message that differ by recipient. */
export interface PersonalPlan {
  /** Each recipient gets the fields of a broadcast, and a link where the bodies have its mark. */
  readonly unsubscribable: boolean
  /** The unsubscribe fields are those of the sender. */
  readonly keepsWayOut?: true
  /** By which complaints are counted. */
  readonly tag: string | null
  /** The wishes of the message itself, for sending it again. */
  readonly wishes: TrackingWishes
  /** In the order of the message. */
  readonly bodies: readonly PersonalBody[]
}

const NEWLINE = 10

/** The content as it is stored: the plan on a line of JSON, then the message, in memory of its own. */
export function packPersonal(plan: PersonalPlan, message: Buffer): Buffer {
  const line = Buffer.from(`${JSON.stringify(plan)}\n`)
  const content = Buffer.allocUnsafeSlow(line.length + message.length)
  line.copy(content)
  message.copy(content, line.length)
  return content
}

/** The plan and the message, a view of the content. Throws a SyntaxError for other bytes. */
export function unpackPersonal(content: Buffer): { plan: PersonalPlan; message: Buffer } {
  const end = content.indexOf(NEWLINE)
  const plan = JSON.parse(content.toString('utf8', 0, Math.max(0, end))) as PersonalPlan
  return { plan, message: content.subarray(end + 1) }
}
