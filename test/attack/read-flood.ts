// A flood of reads: the attacker repeats expensive read requests with one API key on many connections.

import type { Requests } from './loads/requests.ts'
import type { Recipe } from './recipe.ts'

const CLIENTS = 64
const FOR_MS = 15_000

/** Returns the recipe of a flood of reads, which requests the paths in turn. */
export const readFlood = ({
  key: kind,
  paths,
  ...about
}: Pick<Recipe, 'sentence' | 'fill'> & {
  readonly key: 'sendingKey' | 'verificationKey'
  readonly paths: readonly string[]
}): Recipe => ({
  ...about,
  settings: { POSTRIDER_SENDING_RATE: '100000/s', POSTRIDER_VERIFICATION_RATE: '100000/s' },
  // The bounds are strict, because a flood of reads must hardly affect other tenants.
  bounds: { readP99Ms: 200, sendP99Ms: 500 },
  run: ({ url, attacker, load }) =>
    load('requests.ts', {
      ...{ url, path: paths, key: attacker[kind], clients: CLIENTS, forMs: FOR_MS },
    } satisfies Requests),
})
