// The figures of the dashboard's home page, and what wants to be looked at.

import { type Static, Type } from 'typebox'
import { Timestamp } from './common.ts'

const figures = {
  accepted: Type.Integer({ description: 'Recipients that were accepted' }),
  delivered: Type.Integer(),
  deferred: Type.Integer({ description: 'Recipients that a host deferred, each once' }),
  bounced: Type.Integer(),
  failed: Type.Integer(),
  suppressed: Type.Integer(),
  cancelled: Type.Integer(),
  complained: Type.Integer(),
  unsubscribed: Type.Integer(),
  opened: Type.Integer(),
  clicked: Type.Integer(),
}

const Milliseconds = Type.Union([Type.Integer(), Type.Null()])

export const StatsQuery = Type.Object(
  {
    from: Type.Optional(
      Type.String({ description: 'RFC 3339; by default a day, or thirty days, before `to`' }),
    ),
    to: Type.Optional(Type.String({ description: 'RFC 3339, not part of it; by default now' })),
    by: Type.Optional(Type.Enum(['hour', 'day'], { description: 'The length of a bucket, in UTC' })),
    domain_id: Type.Optional(Type.String({ maxLength: 100 })),
    stream: Type.Optional(Type.String({ maxLength: 100 })),
  },
  { additionalProperties: false },
)
export type StatsQuery = Static<typeof StatsQuery>

export const StatsView = Type.Object({
  by: Type.Enum(['hour', 'day']),
  from: Timestamp,
  to: Timestamp,
  buckets: Type.Array(Type.Object({ at: Timestamp, ...figures }), {
    description: 'Oldest first, without a gap',
  }),
  totals: Type.Object(figures),
  delivery_time_ms: Type.Object(
    { p50: Milliseconds, p95: Milliseconds },
    { description: 'From acceptance to delivery; null where nothing was delivered' },
  ),
})
export type StatsView = Static<typeof StatsView>

export const ProblemView = Type.Object({
  kind: Type.Enum([
    'domain_unverified',
    'domain_flagged',
    'domain_closed',
    'dmarc_missing',
    'bounce_rate',
    'complaint_rate',
    'queue_stuck',
    'allowance_low',
    'stored_bytes_high',
    'credits_low',
    'account_suspended',
    'certificate_expiring',
    'clock_ahead',
  ]),
  severity: Type.Enum(['error', 'warning', 'info']),
  title: Type.String(),
  what_to_do: Type.String(),
  link: Type.String({ description: 'The page of the dashboard where it is done' }),
})
export type ProblemView = Static<typeof ProblemView>

export const ProblemListView = Type.Object({
  data: Type.Array(ProblemView, { description: 'Most severe first' }),
})
export type ProblemListView = Static<typeof ProblemListView>
