// Turns of accounts that read from the database: short reads come before long reads, and no account occupies all
// readers.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { DATABASES, openTestStore } from '../../../test/support/store.ts'
import { thorough } from '../../../test/support/thorough.ts'
import { Problem } from '../../model/problem.ts'
import { type Reader, type ReadTurn, ReadTurns, readingFor } from './read-turns.ts'
import type { Store } from './store.ts'

const PLACES = { all: 4, heavy: 2, each: 3, eachHeavy: 1 }
const LONG_MS = 1_000

/** Accounts that request turns, and the order in which the accounts get turns. */
class Accounts {
  readonly turns = new ReadTurns(PLACES)
  readonly begun: string[] = []
  readonly #held = new Map<string, ReadTurn[]>()

  /** Requests the given number of turns for an account. */
  async ask(accountId: string, times = 1, reader: Omit<Reader, 'accountId'> = {}): Promise<void> {
    for (let count = 0; count < times; count++) {
      void readingFor({ accountId, ...reader }, async () => {
        const turn = await this.turns.take()
        this.begun.push(accountId)
        this.#held.set(accountId, [...(this.#held.get(accountId) ?? []), turn])
      }).catch((error: Problem) => this.begun.push(`${accountId}: ${error.message}`))
    }
    await settled()
  }

  /** Ends the oldest turn of an account. */
  async end(accountId: string, usedMs: number): Promise<void> {
    this.#held.get(accountId)?.shift()?.end(usedMs)
    await settled()
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('turns', () => {
  test('an account has a limited number, and others find a free place', async () => {
    const accounts = new Accounts()
    await accounts.ask('greedy', 50)
    await accounts.ask('other')
    assert.deepEqual(accounts.begun, ['greedy', 'greedy', 'greedy', 'other'])
  })

  test('a heavy reader has fewer, and other accounts come before it', async () => {
    const accounts = new Accounts()
    await accounts.ask('greedy', 50)
    for (let count = 0; count < 3; count++) await accounts.end('greedy', LONG_MS)
    assert.equal(accounts.begun.length, 4, 'one is left to it')
    await accounts.ask('one', 2)
    await accounts.ask('two', 2)
    assert.deepEqual(accounts.begun.slice(4), ['one', 'one', 'two'])
    await accounts.end('greedy', LONG_MS)
    assert.deepEqual(accounts.begun.slice(7), ['two'])
  })

  test('long reads are limited from the first one, and other accounts find a free place', async () => {
    const accounts = new Accounts()
    await accounts.ask('long', 10, { isLong: true })
    assert.deepEqual(accounts.begun, ['long'])
    await accounts.ask('other', 2)
    assert.deepEqual(accounts.begun.slice(1), ['other', 'other'])
  })

  test('all heavy readers together leave places to the others', async () => {
    const accounts = new Accounts()
    for (const account of ['a', 'b', 'c', 'd']) {
      await accounts.ask(account)
      await accounts.end(account, LONG_MS)
    }
    for (const account of ['a', 'b', 'c', 'd']) await accounts.ask(account, 10)
    assert.equal(accounts.begun.length, 4 + PLACES.heavy)
    await accounts.ask('short', 2)
    assert.deepEqual(accounts.begun.slice(6), ['short', 'short'])
  })

  test('heavy readers get equal shares of the database, however many each asks for', async () => {
    const accounts = new Accounts()
    for (const account of ['many', 'few']) {
      await accounts.ask(account)
      await accounts.end(account, LONG_MS)
    }
    await accounts.ask('third')
    await accounts.end('third', LONG_MS)
    await accounts.ask('third')
    await accounts.ask('many', 50)
    await accounts.ask('few', 10)
    const from = accounts.begun.length
    for (let count = 0; count < 10; count++) {
      await accounts.end('many', 300)
      await accounts.end('few', 300)
    }
    const few = accounts.begun.slice(from).filter((account) => account === 'few').length
    assert.ok(few >= 4, accounts.begun.slice(from).join())
  })

  test('a read whose client has gone is not begun, and its place passes on', async () => {
    const accounts = new Accounts()
    let isGone = false
    await accounts.ask('greedy', 3)
    await accounts.ask('greedy', 5, { isGone: () => isGone })
    await accounts.ask('greedy')
    isGone = true
    await accounts.end('greedy', 1)
    const refused = Array.from({ length: 5 }, () => 'greedy: The client has gone.')
    assert.deepEqual(accounts.begun.slice(3).toSorted(), ['greedy', ...refused])
  })

  test('the service waits for no account, nor does work that a request has left behind', async () => {
    const accounts = new Accounts()
    for (const account of ['a', 'b', 'c', 'd']) await accounts.ask(account, 3)
    await accounts.turns.take()
    let later = async (): Promise<void> => {}
    await readingFor({ accountId: 'a' }, async () => {
      const go = new Promise<void>((resolve) => {
        later = async () => resolve()
      })
      void go.then(() => accounts.turns.take()).then(() => accounts.begun.push('left behind'))
    })
    await later()
    await settled()
    assert.equal(accounts.begun.at(-1), 'left behind')
  })
})

for (const database of DATABASES) {
  describe(`statements on ${database}`, () => {
    let store: Store
    before(async () => {
      store = await openTestStore(database)
    })
    after(() => store.close())

    /** Counts to a number in the database; a larger number takes more time. */
    const count = (to: number) => async (): Promise<void> => {
      await sql`with recursive counted(n) as (
        select 1 union all select n + 1 from counted where n < ${sql.lit(to)}) select count(*) from counted`.execute(
        store.read,
      )
    }
    const greedy = { accountId: 'greedy' }
    const other = { accountId: 'other' }

    test('a short one comes before the waiting ones of another account', async () => {
      let done = 0
      const all = Array.from({ length: 24 }, () =>
        readingFor(greedy, count(100_000)).then(() => {
          done++
        }),
      )
      await readingFor(other, count(1))
      // The short read would end last if reads were served in the order of arrival. The limit allows for the time to
      // open a connection.
      assert.ok(done <= 12, `${done} came before`)
      await Promise.all(all)
    })

    test(
      'a short read does not wait for a long read under way',
      thorough('2 CPU s; the other tests of the file cover the common cases'),
      async () => {
        // Makes the account a heavy reader.
        for (let read = 0; read < 3; read++) await readingFor(greedy, count(1_000_000))
        let isDone = false
        const long = readingFor(greedy, count(4_000_000)).then(() => {
          isDone = true
        })
        for (let asked = 0; asked < 3; asked++) await readingFor(other, count(1))
        await sql`select 1 as one`.execute(store.read)
        await sql`select 1 as one`.execute(store.urgentRead)
        assert.equal(isDone, false)
        // The long read may exceed PostgreSQL's statement timeout on a busy machine.
        await long.catch(() => {})
      },
    )

    test('a read whose client has gone does not run', async () => {
      let isGone = false
      const reader = { accountId: 'going', isGone: () => isGone }
      const all = Array.from({ length: 24 }, () =>
        readingFor(reader, count(100_000)).then(
          () => 'read',
          (error) => error instanceof Problem && error.code,
        ),
      )
      await settled()
      isGone = true
      const came = await Promise.all(all)
      assert.ok(came.filter((one) => one === 'unavailable').length >= 20, came.join())
    })
  })
}
