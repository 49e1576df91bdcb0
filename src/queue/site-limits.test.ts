// Site limits: slow start, reduced windows, pauses that double, and rates.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Signal } from '../model/attempt.ts'
import { MAX_AT_SITE, SiteLimits } from './site-limits.ts'

const limitsWith = (rate?: { count: number; perMs: number }): SiteLimits =>
  new SiteLimits(new Map(rate === undefined ? [] : [['a', rate]]), () => 0.5)

/** Runs one attempt from beginning to end. */
function attempt(limits: SiteLimits, signal: Signal, at: number): void {
  limits.begin('a', 0, at)
  limits.end('a', signal, { bytes: 0, startedAt: at }, at)
}

test('a new site starts with a few attempts and grows to the maximum', () => {
  const limits = limitsWith()
  assert.equal(limits.available('a', 0), 5)
  for (let index = 0; index < 5; index++) limits.begin('a', 0, 0)
  assert.equal(limits.available('a', 0), 0)
  for (let index = 0; index < 5; index++) limits.end('a', 'success', { bytes: 0, startedAt: 0 }, 1)
  assert.equal(limits.available('a', 1), 10)
  for (let index = 0; index < 200; index++) attempt(limits, 'success', 2)
  assert.equal(limits.available('a', 2), MAX_AT_SITE)
  assert.equal(limits.available('b', 2), 5, 'another site is not affected')
})

test('pushbacks of attempts that began together halve the window once; growth is slow from there', () => {
  const limits = limitsWith()
  for (let index = 0; index < 35; index++) attempt(limits, 'success', 0)
  assert.equal(limits.available('a', 0), 40)
  limits.begin('a', 0, 10)
  limits.begin('a', 0, 10)
  limits.end('a', 'pushback', { bytes: 0, startedAt: 10 }, 20)
  limits.end('a', 'pushback', { bytes: 0, startedAt: 10 }, 21)
  assert.equal(limits.available('a', 21), 20)
  for (let index = 0; index < 20; index++) attempt(limits, 'success', 30)
  assert.equal(limits.available('a', 30), 20, 'not yet one more attempt')
  attempt(limits, 'success', 30)
  assert.equal(limits.available('a', 30), 21)
})

test('pushbacks in a row close a site; one attempt probes the site after each pause, and each pause is twice as long', () => {
  const limits = limitsWith()
  for (let index = 0; index < 3; index++) attempt(limits, 'unreachable', 0)
  assert.equal(limits.available('a', 0), 0)
  assert.equal(limits.opensAt('a', 0), 15_000)
  assert.equal(limits.available('a', 14_999), 0)
  assert.equal(limits.available('a', 15_000), 1)
  attempt(limits, 'unreachable', 15_000)
  assert.equal(limits.opensAt('a', 15_000), 45_000)
  for (let at = 45_000, pause = 60_000; pause < 1_000_000; pause *= 2) {
    attempt(limits, 'unreachable', at)
    const opens = limits.opensAt('a', at) as number
    assert.equal(opens, at + Math.min(pause, 600_000))
    at = opens
  }
  const opens = limits.opensAt('a', 1_500_000) ?? 1_500_000
  attempt(limits, 'success', opens)
  assert.equal(limits.available('a', opens), 2, 'the site starts slowly')
  attempt(limits, 'pushback', opens)
  assert.equal(limits.available('a', opens), 1, 'a single pushback after a success does not close it')
})

test('a neutral signal changes nothing but the count', () => {
  const limits = limitsWith()
  for (let index = 0; index < 50; index++) attempt(limits, 'neutral', 0)
  assert.equal(limits.available('a', 0), 5)
})

test('a rate allows a second’s worth at once and the rest over time', () => {
  const limits = limitsWith({ count: 120, perMs: 60_000 })
  assert.equal(limits.available('a', 0), 2)
  attempt(limits, 'success', 0)
  attempt(limits, 'success', 0)
  assert.equal(limits.available('a', 0), 0)
  assert.equal(limits.opensAt('a', 0), 500)
  assert.equal(limits.available('a', 500), 1)
  const slow = limitsWith({ count: 1, perMs: 60_000 })
  assert.equal(slow.available('a', 0), 1)
  attempt(slow, 'success', 0)
  assert.equal(slow.opensAt('a', 0), 60_000)
})

test('a rate given for a destination holds for the site that it shares', () => {
  const limits = new SiteLimits(new Map([['gmail.com', { count: 2, perMs: 1_000 }]]))
  assert.equal(limits.available('google.com', 0), 5)
  limits.join('gmail.com', 'google.com')
  assert.equal(limits.available('google.com', 0), 2)
})

test('idle sites are forgotten first, closed ones last, and busy ones never', () => {
  const limits = limitsWith()
  const fail = (name: string): void => {
    limits.begin(name, 0, 0)
    limits.end(name, 'unreachable', { bytes: 0, startedAt: 0 }, 0)
  }
  limits.begin('busy', 0, 0)
  for (let site = 0; site < 30_000; site++) for (let time = 0; time < 3; time++) fail(`closed ${site}`)
  limits.begin('open', 0, 0)
  limits.end('open', 'success', { bytes: 0, startedAt: 0 }, 0)
  const known = Array.from({ length: 30_000 }, (_, site) => limits.find(`closed ${site}`)).filter(Boolean)
  assert.ok(known.length >= 18_000 && known.length < 20_000, String(known.length))
  assert.equal(limits.find('closed 0'), undefined)
  assert.equal(limits.available('closed 29999', 0), 0)
  assert.equal(limits.find('busy')?.active, 1)
  assert.ok([...limits.special(0)].length <= 20_001)
  for (let site = 0; site < 2_000; site++) fail(`more ${site}`)
  assert.equal(limits.find('open'), undefined)
})
