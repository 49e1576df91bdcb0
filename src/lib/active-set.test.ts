import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ActiveSet, whenAborted } from './active-set.ts'

describe('an active set', () => {
  test('has the members that were added and not removed, each once', () => {
    const all = new ActiveSet<{ readonly id: number }>()
    const ids = () => all.members.map(({ id }) => id).toSorted()
    const remove = [0, 1, 2, 3, 4].map((id) => all.add({ id }))
    for (const one of [1, 4, 0, 1]) remove[one]?.()
    assert.deepEqual(ids(), [2, 3])
    const again = all.add({ id: 1 })
    assert.deepEqual(ids(), [1, 2, 3])
    for (const end of [...remove, again]) end()
    assert.deepEqual(all.members, [])
  })

  test('an aborted signal calls its listeners, and a later listener at once', () => {
    const abort = new AbortController()
    const called: string[] = []
    whenAborted(abort.signal, () => called.push('first'))
    const stop = whenAborted(abort.signal, () => called.push('second'))
    whenAborted(abort.signal, () => called.push('third'))
    stop()
    abort.abort()
    assert.deepEqual(called.toSorted(), ['first', 'third'])
    whenAborted(abort.signal, () => called.push('late'))
    stop()
    assert.deepEqual(called.toSorted(), ['first', 'late', 'third'])
  })

  test('an action that another action removes during the abort is not called', () => {
    const abort = new AbortController()
    const called: number[] = []
    const stops: (() => void)[] = []
    for (const one of [0, 1]) {
      stops[one] = whenAborted(abort.signal, () => {
        called.push(one)
        stops[1 - one]?.()
      })
    }
    abort.abort()
    assert.equal(called.length, 1)
  })
})
