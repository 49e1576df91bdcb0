// Tests sending allowances: renewal by calendar month, and changes in the middle of a month.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Allowance, allowanceLeft, changedAllowance, NO_ALLOWANCE, nextMonth } from './allowance.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const FEBRUARY = Date.UTC(2026, 1)

const monthly = (number: number, left: number): Allowance => ({
  ...{ sending_allowance: left, monthly_allowance: number, allowance_renews_at: FEBRUARY },
})

test('the next month begins at midnight in UTC', () => {
  assert.equal(nextMonth(NOW), FEBRUARY)
  assert.equal(nextMonth(FEBRUARY - 1), FEBRUARY)
  assert.equal(nextMonth(FEBRUARY), Date.UTC(2026, 2))
  assert.equal(nextMonth(Date.UTC(2026, 11, 31)), Date.UTC(2027, 0))
})

test('an allowance that renews is whole again from the first moment of the month', () => {
  assert.equal(allowanceLeft(monthly(100, 3), FEBRUARY - 1), 3)
  assert.equal(allowanceLeft(monthly(100, 3), FEBRUARY), 100)
  assert.equal(allowanceLeft({ ...NO_ALLOWANCE, sending_allowance: 3 }, FEBRUARY), 3)
  assert.equal(allowanceLeft(NO_ALLOWANCE, FEBRUARY), null)
  assert.equal(allowanceLeft(monthly(100, -3), FEBRUARY - 1), 0)
})

test('a change keeps what was not given, and counts the present month', () => {
  const once = { ...NO_ALLOWANCE, sending_allowance: 7 }
  for (const [present, wanted, expected] of [
    [NO_ALLOWANCE, {}, NO_ALLOWANCE],
    [once, {}, once],
    [once, { sending_allowance: 9 }, { ...NO_ALLOWANCE, sending_allowance: 9 }],
    [once, { sending_allowance: null }, NO_ALLOWANCE],
    [once, { allowance_renews: 'month' }, monthly(7, 7)],
    [NO_ALLOWANCE, { sending_allowance: 100, allowance_renews: 'month' }, monthly(100, 100)],
    [NO_ALLOWANCE, { allowance_renews: 'month' }, undefined],
    [once, { sending_allowance: null, allowance_renews: 'month' }, undefined],
    [monthly(100, 30), {}, monthly(100, 30)],
    [monthly(100, 30), { sending_allowance: 200 }, monthly(200, 130)],
    [monthly(100, 30), { sending_allowance: 50 }, monthly(50, -20)],
    [monthly(50, -20), { sending_allowance: 100 }, monthly(100, 30)],
    [monthly(50, -20), { allowance_renews: 'never' }, { ...NO_ALLOWANCE, sending_allowance: 0 }],
    [monthly(100, 30), { sending_allowance: null }, NO_ALLOWANCE],
    [monthly(100, 30), { allowance_renews: 'never' }, { ...NO_ALLOWANCE, sending_allowance: 30 }],
  ] as const) {
    assert.deepEqual(changedAllowance(present, wanted, NOW), expected, JSON.stringify([present, wanted]))
  }
  assert.deepEqual(changedAllowance(monthly(100, 0), { sending_allowance: 200 }, FEBRUARY), {
    ...{ sending_allowance: 200, monthly_allowance: 200, allowance_renews_at: Date.UTC(2026, 2) },
  })
})

test('no sequence of changes and messages sends more in a month than the largest number of that month', () => {
  let seed = 7
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed % below
  }
  for (let run = 0; run < 200; run++) {
    let now = NOW
    let present = changedAllowance(
      NO_ALLOWANCE,
      { sending_allowance: 50, allowance_renews: 'month' },
      now,
    ) as Allowance
    let [largest, sent] = [50, 0]
    for (let step = 0; step < 50; step++) {
      const kind = random(10)
      if (kind === 0) {
        now = nextMonth(now)
        ;[largest, sent] = [present.monthly_allowance ?? 0, 0]
      } else if (kind < 3) {
        const number = random(100)
        present = changedAllowance(present, { sending_allowance: number }, now) as Allowance
        largest = Math.max(largest, number)
      } else {
        const [left, count] = [allowanceLeft(present, now) as number, random(20)]
        assert.ok(left >= 0 && left <= (present.monthly_allowance ?? 0))
        if (count === 0 || count > left) continue
        const hasRenewed = (present.allowance_renews_at as number) <= now
        const renews = hasRenewed ? nextMonth(now) : present.allowance_renews_at
        present = { ...present, sending_allowance: left - count, allowance_renews_at: renews }
        sent += count
        assert.ok(sent <= largest, `${sent} of ${largest}`)
      }
    }
  }
})
