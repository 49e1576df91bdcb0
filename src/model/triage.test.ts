// Tests triage with a table: one candidate with the available slots, and the expected decision.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  flowOf,
  held,
  holdOf,
  type PauseKind,
  QUARANTINED,
  RETRIES,
  type Standing,
  SUSPECT,
  throttled,
} from './queue-state.ts'
import {
  type Candidate,
  faultsAfterEnd,
  firstState,
  isSuspect,
  type SlotsAvailable,
  SMALL_BYTES,
  triage,
} from './triage.ts'

const LARGE = SMALL_BYTES + 1

const candidate = (more: Partial<Candidate> = {}): Candidate => ({
  state: 'ready',
  waitsFor: '',
  messageId: `msg_${Math.random()}`,
  accountId: 'acc_1',
  domainId: 'dom_1',
  destination: 'a.example',
  stream: 'transactional',
  domainName: 'sender.example',
  attempt: 1,
  faults: 0,
  size: 1_000,
  ...more,
})

const available = (more: Partial<SlotsAvailable> = {}): SlotsAvailable => ({
  limit: 10,
  bytes: 1_000_000,
  eachBytes: 1_000_000,
  eachDestination: 5,
  eachAccount: 100,
  byShare: new Map(),
  suspects: 4,
  isolated: true,
  ...more,
})

const PAUSED = new Set([
  holdOf('destination', 'paused.example'),
  holdOf('stream', 'news'),
  holdOf('domain', 'x.example'),
])
const waiting = (share: string): Standing => throttled(flowOf(share, candidate()))
const heldBy = (kind: PauseKind, value: string): Standing => held(holdOf(kind, value))

/** Expected decision: `taken`, `stays`, `fails`, or the new state of the candidate. */
type Expected = 'taken' | 'stays' | 'fails' | Standing

const ROWS: readonly [name: string, Partial<Candidate>, Partial<SlotsAvailable>, Expected][] = [
  ['ready, with slots', {}, {}, 'taken'],
  ['throttled, with slots again', waiting('a.example'), {}, 'taken'],
  ['its destination has no slots', {}, { byShare: new Map([['a.example', 0]]) }, waiting('a.example')],
  ['no destination has slots', {}, { eachDestination: 0 }, waiting('a.example')],
  ['throttled, and still without slots', waiting('a.example'), { eachDestination: 0 }, 'stays'],
  ['the claim is full', {}, { limit: 0 }, 'stays'],
  ['large, with bytes for one', { size: LARGE }, { bytes: 1 }, 'taken'],
  ['large, without bytes', { size: LARGE }, { bytes: 0 }, waiting('%@acc_1')],
  ['small, without bytes', { size: SMALL_BYTES }, { bytes: 0, eachBytes: 0 }, 'taken'],
  ['large, with few bytes for each', { size: LARGE }, { eachBytes: 1 }, 'taken'],
  [
    'large, its account has no bytes',
    { size: LARGE },
    { byShare: new Map([['%@acc_1', 0]]) },
    waiting('%@acc_1'),
  ],
  [
    'large, its destination has no bytes',
    { size: LARGE },
    { byShare: new Map([['%a.example', 0]]) },
    waiting('%a.example'),
  ],
  ['small, its destination has no bytes', {}, { byShare: new Map([['%a.example', 0]]) }, 'taken'],
  ['large, with bytes and without slots', { size: LARGE }, { eachDestination: 0 }, waiting('a.example')],
  [
    'its destination is paused',
    { destination: 'paused.example' },
    {},
    heldBy('destination', 'paused.example'),
  ],
  ['its stream is paused', { stream: 'news' }, {}, heldBy('stream', 'news')],
  ['its domain is paused', { domainName: 'x.example' }, {}, heldBy('domain', 'x.example')],
  ['paused, and without slots', { stream: 'news' }, { eachDestination: 0 }, heldBy('stream', 'news')],
  ['paused, and full of faults', { stream: 'news', faults: 9 }, {}, heldBy('stream', 'news')],
  ['one fault', { faults: 1 }, { suspects: 0 }, 'taken'],
  ['two faults, with a slot for suspects', { faults: 2 }, {}, 'taken'],
  ['two faults, without one', { faults: 2 }, { suspects: 0 }, SUSPECT],
  ['a suspect that waits for one', { ...SUSPECT, faults: 2 }, { suspects: 0 }, 'stays'],
  ['a suspect without slots at its destination', { faults: 2 }, { eachDestination: 0 }, waiting('a.example')],
  ['a suspect beside an isolated one', { faults: 2 }, { suspects: 0, isolated: false }, SUSPECT],
  ['three faults, and no suspect under way', { faults: 3 }, {}, 'taken'],
  ['three faults, beside suspects', { faults: 3 }, { isolated: false }, QUARANTINED],
  ['isolated, and still beside suspects', { ...QUARANTINED, faults: 5 }, { isolated: false }, 'stays'],
  ['six faults', { faults: 6 }, {}, 'fails'],
  ['its account has no slots', {}, { eachAccount: 0 }, waiting('@acc_1')],
  ['its account, by name, has none', {}, { byShare: new Map([['@acc_1', 0]]) }, waiting('@acc_1')],
  ['throttled by its account, with slots again', waiting('@acc_1'), {}, 'taken'],
  [
    'neither account nor destination have slots',
    {},
    { eachAccount: 0, eachDestination: 0 },
    waiting('@acc_1'),
  ],
  [
    'a retry without slots for retries',
    { attempt: 2 },
    { byShare: new Map([[RETRIES, 0]]) },
    waiting(RETRIES),
  ],
  ['a first attempt without slots for retries', {}, { byShare: new Map([[RETRIES, 0]]) }, 'taken'],
]

