// A store that an older program wrote: opened, told as it was, and everything that waited in it delivered once.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { silentLog } from '../../src/lib/log.ts'
import { laneOf } from '../../src/model/queue-state.ts'
import { setAccountStatus } from '../../src/store/access/accounts.ts'
import { setDomainPaused } from '../../src/store/domains/domains.ts'
import { openStore } from '../../src/store/open-store.ts'
import { inspectMessage, resumeQueue } from '../../src/store/queue/queue-control.ts'
import { listWaiting } from '../../src/store/queue/waiting.ts'
import { TestApp } from '../support/app.ts'
import { RETURN_PATH_HOST } from '../support/inbound.ts'
import { OLDER_PROGRAMS, type OlderStore, unpackStore } from '../support/older-store.ts'
import { usualDatabase } from '../support/store.ts'
import { TestClock, until } from '../support/test-clock.ts'
import { callAsVerifier } from '../support/verification.ts'

const FINAL = new Set(['delivered', 'bounced', 'suppressed', 'failed', 'cancelled'])
const HELD = ['held-destination', 'held-stream', 'tenant-paused', 'tenant-suspended', 'tenant-deleted']

for (const program of OLDER_PROGRAMS) {
  describe(`a store of the program ${program}`, { concurrency: 1 }, () => {
    let older: Awaited<ReturnType<typeof unpackStore>>
    let app: TestApp | undefined
    const clock = new TestClock()
    before(async () => {
      older = await unpackStore(program, usualDatabase())
      clock.advance(older.at - clock.now())
    })
    after(() => app?.stop() ?? older.storage.remove())

    type Known = OlderStore['messages'][string]
    const known = (name: string): Known => {
      const message = older.messages[name]
      if (message === undefined) throw new Error(`there is no ${name}`)
      return message
    }
    /** The addresses that wait in these messages. */
    const waitingIn = (names: readonly string[]): string[] =>
      names.flatMap((name) =>
        known(name).recipients.flatMap(({ email, status }) => (FINAL.has(status) ? [] : [email])),
      )
    const names = (): string[] => Object.keys(older.messages)
    /** Number of deliveries to each address, by message. */
    const arrived = (): Record<string, number> => {
      const counts: Record<string, number> = {}
      for (const email of app?.host.mails.flatMap(({ recipients }) => recipients) ?? [])
        counts[email] = (counts[email] ?? 0) + 1
      return counts
    }
    const once = (emails: readonly string[]): Record<string, number> =>
      Object.fromEntries(emails.toSorted().map((email) => [email, 1]))
    const sorted = (counts: Record<string, number>): Record<string, number> =>
      Object.fromEntries(Object.entries(counts).toSorted())

    test('opens, and tells every state as that program did', async () => {
      const store = await openStore({ ...older.storage, log: silentLog })
      for (const name of names()) {
        const { id, status, recipients } = known(name)
        const found = await inspectMessage(store.read, id)
        assert.deepEqual(
          [found?.message.status, found?.recipients.map((one) => [one.email, one.status])],
          [status ?? 'queued', recipients.map((one) => [one.email, one.status])],
          name,
        )
        const waiting = await listWaiting(store.read, { messageId: id }, 100, undefined)
        assert.deepEqual(
          waiting
            .toSorted((a, b) => a.position - b.position)
            .map((one) => [one.email, one.attempts, laneOf(one), one.nextAttemptAt]),
          recipients.flatMap(({ email, status: state, attempts, lane, next_attempt_at }) =>
            FINAL.has(state) ? [] : [[email, attempts, lane, next_attempt_at]],
          ),
          name,
        )
      }
      await store.close()
    })

    test('goes on: what is due is delivered, what was held stays, what was taken is not sent again', async () => {
      app = await TestApp.start({
        clock,
        storage: older.storage,
        env: { POSTRIDER_INBOUND_PORT: '0', POSTRIDER_RETURN_PATH_HOST: RETURN_PATH_HOST },
      })
      const goingOn = names().filter((name) => !HELD.includes(name) && name !== 'journaled')
      const expected = once(waitingIn(goingOn))
      assert.ok(Object.keys(expected).length >= 20)
      const { store } = app
      await until('nothing waits but what is held', async () => {
        const waiting = await listWaiting(store.read, {}, 100, undefined)
        // To the next due time, and on with small steps while this node has to do: a clock that leaps ends attempts.
        const next = Math.min(
          ...waiting.flatMap(({ state, nextAttemptAt, lastEventAt }) => {
            if (state === 'held') return []
            const isWaitedFor =
              ['scheduled', 'paced', 'deferred'].includes(state) ||
              (state === 'active' && lastEventAt <= older.at)
            return isWaitedFor && nextAttemptAt > clock.now() ? nextAttemptAt : 0
          }),
        )
        if (Number.isFinite(next)) clock.advance(next === 0 ? 100 : next - clock.now() + 100)
        return waiting.length === HELD.length
      })
      assert.deepEqual(sorted(arrived()), expected)
      for (const name of names().filter((one) => !one.startsWith('tenant'))) {
        const { id, status, events } = known(name)
        const { body } = await app.call('GET', `/v1/messages/${id}`)
        const wanted = HELD.includes(name) || FINAL.has(status ?? '') ? status : undefined
        if (name === 'partial' || name === 'mixed') assert.equal(body.status, 'partially_delivered', name)
        else assert.equal(body.status, wanted ?? 'delivered', name)
        const types = body.events.map((event: { type: string }) => event.type)
        for (const type of new Set(events)) {
          const count = (all: readonly string[]): number => all.filter((one) => one === type).length
          assert.ok(count(types) >= count(events), `${name}: ${type}`)
        }
      }
    })

    test('an attempt that was cut off is still told as a possible duplicate', async () => {
      const { body } = await app!.call('GET', `/v1/messages/${known('unknown').id}`)
      const delivered = body.events.find((event: { type: string }) => event.type === 'delivered')
      assert.equal(delivered.detail.possible_duplicate, true)
    })

    test('a list of addresses goes on where it was', async () => {
      for (const name of ['done', 'running'] as const) {
        await until(name, async () => {
          clock.advance(5_000)
          const { body } = await callAsVerifier(app!, 'GET', `/v1/verifications/${older.lists[name].id}`)
          return body.status === 'done' && body.done === body.total
        })
      }
    })

    test('a request that was answered is answered the same', async () => {
      const before = app!.host.mails.length
      const { body, key, answer } = older.idempotent
      const again = await app!.call('POST', '/v1/messages', body, { 'idempotency-key': key })
      // A day has not passed for it.
      assert.deepEqual(again.body, answer)
      assert.equal(app!.host.mails.length, before)
    })

    test('what was held goes when it is let go on, and the mail of a deleted domain is cancelled', async () => {
      const { store } = app!
      await store.write(resumeQueue, { kind: 'destination', value: 'paused.example' })
      await store.write(resumeQueue, { kind: 'stream', value: 'news' })
      await store.write(resumeQueue, { kind: 'domain', value: 'deleted.test' })
      const named = async (name: string) =>
        store.read.selectFrom('domains').selectAll().where('name', '=', name).executeTakeFirstOrThrow()
      await store.write(setDomainPaused, {
        domain: await named('paused.test'),
        paused: false,
        now: clock.now(),
      })
      const { account_id: id } = await named('suspended.test')
      await store.write(setAccountStatus, { id, status: 'active', now: clock.now() })
      await until('nothing waits', async () => {
        clock.advance(1_000)
        return (await listWaiting(store.read, {}, 100, undefined)).length === 0
      })
      const goes = HELD.filter((name) => name !== 'tenant-deleted')
      assert.partialDeepStrictEqual(arrived(), once(waitingIn(goes)))
      const deleted = await inspectMessage(store.read, known('tenant-deleted').id)
      assert.deepEqual(
        [deleted?.message.status, deleted?.recipients.map(({ status }) => status)],
        ['cancelled', ['cancelled']],
      )
      assert.equal(arrived()['x@to-deleted.example'], undefined)
      assert.ok(Object.values(arrived()).every((count) => count === 1))
    })
  })
}
