// Causes that hold a recipient back in the queue, and the published description of each cause.

import { formatTime } from '../lib/rfc3339.ts'
import { holdOf } from './queue-state.ts'

/** Parties that may hold a recipient, as published by the API. */
export const HELD_BY = ['operator', 'account', 'stream', 'domain'] as const

/**
 * Reasons why the queue attempts no delivery to a recipient. The first cause in this list is published if several
 * causes hold the same recipient.
 *
 * - `account_suspended`: the account that sends is suspended;
 * - `domain_paused`: the account paused its sending domain;
 * - `domain_paused_by_operator`, `stream_paused`, `destination_paused`: an operator paused the sending domain, the
 *   stream or the domain of the recipient;
 * - `restored`: the store was restored from a backup, and an operator has not yet resumed or cancelled the recipient.
 */
export const HOLD_CAUSES = [
  'account_suspended',
  'domain_paused',
  'domain_paused_by_operator',
  'stream_paused',
  'destination_paused',
  'restored',
] as const
type HoldCause = (typeof HOLD_CAUSES)[number]

/** A cause that holds recipients back. */
export interface Holding {
  readonly cause: HoldCause
  /** Name of the domain, stream or destination; ID of the account; time that names a restore (RFC 3339). */
  readonly value: string
  /** Start of the hold, in milliseconds since the epoch. */
  readonly since: number
  /** Reason that the operator wrote for other operators. */
  readonly note: string | null
  /** ID of the sending domain whose recipients are held; null if the cause does not depend on the sending domain. */
  readonly domainId: string | null
}

/** The properties of a waiting recipient that decide which causes hold the recipient. */
export interface Holdable {
  readonly domainId: string
  /** Domain of the recipient. */
  readonly destination: string
  readonly stream: string
  /** Hold or flow of the recipient in the queue; empty if the recipient waits for neither. */
  readonly waitsFor: string
}

const isOfDomain = (one: Holdable, { domainId }: Holding): boolean => one.domainId === domainId

const HOLDS: Readonly<Record<HoldCause, (one: Holdable, holding: Holding) => boolean>> = {
  account_suspended: isOfDomain,
  domain_paused: isOfDomain,
  domain_paused_by_operator: isOfDomain,
  stream_paused: ({ stream }, { value }) => stream === value,
  destination_paused: ({ destination }, { value }) => destination === value,
  restored: ({ waitsFor }, { value }) => waitsFor === holdOf('restored', value),
}

/** Returns the cause that holds a waiting recipient; null if an attempt will be made. */
export function holdingOf(one: Holdable, holdings: readonly Holding[]): Holding | null {
  const found = holdings.filter((holding) => HOLDS[holding.cause](one, holding))
  return found.sort((a, b) => HOLD_CAUSES.indexOf(a.cause) - HOLD_CAUSES.indexOf(b.cause))[0] ?? null
}

/**
 * Returns the published view of a hold: the holder, the start time (RFC 3339) and the reason, for anybody who may see
 * the recipient.
 */
export const heldView = ({ cause, value, since }: Holding) => ({
  by: NAMES[cause].by,
  cause,
  value,
  since: formatTime(since),
  reason: NAMES[cause].reason(value),
})

/** Returns the view of a hold for operators, with the note of the operator who paused the mail. */
export const heldViewForOperator = (holding: Holding) => ({ ...heldView(holding), note: holding.note })

const NAMES: Readonly<
  Record<HoldCause, { readonly by: (typeof HELD_BY)[number]; readonly reason: (value: string) => string }>
> = {
  account_suspended: { by: 'account', reason: () => 'The account is suspended.' },
  domain_paused: { by: 'domain', reason: (domain) => `The sending domain ${domain} is paused.` },
  domain_paused_by_operator: {
    by: 'operator',
    reason: (domain) => `The operator paused the sending domain ${domain}.`,
  },
  stream_paused: { by: 'stream', reason: (stream) => `The operator paused the stream ${stream}.` },
  destination_paused: {
    by: 'operator',
    reason: (destination) => `The operator paused the destination ${destination}.`,
  },
  restored: {
    by: 'operator',
    reason: () => 'The store was restored from a backup; the operator decides whether the message is sent.',
  },
}
