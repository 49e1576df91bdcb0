// Attack: clients send with templates that need the maximum number of rendering steps, and render drafts that are slow
// to parse.

import type { Posts } from '../loads/posts.ts'
import { type Recipe, together } from '../recipe.ts'
import { saveTemplate, sendBy } from '../template.ts'

/** Template text that needs about 70,000 rendering steps in each part of a message. */
const STEPS = '{{#each l}}{{#each @root.l}}{{#if no}}x{{/if}}{{/each}}{{/each}}'
/** Template text with the maximum number of tags. */
const DRAFT = '{{#if a}}{{b}}{{/if}}'.repeat(1_300)

export const recipe: Recipe = {
  sentence:
    'Every 300 ms a batch of 500 messages uses templates just below the limit, some with invalid addresses; drafts are slow to parse.',
  async run(attacked) {
    const { url, attacker, load } = attacked
    await saveTemplate(attacked, { alias: 'steps', subject: `s${STEPS}`, html: STEPS, text: `t${STEPS}` })
    const model = { l: Array(180).fill(0) }
    const post = (path: string, body: object, clients: number, everyMs?: number) =>
      load('posts.ts', {
        ...{ url, path, clients, key: attacker.sendingKey, forMs: 20_000 },
        ...{ body: JSON.stringify(body), ...(everyMs === undefined ? {} : { everyMs }) },
      } satisfies Posts)
    const batch = (to: string) => Array.from({ length: 500 }, () => sendBy(attacked, 'steps', model, to))
    return together(
      post('/v1/messages/batch', batch('no address'), 1, 300),
      post('/v1/messages/batch', batch('b@receiver.test'), 1, 300),
      post('/v1/messages', sendBy(attacked, 'steps', model), 20),
      post(
        '/v1/render',
        { subject: 's', html: DRAFT, text: DRAFT, layout_html: `${DRAFT}{{{ @content }}}` },
        20,
      ),
    )
  },
}
