// Shapes of incidents and of the deliverability of mail in the API.

import { type Static, Type } from 'typebox'
import { INCIDENT_STATES } from '../../model/incident.ts'
import { closed, nullable, PageQuery, Timestamp } from './common.ts'

/** Name of a sentence and the values in it, by which the dashboard shows the sentence in other languages. */
const words = {
  wording: Type.String({ description: 'Name of the sentence, for translations' }),
  values: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
    description: 'Values that the sentence contains',
  }),
}

const share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description })

export const IncidentView = Type.Object(
  {
    incident_id: Type.String(),
    domain_id: Type.String(),
    domain: Type.String(),
    state: Type.Enum([...INCIDENT_STATES]),
    title: Type.String({ description: 'The incident in one line' }),
    cause: Type.String({
      description:
        'Category of the replies, such as `rate_limited`, or `alignment`, `listing`, `requirement` or `list_quality`',
    }),
    provider: nullable(
      Type.String({ description: 'Provider, as in statistics; null for no single known provider' }),
    ),
    code: nullable(
      Type.String({ description: 'Most frequent code of the replies, such as `TSS04` or `4.7.28`' }),
    ),
    scope: Type.Object(
      {
        stream: Type.Optional(Type.String()),
        tag: Type.Optional(Type.String()),
        key_id: Type.Optional(Type.String()),
        source_address: Type.Optional(Type.String({ description: 'Own IP address' })),
      },
      {
        description:
          'The part of the mail that has nearly all failures; a field is present only if it narrows the mail',
      },
    ),
    began_at: Timestamp,
    noticed_at: Timestamp,
    ended_at: nullable(Timestamp),
    muted_until: nullable(Timestamp),
    attempts: Type.Integer({ description: 'Delivery attempts within the scope since the beginning' }),
    failed: Type.Integer({ description: 'Failed attempts among them' }),
    share: share('Share of failed attempts'),
    usual_share: nullable(share('Usual share of failed attempts, from seven days without incidents')),
    recipients: Type.Integer({ description: 'Recipients whose first attempt failed' }),
    example: nullable(
      Type.Object({
        message_id: Type.String(),
        email: Type.String(),
        smtp_code: nullable(Type.Integer()),
        smtp_response: nullable(Type.String()),
        mx: nullable(Type.String()),
      }),
    ),
    meaning: Type.String(),
    what_to_do: Type.String(),
    ...words,
    evidence: Type.Array(
      Type.Object({
        kind: Type.String({ description: 'Kind of the fact, such as `replies` or `check`' }),
        text: Type.String(),
        link: nullable(Type.String({ description: 'Path of a page of the dashboard, or URL' })),
        ...words,
      }),
    ),
  },
  { description: 'Trouble with the delivery of mail that has one cause' },
)
export type IncidentView = Static<typeof IncidentView>

export const IncidentList = Type.Object({
  data: Type.Array(IncidentView),
  next_cursor: nullable(Type.String()),
})
export type IncidentList = Static<typeof IncidentList>

const domain = Type.Optional(
  Type.String({
    maxLength: 300,
    description: 'Only this domain, by name or ID; all domains of the key by default',
  }),
)
const time = (description: string) => Type.Optional(Type.String({ maxLength: 64, description }))

export const IncidentQuery = Type.Object(
  {
    ...PageQuery,
    domain,
    state: Type.Optional(
      Type.String({ maxLength: 64, description: 'One or more states, separated by commas: open, closed' }),
    ),
    provider: Type.Optional(Type.String({ maxLength: 64, description: 'Provider such as `Yahoo`' })),
    from: time('Only incidents that were open at this time or later (RFC 3339)'),
    to: time('Only incidents that began before this time (RFC 3339)'),
  },
  closed,
)

export const IncidentParams = Type.Object({ incident_id: Type.String({ maxLength: 100 }) })

export const MuteBody = Type.Object(
  {
    until: Type.Union([Type.String({ maxLength: 64 }), Type.Null()], {
      description: 'a time at which the muting ends (RFC 3339), or null to end the muting now',
    }),
  },
  {
    ...closed,
    description: 'Time until which the incident causes no mail and is not on the home page',
    examples: [{ until: '2030-01-31T12:00:00Z' }],
  },
)

export const DeliverabilityQuery = Type.Object(
  {
    domain,
    from: time('Beginning (RFC 3339), at most 35 days before `to`; seven days before `to` by default'),
    to: time('End, exclusive (RFC 3339); now by default'),
    stream: Type.Optional(Type.String({ maxLength: 100 })),
  },
  closed,
)

const Count = Type.Integer({ minimum: 0 })

const figures = {
  accepted: Type.Integer({ minimum: 0, description: 'Recipients with a first attempt in the period' }),
  delivered: Count,
  deferred: Type.Integer({ minimum: 0, description: 'Recipients deferred at least once' }),
  bounced: Type.Integer({ minimum: 0, description: 'Including asynchronous bounces' }),
}

export const ProviderDeliverability = Type.Object({
  provider: nullable(Type.String({ description: 'Null for mail hosts of no known provider' })),
  ...figures,
  complained: nullable(
    Type.Integer({
      minimum: 0,
      description: 'Null for a provider without a feedback loop that has reported in 30 days',
    }),
  ),
  complaint_share: nullable(share('Complaints as a share of deliveries; null if not known')),
  complaint_source: nullable(Type.Enum(['loop', 'postmaster'])),
  tls_share: nullable(share('Share of deliveries on an encrypted connection; null without deliveries')),
  authenticated: nullable(
    Type.Object(
      { dkim_aligned: Count, spf_aligned: Count, dmarc_pass: Count, messages: Count, as_of: Timestamp },
      { description: 'Sums of the DMARC reports of the provider; null without reports' },
    ),
  ),
  placement: Type.Null({ description: 'Share of mail in the inbox; never known' }),
  failures: Type.Array(
    Type.Object({
      category: Type.String(),
      code: nullable(Type.String({ description: 'Null for failures without a reply' })),
      attempts: Count,
    }),
    { description: 'Failed attempts by category and code, the most frequent first; at most 10' },
  ),
  open_incidents: Count,
  state: Type.Enum(['incident', 'too_few', 'no_incident'], {
    description: '`too_few`: fewer than 20 attempts in the last hour, which is too few to tell',
  }),
})
export type ProviderDeliverability = Static<typeof ProviderDeliverability>

export const DeliverabilityView = Type.Object(
  {
    from: Timestamp,
    to: Timestamp,
    providers: Type.Array(ProviderDeliverability, { description: 'The provider with the most mail first' }),
    totals: Type.Object({ ...figures, open_incidents: Count }),
    data: Type.Array(IncidentView, { description: 'The newest open incidents' }),
    next_cursor: nullable(Type.String({ description: 'Cursor for `GET /v1/incidents?state=open`' })),
  },
  { description: 'Deliverability of mail, by receiving provider' },
)
export type DeliverabilityView = Static<typeof DeliverabilityView>
