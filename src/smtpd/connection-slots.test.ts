// Tests that slots are counted, and assigned to the clients that use them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestClock } from '../../test/support/test-clock.ts'
import { thorough } from '../../test/support/thorough.ts'
import { ConnectionSlots, type Slot } from './connection-slots.ts'
import type { SlotLimits } from './limits.ts'

const LIMITS: SlotLimits = {
  connections: 100,
  connectionsPerNetwork: 5,
  connectionsPerBlock: 12,
  reservedShare: 0.2,
  knownMs: 86_400_000,
  loginMs: 60_000,
}

const unasked = (): void => {}

test('one client network takes its share, all together take no more than all', () => {
  const slots = new ConnectionSlots(
    { ...LIMITS, connections: 3, connectionsPerNetwork: 2, reservedShare: 0 },
    new TestClock(),
  )
  const first = slots.enter('192.0.2.1', unasked)
  const second = slots.enter('::ffff:192.0.2.1', unasked)
  for (const slot of [first, second]) slot?.heard('settled')
  assert.equal(slots.enter('192.0.2.1', unasked), undefined)
  slots.enter('192.0.2.2', unasked)?.heard('settled')
  assert.equal(slots.enter('192.0.2.3', unasked), undefined)
  first?.leave()
  first?.leave()
  assert.ok(slots.enter('192.0.2.3', unasked))
})

test('IPv6 networks of one site share a bound of their own', () => {
  const slots = new ConnectionSlots(LIMITS, new TestClock())
  const open = (address: string): boolean => slots.enter(address, unasked) !== undefined
  const opened = Array.from({ length: 20 }, (_, n) => open(`2001:db8:1:${n}::1`)).filter(Boolean)
  assert.equal(opened.length, 12)
  assert.ok(open('2001:db8:2::1'))
})

/** Fills all slots available to unknown networks with silent clients. */
function fill(slots: ConnectionSlots, clock: TestClock, networks: number): Map<string, Slot> {
  const open = new Map<string, Slot>()
  for (let n = 0; n < 100; n++) {
    const name = `10.0.0.${n % networks}/${n}`
    const slot = slots.enter(`10.0.0.${n % networks}`, () => open.delete(name))
    if (slot !== undefined) open.set(name, slot)
    clock.advance(1)
  }
  return open
}

test('when all are taken, the idlest of the network with the most idle ones gives way', () => {
  const clock = new TestClock()
  const slots = new ConnectionSlots(LIMITS, clock)
  const open = fill(slots, clock, 20)
  assert.equal(open.size, 80)
  open.get('10.0.0.0/80')?.leave()
  open.get('10.0.0.1/81')?.heard('busy')
  let lost = false
  assert.ok(slots.enter('192.0.2.1', () => (lost = true)))
  for (let n = 0; n < 15; n++) assert.ok(slots.enter(`192.0.3.${n}`, unasked))
  assert.equal(lost, false, 'those with many idle ones give way first')
  assert.ok(open.has('10.0.0.1/81'))
})

test('transactions without a login give way after those who do nothing, by the network that has the most', () => {
  const clock = new TestClock()
  const slots = new ConnectionSlots(LIMITS, clock)
  const open = fill(slots, clock, 20)
  for (const slot of open.values()) slot.heard('busy')
  const honest = slots.enter('192.0.2.1', () => open.delete('honest'))!
  open.set('honest', honest)
  honest.heard('busy')
  for (let n = 0; n < 40; n++) assert.ok(slots.enter(`192.0.3.${n}`, unasked))
  assert.ok(open.has('honest'))
})

test('a message on its way has a minute, and what is being stored is answered', () => {
  const clock = new TestClock()
  const slots = new ConnectionSlots(LIMITS, clock)
  const open = fill(slots, clock, 20)
  for (const slot of open.values()) slot.heard('settled')
  assert.equal(slots.enter('192.0.2.1', unasked), undefined)
  clock.advance(60_000)
  const [stored, ...others] = [...open.values()]
  stored?.heard('accepted')
  for (let n = 0; n < 5; n++) assert.ok(slots.enter(`192.0.2.${n}`, unasked))
  for (const slot of others) slot.heard('accepted')
  assert.equal(open.size, 79)
  assert.equal([...open.values()].includes(stored!), true)
})

test('when all have logged in, the account with the most connections gives way to others', () => {
  const clock = new TestClock()
  const slots = new ConnectionSlots(LIMITS, clock)
  const lost: string[] = []
  const logIn = (account: string, address: string): Slot | undefined => {
    const slot = slots.enter(address, () => lost.push(account))
    slot?.heard('member')
    slot?.vouch(account)
    clock.advance(1)
    return slot
  }
  for (let n = 0; n < 10; n++) assert.ok(logIn('small', `192.0.2.${n}`))
  for (let n = 0; n < 90; n++) assert.ok(logIn('large', `10.0.0.${n % 18}`))
  for (let n = 0; n < 20; n++) logIn('other', `192.0.3.${n}`)?.heard('settled')
  assert.deepEqual([...new Set(lost)], ['large'])
  assert.equal(lost.length, 20)
})

test(
  'a part is kept for networks that are known, and strangers cannot take it',
  thorough('0.9 CPU s; the other tests of the file cover the common cases'),
  () => {
    const clock = new TestClock()
    const slots = new ConnectionSlots(LIMITS, clock)
    const before = slots.enter('192.0.2.1', unasked)
    before?.vouch()
    before?.leave()
    const open = fill(slots, clock, 20)
    for (const slot of open.values()) slot.heard('accepted')
    assert.equal(slots.enter('192.0.2.2', unasked), undefined)
    const known = slots.enter('192.0.2.1', unasked)
    known?.heard('accepted')
    assert.ok(known)
    clock.advance(LIMITS.knownMs)
    assert.equal(slots.enter('192.0.2.1', unasked), undefined)
  },
)

test('patience ends sooner the more slots are taken, and not at all without need', () => {
  const clock = new TestClock()
  const slots = new ConnectionSlots({ ...LIMITS, reservedShare: 0 }, clock)
  const cut = new Set<number>()
  const enter = (n: number): Slot | undefined => slots.enter(`10.0.${n}.1`, () => cut.add(n))
  for (let n = 0; n < 50; n++) enter(n)
  clock.advance(200_000)
  assert.equal(cut.size, 0, 'no stress, no hurry')
  const talking = enter(50)
  clock.advance(1_000)
  assert.equal(cut.size, 50, 'more than half: those who said nothing for long go')
  for (let n = 51; n < 101; n++) enter(n)?.heard('busy')
  for (let second = 0; second < 59; second += 5) {
    clock.advance(5_000)
    talking?.heard('idle')
  }
  assert.equal(cut.size, 100, 'half a minute without a command')
  for (let n = 101; n < 160; n++) {
    enter(n)
    clock.advance(500)
    talking?.heard('idle')
  }
  assert.ok(cut.has(50), 'a minute without a login, although it talks')
})
