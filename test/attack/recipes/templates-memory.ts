// Attack: small requests, in batches and as single messages, use templates whose output has the maximum size.

import type { Posts } from '../loads/posts.ts'
import { type Recipe, together } from '../recipe.ts'
import { saveTemplate, sendBy } from '../template.ts'

/** Returns a template that repeats this number of letters a thousand times. */
const loops = (letters: number): string =>
  `{{#each l}}{{#each @root.l}}{{#each @root.l}}${'x'.repeat(letters)}{{/each}}{{/each}}{{/each}}`

export const recipe: Recipe = {
  sentence:
    'Batches of 500 and single messages use templates that render a megabyte of content, or are refused at this limit.',
  async run(attacked) {
    const { url, attacker, load } = attacked
    await saveTemplate(attacked, { alias: 'large', html: loops(480), text: loops(480) })
    await saveTemplate(attacked, { alias: 'larger', html: loops(4_900), text: loops(4_900) })
    const model = { l: Array(10).fill(0) }
    const post = (path: string, body: object, clients: number) =>
      load('posts.ts', {
        ...{ url, path, clients, key: attacker.sendingKey, forMs: 15_000 },
        body: JSON.stringify(body),
      } satisfies Posts)
    const batch = (alias: string) => Array.from({ length: 500 }, () => sendBy(attacked, alias, model))
    return together(
      post('/v1/messages/batch', batch('large'), 2),
      post('/v1/messages/batch', batch('larger'), 2),
      post('/v1/messages', sendBy(attacked, 'large', model), 75),
    )
  },
}
