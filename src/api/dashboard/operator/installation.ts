// GET /api/operator/nodes and /api/operator/health: the running nodes, and the health of the installation.

import { formatTime } from '../../../lib/rfc3339.ts'
import { GONE_MS } from '../../../operator/node-heartbeat.ts'
import { reading } from '../../../store/database/store.ts'
import { listNodes } from '../../../store/node/nodes.ts'
import { HealthView, NodeListView } from '../../contract/dashboard-operator.ts'
import { type DashboardRoute, defineDashboardRoute } from '../route.ts'
import type { DashboardServices } from '../services.ts'

export const installationRoutes = ({ read, clock, health }: DashboardServices): readonly DashboardRoute[] => [
  defineDashboardRoute({
    method: 'GET',
    url: '/api/operator/nodes',
    role: 'operator',
    schema: { response: { 200: NodeListView } },
    async handler(): Promise<NodeListView> {
      const nodes = await reading(listNodes(read))
      return {
        data: nodes.map((node) => ({
          node_id: node.id,
          host_name: node.host_name,
          roles: node.roles.split(','),
          version: node.version,
          started_at: formatTime(node.started_at),
          last_seen_at: formatTime(node.seen_at),
          running: clock.now() - node.seen_at < GONE_MS,
          load: JSON.parse(node.load),
        })),
      }
    },
  }),
  defineDashboardRoute({
    method: 'GET',
    url: '/api/operator/health',
    role: 'operator',
    schema: { response: { 200: HealthView } },
    async handler(): Promise<HealthView> {
      const { checkedAt, checks } = await health.check()
      return { checked_at: formatTime(checkedAt), checks: [...checks] }
    },
  }),
]
