// Attack: messages have HTML that is slow to parse or produces much output: deep nesting, expensive selectors, and
// rules for many elements.

import type { Posts } from '../loads/posts.ts'
import { type Recipe, together } from '../recipe.ts'
import { saveTemplate, sendBy } from '../template.ts'

const HTML = {
  deep: '<div>'.repeat(100_000),
  // The selector `b~i` compares each element with all preceding siblings.
  siblings: `<style>b~i{color:red}</style><b></b>${'<i></i>'.repeat(80_000)}`,
  // Inlining this CSS rule makes the document a thousand times larger.
  rule: `<style>p{color:red;a:${'x'.repeat(20_000)}}</style>${'<p>x</p>'.repeat(50_000)}`,
}

export const recipe: Recipe = {
  sentence: 'Two tenants send HTML that libraries parse slowest, while other tenants render templates.',
  async run(attacked) {
    const { url, attacker, accomplice, load } = attacked
    const both = [attacker, accomplice]
    for (const tenant of both) {
      await saveTemplate({ url, attacker: tenant }, { alias: 'raw', html: '{{{v}}}', inline_css: true })
    }
    const attacks = both.flatMap((tenant) =>
      Object.values(HTML).map((v) =>
        load('posts.ts', {
          ...{ url, path: '/v1/messages', clients: 4, key: tenant.sendingKey, forMs: 15_000 },
          body: JSON.stringify(sendBy({ attacker: tenant }, 'raw', { v })),
        } satisfies Posts),
      ),
    )
    return together(...attacks)
  },
}
