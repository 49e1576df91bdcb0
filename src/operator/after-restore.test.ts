// A restored store does not send messages again that were delivered after the backup, and holds messages of unknown
// outcome for the operator.

import assert from 'node:assert/strict'
import { cp } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { createTestDatabase } from '../../test/support/postgres.ts'
import { claim, createOwner, finish, messageTo, NOW, standingOf } from '../../test/support/queued.ts'
import { DATABASES, settled, type TestStorage, testStorage } from '../../test/support/store.ts'
import { TestClock } from '../../test/support/test-clock.ts'
import { thorough } from '../../test/support/thorough.ts'
import { silentLog } from '../lib/log.ts'
import { acceptMessage } from '../store/accepting/accept-message.ts'
import type { Store } from '../store/database/store.ts'
import type { Owner } from '../store/messages/messages.ts'
import { openStore } from '../store/node/open-in-mode.ts'
import { findSuppressions, suppress } from '../store/workspace/suppressions.ts'
import { settleRestored } from './after-restore.ts'
import { QueueControl } from './queue.ts'

const clock = new TestClock(NOW + 1_000)
const GONE = 'gone@receiver.example'

for (const database of DATABASES) {
  describe(`a restored store on ${database}`, { concurrency: 1 }, () => {
    let owner: Owner
    let backup: TestStorage
    /** Previous store, in the state at the time when the backup replaced the store. */
    let left: Store
    const ids = new Map<string, string>()
    const ends: (() => Promise<void>)[] = []
    after(async () => {
      for (const end of ends.reverse()) await end()
    })

    const open = async (storage: TestStorage): Promise<Store> => {
      const store = await openStore({ ...storage, log: silentLog })
      ends.push(() => store.close())
      return store
    }
    const copyOf = async ({ dataDir, databaseUrl }: TestStorage): Promise<TestStorage> => {
      const copy = await testStorage('sqlite')
      await cp(dataDir, copy.dataDir, { recursive: true })
      ends.push(() => copy.remove())
      if (databaseUrl === undefined) return copy
      const made = await createTestDatabase(new URL(databaseUrl).pathname.slice(1))
      ends.push(() => made.drop())
      return { ...copy, databaseUrl: made.url }
    }
    const accept = async (store: Store, email: string, more: object = {}): Promise<void> => {
      const item = messageTo(owner, [email], more)
      ids.set(email, item.message.id)
      await store.write(acceptMessage, item)
    }
    const standing = (store: Store, email: string) =>
      standingOf(store, { messageId: ids.get(email) as string })

    before(async () => {
      backup = await testStorage(database)
      ends.push(() => backup.remove())
      const first = await openStore({ ...backup, log: silentLog })
      owner = await createOwner(first)
      for (const name of ['done', 'gone', 'slow', 'idle']) await accept(first, `${name}@receiver.example`)
      const later = messageTo(owner, ['later@receiver.example'])
      const sendAt = NOW + 3_600_000
      await accept(first, 'later@receiver.example', {
        message: { ...later.message, send_at: sendAt },
        recipients: later.recipients.map((one) => ({ ...one, startTag: sendAt })),
      })
      await first.close()
      left = await open(await copyOf(backup))
      for (const one of (await claim(left)).recipients) {
        if (one.email.startsWith('done')) await finish(left, one, 'delivered')
        else if (one.email === GONE) await finish(left, one, 'bounced')
        else if (one.email.startsWith('slow')) await finish(left, one, 'deferred', NOW + 600_000)
      }
      await accept(left, 'new@receiver.example')
      const { accountId: account_id, domainId: domain_id } = owner
      await left.write(suppress, {
        ...{ account_id, domain_id, stream: 'transactional', email: GONE },
        ...{ reason: 'hard_bounce', message_id: null, created_at: NOW },
      })
    })

    test('takes over the outcomes from the previous store', async () => {
      const store = await open(await copyOf(backup))
      const done = await settleRestored({ store, clock }, left.read, 'unknown')
      assert.deepEqual(
        { ...done, newestMessage: undefined },
        {
          ...{ restored: null, held: 0, carriedOver: 2, waiting: 3, suppressions: 1 },
          ...{ lostMessages: 1, newestMessage: undefined },
        },
      )
      await settled(store)
      const { recipients } = await claim(store)
      assert.deepEqual(recipients.map(({ email }) => email).toSorted(), [
        'idle@receiver.example',
        'slow@receiver.example',
      ])
      const shown = await new QueueControl(store, clock).show(ids.get('done@receiver.example') as string)
      assert.equal(shown.message.status, 'delivered')
      assert.equal(shown.attempts.length, 1)
      const events = await store.read.selectFrom('events').selectAll().where('email', '=', GONE).execute()
      assert.deepEqual(events.map(({ type }) => type).toSorted(), ['accepted', 'bounced', 'sending'])
      const [counts] = await store.read.selectFrom('message_counts').selectAll().execute()
      assert.deepEqual([counts?.accepted, counts?.delivered, counts?.bounced], [5, 1, 1])
      const found = await findSuppressions(store.read, [
        { domainId: owner.domainId, stream: 'transactional', email: GONE },
      ])
      assert.equal(found.size, 1)
    })

    test('without a previous store, holds all that may have been delivered until an operator decides', async () => {
      const store = await open(await copyOf(backup))
      const queue = new QueueControl(store, clock)
      const done = await settleRestored({ store, clock }, undefined, 'unknown')
      assert.deepEqual([done.held, done.waiting, done.lostMessages], [4, 1, null])
      const restored = done.restored as string
      assert.deepEqual((await claim(store)).recipients, [])
      assert.equal(await standing(store, GONE), `held restored ${restored}`)
      assert.equal(await standing(store, 'later@receiver.example'), 'deferred')
      // Messages accepted after the restore are sent.
      await accept(store, 'fresh@receiver.example')
      const [fresh] = (await claim(store)).recipients
      assert.equal(fresh?.email, 'fresh@receiver.example')
      assert.ok(fresh !== undefined && (await finish(store, fresh, 'delivered')))
      // A retry of the whole queue does not include held recipients.
      await queue.act('retry', {})
      assert.deepEqual((await claim(store)).recipients, [])
      assert.equal(await queue.act('retry', { message: ids.get('idle@receiver.example') }), 1)
      const [idle] = (await claim(store)).recipients
      assert.equal(idle?.email, 'idle@receiver.example')
      assert.equal(idle?.possibleDuplicate, true)
      const [gone] = await queue.waiting({ restored }, 1)
      assert.ok(gone !== undefined)
      assert.equal(await queue.act('cancel', { restored, message: gone.messageId }), 1)
      const mistyped = restored.replace(/\.\d+Z$/, 'Z')
      for (const action of ['retry', 'cancel'] as const) {
        await assert.rejects(queue.act(action, { restored: mistyped }), /No message is held by a restore at/)
      }
      await queue.resume({ kind: 'restored', value: restored })
      assert.equal((await claim(store)).recipients.length, 2)
      await assert.rejects(
        queue.resume({ kind: 'restored', value: restored }),
        /No message is held by a restore/,
      )
    })

    test(
      'holds all, or nothing, if requested',
      thorough('0.6 CPU s: a store with mail is restored in three ways'),
      async () => {
        const [all, none] = [await open(await copyOf(backup)), await open(await copyOf(backup))]
        assert.equal((await settleRestored({ store: all, clock }, left.read, 'all')).held, 2)
        assert.deepEqual((await claim(all)).recipients, [])
        // A second run changes nothing.
        assert.equal((await settleRestored({ store: all, clock }, left.read, 'unknown')).carriedOver, 0)
        assert.equal((await settleRestored({ store: none, clock }, undefined, 'none')).held, 0)
        assert.equal((await claim(none)).recipients.length, 4)
      },
    )
  })
}
