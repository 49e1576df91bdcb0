// A flood of reads: one key of the attacker's asks for much, over and over, from many connections.

import type { Requests } from './loads/requests.ts'
import type { Recipe } from './recipe.ts'

const CLIENTS = 64
const FOR_MS = 15_000

/** Makes the recipe of a flood; its paths are asked for in turns. */
export const readFlood = ({
  key: kind,
  paths,
  ...about
}: Pick<Recipe, 'sentence' | 'fill'> & {
  readonly key: 'sendingKey' | 'verificationKey'
  readonly paths: readonly string[]
}): Recipe => ({
  finding: 'reads of one account',
  ...about,
  settings: { POSTRIDER_SENDING_RATE: '100000/s', POSTRIDER_VERIFICATION_RATE: '100000/s' },
  // What others notice of it is to be little.
  bounds: { readP99Ms: 200, sendP99Ms: 500 },
  run: ({ url, attacker, load }) =>
    load('requests.ts', {
      ...{ url, path: paths, key: attacker[kind], clients: CLIENTS, forMs: FOR_MS },
    } satisfies Requests),
})
