// The slots of a node: shared limits, fair shares, and the order in which throttled recipients are refilled.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flowOf, READY, RETRIES, shareOf } from '../model/queue-state.ts'
import { triage } from '../model/triage.ts'
import type { AcceptMessage } from '../store/accepting/accept-message.ts'
import type { Claimed } from '../store/queue/queue.ts'
import { MAX_AT_SITE, SiteLimits } from './site-limits.ts'
import { MAX_ACTIVE, type Slot, Slots } from './slots.ts'

const NOW = 1_000_000
let made = 0

const recipient = (destination: string, more: Partial<Claimed> = {}): Claimed =>
  ({
    messageId: `msg_${made++}`,
    position: 0,
    domainId: 'dom_1',
    stream: 'news',
    destination,
    accountId: `acc_${destination}`,
    size: 1_000,
    attempt: 1,
    faults: 0,
    ...more,
  }) as Claimed

/** Returns the flow of a share in which the recipients of a stream wait. */
const flow = (share: string, stream = 'news'): string => flowOf(share, { domainId: 'dom_1', stream })

/** Returns the result of a claim that has read the flows in `refill`. */
const claimed = (
  refill: readonly string[],
  {
    recipients = [],
    empty = [],
    throttled = [],
  }: Partial<Record<'empty' | 'throttled', string[]>> & { recipients?: Claimed[] },
) => {
  const flows = new Map(refill.map((one) => [one, empty.includes(one) ? Number.POSITIVE_INFINITY : NOW]))
  const lowest = { ready: NOW, due: NOW, leases: NOW, flows, throttled: new Map<string, number>() }
  return { recipients, throttled, lowest }
}

const LEASE = { token: 'nod_x.1', until: NOW + 60_000, endsAt: Number.POSITIVE_INFINITY }

const slots = (): Slots => new Slots(new SiteLimits(new Map(), () => 0.5))

const take = (all: Slots, claimed: Claimed): Slot => all.take(claimed, LEASE, NOW)

/** Ends an attempt at a site successfully. */
const succeed = (all: Slots, slot: Slot, site: string): void => {
  assert.ok(all.goTo(slot, site, undefined, NOW))
  all.release(slot, 'success', NOW)
}

test('an unknown destination has the slots of a first window', () => {
  assert.equal(slots().request(NOW).eachDestination, 5)
})

test('destinations of one site share its window, as soon as their routes are known', () => {
  const all = slots()
  for (const destination of ['gmail.com', 'hosted.example']) {
    const one = take(all, recipient(destination))
    succeed(all, one, 'google.com')
  }
  const taken = Array.from({ length: 7 }, () => recipient('gmail.com'))
  for (const one of taken) take(all, one)
  const { byShare } = all.request(NOW)
  assert.equal(byShare.get('gmail.com'), 0)
  assert.equal(byShare.get('hosted.example'), 0)
})

test('one more site finds a slot however many are slow', () => {
  const all = slots()
  const slow = Array.from({ length: 60 }, (_, index) => `slow${index}.example`)
  for (const destination of slow) {
    for (let count = 0; count < 70; count++) {
      const one = take(all, recipient(destination))
      succeed(all, one, destination)
    }
  }
  for (let round = 0; round < 100; round++) {
    for (const destination of slow) {
      const { byShare, eachDestination } = all.request(NOW)
      if ((byShare.get(destination) ?? eachDestination) > 0) take(all, recipient(destination))
    }
  }
  assert.ok(all.count < MAX_ACTIVE)
  assert.ok(all.request(NOW).eachDestination > 0)
})

/** Takes slots for as many large messages of an account to a destination as a claim would take. */
function takeLarge(all: Slots, destination: string, accountId: string): Slot[] {
  const taken: Slot[] = []
  for (;;) {
    const one = recipient(destination, { accountId, size: 1024 * 1024 })
    const [slot] = triage([{ ...one, ...READY }], new Set(), all.request(NOW)).taken
    if (slot === undefined) return taken
    taken.push(take(all, one))
  }
}

test('large messages leave bytes to other accounts and sites, and slots to small ones', () => {
  const all = slots()
  assert.ok(takeLarge(all, 'a.example', 'acc_1').length >= 5, 'its window')
  for (const name of ['b', 'c', 'd', 'e', 'f']) takeLarge(all, `${name}.example`, 'acc_1')
  const { byShare, eachBytes, bytes } = all.request(NOW)
  assert.equal(byShare.get('%@acc_1'), 0)
  assert.ok(eachBytes > 0 && bytes > 0)
  assert.ok(takeLarge(all, 'g.example', 'acc_2').length > 0)
  assert.equal(takeLarge(all, 'h.example', 'acc_1').length, 0)
  const small = { ...recipient('h.example', { accountId: 'acc_1' }), ...READY }
  assert.deepEqual(triage([small], new Set(), all.request(NOW)).taken, [small])
})

