// Rates of figures, with their thresholds and changes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeOf, deliveryTimesOf, levelOf, RATES, type Rate, shareOf } from './rates.ts'

const NOTHING = Object.fromEntries(RATES.map(({ name }) => [name, 0])) as Parameters<typeof shareOf>[1]
const rateOf = (name: string): Rate => RATES.find((rate) => rate.name === name) as Rate

test('shares are of deliveries that ended, and none is told where there is no whole', () => {
  const totals = { ...NOTHING, accepted: 300, delivered: 180, bounced: 10, failed: 10, deferred: 400 }
  assert.equal(shareOf(rateOf('delivered'), totals), 0.9)
  assert.equal(shareOf(rateOf('bounced'), totals), 0.05)
  assert.equal(shareOf(rateOf('accepted'), totals), undefined)
  // Figures of one provider count no accepted recipients, and deferrals may exceed the total.
  assert.equal(shareOf(rateOf('deferred'), { ...totals, accepted: 0 }), undefined)
  assert.equal(shareOf(rateOf('deferred'), totals), undefined)
  for (const rate of RATES) assert.equal(shareOf(rate, NOTHING), undefined, rate.name)
})

test('rates are judged by the thresholds, of enough messages', () => {
  const level = (name: string, count: number, delivered: number) =>
    levelOf(rateOf(name), { ...NOTHING, delivered, [name]: count })
  assert.deepEqual(
    [level('bounced', 1, 99), level('bounced', 2, 98), level('bounced', 5, 95), level('bounced', 5, 5)],
    [0, 1, 2, undefined],
  )
  assert.deepEqual(
    [level('complained', 0, 1_000), level('complained', 1, 1_000), level('complained', 3, 1_000)],
    [0, 1, 2],
  )
  assert.equal(level('opened', 900, 1_000), undefined)
})

test('shares change in points, counts in percent, for better or worse', () => {
  const change = (name: string, now: object, before: object) =>
    changeOf(rateOf(name), { ...NOTHING, ...now }, { ...NOTHING, ...before })
  assert.deepEqual(change('bounced', { delivered: 90, bounced: 10 }, { delivered: 95, bounced: 5 }), {
    ...{ text: '+5 points', isBetter: false },
  })
  assert.deepEqual(change('delivered', { delivered: 99, bounced: 1 }, { delivered: 95, bounced: 5 }), {
    ...{ text: '+4 points', isBetter: true },
  })
  assert.deepEqual(change('accepted', { accepted: 150 }, { accepted: 100 }), {
    ...{ text: '+50%', isBetter: undefined },
  })
  assert.equal(change('accepted', { accepted: 150 }, {}), undefined)
  assert.equal(change('opened', { opened: 3 }, {}), undefined)
})

test('times to delivery are told of enough deliveries only', () => {
  const times = { p50: 192, p95: 250 }
  assert.equal(deliveryTimesOf({ delivered: 1 }, times), undefined)
  assert.equal(deliveryTimesOf({ delivered: 19 }, times), undefined)
  assert.deepEqual(deliveryTimesOf({ delivered: 20 }, times), { half: 192, most: 250 })
  assert.equal(deliveryTimesOf({ delivered: 20 }, { p50: null, p95: null }), undefined)
})
