// Shapes of reports of receivers, and of the authentication that they report.

import { type Static, type TSchema, Type } from 'typebox'
import { REPORT_KINDS } from '../../model/report.ts'
import { SOURCE_KINDS } from '../../reports/sources.ts'
import { closed, nullable, PageQuery, Timestamp } from './common.ts'

const day = Type.String({ description: 'Day in UTC, such as `2026-01-31`' })
const count = Type.Integer({ minimum: 0 })

const fields = {
  report_id: Type.String(),
  kind: nullable(Type.Enum([...REPORT_KINDS], { description: 'Null until the report is read' })),
  domain: Type.String(),
  submitter: Type.String({ description: 'Organization that wrote the report, as it names itself' }),
  external_id: Type.String({ description: 'ID that the submitter gave the report' }),
  period: nullable(Type.Object({ begin: Timestamp, end: Timestamp })),
  received_at: Timestamp,
  status: Type.Enum(['received', 'read', 'unreadable']),
  authenticated: nullable(
    Type.Boolean({
      description:
        'True if DKIM or SPF proves the submitter; null for an uploaded report, which has no sender',
    }),
  ),
  messages: Type.Integer({
    description: 'Messages of a DMARC report, sessions of a TLS report, 1 for a complaint',
  }),
  failed: Type.Integer({
    description:
      'Messages for which neither DKIM nor SPF is aligned and passes; failed sessions of a TLS report',
  }),
  warnings: Type.Array(Type.String(), { description: 'Oddities of the report' }),
  duplicate_of: nullable(Type.String({ description: 'First report with the same submitter, ID and period' })),
}

export const ReportSummary = Type.Object(fields, { description: 'A report of a receiver about a domain' })
export type ReportSummary = Static<typeof ReportSummary>

export const ReportList = Type.Object({
  data: Type.Array(ReportSummary),
  next_cursor: nullable(Type.String()),
})

const Row = Type.Object({
  address: Type.String({ description: 'Source address; empty for many small rows together' }),
  messages: count,
  header_from: Type.String(),
  envelope_from: Type.String(),
  dkim: Type.String({ description: 'DKIM results as `domain/selector=result`' }),
  spf: Type.String({ description: 'SPF result as `domain=result`' }),
  dkim_aligned: Type.Boolean(),
  spf_aligned: Type.Boolean(),
  disposition: Type.String(),
  reason: Type.String(),
})

export const ReportView = Type.Object(
  {
    ...fields,
    problem: nullable(
      Type.Object({ message: Type.String(), where: Type.String() }, { description: 'Why it is unreadable' }),
    ),
    policy: Type.Record(Type.String(), Type.String(), {
      description: 'DMARC policy that the receiver applied, by the names of its tags',
    }),
    policies: Type.Array(
      Type.Object({
        policy_type: Type.String(),
        policy_domain: Type.String(),
        successful: count,
        failed: count,
        failures: Type.Array(
          Type.Object({
            result: Type.String(),
            mx: Type.String(),
            sending_address: Type.String(),
            sessions: count,
          }),
        ),
      }),
      { description: 'Policies of a TLS report' },
    ),
    rows: Type.Array(Row, { description: 'The 500 largest rows of a DMARC report' }),
    raw_available: Type.Boolean({ description: 'The file is kept for 45 days' }),
  },
  { description: 'A report with its content' },
)
export type ReportView = Static<typeof ReportView>

export const ReportQuery = Type.Object(
  {
    ...PageQuery,
    kind: Type.Optional(Type.Enum([...REPORT_KINDS])),
    submitter: Type.Optional(Type.String({ maxLength: 255 })),
    from: Type.Optional(Type.String({ description: 'Period ends at or after this time (RFC 3339)' })),
    to: Type.Optional(Type.String({ description: 'Period begins before this time (RFC 3339)' })),
  },
  closed,
)

export const ReportParams = Type.Object({ report_id: Type.String({ maxLength: 100 }) })

/** Stands for the body that is the file of a report, which `REPORT_FILES` describes. */
export const ReportBody = Type.Object({}, { description: 'File of a report' })

