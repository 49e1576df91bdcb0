// For whoever operates a node: whether it is alive and ready, and its figures.

import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'

/** Adds `/healthz`, `/readyz` and `/metrics`. `ready` throws what keeps this node from working. */
export function addOperations(server: FastifyInstance, ready: () => Promise<void>, metrics: Registry): void {
  const hidden = { schema: { hide: true } as object }
  server.get('/healthz', hidden, async () => ({ status: 'alive' }))
  server.get('/readyz', hidden, async () => {
    await ready()
    return { status: 'ready' }
  })
  server.get('/metrics', hidden, async (_request, reply) => {
    reply.type(metrics.contentType)
    return metrics.metrics()
  })
}
