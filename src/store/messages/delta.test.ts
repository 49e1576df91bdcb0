// Deltas: the target is restored, repetitions add almost no bytes, and damage is detected.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { applyDelta, DeltaBase } from './delta.ts'

const PAGE = Buffer.from(
  Array.from({ length: 400 }, (_, line) => `<tr><td>Line ${line} of the page</td></tr>`).join('\n'),
)

describe('a delta', () => {
  test('restores any target with any base and any common beginning', () => {
    const bytes = fc.array(fc.constantFrom(...Buffer.from('ab\0\xff', 'latin1')), { maxLength: 200 })
    const pieces = fc.array(
      fc.oneof(
        bytes,
        fc.tuple(fc.nat(16_000), fc.nat(3_000)).map(([at, n]) => [...PAGE.subarray(at, at + n)]),
      ),
      { maxLength: 6 },
    )
    fc.assert(
      fc.property(pieces, pieces, fc.nat(5_000), (own, target, common) => {
        const base = Buffer.concat([PAGE, Buffer.from(own.flat())])
        const beginning = Math.min(common, base.length)
        const rest = Buffer.from(target.flat())
        const delta = new DeltaBase(base, beginning).encode(rest)
        assert.deepEqual(
          Buffer.from(applyDelta(base, delta) ?? []),
          Buffer.concat([base.subarray(0, beginning), rest]),
        )
      }),
    )
  })

  test('of the base with a few inserted values is little longer than the values', () => {
    const target = PAGE.toString().replace('Line 17 ', 'For Ann ').replace('Line 300 ', 'Order 4711 ')
    const delta = new DeltaBase(PAGE).encode(Buffer.from(target))
    assert.ok(delta.length < 100, `${delta.length} bytes`)
  })

  test('that is truncated, or applied to another base, returns undefined', () => {
    const target = Buffer.from(`${PAGE} and more`)
    const delta = new DeltaBase(PAGE).encode(target)
    for (let length = 0; length < delta.length; length++) {
      assert.equal(applyDelta(PAGE, delta.subarray(0, length)), undefined, `${length} bytes of it`)
    }
    assert.equal(applyDelta(PAGE.subarray(0, 100), delta), undefined)
    assert.equal(applyDelta(PAGE, Buffer.concat([delta, Buffer.from([0, 0, 5])])), undefined)
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const whole = applyDelta(PAGE, bytes)
        assert.ok(whole === undefined || whole.length <= PAGE.length * bytes.length)
      }),
    )
  })
})
