// Shapes of statistics in the dashboard, and of problems that need attention.

import { type Static, Type } from 'typebox'
import { Timestamp } from './common.ts'
import { countedFields, DeliveryTime, StatsQuery as FiguresQuery, StatsView as FiguresView } from './stats.ts'

/** Query of the dashboard's statistics, for one domain or all domains of the account. */
export const StatsQuery = Type.Object(
  {
    ...FiguresQuery.properties,
    domain_id: Type.Optional(Type.String({ maxLength: 100 })),
    previous: Type.Optional(Type.Boolean({ description: 'With the sums of the span before' })),
  },
  { additionalProperties: false },
)
export type StatsQuery = Static<typeof StatsQuery>

export const StatsView = Type.Object({
  ...FiguresView.properties,
  previous: Type.Union(
    [
      Type.Object({
        from: Timestamp,
        to: Timestamp,
        totals: Type.Object(countedFields),
        delivery_time_ms: DeliveryTime,
      }),
      Type.Null(),
    ],
    { description: 'The span before, for as long as this one has lasted; null unless it is asked for' },
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
    'queue_held',
    'queue_stuck',
    'webhook_disabled',
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
  wording: Type.String({ description: 'Name of the same text in the languages of the dashboard' }),
  values: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
    description: 'Values of that text',
  }),
})
export type ProblemView = Static<typeof ProblemView>

export const DomainFiguresView = Type.Object({
  data: Type.Array(
    Type.Object({
      domain_id: Type.String(),
      accepted: Type.Integer({ description: 'Recipients accepted within 30 days' }),
      bounce_rate: Type.Union([Type.Number(), Type.Null()], {
        description:
          'Share of the finished deliveries that bounced, from 0 to 1; null without a finished delivery',
      }),
    }),
    { description: 'Domains with mail within 30 days' },
  ),
})
export type DomainFiguresView = Static<typeof DomainFiguresView>

export const ProblemListView = Type.Object({
  data: Type.Array(ProblemView, { description: 'Most severe first' }),
})
export type ProblemListView = Static<typeof ProblemListView>
