// The throttle: slow start, backing off, pauses that double, and rates.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MOST_AT_SITE, type Signal, Throttle } from './throttle.ts'

const throttle = (rate?: { count: number; perMs: number }): Throttle =>
  new Throttle(new Map(rate === undefined ? [] : [['a', rate]]), () => 0.5)

/** One attempt from begin to end. */
function attempt(limits: Throttle, signal: Signal, at: number): void {
  limits.began('a', at)
  limits.ended('a', signal, at, at)
}

test('a new site starts with a few attempts and grows to the most', () => {
  const limits = throttle()
  assert.equal(limits.room('a', 0), 5)
  for (let index = 0; index < 5; index++) limits.began('a', 0)
  assert.equal(limits.room('a', 0), 0)
  for (let index = 0; index < 5; index++) limits.ended('a', 'fine', 0, 1)
  assert.equal(limits.room('a', 1), 10)
  for (let index = 0; index < 200; index++) attempt(limits, 'fine', 2)
  assert.equal(limits.room('a', 2), MOST_AT_SITE)
  assert.equal(limits.room('b', 2), 5, 'another site is another matter')
})

test('objections of attempts that began together halve the window once; growth is slow from there', () => {
  const limits = throttle()
  for (let index = 0; index < 35; index++) attempt(limits, 'fine', 0)
  assert.equal(limits.room('a', 0), 40)
  limits.began('a', 10)
  limits.began('a', 10)
  limits.ended('a', 'objected', 10, 20)
  limits.ended('a', 'objected', 10, 21)
  assert.equal(limits.room('a', 21), 20)
  for (let index = 0; index < 20; index++) attempt(limits, 'fine', 30)
  assert.equal(limits.room('a', 30), 20, 'not yet a whole one more')
  attempt(limits, 'fine', 30)
  assert.equal(limits.room('a', 30), 21)
})

test('objections in a row close a site; one attempt finds out whether it is back, each pause twice as long', () => {
  const limits = throttle()
  for (let index = 0; index < 3; index++) attempt(limits, 'unreachable', 0)
  assert.equal(limits.room('a', 0), 0)
  assert.equal(limits.opensAt('a', 0), 15_000)
  assert.equal(limits.room('a', 14_999), 0)
  assert.equal(limits.room('a', 15_000), 1)
  attempt(limits, 'unreachable', 15_000)
  assert.equal(limits.opensAt('a', 15_000), 45_000)
  for (let at = 45_000, pause = 60_000; pause < 1_000_000; pause *= 2) {
    attempt(limits, 'unreachable', at)
    const opens = limits.opensAt('a', at) as number
    assert.equal(opens, at + Math.min(pause, 600_000))
    at = opens
  }
  const opens = limits.opensAt('a', 1_500_000) ?? 1_500_000
  attempt(limits, 'fine', opens)
  assert.equal(limits.room('a', opens), 2, 'and it starts slowly')
  attempt(limits, 'objected', opens)
  assert.equal(limits.room('a', opens), 1, 'a single objection after a success does not close it')
})

test('what says nothing of the site changes nothing but the count', () => {
  const limits = throttle()
  for (let index = 0; index < 50; index++) attempt(limits, 'none', 0)
  assert.equal(limits.room('a', 0), 5)
})

test('a rate allows a second’s worth at once and the rest in time', () => {
  const limits = throttle({ count: 120, perMs: 60_000 })
  assert.equal(limits.room('a', 0), 2)
  attempt(limits, 'fine', 0)
  attempt(limits, 'fine', 0)
  assert.equal(limits.room('a', 0), 0)
  assert.equal(limits.opensAt('a', 0), 500)
  assert.equal(limits.room('a', 500), 1)
  const slow = throttle({ count: 1, perMs: 60_000 })
  assert.equal(slow.room('a', 0), 1)
  attempt(slow, 'fine', 0)
  assert.equal(slow.opensAt('a', 0), 60_000)
})

test('a rate given for a destination holds for the site that it shares', () => {
  const limits = new Throttle(new Map([['gmail.com', { count: 2, perMs: 1_000 }]]))
  assert.equal(limits.room('google.com', 0), 5)
  limits.joins('gmail.com', 'google.com')
  assert.equal(limits.room('google.com', 0), 2)
})
