// Attack: requests announce bodies that are never sent, without an API key and with the API key of one tenant.

import type { IdleUploads } from '../loads/idle-uploads.ts'
import { type Recipe, together } from '../recipe.ts'

const LARGEST = 10_485_760

export const recipe: Recipe = {
  sentence:
    '210 logins without a key and 210 sends with one key announce bodies of 10 bytes to 10 MiB and send one byte.',
  run({ url, attacker, load }) {
    const upload = (path: string, lengths: readonly number[], key?: string) =>
      load('idle-uploads.ts', {
        ...{ url, path, lengths, forMs: 20_000 },
        ...(key === undefined ? {} : { key }),
      } satisfies IdleUploads)
    /** Returns lengths from 10 MiB down to 10 bytes; the small bodies use up the rest of the memory for bodies. */
    const sizes = (count: number): number[] =>
      [LARGEST, 1e6, 1e5, 1e4, 1e3, 1e2, 10].flatMap((length) => Array<number>(count).fill(length))
    return together(upload('/api/session', sizes(30)), upload('/v1/messages', sizes(30), attacker.sendingKey))
  },
}
