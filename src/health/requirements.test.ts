// Tests the verdicts about the requirements of large receivers: 80 senders, of which 40 have one defect each.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  RECEIVER_NAMES,
  REFUSED_FOR,
  type Receiver,
  type Requirement,
  type RequirementStatus,
  ruleOfReceiver,
} from '../model/requirement.ts'
import { type RecordFact, type RequirementFacts, verdictsOf } from './requirements.ts'

const found = (value: string): RecordFact => ({ status: 'found', value })

/** Facts of a sender that meets every requirement of every receiver. */
const GOOD: RequirementFacts = {
  domain: 'shop.example',
  records: {
    dkim: found('pr1._domainkey.shop.example'),
    returnPath: found('bounces.shop.example'),
    dmarc: found('v=DMARC1; p=none;'),
  },
  isRelayed: false,
  ptr: [{ subject: '192.0.2.7', state: 'met', detail: 'mail.example.com' }],
  spf: [{ subject: '192.0.2.7', state: 'met', detail: 'pass' }],
  mailHost: { subject: 'shop.example', state: 'met', detail: 'mx.shop.example' },
  unreachableLinks: undefined,
  ownUnsubscribing: [],
  unsubscribed: 12,
  mailedAfter: 0,
  refusals: [],
  encrypted: RECEIVER_NAMES.map((provider) => ({ provider, attempts: 900, encrypted: 900 })),
  reports: new Map(),
  figures: RECEIVER_NAMES.map((receiver) => ({
    ...{ requirement: 'complaint_share', receiver, status: 'met', measured: 0.0004, source: 'postmaster' },
  })),
}

type Defect = readonly [
  name: string,
  change: Partial<RequirementFacts>,
  wrong: Partial<Record<Requirement, RequirementStatus>>,
  receivers?: readonly Receiver[],
]

const records = (change: Partial<RequirementFacts['records']>) => ({
  records: { ...GOOD.records, ...change },
})
const gone: RecordFact = { status: 'missing', value: '' }
const other: RecordFact = { status: 'mismatch', value: 'v=other' }
const pending: RecordFact = { status: 'pending', value: '' }
const address = (state: RequirementStatus, detail = 'x') => [{ subject: '192.0.2.7', state, detail }]
const refused = (provider: Receiver, code: string) => ({ refusals: [{ provider, code, attempts: 3 }] })
const complaints = (receiver: Receiver, status: RequirementStatus, measured: number) => ({
  figures: [
    { requirement: 'complaint_share', receiver, status, measured, source: 'own' } as const,
    ...GOOD.figures.filter((one) => one.receiver !== receiver),
  ],
})
const report = (change: object) => ({
  reports: new Map(
    RECEIVER_NAMES.map((name) => [
      name,
      { messages: 1_000, dkimPass: 999, spfPass: 998, aligned: 1_000, asOf: '2026-01-31', ...change },
    ]),
  ),
})

const DEFECTS: readonly Defect[] = [
  ['no DKIM record', records({ dkim: gone }), { dkim: 'not_met' }],
  ['another DKIM key', records({ dkim: other }), { dkim: 'not_met' }],
  ['DKIM not looked up', records({ dkim: pending }), { dkim: 'not_known' }],
  ['no DMARC record', records({ dmarc: gone }), { dmarc: 'not_met' }],
  ['a broken DMARC record', records({ dmarc: other }), { dmarc: 'not_met' }],
  ['DMARC not looked up', records({ dmarc: pending }), { dmarc: 'not_known' }],
  ['no return path', records({ returnPath: gone }), { spf: 'not_met' }],
  ['a return path elsewhere', records({ returnPath: other }), { spf: 'not_met' }],
  ['the return path not looked up', records({ returnPath: pending }), { spf: 'not_known' }],
  ['SPF without an address', { spf: address('not_met') }, { spf: 'not_met' }],
  ['SPF unanswered', { spf: address('not_known') }, { spf: 'not_known' }],
  ['SPF not checked', { spf: [] }, { spf: 'not_known' }],
  [
    'one of two addresses not in SPF',
    { spf: [...address('met'), ...address('not_met')] },
    { spf: 'not_met' },
  ],
  ['no PTR', { ptr: address('not_met', 'no PTR record') }, { ptr: 'not_met' }],
  ['PTR unanswered', { ptr: address('not_known') }, { ptr: 'not_known' }],
  ['PTR not checked', { ptr: [] }, { ptr: 'not_known' }],
  ['a second address without PTR', { ptr: [...address('met'), ...address('not_met')] }, { ptr: 'not_met' }],
  ['a relay', { isRelayed: true }, { ptr: 'not_known', spf: 'not_known' }],
  [
    'no DKIM and no return path',
    records({ dkim: gone, returnPath: gone }),
    { dkim: 'not_met', spf: 'not_met', alignment: 'not_met' },
  ],
  [
    'no DKIM, and strict alignment of SPF',
    records({ dkim: gone, dmarc: found('v=DMARC1; p=none; aspf=s') }),
    { dkim: 'not_met', alignment: 'not_met' },
  ],
  [
    'no DKIM, and SPF unanswered',
    { ...records({ dkim: gone }), spf: address('not_known') },
    { dkim: 'not_met', spf: 'not_known', alignment: 'not_known' },
  ],
  [
    'plain connections to Gmail',
    { encrypted: [{ provider: 'Gmail', attempts: 900, encrypted: 800 }] },
    { tls: 'not_met' },
    ['Gmail'],
  ],
  ['no mail to Gmail', { encrypted: [] }, { tls: 'not_known' }, ['Gmail']],
  ['no mail host', { mailHost: { ...address('not_met')[0]! } }, { from_header: 'not_met' }],
  ['a mail host unanswered', { mailHost: { ...address('not_known')[0]! } }, { from_header: 'not_known' }],
  ['a mail host not checked', { mailHost: undefined }, { from_header: 'not_known' }],
  ['links without https', { unreachableLinks: 'not https' }, { one_click: 'not_met' }],
  ['own unsubscribe fields', { ownUnsubscribing: ['news'] }, { one_click: 'not_known' }],
  ['mail after unsubscribing', { mailedAfter: 1 }, { list_unsubscribe_honoured: 'not_met' }],
  ['complaints at Gmail', complaints('Gmail', 'not_met', 0.004), { complaint_share: 'not_met' }, ['Gmail']],
  ['complaints at Yahoo', complaints('Yahoo', 'not_met', 0.01), { complaint_share: 'not_met' }, ['Yahoo']],
  ['no figure of Gmail', { figures: [] }, { complaint_share: 'not_known' }, ['Gmail', 'Yahoo']],
  ['DKIM broken by reports', report({ dkimPass: 600 }), { dkim: 'not_met' }],
  ['SPF broken by reports', report({ spfPass: 10 }), { spf: 'not_met' }],
  ['not aligned by reports', report({ aligned: 500 }), { alignment: 'not_met' }],
  ['refused for SPF', refused('Gmail', '4.7.27'), { spf: 'not_met' }, ['Gmail']],
  ['refused for alignment', refused('Gmail', '5.7.32'), { alignment: 'not_met' }, ['Gmail']],
  ['refused as unauthenticated', refused('Gmail', '5.7.26'), { spf: 'not_met', dkim: 'not_met' }, ['Gmail']],
  ['refused by Microsoft', refused('Outlook.com', '5.7.515'), { alignment: 'not_met' }, ['Outlook.com']],
  ['refused for PTR', refused('Gmail', '4.7.23'), { ptr: 'not_met' }, ['Gmail']],
]