test('one site takes at most as many bytes as it leaves free, from any accounts', () => {
  const all = slots()
  for (const one of Array.from({ length: 60 }, () => recipient('a.example'))) {
    succeed(all, take(all, one), 'a.example')
  }
  const accounts = ['acc_1', 'acc_2', 'acc_3', 'acc_4', 'acc_5', 'acc_6']
  for (const account of accounts) takeLarge(all, 'a.example', account)
  const { byShare, bytes } = all.request(NOW)
  assert.equal(byShare.get('%a.example'), 0)
  assert.ok(bytes >= 15 * 1024 * 1024, `${bytes}`)
  const small = recipient('a.example')
  assert.ok(all.areAvailable([small], NOW), 'the site is open to small messages')
})

test('a large message whose route leads to a site without bytes waits for bytes, a small one goes', () => {
  const all = slots()
  for (const one of Array.from({ length: 60 }, () => recipient('a.example'))) {
    succeed(all, take(all, one), 'mx.example')
  }
  for (const account of ['acc_1', 'acc_2', 'acc_3', 'acc_4']) {
    for (const slot of takeLarge(all, 'a.example', account))
      assert.ok(all.goTo(slot, 'mx.example', undefined, NOW))
  }
  const large = take(all, recipient('b.example', { size: 1024 * 1024 }))
  assert.equal(all.goTo(large, 'mx.example', undefined, NOW), false)
  assert.equal(large.throttledBy, '%b.example')
  const small = take(all, recipient('b.example'))
  assert.equal(all.goTo(small, 'mx.example', undefined, NOW), true)
})

test('throttled large messages are refilled once enough bytes have become free, and not before', () => {
  const all = slots()
  const under = ['a', 'b', 'c', 'd'].flatMap((name) => takeLarge(all, `${name}.example`, 'acc_1'))
  all.noteThrottled([flow('%@acc_1')])
  assert.deepEqual(all.request(NOW).refill, [])
  const refills = under.map((slot) => {
    all.release(slot, 'success', NOW)
    const may = all.mayRefill(slot, NOW)
    if (may) assert.deepEqual(all.request(NOW).refill, [flow('%@acc_1')])
    return may
  })
  assert.ok(refills.includes(true) && refills.filter(Boolean).length <= under.length / 2)
  assert.equal(refills.at(-1), true, 'refilled when nothing is under way')
})

test('few suspects are under way at the same time', () => {
  const all = slots()
  for (let count = 0; count < 3; count++) take(all, recipient('a.example', { faults: 2 }))
  assert.equal(all.request(NOW).suspects, 1)
})

test('throttled destinations are refilled one after the other, whatever their names', () => {
  const all = slots()
  const flows = Array.from({ length: 80 }, (_, index) => flow(`d${String(index).padStart(2, '0')}.example`))
  const refilled = new Set<string>()
  for (let round = 0; round < 3; round++) {
    all.noteThrottled(flows)
    const { refill } = all.request(NOW)
    assert.equal(refill.length, 32)
    const recipients = refill.map((one) => recipient(shareOf(one)))
    all.noteClaim(claimed(refill, { recipients }))
    for (const one of refill) refilled.add(one)
  }
  assert.equal(refilled.size, 80)
})

test('an empty flow is forgotten until it is seen again; a flow without a free slot keeps its turn', () => {
  const all = slots()
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => flow(`${name}.example`)) as [
    string,
    string,
    string,
    string,
  ]
  all.noteThrottled([a, b, c])
  all.noteClaim(claimed([a, b, c], { recipients: [recipient('b.example')], empty: [a], throttled: [d] }))
  assert.deepEqual(all.request(NOW).refill, [c, b, d])
})

test('the flows of a destination divide its slots, and take turns where there are fewer', () => {
  const all = slots()
  const flows = ['a', 'b', 'c'].map((stream) => flow('x.example', stream))
  all.noteThrottled(flows)
  const { refill, byShare } = all.request(NOW)
  assert.deepEqual(refill, flows)
  assert.deepEqual(
    [...flows, 'x.example'].map((name) => byShare.get(name)),
    [2, 2, 1, 5],
  )
  const under = ['a', 'b', 'a', 'b'].map((stream) => take(all, recipient('x.example', { stream })))
  const turns: string[] = []
  for (let round = 0; round < 6; round++) {
    const [first = '', ...others] = all.request(NOW).refill
    assert.deepEqual(others, [])
    turns.push(first)
    const stream = first.at(-1) as string
    all.noteClaim(claimed([first], { recipients: [recipient('x.example', { stream })] }))
  }
  assert.deepEqual(turns, [...flows, ...flows])
  for (const slot of under) all.release(slot, 'neutral', NOW)
})

