// Low-water marks: the positions to which the marks rise, and the events that lower a mark.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FROM_ZERO, type LowWater } from '../store/queue/low-water.ts'
import { LowWaterMarks } from './low-water-marks.ts'

const NOW = Date.UTC(2026, 0, 1)
const NOTHING = { ready: Infinity, due: Infinity, leases: Infinity }
type Tags = readonly (readonly [string, number])[]
const found = (lowest: Partial<LowWater>, flows: Tags = [], throttled: Tags = []) => ({
  lowest: { ...NOTHING, ...lowest, flows: new Map(flows), throttled: new Map(throttled) },
})
const checked = async (marks: LowWaterMarks, lowest: LowWater = NOTHING): Promise<LowWater> => {
  let from = FROM_ZERO
  await marks.check(async (marked) => {
    from = marked
    return { lowest }
  }, NOW)
  return from
}

test('marks stay below the present and below what was found, by a margin', () => {
  const marks = new LowWaterMarks()
  assert.deepEqual({ ...marks.from, flows: undefined }, { ...FROM_ZERO, flows: undefined })
  marks.noteClaim(found({ due: NOW - 5_000 }), NOW)
  const { ready, due, leases } = marks.from
  assert.deepEqual([ready, due, leases], [NOW - 10_000, NOW - 15_000, NOW - 10_000])
  marks.noteClaim(found({ ready: NOW + 100_000 }), NOW)
  assert.equal(marks.from.ready, NOW - 10_000, 'new recipients have the tag of the present')
  marks.noteClaim(found({}), NOW - 3_600_000)
  assert.equal(marks.from.ready, NOW - 3_610_000, 'a clock that was set back lowers the marks')
})

test('the first check is from zero, later ones from the marks on', async () => {
  const marks = new LowWaterMarks()
  assert.deepEqual(await checked(marks, { ready: NOW - 50_000, due: NOW, leases: NOW }), FROM_ZERO)
  const from = await checked(marks, NOTHING)
  assert.deepEqual(from, { ready: NOW - 60_000, due: NOW - 10_000, leases: NOW - 10_000 })
  assert.deepEqual(await checked(marks), from, 'a check does not raise the marks')
})

test('a failed check is not repeated from zero at once', async () => {
  const marks = new LowWaterMarks()
  await assert.rejects(marks.check(() => Promise.reject(new Error('away')), NOW))
  marks.noteClaim(found({}), NOW)
  assert.equal((await checked(marks)).ready, NOW - 10_000)
})

test('a flow is read from the first recipient that a claim has found in it, wherever other recipients are released', () => {
  const marks = new LowWaterMarks()
  marks.noteClaim(found({ ready: NOW }, [['a.example', NOW - 1_000]]), NOW)
  const markOf = (flow = 'a.example') => marks.from.flows.get(flow)
  assert.equal(markOf(), NOW - 11_000)
  marks.noteReleased({ flow: 'a.example', startTag: NOW - 500 })
  assert.equal(markOf(), NOW - 11_000)
  marks.noteReleased({ flow: 'a.example', startTag: NOW - 40_000 })
  assert.equal(markOf(), NOW - 40_000)
  marks.noteClaim(found({ ready: NOW }, [['a.example', NOW - 1_000]]), NOW)
  assert.equal(markOf(), NOW - 40_000, 'a claim that was under way has not seen the recipient')
  marks.noteClaim(found({ ready: NOW }, [['a.example', Infinity]]), NOW)
  assert.equal(markOf(), NOW - 10_000, 'the next claim has seen the recipient')
  marks.noteClaim(found({ ready: NOW - 20_000 }, [['b.example', NOW]]), NOW)
  assert.equal(markOf('b.example'), NOW - 30_000, 'no later than the place of the released recipients')
})

test('recipients that become throttled raise no mark: others may wait at lower places', () => {
  const marks = new LowWaterMarks()
  const markOf = () => marks.from.flows.get('a.example')
  marks.noteClaim(found({ ready: NOW }, [], [['a.example', NOW]]), NOW)
  assert.equal(markOf(), undefined, 'a flow that was never read is read from zero')
  marks.noteClaim(found({ ready: NOW - 50_000 }, [['a.example', NOW - 50_000]]), NOW)
  marks.noteClaim(found({ ready: NOW }, [], [['a.example', NOW]]), NOW)
  assert.equal(markOf(), NOW - 60_000)
  marks.noteClaim(found({ ready: NOW }, [], [['a.example', NOW - 70_000]]), NOW)
  assert.equal(markOf(), NOW - 70_000)
})
