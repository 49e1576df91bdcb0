// Shapes of domains in the dashboard API.

import { type Static, Type } from 'typebox'
import { nullable, Timestamp } from './common.ts'
import { retentionFields, retentionView } from './retention.ts'
import { domainTrackingFields, domainTrackingView } from './tracking.ts'

const Moment = nullable(Timestamp)

export const DomainRecordView = Type.Object({
  purpose: Type.Enum([
    'dkim_rsa',
    'dkim_ed25519',
    'return_path',
    'dmarc',
    'tracking',
    'dkim_rsa_next',
    'dkim_ed25519_next',
    'dkim_rsa_old',
    'dkim_ed25519_old',
    'inbound_mx',
    'claim',
  ]),
  type: Type.Enum(['TXT', 'CNAME', 'MX']),
  name: Type.String({ description: 'The whole name' }),
  host: Type.String({
    description: 'The name without the domain, as most DNS providers want it; `@` for the domain itself',
  }),
  value: Type.String(),
  required: Type.Boolean(),
  status: Type.Enum(['pending', 'found', 'mismatch', 'missing']),
  found: Type.Array(Type.String(), {
    description: 'The values found in the DNS, unfiltered',
  }),
  advice: Type.String({ description: 'What to do, in one or two sentences' }),
})
export type DomainRecordView = Static<typeof DomainRecordView>

const domain = {
  domain_id: Type.String(),
  domain: Type.String({ description: 'In A-labels, as it stands in the DNS' }),
  domain_unicode: Type.String({ description: 'The same in U-labels, for people: münchen.example' }),
  status: Type.Enum(['pending', 'verified', 'paused']),
  flagged_at: Type.Union([Timestamp, Type.Null()], {
    description: 'Since when required records are missing; three days later the domain cannot send',
  }),
  closes_at: Type.Union([Timestamp, Type.Null()], { description: 'When a flagged domain stops sending' }),
  checked_at: Moment,
  verified_at: Moment,
  created_at: Timestamp,
}

export const DomainSummary = Type.Object(domain)
export type DomainSummary = Static<typeof DomainSummary>

export const DomainListView = Type.Object({
  data: Type.Array(DomainSummary, { description: 'By name' }),
  next_cursor: Type.Null(),
})
export type DomainListView = Static<typeof DomainListView>

export const DomainView = Type.Object({
  ...domain,
  ...retentionView,
  installation_retention_days: Type.Object(
    {
      content_retention_days: Type.Number(),
      transcript_retention_days: Type.Number(),
      record_retention_days: Type.Number(),
    },
    { description: 'What the installation keeps, which a domain does not exceed' },
  ),
  ...domainTrackingView,
  claim: Type.Optional(
    Type.Object(
      { record: DomainRecordView },
      { description: 'Another account has the domain: this record proves ownership' },
    ),
  ),
  mailbox_provider: Type.Boolean({
    description: 'A free mailbox provider has this domain, and nobody else can publish its records',
  }),
  records: Type.Array(DomainRecordView, { description: 'What sending requires first' }),
  dkim: Type.Object({
    next_step: Type.Enum(['rotate', 'switch', 'retire'], {
      description: 'The next step of the key rotation',
    }),
  }),
  events: Type.Array(Type.Object({ type: Type.String(), at: Timestamp }), {
    description: 'Recent events, newest first',
  }),
})
export type DomainView = Static<typeof DomainView>

export const DnsHostingView = Type.Object(
  {
    zone: Type.Union([Type.String(), Type.Null()], {
      description: 'The zone that the domain is in; null where the DNS does not say',
    }),
    name_servers: Type.Array(Type.String()),
    provider: Type.Union([Type.Object({ name: Type.String(), url: Type.String() }), Type.Null()], {
      description: 'Null for name servers that are not known',
    }),
    connect_url: Type.Union([Type.String(), Type.Null()], {
      description: 'Where the provider publishes the records by Domain Connect; null where it does not',
    }),
  },
  { description: 'Where the records are published' },
)
export type DnsHostingView = Static<typeof DnsHostingView>

export const RecordLinkView = Type.Object({ url: Type.String(), expires_at: Timestamp })
export type RecordLinkView = Static<typeof RecordLinkView>

export const SharedRecordsQuery = Type.Object(
  { token: Type.String({ minLength: 1, maxLength: 200 }) },
  { additionalProperties: false },
)

export const SharedRecordsView = Type.Object({
  domain: domain.domain,
  domain_unicode: domain.domain_unicode,
  status: domain.status,
  checked_at: Moment,
  records: Type.Array(DomainRecordView),
  zone_file: Type.String(),
  expires_at: Timestamp,
})
export type SharedRecordsView = Static<typeof SharedRecordsView>

export const DomainPatch = Type.Object(
  { ...retentionFields, ...domainTrackingFields },
  { additionalProperties: false },
)
export type DomainPatch = Static<typeof DomainPatch>

export const NewDomainBody = Type.Object(
  { domain: Type.String({ minLength: 1, maxLength: 300, description: 'Such as example.com' }) },
  { additionalProperties: false },
)
export type NewDomainBody = Static<typeof NewDomainBody>

export const DeleteDomainBody = Type.Object(
  { domain: Type.String({ maxLength: 300, description: 'The name of the domain, typed' }) },
  { additionalProperties: false },
)
export type DeleteDomainBody = Static<typeof DeleteDomainBody>
