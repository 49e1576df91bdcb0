// Shapes of sending statistics in the API.

import { type Static, type TSchema, Type } from 'typebox'
import type { CountedEvent } from '../../model/event.ts'
import { LIMITS } from '../../model/send-request.ts'
import { Timestamp } from './common.ts'

export const countedFields = {
  accepted: Type.Integer({ description: 'Accepted recipients' }),
  delivered: Type.Integer(),
  deferred: Type.Integer({
    description: 'Recipients deferred at least once',
  }),
  bounced: Type.Integer({ description: 'Including asynchronous bounces' }),
  failed: Type.Integer({ description: 'Delivery given up' }),
  suppressed: Type.Integer(),
  cancelled: Type.Integer(),
  complained: Type.Integer(),
  unsubscribed: Type.Integer(),
  opened: Type.Integer({
    description: 'First opens by people',
  }),
  clicked: Type.Integer({ description: 'First clicks by people' }),
} satisfies Readonly<Record<CountedEvent, TSchema>>

const Milliseconds = Type.Union([Type.Integer(), Type.Null()])

export const DeliveryTime = Type.Object(
  { p50: Milliseconds, p95: Milliseconds },
  { description: 'Time from acceptance to delivery, in milliseconds; null if nothing was delivered' },
)

export const StatsQuery = Type.Object(
  {
    from: Type.Optional(
      Type.String({
        description: 'Beginning (RFC 3339); by default one day before `to`, or thirty days with `by=day`',
      }),
    ),
    to: Type.Optional(Type.String({ description: 'End, exclusive (RFC 3339); now by default' })),
    by: Type.Optional(Type.Enum(['hour', 'day'], { default: 'hour', description: 'Length of a bucket' })),
    utc_offset: Type.Optional(
      Type.String({
        maxLength: 6,
        description: 'UTC offset of the beginning of days, in whole hours, such as `+02:00`; UTC by default',
      }),
    ),
    stream: Type.Optional(Type.String({ maxLength: 100 })),
    tag: Type.Optional(
      Type.String({
        maxLength: LIMITS.tagsLength,
        description:
          'First tag of the messages, by which they are counted; cannot be combined with `provider`',
      }),
    ),
    provider: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'Receiving provider such as `Gmail`, named as in the groups of `group_by`',
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
    description: 'Buckets, oldest first and without gaps',
  }),
  totals: Type.Object(countedFields),
  bounced_by_category: Type.Union([Type.Record(Type.String(), Type.Integer()), Type.Null()], {
    description: 'Null for a query with a tag or a provider',
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
        'With `group_by`: groups in descending order of mail, at most 200. `name` is null for hosts of unknown providers, and for tags beyond the first 50 of an hour. `accepted`, `opened` and other events that do not come from a receiving host are 0 in groups by provider.',
    },
  ),
})
export type StatsView = Static<typeof StatsView>
