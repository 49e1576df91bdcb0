// Throttled flows: the number of known flows is limited, and the order of the flows is kept.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flowOf } from '../model/queue-state.ts'
import { SiteLimits } from './site-limits.ts'
import { Throttled } from './throttled.ts'

test('knows at most ten thousand flows, and others replace those found empty', () => {
  const throttled = new Throttled(new SiteLimits())
  const shares = Array.from({ length: 20_000 }, (_, index) => `d${index}.example`)
  const flow = (share: string): string => flowOf(share, { domainId: 'dom_1', stream: 'news' })
  const flows = shares.map(flow)
  for (const one of flows.slice(0, 9_000)) throttled.add(one)
  throttled.noteClaim({ empty: [], taken: [], throttled: flows.slice(9_000, 15_000) })
  for (const one of flows) throttled.add(one)
  assert.equal(shares.filter((share) => throttled.has(share)).length, 10_000)
  const first = throttled.next(
    () => 5,
    () => {},
  )
  assert.equal(first[0], flow('d0.example'))
  throttled.noteClaim({ empty: first, taken: [], throttled: [] })
  assert.ok(!throttled.has('d0.example'))
  throttled.add(flow('d19999.example'))
  assert.ok(throttled.has('d19999.example'))
})
