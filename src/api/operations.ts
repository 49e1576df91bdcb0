// Endpoints for operating a node: liveness, readiness and metrics.

import { setTimeout } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'

const hidden = { schema: { hide: true } }

/** Adds `/healthz` and `/readyz`; `ready` throws an error with the reason if this node cannot work. */
export function addHealth(server: FastifyInstance, ready: () => Promise<object>): void {
  server.get('/healthz', hidden, async () => ({ status: 'alive' }))
  server.get('/readyz', hidden, async () => ({ status: 'ready', ...(await ready()) }))
}

/** Minimum time between two collections of metrics; a collection blocks the event loop for some milliseconds. */
const COLLECT_EVERY_MS = 100

/** Adds `/metrics`. All requests that arrive before the next collection get the same metrics. */
export function addMetrics(server: FastifyInstance, metrics: Registry): void {
  let collectedAt = Number.NEGATIVE_INFINITY
  let next: Promise<string> | undefined
  const collect = async (): Promise<string> => {
    await setTimeout(Math.max(0, collectedAt + COLLECT_EVERY_MS - performance.now()))
    next = undefined
    collectedAt = performance.now()
    return metrics.metrics()
  }
  server.get('/metrics', hidden, async (_request, reply) => {
    reply.type(metrics.contentType)
    next ??= collect()
    return next
  })
}
