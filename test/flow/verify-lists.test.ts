// Lists of addresses across stops, crashes and missing credits: each address is verified once, for one credit, and no
// address is lost.

import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { listAccounts, setAccountStatus } from '../../src/store/access/accounts.ts'
import { grantCredits } from '../../src/store/verification/verification-credits.ts'
import {
  claimVerification,
  finishVerificationAddresses,
} from '../../src/store/verification/verification-work.ts'
import { AddressLists } from '../../src/verification/address-lists.ts'
import { TestApp, type TestAppOptions } from '../support/app.ts'
import { createTenant } from '../support/tenant.ts'
import { sleep, stays, TestClock, until } from '../support/test-clock.ts'
import { thorough } from '../support/thorough.ts'
import { askedFor, callAsVerifier, MADE_UP, onlyMailboxes } from '../support/verification.ts'

const URL = '/v1/verifications'
const CREDITS = 10_000

/** Starts a node whose rate limits delay no verification. */
const startFast = (options: TestAppOptions): Promise<TestApp> =>
  TestApp.start({
    ...options,
    env: {
      POSTRIDER_VERIFICATION_RATE: '100000/s',
      POSTRIDER_VERIFY_DESTINATION_RATE: '100000/s',
      ...options.env,
    },
  })

async function post(app: TestApp, list: readonly string[]): Promise<string> {
  const { status, body } = await callAsVerifier(app, 'POST', URL, list as string[])
  assert.equal(status, 202, JSON.stringify(body))
  return body.verification_id
}

