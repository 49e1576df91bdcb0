// Attack: many clients perform TLS handshakes without a pause; concurrent handshakes must not delay other tenants.

import type { Handshakes } from '../loads/handshakes.ts'
import type { Recipe } from '../recipe.ts'

export const recipe: Recipe = {
  sentence:
    '5 clients in each of 20 networks perform TLS handshakes with the submission port, again and again.',
  run: ({ smtpsPort, load }) =>
    load('handshakes.ts', { port: smtpsPort, networks: 20, each: 5, forMs: 20_000 } satisfies Handshakes),
}
