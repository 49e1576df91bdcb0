// Attack: requests have bodies that are cheap to send and expensive to validate, with many unknown names or deep
// nesting.

import type { Bodies } from '../loads/bodies.ts'
import { type Recipe, together } from '../recipe.ts'

const NAMES = { head: '{"email":"a@b.test"', part: ',"k#":1', times: 700_000, tail: '}' }
const BRACKETS = { head: '{"text":', part: '[', times: 9_000_000, tail: '' }
const DEEP = {
  ...{
    head: '{"from":"a@attacker.test","to":[{"email":"b@sink.test"}],"subject":"s","text":"t","template_model":',
  },
  ...{ part: '{"a":', times: 1_500_000, tail: `1${'}'.repeat(1_500_000)}}` },
}

export const recipe: Recipe = {
  sentence:
    'Requests with and without a key have bodies of 9 MB with 700,000 unknown names or 9,000,000 brackets.',
  run({ url, attacker, load }) {
    const send = (path: string, pattern: Pick<Bodies, 'head' | 'part' | 'times' | 'tail'>, key?: string) =>
      load('bodies.ts', {
        ...{ url, path, count: 20, atOnce: 4 },
        ...pattern,
        ...(key === undefined ? {} : { key }),
      } satisfies Bodies)
    const key = attacker.sendingKey
    return together(
      send('/api/session', NAMES),
      send('/api/session', BRACKETS),
      send('/v1/messages', NAMES, key),
      send('/v1/messages', BRACKETS, key),
      send('/v1/messages', DEEP, key),
    )
  },
}