describe('a list of addresses', () => {
  let app: TestApp
  afterEach(() => app.stop())

  async function start(options: TestAppOptions = {}): Promise<void> {
    app = await startFast(options)
  }

  const emails = (count: number, domains = 20): string[] =>
    Array.from({ length: count }, (_, index) => `x${index}@d${index % domains}.example`)

  const show = async (id: string) => (await callAsVerifier(app, 'GET', `${URL}/${id}`)).body
  const credits = async (): Promise<number> =>
    (await listAccounts(app.store.read))[0]?.verification_credits ?? Number.NaN
  const inState = (id: string, status: string): Promise<true> =>
    until(status, async () => (await show(id)).status === status)

  test(
    'continues where the node stopped, and each address is paid for once',
    thorough('1.0 CPU s: lists of many addresses'),
    async () => {
      const exists = onlyMailboxes('x1', 'x2', 'x3')
      await start({
        host: {
          async script(command) {
            if (command.verb === 'RCPT') await sleep(10, 'the host answers slowly')
            return exists(command)
          },
        },
      })
      const list = emails(400)
      const id = await post(app, list)
      await until('some addresses are verified', async () => (await show(id)).done > 50)
      await app.stopNode()
      const { done } = (await app.store.read
        .selectFrom('verifications')
        .select((eb) => eb('undeliverable', '+', eb.ref('deliverable')).as('done'))
        .executeTakeFirst()) as { done: number }
      assert.ok(done > 50 && done < 400, String(done))
      assert.equal(await credits(), CREDITS - done)
      await app.startNode()
      await inState(id, 'done')
      const view = await show(id)
      assert.deepEqual([view.done, view.results.deliverable, view.results.undeliverable], [400, 3, 397])
      assert.equal(await credits(), CREDITS - 400)
      const asked = askedFor(app.host).filter((address) => !MADE_UP.test(address))
      // Each address in progress at the stop was stored, or is probed again.
      assert.equal(new Set(asked).size, 400)
      assert.ok(asked.length <= 400 + 100)
    },
  )

  test('is taken over from a node that died with it', async () => {
    const clock = new TestClock(Date.now())
    await start({ clock, host: { script: onlyMailboxes('x1') } })
    await app.stopNode()
    const [account] = await listAccounts(app.store.read)
    const lists = new AddressLists({ store: app.store, clock, onQueued() {} })
    const id = await lists.accept(
      { accountId: account?.id as string, keyId: 'key_x' },
      { columns: [], rows: emails(10).map((email) => ({ email, cells: [] })) },
    )
    const lease = { now: clock.now(), lease: 'dead', leaseUntil: clock.now() + 60_000 }
    const claimed = await app.store.write(claimVerification, lease)
    assert.equal(claimed?.id, id)
    assert.equal(await app.store.write(claimVerification, { ...lease, lease: 'other' }), undefined)
    await app.startNode()
    await until('the list is done', async () => {
      clock.advance(5_000)
      return (await show(id)).status === 'done'
    })
    // The result of the dead worker arrives too late.
    const late = {
      accountId: account?.id as string,
      id,
      lease: 'dead',
      addresses: [{ position: 0, result: 'risky', answer: '{}' } as const],
      now: 0,
    }
    assert.equal(await app.store.write(finishVerificationAddresses, late), 'lost')
    assert.equal((await show(id)).done, 10)
    assert.equal(await credits(), CREDITS - 10)
  })

  test('waits for credits, and continues by itself when there are some', async () => {
    await start({ host: { script: onlyMailboxes('x1') } })
    const [account] = await listAccounts(app.store.read)
    const grant = (by: number) =>
      app.store.write(grantCredits, {
        accountId: account?.id as string,
        credits: by,
        note: null,
        now: Date.now(),
      })
    await grant(30 - CREDITS)
    const id = await post(app, emails(100))
    await inState(id, 'paused')
    const { done, waiting_for } = await show(id)
    assert.deepEqual([done, waiting_for], [30, 'credits'])
    assert.equal(await credits(), 0)
    await grant(1_000)
    await inState(id, 'done')
    assert.equal((await show(id)).done, 100)
    assert.equal(await credits(), 930)
  })

  test(
    'pauses while its account is suspended, and accepts no addresses meanwhile',
    thorough('1.0 CPU s: lists of many addresses'),
    async () => {
      await start({
        host: {
          async script({ verb }) {
            if (verb !== 'RCPT') return undefined
            await sleep(20, 'the host answers slowly')
            return '550 5.1.1 No such user'
          },
        },
      })
      const [account] = await listAccounts(app.store.read)
      const suspend = (status: 'active' | 'suspended') =>
        app.store.write(setAccountStatus, { id: account?.id as string, status, now: Date.now() })
      const statusOf = async (id: string) =>
        (
          await app.store.read
            .selectFrom('verifications')
            .select('status')
            .where('id', '=', id)
            .executeTakeFirst()
        )?.status
      const id = await post(app, emails(600))
      await until('some addresses are verified', async () => (await credits()) < CREDITS - 20)
      await suspend('suspended')
      await until('the list waits', async () => (await statusOf(id)) === 'queued')
      const left = await credits()
      assert.ok(left > CREDITS - 600)
      const stands = async (): Promise<boolean> =>
        (await statusOf(id)) === 'queued' && (await credits()) === left
      await stays('no credit is used', stands, 1_500)
      await suspend('active')
      await until('the list is done', async () => (await statusOf(id)) === 'done')
      assert.equal(await credits(), CREDITS - 600)
    },
  )

  test('of one account does not delay another', async () => {
    await start({
      host: {
        async script({ verb }) {
          if (verb !== 'RCPT') return undefined
          await sleep(50, 'the host answers slowly')
          return '550 5.1.1 No such user'
        },
      },
    })
    const long = await post(app, emails(2_000, 5))
    const next = await post(app, emails(500, 5))
    const other = await createTenant(app.store)
    await app.store.write(grantCredits, {
      accountId: other.account.id,
      credits: 100,
      note: null,
      now: Date.now(),
    })
    const headers = { authorization: `Bearer ${other.verificationKey}`, 'content-type': 'application/json' }
    const { body } = await app.call('POST', URL, ['a@z.example', 'b@z.example'], headers)
    await until('the short list is done', async () => {
      const view = await app.call('GET', `${URL}/${body.verification_id}`, undefined, headers)
      return view.body.status === 'done'
    })
    const { body: view } = await callAsVerifier(app, 'GET', `${URL}/${long}?include=pending_domains`)
    assert.deepEqual([view.status, view.waiting_for], ['running', null])
    assert.equal((await show(next)).waiting_for, 'other_list')
    const pending: { domain: string; count: number }[] = view.pending_domains
    assert.deepEqual(
      pending.map(({ domain }) => domain).sort(),
      emails(5, 5).map((one) => one.slice(3)),
    )
    const left = pending.reduce((sum, { count }) => sum + count, 0)
    assert.ok(left > 0 && left <= view.total - view.done, JSON.stringify(view))
    assert.ok(askedFor(app.host).length < 1_000)
  })

  test('has at most two concurrent probes for the mail hosts of one domain', async () => {
    let inside = 0
    let most = 0
    await start({
      host: {
        async script({ verb }) {
          if (verb !== 'RCPT') return undefined
          most = Math.max(most, ++inside)
          await sleep(5, 'the host answers slowly')
          inside--
          return '550 5.1.1 No such user'
        },
      },
    })
    const id = await post(app, emails(50, 1))
    await inState(id, 'done')
    assert.equal(most, 2)
    assert.ok(app.host.connections.length <= 2 * Math.ceil(50 / 3))
  })

  test('is removed after 90 days', thorough('1.2 CPU s: 180 days pass on a clock'), async () => {
    const clock = new TestClock(Date.now())
    await start({ clock, host: { script: onlyMailboxes('x1') } })
    const id = await post(app, emails(10))
    await inState(id, 'done')
    await callAsVerifier(app, 'GET', '/v1/verifyEmail?email=x1%40one.example')
    await until('the list is removed', async () => {
      clock.advance(24 * 3_600_000)
      const { status } = await callAsVerifier(app, 'GET', `${URL}/${id}`)
      return status === 404
    })
    assert.deepEqual(await app.store.read.selectFrom('verification_addresses').selectAll().execute(), [])
    await until('the single verifications are removed', async () => {
      clock.advance(24 * 3_600_000)
      return (await app.store.read.selectFrom('verification_checks').select('id').execute()).length === 0
    })
  })
})

