// Shapes of the operator's dashboard pages: nodes and health.

import { type Static, Type } from 'typebox'
import { Timestamp } from './common.ts'

export const NodeListView = Type.Object({
  data: Type.Array(
    Type.Object({
      node_id: Type.String(),
      host_name: Type.String(),
      roles: Type.Array(Type.String()),
      version: Type.String(),
      started_at: Timestamp,
      last_seen_at: Timestamp,
      running: Type.Boolean({ description: 'True if the node reported itself within the last 90 seconds' }),
      load: Type.Object(
        {
          event_loop: Type.Number({ description: 'Share of the time in which the event loop was busy' }),
          cpu: Type.Number({ description: 'CPU usage of all threads, in cores' }),
          memory: Type.Integer({ description: 'Resident memory, in bytes' }),
        },
        { description: 'Load, averaged over 30 seconds' },
      ),
    }),
    { description: 'Longest running node first' },
  ),
})
export type NodeListView = Static<typeof NodeListView>

export const HealthView = Type.Object({
  checked_at: Timestamp,
  checks: Type.Array(
    Type.Object({
      name: Type.String(),
      status: Type.Enum(['ok', 'warn', 'fail', 'skipped']),
      detail: Type.String(),
      remedy: Type.Union([Type.String(), Type.Null()], {
        description: 'Instructions for fixing the problem',
      }),
    }),
  ),
})
export type HealthView = Static<typeof HealthView>
