// Shapes of domains in the API.

import { type Static, Type } from 'typebox'
import { BIMI_FINDINGS } from '../../model/bimi.ts'
import { ROTATION_DAYS } from '../../model/domain.ts'
import { READY_REASONS, SENT } from '../../model/domain-ready.ts'
import { MTA_STS_MODES } from '../../model/inbound-policy.ts'
import { closed, nullable, PageQuery, Timestamp } from './common.ts'
import { domainGuardFields, domainGuardView } from './guard.ts'
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
    'mta_sts_host',
    'mta_sts',
    'tls_report',
    'claim',
  ]),
  type: Type.Enum(['TXT', 'CNAME', 'MX']),
  name: Type.String({ description: 'Fully qualified name of the record' }),
  host: Type.String({
    description: 'Name without the domain, as most DNS providers expect it; `@` for the domain itself',
  }),
  value: Type.String(),
  required: Type.Boolean(),
  status: Type.Enum(['pending', 'found', 'mismatch', 'missing']),
  found: Type.Array(Type.String(), {
    description: 'Values found in the DNS, unfiltered',
  }),
  advice: Type.String({ description: 'Instructions in one or two sentences' }),
})
export type DomainRecordView = Static<typeof DomainRecordView>

const domain = {
  domain_id: Type.String(),
  domain: Type.String({ description: 'Domain in A-labels, as in the DNS' }),
  domain_unicode: Type.String({ description: 'Domain in U-labels for display, such as münchen.example' }),
  status: Type.Enum(['pending', 'verified', 'paused']),
  flagged_at: Type.Union([Timestamp, Type.Null()], {
    description: 'Time since which required records are missing; the domain stops sending three days later',
  }),
  closes_at: Type.Union([Timestamp, Type.Null()], {
    description: 'Time at which a flagged domain stops sending',
  }),
  checked_at: Moment,
  verified_at: Moment,
  created_at: Timestamp,
}

export const DomainSummary = Type.Object(domain)
export type DomainSummary = Static<typeof DomainSummary>

export const DomainListView = Type.Object({
  data: Type.Array(DomainSummary, { description: 'Sorted by name' }),
  next_cursor: nullable(Type.String()),
})
export type DomainListView = Static<typeof DomainListView>

export const DomainListQuery = Type.Object(
  {
    ...PageQuery,
    name: Type.Optional(
      Type.String({ maxLength: 300, description: 'The whole name of the domain, in A-labels or U-labels' }),
    ),
    status: Type.Optional(Type.Enum(['pending', 'verified', 'paused'])),
  },
  closed,
)

export const DomainParams = Type.Object({
  domain: Type.String({
    maxLength: 300,
    description: 'The domain, by ID or by name in A-labels or U-labels',
  }),
})

const BimiView = Type.Object(
  {
    status: Type.Enum(['passed', 'failed', 'declined'], {
      description: '`declined`: the record says that the domain has no logo',
    }),
    name: Type.String({ description: 'Name of the record, at the domain or at its registrable domain' }),
    record: Type.String({ description: 'Found record, unfiltered' }),
    logo_url: nullable(Type.String()),
    certificate_url: nullable(Type.String()),
    logo_checked_at: Type.Union([Timestamp, Type.Null()], {
      description: 'Time of the last fetch of the logo; null before the first fetch',
    }),
    findings: Type.Array(
      Type.Object({
        code: Type.Enum([...BIMI_FINDINGS]),
        severity: Type.Enum(['error', 'hint']),
        message: Type.String({ description: 'The fault and the remedy' }),
      }),
    ),
  },
  { description: 'Check of the BIMI record, which receivers read to show a logo; it never affects sending' },
)

const ReadyView = Type.Object(
  {
    transactional: Type.Boolean({ description: 'True if transactional streams of the domain can send' }),
    broadcast: Type.Boolean({ description: 'True if broadcast streams of the domain can send' }),
    reasons: Type.Array(
      Type.Object({
        code: Type.Enum([...READY_REASONS]),
        message: Type.String({ description: 'Sentence with the remedy' }),
        stops: Type.Array(Type.Enum([...SENT]), {
          description: 'Kinds of streams that cannot send for this reason',
        }),
      }),
      { description: 'Reasons why the domain cannot send; empty if it can' },
    ),
  },
  { description: 'Whether the domain can send now' },
)

export const DomainRecordList = Type.Object({
  data: Type.Array(DomainRecordView, { description: 'Records that sending requires come first' }),
  next_cursor: Type.Null(),
})

