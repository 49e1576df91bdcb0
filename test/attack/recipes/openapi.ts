// Attack: clients without an API key request the OpenAPI document, the API reference and the metrics as fast as the
// service responds.

import type { Requests } from '../loads/requests.ts'
import { type Recipe, together } from '../recipe.ts'

export const recipe: Recipe = {
  sentence:
    '100 clients without a key request the OpenAPI document, 50 the API reference and 50 the metrics.',
  run({ url, adminUrl, load }) {
    const ask = (path: string, clients: number, base = url) =>
      load('requests.ts', { url: base, path, clients, forMs: 15_000 } satisfies Requests)
    return together(ask('/v1/openapi.json', 100), ask('/docs', 50), ask('/metrics', 50, adminUrl))
  },
}
