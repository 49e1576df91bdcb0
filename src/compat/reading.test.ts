// Tests the tolerant reading of requests.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FieldNames, Reading } from './reading.ts'

const NAMES = new FieldNames('Name', 'Count', 'Flag', 'List', 'Map', 'Model')
const INNER = new FieldNames('Value')

describe('a tolerant reading', () => {
  test('takes absent, null and empty fields alike', () => {
    for (const value of [{}, { Name: null, List: null }, { Name: '', List: '' }]) {
      const reading = new Reading()
      const fields = reading.fields(value, NAMES)
      assert.deepEqual(
        [fields.text('Name'), fields.integer('Count'), fields.flag('Flag'), fields.list('List')],
        [undefined, undefined, undefined, []],
      )
      assert.deepEqual([reading.problems, reading.ignored], [[], []])
    }
  })

  test('finds fields in any case of letters; the exact name wins', () => {
    const fields = new Reading().fields({ NAME: 'one', Name: 'two', name: 'three' }, NAMES)
    assert.equal(fields.text('Name'), 'two')
    assert.equal(new Reading().fields({ nAme: 'x' }, NAMES).text('Name'), 'x')
  })

  test('reads booleans and numbers that are written as text', () => {
    const read = (value: unknown) => new Reading().fields({ Flag: value }, NAMES).flag('Flag')
    assert.deepEqual(['yes', 'TRUE', 1, '1', true].map(read), [true, true, true, true, true])
    assert.deepEqual(['no', 'False', 0, '0', false].map(read), [false, false, false, false, false])
    const fields = new Reading().fields({ Count: '12', Name: 7 }, NAMES)
    assert.deepEqual([fields.integer('Count'), fields.text('Name')], [12, '7'])
  })

  test('names every ignored field by its path', () => {
    const reading = new Reading()
    const fields = reading.fields({ Other: 1, List: [{ Value: 1, More: { a: 1 } }] }, NAMES)
    fields.objects('List', INNER)
    assert.deepEqual(reading.ignored, ['Other', 'List[0].More'])
  })

  test('reports wrong types with the path of the field', () => {
    const reading = new Reading()
    const fields = reading.fields({ Name: {}, Count: -1, Flag: 'maybe', Map: { a: [] }, Model: [] }, NAMES)
    for (const read of [
      () => fields.text('Name'),
      () => fields.integer('Count'),
      () => fields.flag('Flag'),
      () => fields.model('Model'),
      () => fields.word('Count', ['one']),
    ])
      assert.equal(read(), undefined)
    fields.texts('Map')
    reading.fields('text', NAMES, 'List[0]')
    assert.deepEqual(
      reading.problems.map(({ path }) => path),
      ['Name', 'Count', 'Flag', 'Model', 'Count', 'Map.a', 'List[0]'],
    )
  })

  test('reads texts of an object, and leaves nulls out', () => {
    const fields = new Reading().fields({ Map: { a: 1, b: true, c: null, d: 'x' } }, NAMES)
    assert.deepEqual(fields.texts('Map'), { a: '1', b: 'true', d: 'x' })
  })

  test('refuses a wish that cannot be fulfilled, or ignores it while moving', () => {
    const strict = new Reading()
    strict.refuse('Pool', 'There are no pools.')
    assert.deepEqual([strict.problems.length, strict.ignored], [1, []])
    const lenient = new Reading(true)
    lenient.refuse('Pool', 'There are no pools.')
    lenient.ofPart().refuse('Pool', 'There are no pools.')
    assert.deepEqual([lenient.problems, lenient.ignored], [[], ['Pool']])
  })

  test('is not led astray by names of the language', () => {
    const reading = new Reading()
    const fields = reading.fields(JSON.parse('{"__proto__": {"Name": "x"}, "constructor": 1}'), NAMES)
    assert.equal(fields.text('Name'), undefined)
    assert.deepEqual(reading.ignored, ['__proto__', 'constructor'])
  })

  test('keeps bounded lists of ignored fields and problems', () => {
    const reading = new Reading()
    reading.fields(Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`f${i}`, 1])), NAMES)
    assert.equal(reading.ignored.length, 100)
  })
})