/** Checks a panel against the expected deviations from `met`. */
function check(name: string, facts: RequirementFacts, wrong: Defect[2], receivers = RECEIVER_NAMES): void {
  for (const receiver of RECEIVER_NAMES) {
    const panel = verdictsOf(facts, receiver)
    const expected = ruleOfReceiver(receiver).requires.map((requirement) => [
      requirement,
      receivers.includes(receiver) ? (wrong[requirement] ?? 'met') : 'met',
    ])
    assert.deepEqual(
      panel.map(({ requirement, status }) => [requirement, status]),
      expected,
      `${name} at ${receiver}`,
    )
    for (const { status, source, measured, what_to_do } of panel) {
      assert.ok(status === 'not_known' ? source === null : source !== null, name)
      assert.ok(status === 'met' ? measured !== null && what_to_do === null : what_to_do !== null, name)
    }
  }
}

test('80 panels of 80 senders are right, and no requirement is met without a source', () => {
  assert.equal(DEFECTS.length, 40)
  for (const [name, change, wrong, receivers] of DEFECTS) {
    check(name, { ...GOOD, ...change }, wrong, receivers)
  }
  for (let sender = 0; sender < 40; sender++) {
    const dmarc = found(`v=DMARC1; p=${['none', 'quarantine', 'reject'][sender % 3]}`)
    const facts = {
      ...{ ...GOOD, ...records({ dmarc }), domain: `sender${sender}.example`, unsubscribed: sender },
      ...(sender % 2 === 0 ? {} : report({})),
    }
    check(`sender ${sender}`, facts, {})
  }
})

test('without any facts, only what the service does by itself is met', () => {
  const nothing: RequirementFacts = {
    ...{ ...GOOD, ...records({ dkim: pending, dmarc: pending, returnPath: pending }), ptr: [], spf: [] },
    ...{ mailHost: undefined, encrypted: [], figures: [], unsubscribed: 0 },
  }
  const met = verdictsOf(nothing, 'Gmail').filter(({ status }) => status === 'met')
  assert.deepEqual(
    met.map(({ requirement, source }) => [requirement, source]),
    [
      ['one_click', 'own'],
      ['list_unsubscribe_honoured', 'own'],
      ['message_format', 'own'],
    ],
  )
})

test('few reports, and reports against a missing record, change nothing', () => {
  const few = { ...GOOD, ...report({ messages: 19, dkimPass: 0 }) }
  assert.equal(verdictsOf(few, 'Gmail').find(({ requirement }) => requirement === 'dkim')?.status, 'met')
  const missing = { ...GOOD, ...records({ dkim: gone }), ...report({}) }
  assert.equal(verdictsOf(missing, 'Gmail').find(({ requirement }) => requirement === 'dkim')?.source, 'dns')
})

test('every code of a refusal names requirements of its receiver', () => {
  for (const receiver of RECEIVER_NAMES) {
    for (const requirement of Object.values(REFUSED_FOR[receiver]).flat()) {
      assert.ok(ruleOfReceiver(receiver).requires.includes(requirement), requirement)
    }
  }
})
