// Shapes of statistics in the dashboard, and of problems that need attention.

import { type Static, Type } from 'typebox'
import { Timestamp } from './common.ts'
import { countedFields, DeliveryTime, StatsQuery as FiguresQuery, StatsView as FiguresView } from './stats.ts'

/** Query of the dashboard's statistics, for one domain or all domains of the account. */
export const StatsQuery = Type.Object(
  {
    ...FiguresQuery.properties,
    domain_id: Type.Optional(Type.String({ maxLength: 100 })),
    previous: Type.Optional(Type.Boolean({ description: 'Adds the sums of the previous span' })),
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
    {
      description:
        'Sums of the previous span, over the time that has passed in this span; null unless requested',
    },
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
  link: Type.String({ description: 'Page of the dashboard on which the user can act' }),
  wording: Type.String({ description: 'Name of the text in the translations of the dashboard' }),
  values: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
    description: 'Values that the text contains',
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
          'Share of finished deliveries that bounced, from 0 to 1; null if no delivery has finished',
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
