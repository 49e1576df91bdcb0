// A hit of a tracked link: time, kind of program, and whether a machine made it.

import type { TrackedHit } from './tracking-link.ts'

/** Reasons for which a hit counts as made by a machine. */
const MACHINE_REASONS = [
  /** A HEAD request, which shows nobody the target. */
  'head',
  /** The client declares a prefetch or a preview. */
  'prefetch',
  /** The user agent is missing, or is no mail program or browser. */
  'user_agent',
  /** A network of mail filters. */
  'scanner_network',
  /** The privacy protection of Apple Mail, which loads every image whether or not the mail is opened. */
  'privacy_proxy',
  /** The hit came before the delivery, or within seconds of it: a filter at the receiver. */
  'too_soon',
] as const
export type MachineReason = (typeof MACHINE_REASONS)[number]

/** A hit as recorded, without the client address. */
export interface NewHit extends TrackedHit {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly userAgent: string
  /** Reason why the hit counts as made by a machine, as far as the request shows. */
  readonly machine: MachineReason | undefined
  /** Number of further hits of the same link by the same kind of client, which only count in statistics. */
  readonly more: number
}

/** Time after the delivery within which a hit counts as made by a machine, in milliseconds. */
export const TOO_SOON_MS = 2_000

/** Maximum events per recipient and link, by people and by machines; further hits are only counted. */
export const MAX_EVENTS_PER_LINK = { people: 20, machines: 5 } as const
