// Tests the order of the verdicts: for each pair of messages the weightier verdict wins, whichever message is newer.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '../lib/ids.ts'
import type { Holding } from '../model/held.ts'
import type { RecipientStatus } from '../model/recipient.ts'
import type { RequestRow } from '../store/access/request-log.ts'
import type { MailTo } from '../store/person/explained-mail.ts'
import { rankOf, VERDICTS, type Verdict } from './explanation.ts'
import type { Facts } from './facts.ts'
import { summaryOf } from './sentences.ts'
import { explain } from './verdict.ts'

const NOW = Date.UTC(2026, 0, 31)
const DAY_MS = 86_400_000
const EMAIL = 'ann@example.net'

const HOLDING: Holding = {
  ...{ cause: 'stream_paused', value: 'transactional', since: NOW, note: null, domainId: null },
}

interface Wanted {
  readonly status: RecipientStatus
  readonly inboxId?: string
  readonly held?: Holding
  readonly event?: readonly [type: string, detail: object]
}

/** Status and event of a recipient for each verdict about a message. */
const STATES: Readonly<Partial<Record<Verdict, Wanted>>> = {
  cancelled: { status: 'cancelled', event: ['cancelled', { by: 'sender' }] },
  held: { status: 'queued', held: HOLDING },
  scheduled: { status: 'scheduled' },
  suppressed: { status: 'suppressed', event: ['suppressed', { suppression: 'manual' }] },
  bounced_afterwards: {
    status: 'bounced',
    event: ['bounced', { asynchronous: true, category: 'mailbox_full' }],
  },
  refused: { status: 'bounced', event: ['bounced', { category: 'content', hard: false }] },
  given_up: { status: 'failed', event: ['failed', { category: 'expired' }] },
  waiting: { status: 'queued' },
  delivered_by_receiver: { status: 'delivered', event: ['delivered', {}] },
  test: { status: 'bounced', inboxId: 'inb_1', event: ['bounced', { category: 'content', hard: true }] },
}

function mailOf({ status, held, event, inboxId }: Wanted, at: number, hard = false): MailTo {
  const id = newId('msg', at)
  const [type, detail] = event ?? ['accepted', {}]
  return {
    message: {
      ...{ id, created_at: at, domain_id: 'dom', stream: 'transactional', subject: 'Hello', send_at: at },
      inbox_id: inboxId ?? null,
    },
    recipient: {
      ...{ message_id: id, position: 0, email: EMAIL, status, held: held ?? null, attempts: 1 },
      ...{ destination: 'example.net', last_event_at: at, next_attempt_at: null, mx: null },
      ...{ smtp_code: null, smtp_response: null },
    },
    events: [{ type, at, detail: JSON.stringify({ ...detail, ...(hard ? { hard } : {}) }) }],
    ...{ queued: undefined, attempt: undefined, openedAt: null, clickedAt: null },
  } as unknown as MailTo
}

const factsOf = (mail: readonly MailTo[], more: Partial<Facts> = {}): Facts => ({
  question: {
    ...{ accountId: 'acc', email: EMAIL, domains: new Map([['dom', 'example.test']]) },
    ...{ otherDomains: new Map(), ofAccount: true, seesVerifications: false, hash: '' },
  },
  mail: [...mail].sort((one, other) => other.message.created_at - one.message.created_at),
  ...{ named: undefined, suppressions: [], erased: [], requests: [], rows: [], records: [] },
  ...{ verified: undefined, removedBefore: undefined, traces: undefined },
  ...more,
})

const REFUSAL: RequestRow = {
  ...{ account_id: 'acc', id: newId('rql', NOW), at: NOW, key_id: 'key', domain_id: 'dom', method: 'POST' },
  ...{ path: '/v1/messages', status: 422, code: 'validation_failed', problems: null, problem_count: 0 },
  ...{ message_id: null, duration_ms: 1, missed: 0, ignored: null },
}

