// The places of a worker: shared limits, fair shares, and whose turn it is to be drawn.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AcceptMessage } from '../store/messages.ts'
import type { Claimed } from '../store/queue.ts'
import { MOST_IN_FLIGHT, Places } from './places.ts'
import { Throttle } from './throttle.ts'

const NOW = 1_000_000
let made = 0

const recipient = (destination: string, more: Partial<Claimed> = {}): Claimed =>
  ({ messageId: `msg_${made++}`, position: 0, destination, size: 1_000, faults: 0, ...more }) as Claimed

const places = (): Places => new Places(new Throttle(new Map(), () => 0.5))

/** Ends an attempt well, at a site. */
const succeed = (all: Places, claimed: Claimed, site: string): void => all.free(claimed, site, 'fine', NOW)

test('an unknown destination has the room of a first window', () => {
  assert.equal(places().request(NOW).room, 5)
})

test('destinations of one site share its window, as soon as their routes tell', () => {
  const all = places()
  for (const destination of ['gmail.com', 'hosted.example']) {
    const one = recipient(destination)
    all.take(one, NOW)
    succeed(all, one, 'google.com')
  }
  const taken = Array.from({ length: 7 }, () => recipient('gmail.com'))
  for (const one of taken) all.take(one, NOW)
  const { rooms } = all.request(NOW)
  assert.equal(rooms.get('gmail.com'), 0)
  assert.equal(rooms.get('hosted.example'), 0)
})

test('however many sites are slow, there is a place for one more', () => {
  const all = places()
  const slow = Array.from({ length: 60 }, (_, index) => `slow${index}.example`)
  for (const destination of slow) {
    for (let count = 0; count < 70; count++) {
      const one = recipient(destination)
      all.take(one, NOW)
      succeed(all, one, destination)
    }
  }
  for (let round = 0; round < 100; round++) {
    for (const destination of slow) {
      const { rooms, room } = all.request(NOW)
      if ((rooms.get(destination) ?? room) > 0) all.take(recipient(destination), NOW)
    }
  }
  assert.ok(all.count < MOST_IN_FLIGHT)
  assert.ok(all.request(NOW).room > 0)
})

test('large messages to one site leave octets for the others', () => {
  const all = places()
  const large = { size: 40 * 1024 * 1024 }
  all.take(recipient('a.example', large), NOW)
  const { rooms, room, bytes } = all.request(NOW)
  assert.equal(rooms.get('a.example'), 0)
  assert.ok(room > 0 && bytes > 20 * 1024 * 1024)
})

test('few suspects go at once', () => {
  const all = places()
  for (let count = 0; count < 3; count++) all.take(recipient('a.example', { faults: 2 }), NOW)
  assert.equal(all.request(NOW).suspects, 1)
})

test('what was put aside is drawn in turn, whatever its name', () => {
  const all = places()
  const names = Array.from({ length: 80 }, (_, index) => `d${String(index).padStart(2, '0')}.example`)
  const drawn = new Set<string>()
  for (let round = 0; round < 3; round++) {
    all.noteAside(names)
    const { draw } = all.request(NOW)
    assert.equal(draw.length, 32)
    const taken = draw.map((destination) => recipient(destination))
    all.drawn(draw, taken, [])
    for (const destination of draw) drawn.add(destination)
  }
  assert.equal(drawn.size, 80)
})

test('what was drawn in vain is forgotten until it is seen again', () => {
  const all = places()
  all.noteAside(['a.example', 'b.example'])
  all.drawn(['a.example', 'b.example'], [recipient('b.example')], ['c.example'])
  assert.deepEqual(all.request(NOW).draw, ['b.example', 'c.example'])
})

test('a closed site opens at its time for what waits aside', () => {
  const all = places()
  for (let count = 0; count < 3; count++) {
    const one = recipient('a.example')
    all.take(one, NOW)
    all.free(one, 'a.example', 'unreachable', NOW)
  }
  assert.equal(all.opensAt(NOW), undefined, 'nothing waits for it')
  all.noteAside(['a.example'])
  assert.equal(all.opensAt(NOW), NOW + 15_000)
  assert.deepEqual(all.request(NOW).draw, [])
  assert.deepEqual(all.request(NOW + 15_000).draw, ['a.example'])
})

const accepting = (
  destination: string,
  more: Partial<AcceptMessage['message']> = {},
  count = 1,
): AcceptMessage =>
  ({
    message: { id: `msg_${made++}`, send_at: null, size: 1_000, ...more },
    recipients: Array.from({ length: count }, () => ({ destination })),
  }) as unknown as AcceptMessage

test('a message that is about to be accepted is promised a place while its site has room', () => {
  const all = places()
  const five = Array.from({ length: 5 }, () => accepting('a.example'))
  assert.deepEqual(
    five.map((one) => all.promise(one, NOW)),
    [true, true, true, true, true],
  )
  assert.equal(all.promise(accepting('a.example'), NOW), false, 'its first window is full')
  assert.equal(all.request(NOW).rooms.get('a.example'), 0, 'a claim does not give away what is promised')
  assert.equal(all.request(NOW).room, 5, 'of others')
  assert.equal(all.promise(accepting('b.example', {}, 6), NOW), false, 'all recipients or none')
  assert.equal(all.count, 5)
  for (const one of five) all.redeem(one)
  assert.equal(all.count, 0)
  assert.equal(all.promise(accepting('a.example'), NOW), true)
})

test('no place is promised to what is large, is to wait, or comes behind something that was put aside', () => {
  const all = places()
  assert.equal(all.promise(accepting('a.example', { size: 65_537 }), NOW), false)
  assert.equal(all.promise(accepting('a.example', { send_at: NOW + 1 }), NOW), false)
  const paced = { ...accepting('a.example'), streamRules: { counted: false, isFirst: false, paced: true } }
  assert.equal(all.promise(paced, NOW), false)
  all.noteAside(['a.example'])
  assert.equal(all.promise(accepting('a.example'), NOW), false)
  assert.equal(all.promise(accepting('b.example'), NOW), true)
})

test('half of the places are left to what has its turn', () => {
  const all = places()
  let promised = 0
  for (let index = 0; index < MOST_IN_FLIGHT; index++) {
    if (all.promise(accepting(`d${index}.example`), NOW)) promised++
  }
  assert.equal(promised, MOST_IN_FLIGHT / 2)
  assert.ok(all.hasRoom)
})
