// Attack: thousands of networks guess passwords while users log in from known devices and from new devices.

import type { Logins } from '../loads/logins.ts'
import { type Recipe, together } from '../recipe.ts'

const SECONDS = Number(process.env.ATTACK_SECONDS ?? 20)

export const recipe: Recipe = {
  sentence:
    '5,000 networks guess passwords of 800 logins, 1,000 per second for 20 s (ATTACK_SECONDS), while users log in.',
  limits: { knownLoginP99Ms: 200, newLoginP99Ms: 500 },
  run({ url, people, load }) {
    const given = {
      url,
      people,
      guessesPerSecond: 1_000,
      networks: 5_000,
      strangers: 792,
      forMs: SECONDS * 1_000,
      afterMs: 4_000,
    }
    return together(
      load('logins.ts', { ...given, part: 'guesses' } satisfies Logins),
      load('logins.ts', { ...given, part: 'users' } satisfies Logins),
    )
  },
}