test('a closed site opens at its time for its throttled recipients', () => {
  const all = slots()
  for (let count = 0; count < 3; count++) {
    const one = take(all, recipient('a.example'))
    all.release(one, 'unreachable', NOW)
  }
  assert.equal(all.opensAt(NOW), undefined, 'no recipient waits for the site')
  all.noteThrottled([flow('a.example')])
  assert.equal(all.opensAt(NOW), NOW + 15_000)
  assert.deepEqual(all.request(NOW).refill, [])
  assert.deepEqual(all.request(NOW + 15_000).refill, [flow('a.example')])
})

const accepting = (
  destination: string,
  more: Partial<AcceptMessage['message']> = {},
  count = 1,
): AcceptMessage =>
  ({
    message: { id: `msg_${made++}`, account_id: `acc_${destination}`, send_at: null, size: 1_000, ...more },
    recipients: Array.from({ length: count }, () => ({ destination })),
  }) as unknown as AcceptMessage

test('slots are reserved for a message that is about to be accepted while its site has slots', () => {
  const all = slots()
  const five = Array.from({ length: 5 }, () => accepting('a.example'))
  assert.deepEqual(
    five.map((one) => all.reserve(one, NOW)),
    [true, true, true, true, true],
  )
  assert.equal(all.reserve(accepting('a.example'), NOW), false, 'the first window of the site is full')
  assert.equal(all.request(NOW).byShare.get('a.example'), 0, 'a claim does not give away reserved slots')
  assert.equal(all.request(NOW).eachDestination, 5, 'of others')
  assert.equal(all.reserve(accepting('b.example', {}, 6), NOW), false, 'all recipients or none')
  assert.equal(all.count, 5)
  for (const one of five) all.cancelReservation(one, NOW)
  assert.equal(all.count, 0)
  assert.equal(all.reserve(accepting('a.example'), NOW), true)
})

test('no slot is reserved for a message that is large, scheduled, or comes after throttled ones', () => {
  const all = slots()
  assert.equal(all.reserve(accepting('a.example', { size: 65_537 }), NOW), false)
  assert.equal(all.reserve(accepting('a.example', { send_at: NOW + 1 }), NOW), false)
  const paced = { ...accepting('a.example'), streamRules: { counted: false, isFirst: false, paced: true } }
  assert.equal(all.reserve(paced, NOW), false)
  all.noteThrottled([flow('a.example')])
  assert.equal(all.reserve(accepting('a.example'), NOW), false)
  assert.equal(all.reserve(accepting('b.example'), NOW), true)
})

test('no slot is reserved while recipients for the relay of the domain are throttled', () => {
  for (const isKnown of [false, true]) {
    const all = slots()
    const byRelay = { ...recipient('a.example'), relayUrl: 'sealed' } as unknown as Claimed
    if (isKnown) succeed(all, take(all, byRelay), 'relay:relay.example:587')
    const of = (domain_id: string) => accepting('a.example', { domain_id })
    assert.equal(all.reserve(of('dom_1'), NOW), true)
    all.throttle(flow('relay:dom_1'))
    assert.equal(all.reserve(of('dom_1'), NOW), false)
    assert.equal(all.reserve(of('dom_2'), NOW), true)
  }
})

test('half of the slots are left to the queue', () => {
  const all = slots()
  let reserved = 0
  for (let index = 0; index < MAX_ACTIVE; index++) {
    if (all.reserve(accepting(`d${index}.example`), NOW)) reserved++
  }
  assert.equal(reserved, MAX_ACTIVE / 2)
  assert.ok(all.isAvailable)
})

test('an account takes at most as many slots as it leaves free, and every other account finds some', () => {
  const all = slots()
  const accounts = ['acc_a', 'acc_b', 'acc_c', 'acc_d']
  for (const accountId of accounts) {
    for (let index = 0; index < MAX_ACTIVE; index++) {
      const one = recipient(`${accountId}-${index}.example`, { accountId })
      if (all.areAvailable([one], NOW)) take(all, one)
    }
  }
  const { byShare, eachAccount } = all.request(NOW)
  assert.equal(byShare.get('@acc_a'), 0)
  assert.ok(eachAccount >= MAX_ACTIVE / 2 ** (accounts.length + 1), `${eachAccount}`)
  const reserved = all.reserve(accepting('a.example', { account_id: 'acc_d' }), NOW)
  assert.equal(reserved, false, 'no slot is reserved for immediate delivery')
})

