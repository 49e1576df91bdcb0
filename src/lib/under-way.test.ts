import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { UnderWay, whenAborted } from './under-way.ts'

describe('what is under way', () => {
  test('those that entered and have not left, each once', () => {
    const all = new UnderWay<{ readonly id: number }>()
    const ids = () => all.members.map(({ id }) => id).toSorted()
    const leave = [0, 1, 2, 3, 4].map((id) => all.enter({ id }))
    for (const one of [1, 4, 0, 1]) leave[one]?.()
    assert.deepEqual(ids(), [2, 3])
    const again = all.enter({ id: 1 })
    assert.deepEqual(ids(), [1, 2, 3])
    for (const end of [...leave, again]) end()
    assert.deepEqual(all.members, [])
  })

  test('an aborted signal calls all that listen then, and at once what comes later', () => {
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

  test('an action that another one takes back while the signal is aborted is not called', () => {
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
