// The places for webhooks that a node holds at once: who has more than its part, and who gives way to others.

/** A webhook that is held. */
export interface PlaceHolder {
  readonly accountId: string
  /** It has no request under way, so that it ends at once. */
  readonly isIdle: boolean
  /** It ends already. */
  readonly isEnding: boolean
}

function byAccount<Held extends PlaceHolder>(all: Iterable<Held>): Map<string, Held[]> {
  return Map.groupBy(all, ({ accountId }) => accountId)
}

/** Accounts that hold as much as each had of all places if one more account came. */
export function largeHolders(all: Iterable<PlaceHolder>, places: number): string[] {
  const held = byAccount(all)
  return [...held].filter(([, { length }]) => length >= places / (held.size + 1)).map(([id]) => id)
}

/**
 * The one that gives way where no place is free: of the account that holds most, one that is idle, or else the one that is
 * held for longest; undefined where all of them end already.
 *
 * @param all those that are held for longest first
 */
export function givesWay<Held extends PlaceHolder>(all: Iterable<Held>): Held | undefined {
  const going = [...all].filter(({ isEnding }) => !isEnding)
  const [most] = [...byAccount(going).values()].sort((one, other) => other.length - one.length)
  return most?.find(({ isIdle }) => isIdle) ?? most?.[0]
}
