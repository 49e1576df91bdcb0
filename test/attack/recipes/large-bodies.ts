// Attack: one tenant sends many large messages at the same time.

import type { Bodies } from '../loads/bodies.ts'
import type { Recipe } from '../recipe.ts'

export const recipe: Recipe = {
  sentence: 'One key sends 120 messages of 9 MB at once.',
  run: ({ url, attacker, load }) =>
    load('bodies.ts', {
      ...{ url, path: '/v1/messages', key: attacker.sendingKey, count: 120, atOnce: 120 },
      head: '{"from":"a@attacker.test","to":[{"email":"b@sink.test"}],"subject":"Large","text":"',
      ...{ part: 'All work and no play, 0123456789. ', times: 264_700, tail: '"}' },
    } satisfies Bodies),
}
