// Attack: messages are sent to domains whose DNS responses are very large; the service looks up each domain once.

import type { Posts } from '../loads/posts.ts'
import type { Recipe } from '../recipe.ts'

const label = 'x'.repeat(60)
const MX = Array.from({ length: 20 }, (_, one) => `10 m${one}.${label}.${label}.${label}.gone.test`)

export const recipe: Recipe = {
  sentence: 'Messages to 50 domains each, whose 20 mail hosts have names of 200 letters.',
  zone: { '*.wide.test': { MX, ttl: 86_400 }, '*.gone.test': 'NXDOMAIN' },
  // The rate is low, because the DNS server runs in the process of the witness; a higher rate would measure this DNS
  // server instead of the service.
  run({ url, attacker, load }) {
    const to = Array.from({ length: 50 }, () => ({ email: 'b@d#.wide.test' }))
    return load('posts.ts', {
      ...{ url, path: '/v1/messages', clients: 1, everyMs: 250, key: attacker.sendingKey, forMs: 20_000 },
      body: JSON.stringify({ from: `a@${attacker.domain.name}`, to, subject: 's', text: 't' }),
    } satisfies Posts)
  },
}
