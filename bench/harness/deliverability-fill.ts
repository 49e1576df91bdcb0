// Fills the counts that the page of deliverability reads, as the mail of 35 days leaves them: replies in steps of five
// minutes and by hour, message counts by hour, incidents, and DMARC reports. The messages themselves are not stored.

import { newId } from '../../src/lib/ids.ts'
import { TABLES } from '../../src/store/database/schema.ts'
import { COUNTS_KEPT_MS } from '../../src/store/incidents/incidents.ts'
import type { Owner } from '../../src/store/messages/messages.ts'
import { HOUR_MS } from '../../src/store/readers/message-counts.ts'
import { STEP_MS } from '../../src/store/readers/reply-counts.ts'

const DAY_MS = 24 * HOUR_MS
const STREAMS = ['transactional', 'broadcast', 'alerts']
const PROVIDERS = [
  ...['Gmail', 'Google Workspace', 'Outlook.com', 'Microsoft 365', 'Yahoo', 'AOL', 'iCloud', 'GMX'],
  ...['Comcast', 'Orange', 'Mimecast', 'Proofpoint', ''],
]
const SOURCES = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']
/** Failures that occur at every provider, each in one of three steps. */
const FAILURES = [
  ['rate_limited', '4.7.28'],
  ['rate_limited', 'TSS04'],
  ['blocked', '5.7.1'],
  ['policy', '5.7.26'],
  ['mailbox_not_found', '5.1.1'],
  ['mailbox_full', '4.2.2'],
  ['network', ''],
] as const
const TAGS = 20
const INCIDENTS = 200
const OPEN_INCIDENTS = 5
const RECEIVERS = 15
const ROWS_OF_REPORT = 40

const COUNT_COLUMNS =
  'account_id, domain_id, stream, provider, source, category, code, at, attempts, recipients, encrypted'

const quoted = (values: readonly string[]): string => values.map((value) => `('${value}')`).join()

/** Returns the SQL of a recursive list of times, from one time to another (exclusive). */
const times = (from: number, to: number, stepMs: number): string =>
  `times(at) as (select cast(${from} as bigint) union all select at + ${stepMs} from times where at + ${stepMs} < ${to})`

/**
 * Returns the SQL statements that fill the tables.
 *
 * @param messages number of messages in the 35 days before `now`, spread evenly
 */
