// Tests a list of suppressions as JSON: an invalid entry does not prevent the other entries.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ok, refused } from '../../../test/support/answers.ts'
import { type Answer, TestApp } from '../../../test/support/app.ts'

describe('a list of suppressions as JSON', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api' } })
  })
  after(() => app.stop())

  const call = (method: string, path: string, body?: object | string): Promise<Answer> =>
    app.call(method, `/v1${path}`, body)

  test('many at once: an entry of another shape is reported with its place, and the others count', async () => {
    const wrong = [null, 5, {}, { email: 5 }, { email: 'a@b.example', colour: 'red' }] as const
    const placed = ['', '', '.email', '.email', '.colour']
    const names = Array.from({ length: 120 }, (_, index) => `shape${index}@receiver.example`)
    const good = names.map((email) => ({ email }))
    const suppressions = [
      ...[...good.slice(0, 60), ...wrong, { email: 'nobody' }],
      ...[...good.slice(60), { email: names[0], stream: 'nowhere' }],
    ]
    const told = [...placed.map((path, index) => `[${60 + index}]${path}`), '[65].email', '[126].stream']
    const pathsOf = ({ problems }: Answer['body']): string[] =>
      problems.map(({ path }: { path: string }) => path.replace('suppressions', ''))
    const { added, rejected, ...body } = await ok(
      call('POST', '/suppressions', { suppressions: [...suppressions, { email: names[1], reason: 'whim' }] }),
    )
    assert.deepEqual([added, rejected], [120, 8])
    assert.deepEqual(pathsOf(body), [...told, '[127].reason'])
    const removed = await ok(call('POST', '/suppressions/remove', { suppressions }))
    assert.deepEqual([removed.removed, removed.rejected], [120, 7])
    assert.deepEqual(pathsOf(removed), told)
    const twice = `{"suppressions":[{"email":"${names[0]}"},{"email":"${names[1]}","email":"${names[2]}"}]}`
    const once = await ok(call('POST', '/suppressions', twice))
    assert.deepEqual([once.added, pathsOf(once)], [1, ['[1].email']])
    const only = await ok(call('POST', '/suppressions', { suppressions: new Array(150).fill(5) }))
    assert.deepEqual([only.added, only.rejected, only.problems.length], [0, 150, 100])
  })

  test('many at once: problems outside the entries, or of their number, refuse them all', async () => {
    const suppressions = [{ email: 'whole@receiver.example' }]
    for (const body of [
      { suppressions, colour: 'red' },
      { suppressions, reason: 'whim' },
      { suppressions: 5 },
      { suppressions: new Array(100_001).fill(suppressions[0]) },
    ]) {
      await refused(call('POST', '/suppressions', body), 422, 'validation_failed')
      await refused(call('POST', '/suppressions/remove', body), 422, 'validation_failed')
    }
    assert.deepEqual((await ok(call('GET', '/suppressions?email=whole@'))).data, [])
  })
})
