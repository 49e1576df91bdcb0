// Requests that are cut between their commits, at every endpoint that takes an Idempotency-Key: the repetition completes
// them, once.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { TestApp } from '../../test/support/app.ts'
import {
  added,
  askUnder,
  CUT_ROUTES,
  type CutWorld,
  checkStored,
  cutWorld,
  KEYED_ROUTES,
  keyedRequest,
  NOT_CUT,
  rowCounts,
  shapeOf,
} from '../../test/support/cut-requests.ts'
import { usualDatabase } from '../../test/support/store.ts'
import { until } from '../../test/support/test-clock.ts'

test('every endpoint that answers once is cut below, or says why not', () => {
  assert.deepEqual([...Object.keys(CUT_ROUTES), ...Object.keys(NOT_CUT)].sort(), KEYED_ROUTES.toSorted())
})

/** Has the database refuse a step of a request, as if the process had ended before its commit. */
async function cutBefore({ app }: CutWorld, key: string, step: number): Promise<() => Promise<void>> {
  const { read } = app.store
  const run = (text: string) => sql.raw(text).execute(read)
  const refused = `new.idempotency_key = '${key}' and new.step = ${step}`
  if (usualDatabase() === 'sqlite') {
    await run(
      `create trigger cut before insert on keyed_request_steps when ${refused} begin select raise(abort, 'cut'); end`,
    )
    return async () => void (await run('drop trigger cut'))
  }
  await run(
    `create or replace function cut() returns trigger language plpgsql as $$ begin
      if ${refused} then raise exception 'cut'; end if; return new; end $$`,
  )
  await run('create trigger cut before insert on keyed_request_steps for each row execute function cut()')
  return async () => void (await run('drop trigger cut on keyed_request_steps'))
}

describe('a request that is cut before any of its commits', () => {
  let world: CutWorld
  let count = 0
  before(async () => {
    world = await cutWorld(await TestApp.start({ env: { POSTRIDER_ROLES: 'api,dashboard' } }))
  })
  after(() => world.app.stop())

  for (const name of Object.keys(CUT_ROUTES)) {
    test(`is completed once by its repetition: ${name}`, async () => {
      const { store } = world.app
      const whole = await keyedRequest(world, name, ++count)
      const atFirst = await rowCounts(store)
      const uncut = await askUnder(world, whole, `whole ${count}`)
      assert.ok(uncut.status < 300, JSON.stringify(uncut.body))
      let expected = added(atFirst, await rowCounts(store))
      await until('notices are sent', async () => {
        const now = added(atFirst, await rowCounts(store))
        const isSame = JSON.stringify(now) === JSON.stringify(expected)
        expected = now
        return isSame ? true : undefined
      })
      for (let step = 0; ; step++) {
        const request = await keyedRequest(world, name, ++count)
        const key = `cut ${count}`
        const before = await rowCounts(store)
        const mend = await cutBefore(world, key, step)
        const cut = await askUnder(world, request, key).finally(mend)
        const again = await askUnder(world, request, key)
        assert.equal(again.status, uncut.status, `cut before ${step}: ${JSON.stringify(again.body)}`)
        assert.deepEqual(shapeOf(name, again.body), shapeOf(name, uncut.body), `cut before ${step}`)
        await checkStored(world, name, again.body)
        const got = await until('all rows are there', async () => {
          const now = added(before, await rowCounts(store))
          return JSON.stringify(now) === JSON.stringify(expected) ? now : undefined
        }).catch(async () => added(before, await rowCounts(store)))
        assert.deepEqual(got, expected, `cut before ${step}`)
        assert.deepEqual((await askUnder(world, request, key)).body, again.body)
        if (cut.status < 300) return
        assert.equal(cut.status, 500)
      }
    })
  }
})
