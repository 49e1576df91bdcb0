// A hit of a tracked link as it is written: when, by what program, and whether a machine made it.

import type { TrackedHit } from './tracking-link.ts'

/** Reasons to take a hit for one of a machine. */
const MACHINE_REASONS = [
  /** A HEAD request: nobody saw what it leads to. */
  'head',
  /** The client says that it fetches ahead, or shows a preview. */
  'prefetch',
  /** A program that is no mail program or browser, by its user agent; or none is named. */
  'user_agent',
  /** A network of mail filters. */
  'scanner_network',
  /** Apple Mail's privacy protection, which loads every image whether or not the mail is opened. */
  'privacy_proxy',
  /** Before the mail was delivered, or within seconds: a filter at the receiver. */
  'too_soon',
] as const
export type MachineReason = (typeof MACHINE_REASONS)[number]

/** A hit as it came in. Nothing of the client's address is in it. */
export interface NewHit extends TrackedHit {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly userAgent: string
  /** Why a machine made it, as far as the request shows. */
  readonly machine: MachineReason | undefined
  /** Further hits of the same link by the same kind of client, which only add to the figures. */
  readonly more: number
}

/** Time from the delivery within which a hit is a machine's, in milliseconds. */
export const TOO_SOON_MS = 2_000

/** Events that are kept of one recipient and link, by people and by machines; further hits are only counted. */
export const MAX_EVENTS_PER_LINK = { people: 20, machines: 5 } as const
