// Write-behind: waiting rows are written once, in order and in batches, and every lost row is counted and logged.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Log, silentLog } from '../../lib/log.ts'
import { Problem } from '../../model/problem.ts'
import { WaitingInOrder, WriteBehind } from './write-behind.ts'

const MAX_WAITING = 600

describe('rows written behind', () => {
  /** Creates a `WriteBehind` whose store refuses the number 13, and refuses all numbers while `isAway` is true. */
  function make() {
    const place = { isAway: false, kept: [] as number[], largest: 0 }
    const told: string[] = []
    const log: Log = { ...silentLog, error: (_fields, message) => void told.push(message) }
    const rows = new WriteBehind<number>({
      ...{ name: 'numbers', log, waiting: new WaitingInOrder(MAX_WAITING) },
      async write(batch) {
        await Promise.resolve()
        if (place.isAway) throw new Problem('unavailable', 'away')
        if (batch.includes(13)) throw new Error('no such number')
        place.kept.push(...batch)
        place.largest = Math.max(place.largest, batch.length)
      },
      lost: { name: 'numbers_lost_total', help: 'Numbers that were not kept' },
    })
    const lost = () => rows.figures()[0]?.read()
    return { rows, place, told, lost }
  }
  const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

  test('are written in order, in bounded batches', async () => {
    const { rows, place, told, lost } = make()
    const all = upTo(MAX_WAITING).filter((one) => one !== 13)
    for (const one of all) rows.add(one)
    await rows.flush()
    assert.deepEqual(place.kept, all)
    assert.ok(place.largest < MAX_WAITING)
    assert.deepEqual([told, lost()], [[], 0])
  })

  test('are lost alone when the store refuses them', async () => {
    const { rows, place, told, lost } = make()
    for (const one of upTo(20)) rows.add(one)
    await rows.flush()
    assert.deepEqual(
      place.kept.toSorted((one, other) => one - other),
      upTo(20).toSpliced(13, 1),
    )
    assert.deepEqual([told.length, lost()], [1, 1])
  })

  test('wait within their bound while the store is away, and are written before newer ones', async () => {
    const { rows, place, lost } = make()
    place.isAway = true
    rows.add(1)
    rows.add(2)
    await rows.flush()
    for (const one of upTo(MAX_WAITING)) rows.add(one + 100)
    assert.equal(lost(), 2)
    place.isAway = false
    await rows.flush()
    assert.deepEqual(place.kept.slice(0, 4), [1, 2, 100, 101])
    assert.equal(place.kept.length, MAX_WAITING)
  })

  test('are written at the stop; rows that are not taken then are logged as lost', async () => {
    const kept = make()
    kept.rows.start()
    kept.rows.add(1)
    await kept.rows.stop()
    assert.deepEqual([kept.place.kept, kept.told], [[1], []])
    const away = make()
    away.place.isAway = true
    away.rows.start()
    away.rows.add(1)
    await away.rows.stop()
    assert.match(away.told.join(), /^numbers: rows were lost/)
  })
})
