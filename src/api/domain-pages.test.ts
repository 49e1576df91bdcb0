// Tests the pages of lists over several domains: newest first, complete, and without repeated objects.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { merged } from './domain-pages.ts'

const idOf = (id: string): string => id
const part = (rows: readonly string[], next: string | null = null) => ({ rows, next })

describe('a page of several domains', () => {
  test('has the newest objects of all domains', () => {
    assert.deepEqual(merged([part(['i9', 'i5']), part(['i8', 'i7']), part([])], 3, idOf), {
      rows: ['i9', 'i8', 'i7'],
      next: 'i7',
    })
    assert.deepEqual(merged([part(['i9']), part([])], 3, idOf), part(['i9']))
    assert.deepEqual(merged([], 3, idOf), part([]))
  })

  test('ends where the search of one domain has ended', () => {
    // The second domain may have objects between i6 and i3.
    assert.deepEqual(merged([part(['i9', 'i4', 'i2']), part(['i8'], 'i6')], 5, idOf), {
      rows: ['i9', 'i8'],
      next: 'i6',
    })
    assert.deepEqual(merged([part(['i2']), part([], 'i6')], 5, idOf), { rows: [], next: 'i6' })
  })

  test('shows each object once, in order, whatever the sizes of the parts', () => {
    const lists = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 60 })
    fc.assert(
      fc.property(lists, fc.integer({ min: 1, max: 7 }), fc.boolean(), (owners, limit, endsEarly) => {
        const all = owners.map((owner, at) => ({ owner, id: `i${String(at).padStart(3, '0')}` })).reverse()
        const seen: string[] = []
        for (let cursor: string | null = 'j'; cursor !== null; ) {
          const before: string = cursor
          const parts = [0, 1, 2, 3].map((owner) => {
            const left = all.filter((one) => one.owner === owner && one.id < before).map(({ id }) => id)
            const rows = left.slice(0, endsEarly ? Math.ceil(limit / 2) : limit)
            return part(rows, left.length > rows.length ? (rows.at(-1) as string) : null)
          })
          const { rows, next } = merged(parts, limit, idOf)
          assert.ok(rows.length <= limit)
          seen.push(...rows)
          cursor = next
        }
        assert.deepEqual(
          seen,
          all.map(({ id }) => id),
        )
      }),
    )
  })
})
