// Tests requests that are interrupted between their commits, at every endpoint that takes an Idempotency-Key: a
// repeated request completes the interrupted request once.
// thorough: 9 CPU s: each request under a key is cut before each of its commits; src/api/answer-once.test.ts has the rules

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { TestApp } from '../../test/support/app.ts'
import {
  added,
  askUnder,
  CUT_ROUTES,
  type CutWorld,
  checkStored,
  cutBefore,
  cutWorld,
  KEYED_ROUTES,
  keyedRequest,
  mailsOnce,
  rowCounts,
  shapeOf,
} from '../../test/support/cut-requests.ts'

test('every endpoint that answers once is interrupted below', () => {
  assert.deepEqual(Object.keys(CUT_ROUTES).sort(), KEYED_ROUTES.toSorted())
})

describe('a request that is interrupted before any of its commits', () => {
  let world: CutWorld
  let count = 0
  const made = new Map<string, number>()
  before(async () => {
    world = await cutWorld(await TestApp.start({ env: { POSTRIDER_ROLES: 'api,dashboard' } }))
  })
  after(() => world.app.stop())

  const nextRequest = (name: string): ReturnType<typeof keyedRequest> => {
    made.set(name, (made.get(name) ?? 0) + 1)
    return keyedRequest(world, name, ++count)
  }

  const rowsThatCame = async (before: ReadonlyMap<string, number>): Promise<object> =>
    added(before, await rowCounts(world.app.store))

  for (const name of Object.keys(CUT_ROUTES)) {
    test(`is completed once by its repetition: ${name}`, async () => {
      const { store } = world.app
      const whole = await nextRequest(name)
      const atFirst = await rowCounts(store)
      const uncut = await askUnder(world, whole, `whole ${count}`)
      assert.ok(uncut.status < 300, JSON.stringify(uncut.body))
      const expected = await rowsThatCame(atFirst)
      for (let step = 0; ; step++) {
        const request = await nextRequest(name)
        const key = `cut ${count}`
        const before = await rowCounts(store)
        const mend = await cutBefore(world, key, step)
        const cut = await askUnder(world, request, key).finally(mend)
        const again = await askUnder(world, request, key)
        assert.equal(again.status, uncut.status, `cut before ${step}: ${JSON.stringify(again.body)}`)
        assert.deepEqual(shapeOf(name, again.body), shapeOf(name, uncut.body), `cut before ${step}`)
        await checkStored(world, name, again.body)
        const got = await rowsThatCame(before)
        assert.deepEqual(got, expected, `cut before ${step}`)
        assert.deepEqual((await askUnder(world, request, key)).body, again.body)
        if (cut.status < 300) {
          assert.ok(step > 0, 'the request was not interrupted')
          return
        }
        assert.equal(cut.status, 500)
      }
    })
  }

  test('has sent no mail twice', () => mailsOnce(world.app.store, made))
})
