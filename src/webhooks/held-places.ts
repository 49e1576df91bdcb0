// Places for the webhooks that a node holds at once: which accounts have more than their part, and which webhook gives
// way.

/** A webhook that is held. */
export interface PlaceHolder {
  readonly accountId: string
  /** True if the webhook has no request under way, so that it can end at once. */
  readonly isIdle: boolean
  /** True if the webhook is ending. */
  readonly isEnding: boolean
}

function byAccount<Held extends PlaceHolder>(all: Iterable<Held>): Map<string, Held[]> {
  return Map.groupBy(all, ({ accountId }) => accountId)
}

/** Returns the accounts that hold at least the equal part of all places that each would have with one more account. */
export function largeHolders(all: Iterable<PlaceHolder>, places: number): string[] {
  const held = byAccount(all)
  return [...held].filter(([, { length }]) => length >= places / (held.size + 1)).map(([id]) => id)
}

/**
 * Returns the webhook that gives way when no place is free: from the account with the most webhooks, an idle one,
 * otherwise the one held longest; undefined if all of that account are ending.
 *
 * @param all held webhooks, longest held first
 */
export function givesWay<Held extends PlaceHolder>(all: Iterable<Held>): Held | undefined {
  const going = [...all].filter(({ isEnding }) => !isEnding)
  const [most] = [...byAccount(going).values()].sort((one, other) => other.length - one.length)
  return most?.find(({ isIdle }) => isIdle) ?? most?.[0]
}
