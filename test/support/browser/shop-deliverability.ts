// Deliverability of the shop: what the providers did with its mail, incidents, reports of receivers, and block lists.

import { insertRows } from '../../../src/store/database/rows.ts'
import { TABLES } from '../../../src/store/database/schema.ts'
import { closeIncident, openIncident } from '../../../src/store/incidents/incidents.ts'
import { planLooks } from '../../../src/store/node/list-looks.ts'
import { reportLook } from '../../../src/store/problems/listings.ts'
import type { TestApp } from '../app.ts'
import { dmarcXml, type MadeRow } from '../dmarc-reports.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const OWN = '192.0.2.7'

/** Recipients of the last week by provider, and the shares that were deferred and bounced. */
const PROVIDERS: readonly (readonly [name: string, recipients: number, deferred: number, bounced: number])[] =
  [
    ['Gmail', 4_210, 0.004, 0.006],
    ['Yahoo', 1_380, 0.31, 0.004],
    ['Outlook.com', 1_925, 0.002, 0.011],
    ['iCloud', 640, 0.001, 0.003],
    ['GMX', 18, 0, 0],
  ]

/** Fills the tables that the pages about deliverability read; returns the ID of an open incident. */
export async function fillDeliverability(app: TestApp, message: string): Promise<string> {
  const { store } = app
  const { id: domainId, account_id: accountId } = await store.read
    .selectFrom('domains')
    .select(['id', 'account_id'])
    .where('name', '=', app.playground.domain)
    .executeTakeFirstOrThrow()
  const owner = { accountId, domainId }
  const now = Date.now()
  await store.write(countWeek, { ...owner, now })
  const example = await store.read
    .selectFrom('events')
    .select(['message_id', 'id'])
    .where('message_id', '=', message)
    .where('type', '=', 'bounced')
    .executeTakeFirstOrThrow()
  const { incidentId } = await store.write(openIncident, {
    ...{ ...owner, name: 'replies Yahoo', cause: 'rate_limited', provider: 'Yahoo', code: 'TSS04' },
    ...{ scope: { source_address: OWN, stream: 'newsletter' }, beganAt: now - 2 * HOUR_MS, now },
    ...{ attempts: 1_380, failed: 428, recipients: 390, usualShare: 0.011 },
    example: { messageId: example.message_id, eventId: example.id },
    evidence: [
      {
        wording: 'replies',
        values: { failed: 428, attempts: 1_380, codes: 'TSS04 (428)' },
        link: `/domains/${domainId}/messages`,
      },
    ],
  })
  const ended = { name: 'replies Gmail', beganAt: now - 3 * DAY_MS, attempts: 900, failed: 95 }
  await store.write(openIncident, {
    ...{ ...owner, ...ended, cause: 'auth', provider: 'Gmail', code: '4.7.32', scope: {}, recipients: 95 },
    ...{ usualShare: 0.004, now: now - 3 * DAY_MS },
  })
  const endedAt = now - 3 * DAY_MS + 2 * HOUR_MS
  await store.write(closeIncident, { domainId, name: ended.name, endedAt, now: endedAt })
  await lookUp(app, owner, now)
  await report(app, now)
  return incidentId
}

interface Week {
  readonly accountId: string
  readonly domainId: string
  readonly now: number
}

