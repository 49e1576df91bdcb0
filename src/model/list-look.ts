// Repeated lookups of an address or a domain in a block list: when a listing is reported, and when it is over.

/** `not_known`: the list refused, did not answer, or failed its test entries. */
export const LOOK_STATES = ['listed', 'not_listed', 'not_known'] as const
export type LookState = (typeof LOOK_STATES)[number]

/** Result of a lookup in a block list. */
export interface Look {
  readonly state: LookState
  /** The answer of the list with its meaning, or the reason why the state is not known; null without an answer. */
  readonly answer: string | null
  /** True if the zone answers as no block list does, so that further queries are useless for a day. */
  readonly isBroken?: boolean
}

/** State of an address or a domain in a list; times in milliseconds since the epoch. */
export interface LookedUp {
  readonly state: LookState
  readonly since: number
  /** Time at which the listing was reported; null while no listing is reported. */
  readonly told_at: number | null
}

/** Time for which a listing, or its end, must last before it is reported: two lookups agree. */
const CONFIRMED_MS = 10 * 60_000
/**
 * Time between two lookups, a little less than an hour, so that a new listing is reported within 70 minutes: by the
 * next lookup, and by the lookup that confirms the listing.
 */
const LOOK_EVERY_MS = 57 * 60_000
const BROKEN_MS = 24 * 3_600_000

/** Changes by a lookup. */
export interface LookChange extends LookedUp {
  readonly due_at: number
  /** The event that the lookup confirms; undefined without one. */
  readonly event: 'listed' | 'delisted' | undefined
}

/**
 * Returns the state after a lookup. A listing is reported after two lookups that are ten minutes apart, and so is its
 * end; a lookup without a result neither reports nor ends a listing.
 */
export function afterLook(before: LookedUp, { state, isBroken }: Look, now: number): LookChange {
  const since = state === before.state ? before.since : now
  const isChange = before.told_at === null ? state === 'listed' : state === 'not_listed'
  const isConfirmed = isChange && now - since >= CONFIRMED_MS
  const event = !isConfirmed ? undefined : before.told_at === null ? 'listed' : 'delisted'
  return {
    ...{ state, since, event },
    told_at: event === 'listed' ? now : event === 'delisted' ? null : before.told_at,
    due_at: now + (isBroken ? BROKEN_MS : isChange && !isConfirmed ? CONFIRMED_MS : LOOK_EVERY_MS),
  }
}