describe('the verdict', () => {
  test('has the documented order', () => {
    assert.deepEqual(VERDICTS.slice(0, 3), ['erased', 'never_asked', 'refused_at_the_door'])
    assert.equal(rankOf('test'), VERDICTS.length - 1)
  })

  const verdicts = Object.keys(STATES) as Verdict[]
  for (const one of verdicts) {
    test(`${one} wins over each verdict of less weight`, () => {
      for (const other of verdicts) {
        const expected = rankOf(one) < rankOf(other) ? one : other
        for (const days of [1, -1]) {
          const mail = [
            mailOf(STATES[one] as Wanted, NOW),
            mailOf(STATES[other] as Wanted, NOW + days * DAY_MS),
          ]
          const { verdict, sure, because } = explain(factsOf(mail), true)
          assert.equal(verdict, expected, `${one} and ${other}`)
          assert.equal(sure, one === other)
          assert.ok(because.length > 1)
        }
      }
    })
  }

  test('of a refused request wins over each verdict about a message', () => {
    for (const one of verdicts) {
      const mail = [mailOf(STATES[one] as Wanted, NOW - 1)]
      assert.equal(explain(factsOf(mail, { requests: [REFUSAL] }), true).verdict, 'refused_at_the_door')
    }
  })

  test('of the latest message decides among hard bounces and suppressed messages', () => {
    const suppressed = STATES.suppressed as Wanted
    for (const hard of ['refused', 'bounced_afterwards'] as const) {
      const bounced = mailOf(STATES[hard] as Wanted, NOW, true)
      const later = explain(factsOf([bounced, mailOf(suppressed, NOW + 1)]), true)
      assert.deepEqual([later.verdict, later.sure], ['suppressed', true])
      assert.equal(explain(factsOf([bounced, mailOf(suppressed, NOW - 1)]), true).verdict, hard)
    }
  })

  test('of a bounce names the host that refused the message, and no host if none was contacted', () => {
    const reason = 'The domain has no MX record and no address.'
    for (const [detail, host, summary] of [
      [{ category: 'domain_invalid', reason }, '', /was given up at .*, and no mail host was contacted\.$/],
      [
        { category: 'content', mx: 'mx.example.net' },
        'mx.example.net',
        /^The host mx\.example\.net refused /,
      ],
      [{ category: 'content', smtp_code: 554 }, 'example.net', /^The host example\.net refused /],
    ] as const) {
      const { verdict, because } = explain(
        factsOf([mailOf({ status: 'bounced', event: ['bounced', detail] }, NOW)]),
        true,
      )
      assert.deepEqual([verdict, because[0]?.values.host], ['refused', host])
      assert.match(summaryOf(verdict, EMAIL, because), summary)
    }
  })

  test('leaves out what happened more than a week before the newest message', () => {
    const mail = [
      mailOf(STATES.cancelled as Wanted, NOW - 8 * DAY_MS),
      mailOf(STATES.delivered_by_receiver as Wanted, NOW),
    ]
    const { question, ...facts } = factsOf(mail)
    assert.equal(explain({ question, ...facts }, true).verdict, 'delivered_by_receiver')
    const asked = { ...question, after: NOW - 30 * DAY_MS }
    assert.equal(explain({ ...facts, question: asked }, true).verdict, 'cancelled')
  })

  test('without mail is never_asked, and less sure if records were removed', () => {
    const traces = {
      similar: ['anne@example.net', 'bob@example.net'],
      otherDomain: undefined,
      removed: undefined,
    }
    const { verdict, sure, because, nextStep } = explain(factsOf([], { traces }), true)
    assert.deepEqual([verdict, sure, nextStep?.args], ['never_asked', true, { email: 'anne@example.net' }])
    assert.deepEqual(
      because.map(({ kind }) => kind),
      ['no_message', 'similar_address'],
    )
    assert.equal(explain(factsOf([], { traces, removedBefore: NOW }), true).sure, false)
  })
})