/** Counts the mail of the last week by provider. */
async function countWeek(db: Parameters<typeof insertRows>[0], weeks: readonly Week[]): Promise<true[]> {
  for (const { accountId: account_id, domainId: domain_id, now } of weeks) {
    const at = now - (now % HOUR_MS)
    const of = { account_id, domain_id, stream: 'newsletter', source: OWN, code: '', at }
    const replies = PROVIDERS.flatMap(([provider, recipients, deferred]) => {
      const failed = Math.round(recipients * deferred)
      const accepted = { ...of, provider, category: '' as const, attempts: recipients - failed }
      const refused = { ...of, provider, category: 'rate_limited' as const, attempts: failed, code: 'TSS04' }
      return [accepted, refused]
        .filter(({ attempts }) => attempts > 0)
        .map((one) => ({ ...one, recipients: one.attempts, encrypted: one.attempts }))
    })
    await insertRows(db, 'reply_hours', replies, '')
    await insertRows(
      db,
      'reply_counts',
      replies.map((one) => ({ ...one, at: now - (now % 300_000) })),
      '',
    )
    const none = Object.fromEntries(Object.keys(TABLES.message_parts).map((column) => [column, 0]))
    const parts = PROVIDERS.map(([name, recipients, deferred, bounced]) => ({
      ...{ ...none, account_id, domain_id, stream: 'newsletter', hour_at: at, kind: 'provider', name },
      ...{ deferred: Math.round(recipients * deferred), bounced: Math.round(recipients * bounced) },
      ...{
        delivered: Math.round(recipients * (1 - deferred - bounced)),
        complained: name === 'Yahoo' ? 2 : 0,
      },
    }))
    await insertRows(db, 'message_parts', parts as never, '')
  }
  return weeks.map(() => true)
}

/** Adds lookups of an address and a domain in block lists, one of them listed. */
async function lookUp(app: TestApp, owner: { accountId: string; domainId: string }, now: number) {
  const { domain } = app.playground
  const look = { account_id: null, domain_id: null, since: now - DAY_MS, checked_at: now - 20 * 60_000 }
  const due = { due_at: now + DAY_MS, told_at: null, state: 'not_listed', answer: null } as const
  const ofDomain = { account_id: owner.accountId, domain_id: owner.domainId, subject: domain }
  await app.store.write(planLooks, {
    ...{ resume: [], pause: [], remove: [], now },
    add: [
      { ...look, ...due, subject: OWN, zone: 'bl.spamcop.net' },
      { ...look, ...due, subject: '2001:db8::7', zone: 'zen.spamhaus.org' },
      {
        ...{ ...look, ...due, subject: OWN, zone: 'b.barracudacentral.org', state: 'not_known' },
        answer: 'the list does not list its test entry 127.0.0.2',
      },
      { ...look, ...due, ...ofDomain, zone: 'dbl.spamhaus.org' },
      { ...look, ...due, subject: OWN, zone: 'zen.spamhaus.org' },
    ],
  })
  const page = 'https://check.spamhaus.org/'
  await app.store.write(reportLook, {
    ...{ subject: OWN, zone: 'zen.spamhaus.org', state: 'listed', answer: '127.0.0.3 (CSS)' },
    ...{
      since: now - 3 * HOUR_MS,
      due_at: now + DAY_MS,
      told_at: now,
      event: 'listed',
      isAddress: true,
      now,
    },
    ...{ removalPage: page, domains: [owner] },
    words: { wording: 'listing_large', values: { zone: 'zen.spamhaus.org', subject: OWN, page } },
  })
}

/** Uploads reports of two weeks, in which the signatures of the own address fail in the last four days. */
async function report(app: TestApp, now: number): Promise<void> {
  const { domain } = app.playground
  for (let ago = 14; ago >= 1; ago--) {
    const day = new Date(now - ago * DAY_MS).toISOString().slice(0, 10)
    const isBroken = ago <= 4
    for (const [submitter, share] of [
      ['google.com', 1],
      ['Yahoo', 0.4],
    ] as const) {
      const rows: MadeRow[] = [
        {
          ...{
            address: OWN,
            messages: Math.round(520 * share),
            dkim: isBroken ? 'fail' : 'pass',
            spf: 'pass',
          },
          ...{ signature: { domain, selector: 's' }, path: `bounces.${domain}` },
        },
        {
          ...{ address: '198.51.100.20', messages: Math.round(80 * share), dkim: 'fail', spf: 'fail' },
          ...{ path: 'sendgrid.net', spfResult: 'pass' },
        },
        { address: '203.0.113.9', messages: Math.round(35 * share), dkim: 'fail', spf: 'fail' },
      ]
      const body = dmarcXml({ domain, rows, submitter, id: `${day}-${submitter}`, day })
      const { status } = await app.call('POST', '/v1/reports', body)
      if (status !== 201) throw new Error(`the report was refused with ${status}`)
    }
  }
}
