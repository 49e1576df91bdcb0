// A hit of a tracked link: the time, the kind of client, and whether a machine made the hit.

import type { TrackedHit } from './tracking-link.ts'

/** Reasons to count a hit as made by a machine. */
const MACHINE_REASONS = [
  /** The request is a HEAD request, which does not show the target to a person. */
  'head',
  /** The client declares a prefetch or a preview. */
  'prefetch',
  /** The user agent is missing, or is neither a mail client nor a browser. */
  'user_agent',
  /** The client is in a network of mail filters. */
  'scanner_network',
  /** The client is the privacy protection of Apple Mail, which loads every image even if nobody opens the mail. */
  'privacy_proxy',
  /**
   * The hit came before the delivery, or within seconds after the delivery, like the hit of a mail filter at the
   * receiver.
   */
  'too_soon',
] as const
export type MachineReason = (typeof MACHINE_REASONS)[number]

/** A hit as recorded, without the client address. */
export interface NewHit extends TrackedHit {
  /** Time of the hit, in milliseconds since the epoch. */
  readonly at: number
  readonly userAgent: string
  /** Reason to count the hit as made by a machine, if the request shows a reason. */
  readonly machine: MachineReason | undefined
  /** Number of further hits of the same link by the same kind of client, which are counted only in statistics. */
  readonly more: number
}

/** Time after the delivery within which a hit counts as made by a machine, in milliseconds. */
export const TOO_SOON_MS = 2_000

/** Maximum number of events per recipient and link, by people and by machines; further hits are only counted. */
export const MAX_EVENTS_PER_LINK = { people: 20, machines: 5 } as const