// A node that stops waits some time for the replies of mail hosts, so these tests run concurrently to save time.
describe('a list of addresses whose hosts are slow', { concurrency: true }, () => {
  test('of a few accounts that wait for slow hosts does not delay another account', async (t) => {
    const app = await startFast({
      host: {
        async script({ verb, address }) {
          if (verb !== 'RCPT' || !address.endsWith('@slow.example')) return undefined
          await sleep(5_000, 'the host answers slowly')
          return '550 5.1.1 No such user'
        },
      },
    })
    t.after(() => app.stop())
    const postAs = async (list: string[]) => {
      const { account, verificationKey } = await createTenant(app.store)
      const granted = { accountId: account.id, credits: 100, note: null, now: Date.now() }
      await app.store.write(grantCredits, granted)
      const headers = { authorization: `Bearer ${verificationKey}`, 'content-type': 'application/json' }
      const { body } = await app.call('POST', URL, list, headers)
      const path = `${URL}/${body.verification_id}`
      return async (status: string) =>
        (await app.call('GET', path, undefined, headers)).body.status === status
    }
    for (let i = 0; i < 6; i++) {
      const is = await postAs(Array.from({ length: 500 }, (_, index) => `x${i}-${index}@slow.example`))
      await until('the list is running', () => is('running'))
    }
    const is = await postAs(['a@quick.example'])
    await until('the list is done', () => is('done'))
  })

  test('beyond the maximum number is refused', async (t) => {
    const app = await startFast({
      host: { script: ({ verb }) => (verb === 'RCPT' ? { after: 'hang' } : undefined) },
    })
    t.after(() => app.stop())
    for (let i = 0; i < 20; i++) await post(app, [`a${i}@one.example`])
    const { status, body, headers } = await callAsVerifier(app, 'POST', URL, ['b@one.example'])
    assert.deepEqual([status, body.code], [429, 'rate_limit_exceeded'])
    assert.ok(Number(headers.get('retry-after')) > 0)
  })
})
