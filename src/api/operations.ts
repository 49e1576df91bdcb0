// For whoever operates a node: whether it is alive and ready, and its figures.

import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'

/** Adds `/healthz`, `/readyz` and `/metrics`. `ready` throws the reason why this node cannot work. */
export function addOperations(
  server: FastifyInstance,
  ready: () => Promise<object>,
  metrics: Registry,
): void {
  const hidden = { schema: { hide: true } }
  server.get('/healthz', hidden, async () => ({ status: 'alive' }))
  server.get('/readyz', hidden, async () => ({ status: 'ready', ...(await ready()) }))
  server.get('/metrics', hidden, async (_request, reply) => {
    reply.type(metrics.contentType)
    return metrics.metrics()
  })
}