test('new names that lead to one host share the window of its address before anything is dialled', () => {
  const all = slots()
  const goes = Array.from({ length: 40 }, (_, index) => {
    const slot = take(all, recipient(`s${index}.tar.example`))
    const went = all.goTo(slot, `decoy${index}.example+tar.example`, '192.0.2.1', NOW)
    if (!went) all.release(slot, 'neutral', NOW)
    return went
  })
  assert.equal(goes.filter(Boolean).length, 5)
  const { byShare } = all.request(NOW)
  assert.equal(byShare.get('s0.tar.example'), 0)
  assert.equal(byShare.get('s39.tar.example'), 0, 'the site is known from then on')
})

test('an IPv6 address counts as its network', () => {
  const all = slots()
  const goes = Array.from({ length: 10 }, (_, index) =>
    all.goTo(take(all, recipient(`s${index}.example`)), `s${index}.example`, `2001:db8::${index}:1`, NOW),
  )
  assert.equal(goes.filter(Boolean).length, 5)
})

test('an address that serves many sites has a larger window than one site, and is never closed', () => {
  const all = slots()
  const sites = Array.from({ length: 300 }, (_, index) => `d${index}.example`)
  const goTo = (destination: string): Slot | undefined => {
    if (!all.areAvailable([recipient(destination)], NOW)) return undefined
    const slot = take(all, recipient(destination))
    return all.goTo(slot, destination, '192.0.2.1', NOW) ? slot : undefined
  }
  for (const site of sites) all.release(goTo(site)!, 'success', NOW)
  const begun = sites.flatMap((site) => goTo(site) ?? [])
  assert.ok(begun.length > MAX_AT_SITE, `${begun.length}`)
  for (const slot of begun) all.release(slot, 'success', NOW)
  for (let tries = 0; tries < 3; tries++) all.release(goTo('bad.example')!, 'unreachable', NOW)
  assert.equal(goTo('bad.example'), undefined, 'the site is closed')
  assert.ok(sites.flatMap((site) => goTo(site) ?? []).length >= 5)
})

test('a recipient whose route leads elsewhere releases its slots at the expected site', () => {
  const all = slots()
  const slot = take(all, recipient('a.example'))
  assert.ok(all.goTo(slot, 'mx.example', '192.0.2.1', NOW))
  assert.ok(all.goTo(slot, 'mx.example', '192.0.2.2', NOW), 'a second move succeeds')
  all.release(slot, 'success', NOW)
  assert.equal(all.count, 0)
  assert.equal(all.request(NOW).eachAccount, MAX_ACTIVE)
})

test('a quarter of the slots is kept for first attempts', () => {
  const all = slots()
  for (let index = 0; index < MAX_ACTIVE; index++) {
    const { byShare } = all.request(NOW)
    if ((byShare.get(RETRIES) ?? 0) === 0) break
    take(all, recipient(`d${index}.example`, { attempt: 2 }))
  }
  assert.equal(all.count, (MAX_ACTIVE * 3) / 4)
  assert.ok(all.request(NOW).limit > 0 && all.isAvailable)
  assert.ok(all.isScarce, 'and hosts get less time to answer')
})

test('a throttled account has no immediate delivery until it was refilled', () => {
  const all = slots()
  all.noteThrottled([flow('@acc_a.example')])
  assert.equal(all.reserve(accepting('a.example'), NOW), false)
  assert.equal(all.reserve(accepting('b.example'), NOW), true)
  const { refill } = all.request(NOW)
  assert.deepEqual(refill, [flow('@acc_a.example')])
  all.noteClaim(claimed(refill, { empty: [...refill] }))
  assert.equal(all.reserve(accepting('a.example'), NOW), true)
})

test('an isolated recipient runs with no suspect and few others', () => {
  const all = slots()
  assert.equal(all.request(NOW).isolated, true)
  const slot = take(all, recipient('a.example', { faults: 3 }))
  const { suspects, isolated, limit } = all.request(NOW)
  assert.deepEqual([suspects, isolated, limit], [0, false, 16])
  slot.lease = { ...LEASE, until: NOW + 75_000 }
  const later = all.request(NOW + 15_000)
  assert.deepEqual(
    [later.suspects, later.isolated, later.limit],
    [4, true, 256],
    'a crash follows the start of an attempt closely',
  )
  all.release(slot, 'success', NOW)
  assert.deepEqual(all.request(NOW).suspects, 4)
})
