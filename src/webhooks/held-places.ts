// Distributes the places for webhooks that a node holds at the same time: finds the accounts with more than an equal
// share of the places, and the webhook that has to give up its place.

/** A webhook that a node holds. */
export interface PlaceHolder {
  readonly accountId: string
  /** True if the webhook has no active request, so that the run of the webhook can end immediately. */
  readonly isIdle: boolean
  /** True if the run of the webhook is ending. */
  readonly isEnding: boolean
}

function byAccount<Held extends PlaceHolder>(all: Iterable<Held>): Map<string, Held[]> {
  return Map.groupBy(all, ({ accountId }) => accountId)
}

/**
 * Returns the accounts that hold at least `places` / (number of accounts + 1) places: the equal share of each account
 * if there were one more account.
 */
export function largeHolders(all: Iterable<PlaceHolder>, places: number): string[] {
  const held = byAccount(all)
  return [...held].filter(([, { length }]) => length >= places / (held.size + 1)).map(([id]) => id)
}

/**
 * Returns the webhook that gives way when no place is free. The webhook is an idle webhook of the account with the most
 * webhooks, or else the webhook that this account has held longest. Returns undefined if all webhooks are ending.
 *
 * @param all held webhooks, longest held first
 */
export function givesWay<Held extends PlaceHolder>(all: Iterable<Held>): Held | undefined {
  const going = [...all].filter(({ isEnding }) => !isEnding)
  const [most] = [...byAccount(going).values()].sort((one, other) => other.length - one.length)
  return most?.find(({ isIdle }) => isIdle) ?? most?.[0]
}
