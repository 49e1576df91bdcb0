// Shapes of sending statistics in the API.

import { type Static, Type } from 'typebox'
import { Timestamp } from './common.ts'

export const countedFields = {
  accepted: Type.Integer({ description: 'Recipients that were accepted' }),
  delivered: Type.Integer(),
  deferred: Type.Integer({ description: 'Recipients that a host deferred, each once' }),
  bounced: Type.Integer({ description: 'Asynchronous bounces among them' }),
  failed: Type.Integer({ description: 'Given up on' }),
  suppressed: Type.Integer(),
  cancelled: Type.Integer(),
  complained: Type.Integer(),
  unsubscribed: Type.Integer(),
  opened: Type.Integer({ description: 'First opens of people' }),
  clicked: Type.Integer({ description: 'First clicks of people' }),
}

const Milliseconds = Type.Union([Type.Integer(), Type.Null()])

export const DeliveryTime = Type.Object(
  { p50: Milliseconds, p95: Milliseconds },
  { description: 'From acceptance to delivery, in milliseconds; null where nothing was delivered' },
)

export const StatsQuery = Type.Object(
  {
    from: Type.Optional(
      Type.String({ description: 'RFC 3339; by default a day, or thirty days, before `to`' }),
    ),
    to: Type.Optional(Type.String({ description: 'RFC 3339, not part of it; by default now' })),
    by: Type.Optional(Type.Enum(['hour', 'day'], { default: 'hour', description: 'The length of a bucket' })),
    utc_offset: Type.Optional(
      Type.String({
        maxLength: 6,
        description: 'Where days begin, in whole hours, such as `+02:00`; by default in UTC',
      }),
    ),
    stream: Type.Optional(Type.String({ maxLength: 100 })),
    tag: Type.Optional(Type.String({ maxLength: 64, description: 'Not together with `provider`' })),
    provider: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'Receiving provider, such as `Gmail`, as `group_by` names it',
      }),
    ),
    group_by: Type.Optional(Type.Enum(['stream', 'tag', 'provider'])),
  },
  { additionalProperties: false },
)

export type StatsQuery = Static<typeof StatsQuery>

export const StatsView = Type.Object({
  by: Type.Enum(['hour', 'day']),
  from: Timestamp,
  to: Timestamp,
  buckets: Type.Array(Type.Object({ at: Timestamp, ...countedFields }), {
    description: 'Oldest first, without a gap',
  }),
  totals: Type.Object(countedFields),
  bounced_by_category: Type.Union([Type.Record(Type.String(), Type.Integer()), Type.Null()], {
    description: 'Null for one tag or provider',
  }),
  delivery_time_ms: DeliveryTime,
  groups: Type.Union(
    [
      Type.Array(
        Type.Object({
          name: Type.Union([Type.String(), Type.Null()]),
          ...countedFields,
          delivery_time_ms: DeliveryTime,
        }),
      ),
      Type.Null(),
    ],
    {
      description:
        'With `group_by`, those with most mail first, 200 at most. `name` is null for hosts of other providers, and for tags beyond the first 50 of an hour. What happens before a host answers, or after it did, is of no provider: `accepted`, `opened` and the like are 0 there.',
    },
  ),
})
export type StatsView = Static<typeof StatsView>