export const DomainView = Type.Object({
  ...domain,
  ...retentionView,
  installation_retention_days: Type.Object(
    {
      content_retention_days: Type.Number(),
      transcript_retention_days: Type.Number(),
      record_retention_days: Type.Number(),
    },
    { description: 'Retention of the installation, which is the maximum for domains' },
  ),
  ...domainTrackingView,
  cfbl: Type.Boolean({
    description: 'True if mail for one recipient carries an address for complaints (CFBL-Address, RFC 9477)',
  }),
  rotate_every_days: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Days after which new DKIM keys are made; null if keys are replaced only by hand',
  }),
  mta_sts: Type.Enum([...MTA_STS_MODES], {
    description: 'MTA-STS of the hosts that receive mail for inbound streams (RFC 8461)',
  }),
  mta_sts_since: Type.Union([Timestamp, Type.Null()], {
    description: 'Time at which the mode of MTA-STS was set; null before the first change',
  }),
  ...domainGuardView,
  claim: Type.Optional(
    Type.Object(
      { record: DomainRecordView },
      { description: 'Record that proves ownership, because another account has the domain' },
    ),
  ),
  mailbox_provider: Type.Boolean({
    description:
      'True if the domain belongs to a free mailbox provider, so that only the provider can publish its records',
  }),
  records: Type.Array(DomainRecordView, {
    description: 'DNS records; records that sending requires come first',
  }),
  bimi: Type.Union([BimiView, Type.Null()], {
    description: 'Check of the BIMI record; null if the last check found none',
  }),
  ready: ReadyView,
  dkim: Type.Object({
    selectors: Type.Object(
      { rsa: nullable(Type.String()), ed25519: nullable(Type.String()) },
      { description: 'Selectors of the keys that sign the mail' },
    ),
    next_step: Type.Enum(['rotate', 'switch', 'retire'], {
      description: 'Next step of the key rotation',
    }),
    rotates_at: Type.Union([Timestamp, Type.Null()], {
      description:
        'Time at which new keys are made by the calendar; null during a rotation and without an interval',
    }),
    switches_at: Type.Union([Timestamp, Type.Null()], {
      description:
        'Time from which the new keys may sign by the calendar; null without an interval, and while their records are not found',
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
      description: 'DNS zone that contains the domain; null if the zone could not be determined',
    }),
    name_servers: Type.Array(Type.String()),
    provider: Type.Union([Type.Object({ name: Type.String(), url: Type.String() }), Type.Null()], {
      description: 'DNS provider; null for unknown name servers',
    }),
    connect_url: Type.Union([Type.String(), Type.Null()], {
      description:
        'URL at which the provider publishes the records by Domain Connect; null if the provider does not support it',
    }),
  },
  { description: 'DNS provider of the domain' },
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

/** Settings of a domain in a request, for a new domain as well as for a change. */
const settings = {
  ...retentionFields,
  ...domainTrackingFields,
  cfbl: Type.Optional(
    Type.Boolean({
      description:
        'Whether mail for one recipient carries an address for complaints (CFBL-Address, RFC 9477); default: true',
    }),
  ),
  rotate_every_days: Type.Optional(
    Type.Union([Type.Integer({ minimum: ROTATION_DAYS.min, maximum: ROTATION_DAYS.max }), Type.Null()], {
      description:
        'a number of days, after which new DKIM keys are made, and used once their records have been found for a day; 180 are advised; or null, the default, to replace keys only by hand',
    }),
  ),
  mta_sts: Type.Optional(
    Type.Enum([...MTA_STS_MODES], {
      description:
        'MTA-STS of the hosts that receive mail for inbound streams (RFC 8461): `testing` serves a policy that senders only report about, `enforce` makes verified TLS a condition and needs the records of `testing`, `none` makes senders forget the policy and precedes `off`; default: off',
    }),
  ),
  ...domainGuardFields,
}

export const DomainPatch = Type.Object(settings, {
  ...closed,
  description: 'Settings of a domain',
  examples: [{ content_retention_days: 7 }],
})
export type DomainPatch = Static<typeof DomainPatch>

export const NewDomainBody = Type.Object(
  {
    domain: Type.String({ minLength: 1, maxLength: 300, description: 'Domain name such as example.com' }),
    dkim: Type.Optional(
      Type.Object(
        {
          selector: Type.Optional(
            Type.String({
              maxLength: 100,
              description:
                'Selector of the RSA key, or of the imported key; lower-case letters, digits and hyphens. Default: a new selector',
            }),
          ),
          private_key: Type.Optional(
            Type.String({
              maxLength: 8_192,
              description:
                'A key in PEM that was generated elsewhere, RSA with 2048 to 4096 bits or Ed25519; it is stored encrypted and never shown. Default: a new key',
            }),
          ),
        },
        { ...closed, description: 'Own DKIM key, so that a published record needs no change' },
      ),
    ),
    ...settings,
  },
  { ...closed, description: 'A domain', examples: [{ domain: 'example.org' }] },
)
export type NewDomainBody = Static<typeof NewDomainBody>

export const VerifyQuery = Type.Object(
  {
    wait: Type.Optional(
      Type.String({
        maxLength: 20,
        description:
          'How long to wait for the records, such as 60s; at most 120s. The records are looked up every 5 seconds until the domain is verified',
      }),
    ),
  },
  closed,
)
