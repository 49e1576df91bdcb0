// For whoever operates a node: whether it is alive and ready, and its figures.

import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'

const hidden = { schema: { hide: true } }

/** Adds `/healthz` and `/readyz`. `ready` throws the reason why this node cannot work. */
export function addHealth(server: FastifyInstance, ready: () => Promise<object>): void {
  server.get('/healthz', hidden, async () => ({ status: 'alive' }))
  server.get('/readyz', hidden, async () => ({ status: 'ready', ...(await ready()) }))
}

/** Adds `/metrics`. */
export function addMetrics(server: FastifyInstance, metrics: Registry): void {
  server.get('/metrics', hidden, async (_request, reply) => {
    reply.type(metrics.contentType)
    return metrics.metrics()
  })
}