export function fillings({ accountId, domainId }: Owner, messages: number, now: number): string[] {
  const steps = now - (now % STEP_MS) + STEP_MS
  const hours = now - (now % HOUR_MS) + HOUR_MS
  const ofStep = (messages * STEP_MS) / COUNTS_KEPT_MS
  const each = Math.max(1, Math.round(ofStep / (STREAMS.length * PROVIDERS.length * SOURCES.length)))
  const replies = `insert into reply_counts (${COUNT_COLUMNS})`
  const names = `streams(stream) as (values ${quoted(STREAMS)}), providers(provider) as (values ${quoted(PROVIDERS)})`
  return [
    `${replies} with recursive ${times(steps - COUNTS_KEPT_MS, steps, STEP_MS)}, ${names},
       sources(source) as (values ${quoted(SOURCES)})
     select '${accountId}', '${domainId}', stream, provider, source, '', '', at, ${each}, ${each}, ${each}
     from times cross join streams cross join providers cross join sources`,
    ...FAILURES.map(
      ([category, code], index) =>
        `${replies} with recursive ${times(steps - COUNTS_KEPT_MS, steps, STEP_MS)}, ${names}
         select '${accountId}', '${domainId}', stream, provider, '${SOURCES[0]}', '${category}', '${code}', at, 1, 1, 1
         from times cross join streams cross join providers
         where stream = 'transactional' and (at / ${STEP_MS}) % 3 = ${index % 3}`,
    ),
    `insert into reply_hours (${COUNT_COLUMNS})
     select account_id, domain_id, stream, provider, source, category, code, at - at % ${HOUR_MS},
       sum(attempts), sum(recipients), sum(encrypted)
     from reply_counts group by account_id, domain_id, stream, provider, source, category, code, 8`,
    parts('provider', PROVIDERS),
    parts('category', ['mailbox_not_found', 'blocked', 'policy', 'content', 'expired', 'other']),
    parts(
      'tag',
      Array.from({ length: TAGS }, (_, index) => `tag-${index}`),
    ),
    ...reports(),
  ]

  function parts(kind: string, ofKind: readonly string[]): string {
    const columns = Object.keys(TABLES.message_parts)
    const of = Math.max(1, Math.round((messages * HOUR_MS) / COUNTS_KEPT_MS / STREAMS.length / ofKind.length))
    const values: Readonly<Record<string, string | number>> = {
      ...{ account_id: `'${accountId}'`, domain_id: `'${domainId}'`, stream: 'stream', kind: `'${kind}'` },
      ...{ name: 'part', hour_at: 'at', accepted: of, delivered: of, took_6: of, bounced: 1 },
      complained: `case when part = 'Yahoo' and stream = 'broadcast' and (at / ${HOUR_MS}) % 12 = 0 then 1 else 0 end`,
    }
    return `insert into message_parts (${columns.join()})
      with recursive ${times(hours - COUNTS_KEPT_MS, hours, HOUR_MS)},
        streams(stream) as (values ${quoted(STREAMS)}), parts(part) as (values ${quoted(ofKind)})
      select ${columns.map((column) => values[column] ?? 0).join()}
      from times cross join streams cross join parts`
  }

  function reports(): string[] {
    const statements: string[] = []
    for (let at = now - COUNTS_KEPT_MS; at < now; at += DAY_MS) {
      const day = new Date(at).toISOString().slice(0, 10)
      for (let receiver = 0; receiver < RECEIVERS; receiver++) {
        const id = newId('rpt', at)
        const name = receiver === 0 ? 'google.com' : `receiver-${receiver}.example`
        const report = columnsOf('reports', {
          ...{
            id,
            account_id: accountId,
            domain_id: domainId,
            state: 'read',
            kind: 'dmarc',
            submitter: name,
          },
          ...{ begin_at: at, end_at: at + DAY_MS, received_at: at, authenticated: 1, warnings: '[]' },
          ...{ detail: '{}', size: 1_000, external_id: id },
        })
        const rows = Array.from({ length: ROWS_OF_REPORT }, (_, position) =>
          columnsOf('dmarc_rows', {
            ...{ domain_id: domainId, day, report_id: id, position, account_id: accountId, receiver: name },
            ...{ address: position < SOURCES.length ? SOURCES[position]! : `198.51.100.${position}` },
            ...{ dkim: 'pass', spf: 'pass', own_key: 'pass', own_path: 1, dkim_aligned: 1, spf_aligned: 1 },
            ...{ disposition: 'none', messages: 900 },
          }),
        )
        statements.push(
          `insert into reports (${report.names}) values (${report.values})`,
          `insert into dmarc_rows (${rows[0]!.names}) values ${rows.map(({ values }) => `(${values})`).join()}`,
        )
      }
    }
    return [statements.join(';')]
  }
}

/** Returns the columns of a table and their values: a missing number is 0, a missing text empty, if it may not be null. */
function columnsOf(table: 'reports' | 'dmarc_rows', given: Readonly<Record<string, string | number>>) {
  const columns = Object.keys(TABLES[table]).filter((column) => !NULLABLE.has(column) || column in given)
  const values = columns.map((column) => {
    const value = given[column] ?? (NUMBERS.has(column) ? 0 : '')
    return typeof value === 'number' ? value : `'${value}'`
  })
  return { names: columns.join(), values: values.join() }
}

const NUMBERS = new Set(['messages', 'failed', 'size', 'tries'])
const NULLABLE = new Set(['identity', 'duplicate_of', 'lease', 'lease_until'])

/** Returns incidents of an owner: most of them closed, the last ones open. */
export const incidents = (owner: Owner, now: number) =>
  Array.from({ length: INCIDENTS }, (_, index) => {
    const at = now - (INCIDENTS - index) * HOUR_MS
    return {
      isOpen: index >= INCIDENTS - OPEN_INCIDENTS,
      ...{
        ...owner,
        name: `replies ${index}`,
        cause: 'rate_limited' as const,
        provider: 'Yahoo',
        code: 'TSS04',
      },
      ...{ scope: { source_address: SOURCES[0]! }, beganAt: at, attempts: 1_000, failed: 310 },
      ...{ usualShare: 0.01, recipients: 200, now: at },
    }
  })