for (const [name, row, slots, expected] of ROWS) {
  test(`${name}: ${typeof expected === 'string' ? expected : `${expected.state} ${expected.waitsFor}`}`, () => {
    const one = candidate(row)
    const { taken, moved, failed } = triage([one], PAUSED, available(slots))
    const state = failed.includes(one) ? 'fails' : (moved.find((move) => move.row === one)?.to ?? 'stays')
    assert.deepEqual(taken.includes(one) ? 'taken' : state, expected)
  })
}

test('slots are counted down within a claim, by destination and in all', () => {
  const rows = [
    ...Array.from({ length: 3 }, () => candidate()),
    ...Array.from({ length: 3 }, () => candidate({ destination: 'b.example' })),
  ]
  const { taken, moved } = triage(rows, new Set(), available({ limit: 4, eachDestination: 2 }))
  assert.deepEqual(taken, [rows[0], rows[1], rows[3], rows[4]])
  assert.deepEqual(
    moved.map(({ row }) => row),
    [rows[2]],
    'the last one stays ready: the claim is full',
  )
})

test('slots of a share go first to recipients waiting in its flows, and the rest to ready ones', () => {
  const ready = Array.from({ length: 3 }, () => candidate())
  const rows = [...ready, candidate(waiting('a.example')), candidate(waiting('a.example'))]
  const { taken, moved } = triage(rows, new Set(), available({ eachDestination: 3 }))
  assert.deepEqual(taken, [rows[0], rows[3], rows[4]])
  assert.deepEqual(
    moved.map(({ row }) => row),
    [rows[1], rows[2]],
  )
  const ofAccount = [candidate(), candidate({ ...waiting('@acc_1'), destination: 'b.example' })]
  assert.deepEqual(triage(ofAccount, new Set(), available({ eachAccount: 1 })).taken, [ofAccount[1]])
  const paused = [candidate(), candidate({ ...waiting('a.example'), stream: 'news' })]
  assert.deepEqual(triage(paused, PAUSED, available({ eachDestination: 1 })).taken, [paused[0]])
})

test('suspects are counted down', () => {
  const rows = Array.from({ length: 3 }, () => candidate({ faults: 2 }))
  assert.deepEqual(triage(rows, new Set(), available({ suspects: 1 })).taken, [rows[0]])
  assert.deepEqual(rows.map(isSuspect), [true, true, true])
})

test('an isolated recipient runs without another suspect and with few others, in either order', () => {
  const isolated = candidate({ faults: 3 })
  const suspect = candidate({ faults: 2 })
  const others = Array.from({ length: 100 }, () => candidate({ destination: `${Math.random()}.example` }))
  const all = available({ limit: 256, eachAccount: 256 })
  const first = triage([isolated, suspect, ...others], new Set(), all)
  assert.ok(first.taken.includes(isolated) && !first.taken.includes(suspect))
  assert.equal(first.taken.length, 17)
  const second = triage([suspect, isolated, ...others], new Set(), all)
  assert.ok(second.taken.includes(suspect) && !second.taken.includes(isolated))
  assert.equal(second.taken.length, 101)
})

test('a fault is noted only for a recipient whose attempt had just begun', () => {
  assert.equal(faultsAfterEnd(0, false), 1)
  assert.equal(faultsAfterEnd(5, true), 5)
})

test('recipients that share a message share its bytes; destinations and accounts have their own', () => {
  const shared = { messageId: 'msg_shared', size: 400_000 }
  const rows = [
    candidate(shared),
    candidate(shared),
    candidate({ size: 400_000 }),
    candidate({ size: 100_000, destination: 'b.example' }),
    candidate({ size: 400_000, destination: 'b.example' }),
    candidate({ size: 400_000, destination: 'b.example', accountId: 'acc_2' }),
    candidate({ size: 400_000, destination: 'c.example', accountId: 'acc_3' }),
  ]
  const { taken, moved } = triage(rows, new Set(), available({ eachBytes: 500_000 }))
  assert.deepEqual(taken, [rows[0], rows[1], rows[3], rows[5]])
  assert.deepEqual(
    moved.map(({ to }) => to),
    [waiting('%@acc_1'), waiting('%@acc_1'), waiting('%@acc_3')],
    'the recipient would fit its own shares, but not the total',
  )
})

test('a recipient begins ready, or scheduled for its time, or paced to the next tenth of a second', () => {
  const usual = { acceptedAt: 1_000, sendAt: null, isPaced: false }
  assert.deepEqual(firstState(usual, 5_000), { state: 'ready', dueAt: null })
  assert.deepEqual(firstState({ ...usual, sendAt: 9_000 }, 9_001), { state: 'scheduled', dueAt: 9_001 })
  assert.deepEqual(firstState({ ...usual, isPaced: true }, 1_000), { state: 'ready', dueAt: null })
  assert.deepEqual(firstState({ ...usual, isPaced: true }, 5_001), { state: 'paced', dueAt: 5_100 })
})