const EXAMPLE = [
  '<feedback>',
  '<report_metadata><org_name>receiver.example</org_name><email>dmarc@receiver.example</email>',
  '<report_id>2026-01-31.example</report_id>',
  '<date_range><begin>1769817600</begin><end>1769903999</end></date_range></report_metadata>',
  '<policy_published><domain>example.com</domain><p>none</p></policy_published>',
  '<record><row><source_ip>192.0.2.7</source_ip><count>12</count>',
  '<policy_evaluated><disposition>none</disposition><dkim>pass</dkim><spf>pass</spf></policy_evaluated></row>',
  '<identifiers><header_from>example.com</header_from></identifiers>',
  '<auth_results><spf><domain>bounces.example.com</domain><result>pass</result></spf></auth_results></record>',
  '</feedback>',
].join('\n')

/** Bodies of a report by media type; the content decides, whatever the media type is. */
export const REPORT_FILES: Readonly<Record<string, TSchema>> = {
  'application/xml': Type.String({ description: 'DMARC aggregate report', examples: [EXAMPLE] }),
  'application/gzip': Type.Unsafe<Uint8Array>({
    type: 'string',
    format: 'binary',
    description: 'Packed report',
  }),
  'application/zip': Type.Unsafe<Uint8Array>({
    type: 'string',
    format: 'binary',
    description: 'Packed report',
  }),
  'application/tlsrpt+json': Type.String({ description: 'TLS report (RFC 8460)' }),
  'message/rfc822': Type.String({ description: 'Whole mail with a report or a complaint' }),
}

export const AuthenticationQuery = Type.Object(
  {
    from: Type.Optional(
      Type.String({ description: 'First day, such as `2026-01-01`; default: 30 days ago' }),
    ),
    to: Type.Optional(Type.String({ description: 'Last day; default: today' })),
    group_by: Type.Optional(
      Type.String({
        maxLength: 100,
        description: '`source` (default), `receiver`, `day` and `header_from`, joined by commas',
      }),
    ),
  },
  closed,
)

const SourceView = Type.Object({
  source_id: Type.String(),
  kind: Type.Enum([...SOURCE_KINDS]),
  name: Type.String(),
  addresses: Type.Array(Type.String(), { description: 'At most 20 addresses, most messages first' }),
  ptr: nullable(Type.String({ description: 'Confirmed host name of one of the addresses' })),
})

export const AuthenticationRow = Type.Object({
  source: nullable(SourceView),
  receiver: nullable(Type.String()),
  day: nullable(day),
  header_from: nullable(Type.String()),
  messages: count,
  dmarc_pass: count,
  dkim_aligned: count,
  spf_aligned: count,
  dispositions: Type.Record(Type.String(), Type.Integer()),
  receivers: Type.Array(Type.String()),
  first_seen: day,
  last_seen: day,
  failing_since: nullable(day),
  failing: nullable(
    Type.Object({
      mechanism: Type.Enum(['dkim', 'spf', 'dmarc']),
      addresses: Type.Array(Type.String()),
      receivers: Type.Array(Type.String()),
      messages: count,
      failed: count,
    }),
  ),
  sent_by_us: nullable(
    Type.Integer({ description: 'Recipients to whom this service delivered in these days' }),
  ),
  advice: nullable(
    Type.String({ description: 'Name of the advice, for translations; null if nothing has to be done' }),
  ),
  what_to_do: Type.String({ description: 'Empty if nothing has to be done' }),
})
export type AuthenticationRow = Static<typeof AuthenticationRow>

export const AuthenticationList = Type.Object({
  data: Type.Array(AuthenticationRow),
  next_cursor: Type.Null(),
  coverage: Type.Object({
    reporters: count,
    share_of_own_mail: nullable(
      Type.Number({ description: 'Reported messages of this service as a share of its deliveries' }),
    ),
  }),
})

export const SourceParams = Type.Object({ source_id: Type.String({ maxLength: 100 }) })

export const SourceBody = Type.Object(
  {
    kind: Type.Enum(['known', 'unknown']),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  },
  { ...closed, description: 'What the source is', examples: [{ kind: 'known', name: 'Newsletter service' }] },
)

export const NamedSourceView = Type.Object({
  source_id: Type.String(),
  kind: Type.Enum(['known', 'unknown']),
  name: Type.String(),
})
