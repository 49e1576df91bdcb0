// The store on both databases: accepting, claiming, outcomes, idempotency, and isolation of accounts in reads.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  claim as claimFrom,
  createOwner,
  finish as finishIn,
  type Held,
  messageTo,
  NOW,
} from '../../test/support/queued.ts'
import { DATABASES, openTestStore } from '../../test/support/store.ts'
import { newId } from '../lib/ids.ts'
import { nextMonth } from '../model/allowance.ts'
import { type AcceptMessage, acceptMessage } from './accepting/accept-message.ts'
import { changeAccount, createAccount, WITHOUT_LIMITS } from './access/accounts.ts'
import type { Store } from './database/store.ts'
import { findContent, findMessage, type Owner } from './messages/messages.ts'
import {
  cancelRecipients,
  pauseQueue,
  resumeQueue,
  retryRecipients,
  summariseQueue,
} from './queue/queue-control.ts'
import { queueOutlook } from './queue/queue-moves.ts'
import { lastReplies } from './queue/waiting.ts'
import { listMessages } from './search/message-search.ts'

for (const database of DATABASES) {
  describe(`store on ${database}`, () => {
    let store: Store
    let owner: Owner

    before(async () => {
      store = await openTestStore(database)
      owner = await createOwner(store)
    })
    after(() => store.close())

    const message = (emails: string[], more: Partial<AcceptMessage> = {}): AcceptMessage =>
      messageTo(owner, emails, more)
    const claim = async (limit = 1000): Promise<readonly Held[]> =>
      (await claimFrom(store, { limit })).recipients
    const finish = (claimed: Held, status: 'delivered' | 'deferred' | 'bounced', next?: number) =>
      finishIn(store, claimed, status, next)

    test('returns a message as it was accepted, with identical content bytes', async () => {
      const item = message(['b@example.com', 'c@example.org'])
      assert.deepEqual(await store.write(acceptMessage, item), { kind: 'accepted' })
      const found = await findMessage(store.read, owner, item.message.id)
      assert.equal(found?.message.subject, item.message.subject)
      assert.deepEqual(
        found?.recipients.map((one) => [one.email, one.status, one.next_attempt_at]),
        [
          ['b@example.com', 'queued', NOW],
          ['c@example.org', 'queued', NOW],
        ],
      )
      assert.deepEqual(
        found?.events.map((one) => one.type),
        ['accepted', 'accepted'],
      )
      const content = await findContent(store.read, owner, item.message.id)
      assert.equal(content?.content.toString(), item.content)
    })

    test('shows nothing to another account or domain', async () => {
      const item = message(['b@example.com'])
      await store.write(acceptMessage, item)
      const { id } = item.message
      assert.equal(await findMessage(store.read, { ...owner, accountId: newId('acc') }, id), undefined)
      assert.equal(await findMessage(store.read, { ...owner, domainId: newId('dom') }, id), undefined)
      assert.equal(await findContent(store.read, { ...owner, domainId: newId('dom') }, id), undefined)
    })

    test('keeps all concurrent writes, each with its own result', async () => {
      const items = Array.from({ length: 300 }, (_, index) => message([`r${index}@example.com`]))
      const results = await Promise.all(items.map((item) => store.write(acceptMessage, item)))
      assert.ok(results.every((result) => result.kind === 'accepted'))
      const duplicate = items[0] as AcceptMessage
      const mixed = await Promise.allSettled([
        store.write(acceptMessage, message(['x@example.com'])),
        store.write(acceptMessage, duplicate),
        store.write(acceptMessage, message(['y@example.com'])),
      ])
      assert.deepEqual(
        mixed.map((one) => one.status),
        ['fulfilled', 'rejected', 'fulfilled'],
      )
    })

    test('gives claimed recipients to no other claim, and every claim finds all due ones', async () => {
      const claims = await Promise.all(Array.from({ length: 8 }, () => claim(50)))
      const rest = await claim()
      const keys = [...claims.flat(), ...rest].map((one) => `${one.messageId} ${one.position}`)
      assert.equal(new Set(keys).size, keys.length)
      assert.ok(keys.length >= 300)
      assert.deepEqual(await claim(), [])
      for (const claimed of [...claims.flat(), ...rest])
        assert.equal(await finish(claimed, 'delivered'), true)
      assert.equal((await queueOutlook(store.read)).dueAt, undefined)
    })

    test('moves recipient and message by an outcome, and refuses it under a lost lease', async () => {
      const item = message(['b@example.com', 'c@example.com'])
      await store.write(acceptMessage, item)
      const [first, second] = (await claim()) as [Held, Held]
      assert.equal((await findMessage(store.read, owner, item.message.id))?.message.status, 'sending')
      assert.equal(await finish({ ...first, lease: 'another' }, 'bounced'), false)
      assert.equal(await finish(first, 'delivered'), true)
      assert.equal(await finish(first, 'bounced'), false, 'a second result for the same attempt')
      assert.equal(await finish(second, 'deferred', NOW + 60_000), true)
      assert.equal((await findMessage(store.read, owner, item.message.id))?.message.status, 'sending')
      assert.equal((await queueOutlook(store.read)).dueAt, NOW + 60_000)
      const [reply, ...others] = await lastReplies(store.read, ['example.com', 'nobody.example'])
      assert.deepEqual([reply?.destination, reply?.messageId], ['example.com', item.message.id])
      assert.deepEqual(others, [])
      const selection = { messageId: item.message.id }
      assert.equal((await store.write(retryRecipients, { selection, now: NOW })).recipients, 1)
      const [again] = (await claim()) as [Held]
      assert.equal(again.attempt, 2)
      await finish(again, 'bounced')
      const found = await findMessage(store.read, owner, item.message.id)
      assert.equal(found?.message.status, 'partially_delivered')
      assert.equal(found?.recipients[1]?.smtp_code, 250)
      assert.deepEqual(found?.events.map((event) => event.type).sort(), [
        'accepted',
        'accepted',
        'bounced',
        'deferred',
        'delivered',
        'sending',
        'sending',
        'sending',
      ])
    })

    test('adds up outcomes of one message that are written at the same time', async () => {
      for (let round = 0; round < 20; round++) {
        const item = message(['a@example.com', 'b@example.com', 'c@example.com'])
        await store.write(acceptMessage, item)
        const all = await claim()
        // Each outcome is written in a separate commit, as far as the database allows.
        await Promise.all(
          all.map(async (claimed, index) => {
            for (let ticks = 0; ticks < index * 3; ticks++) await Promise.resolve()
            await finish(claimed, index === 0 ? 'bounced' : 'delivered')
          }),
        )
        const found = await findMessage(store.read, owner, item.message.id)
        assert.equal(found?.message.status, 'partially_delivered')
      }
    })

    test('replays the answer of an idempotency key, and refuses another body', async () => {
      const idempotency = { key: 'k1', bodyHash: 'h1', response: '{"a":1}' }
      const items = Array.from({ length: 20 }, () => message(['b@example.com'], { idempotency }))
      const results = await Promise.all(items.map((item) => store.write(acceptMessage, item)))
      assert.equal(results.filter((result) => result.kind === 'accepted').length, 1)
      assert.equal(
        results.filter((result) => result.kind === 'replayed' && result.response === '{"a":1}').length,
        19,
      )
      const other = message(['b@example.com'], { idempotency: { ...idempotency, bodyHash: 'h2' } })
      assert.deepEqual(await store.write(acceptMessage, other), { kind: 'key_reused' })
      const later = message(['b@example.com'], { idempotency: { ...idempotency, bodyHash: 'h2' } })
      const nextDay = { ...later, message: { ...later.message, created_at: NOW + 24 * 3_600_000 + 1 } }
      assert.deepEqual(await store.write(acceptMessage, nextDay), { kind: 'accepted' })
      for (const claimed of await claim()) await finish(claimed, 'delivered')
    })

    test('answers concurrent keys with the first result, within a day', async () => {
      const keyed = (key: string, bodyHash: string, at: number): AcceptMessage => {
        const item = message(['b@example.com'], { idempotency: { key, bodyHash, response: `"${bodyHash}"` } })
        return { ...item, message: { ...item.message, created_at: at } }
      }
      const write = (item: AcceptMessage) => store.write(acceptMessage, item)
      const day = 24 * 3_600_000
      for (const key of ['old', 'recent', 'edge']) await write(keyed(key, 'before', NOW))
      const now = NOW + day
      const results = await Promise.all([
        write(keyed('lone', 'x', now)),
        ...[keyed('recent', 'before', now - 1), keyed('old', 'new', now + 1), keyed('fresh', 'a', now)].map(
          write,
        ),
        ...[keyed('fresh', 'a', now), keyed('old', 'new', now + 1), keyed('fresh', 'b', now)].map(write),
        ...[keyed('edge', 'before', now), keyed('recent', 'other', now)].map(write),
      ])
      assert.deepEqual(
        results.map((result) => (result.kind === 'replayed' ? result.response : result.kind)),
        [
          'accepted',
          ...['"before"', 'accepted', 'accepted'],
          ...['"a"', '"new"', 'key_reused'],
          ...['"before"', 'key_reused'],
        ],
      )
      for (const claimed of await claim()) await finish(claimed, 'delivered')
    })

    /** Returns messages to two recipients each, from a new account with this sending allowance. */
    async function ofSmallAccount(sending_allowance: number, count: number, key?: string) {
      const accountId = newId('acc')
      await store.write(createAccount, {
        id: accountId,
        name: 'Small',
        ...WITHOUT_LIMITS,
        sending_allowance,
        created_at: NOW,
      })
      return Array.from({ length: count }, (_, index) => {
        const idempotency = key && { key: `${key}${index}`, bodyHash: 'h', response: '{}' }
        const more = { counted: true, ...(idempotency ? { idempotency } : {}) }
        const item = message(['b@example.com', 'c@example.com'], more)
        return { ...item, message: { ...item.message, account_id: accountId } }
      })
    }

    test('uses up an allowance by concurrent messages, and a refused one leaves its key unused', async () => {
      const items = await ofSmallAccount(7, 5, 'used-up')
      const write = (item: AcceptMessage) => store.write(acceptMessage, item)
      const [first, ...others] = items.map(write)
      const results = [await first, ...(await Promise.all(others))]
      const refused = items.filter((_, index) => results[index]?.kind === 'allowance_exhausted')
      assert.equal(refused.length, 2)
      const single = refused.map((item) => ({ ...item, recipients: item.recipients.slice(0, 1) }))
      const again = await Promise.all(single.map(write))
      assert.deepEqual(again.map(({ kind }) => kind).sort(), ['accepted', 'allowance_exhausted'])
    })

    test('renews an allowance with the first message of the month', async () => {
      const items = await ofSmallAccount(3, 6)
      const id = items[0]?.message.account_id as string
      const changes = { sending_allowance: 3, allowance_renews: 'month' } as const
      await store.write(changeAccount, { id, changes, now: NOW })
      const at = nextMonth(NOW)
      const send = async (index: number, created_at: number): Promise<string> => {
        const item = items[index] as AcceptMessage
        return (await store.write(acceptMessage, { ...item, message: { ...item.message, created_at } })).kind
      }
      assert.deepEqual([await send(0, at - 1), await send(1, at - 1)], ['accepted', 'allowance_exhausted'])
      assert.deepEqual([await send(2, at), await send(3, at)], ['accepted', 'allowance_exhausted'])
      const row = await store.read
        .selectFrom('accounts')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      assert.deepEqual(
        [row.sending_allowance, row.monthly_allowance, row.allowance_renews_at],
        [1, 3, nextMonth(at)],
      )
      // A node whose clock is slow renews nothing again.
      assert.equal(await send(4, at - 1), 'allowance_exhausted')
      await store.write(changeAccount, { id, changes: { sending_allowance: 1 }, now: at })
      assert.equal(await send(5, at + 1), 'allowance_exhausted')
    })

    test('never exceeds an allowance', async () => {
      const items = await ofSmallAccount(5, 4)
      const results = await Promise.all(items.map((item) => store.write(acceptMessage, item)))
      assert.deepEqual(results.map((result) => result.kind).sort(), [
        'accepted',
        'accepted',
        'allowance_exhausted',
        'allowance_exhausted',
      ])
    })

    test('filters and pages lists, and % and _ have no special meaning', async () => {
      const first = message(['needle@example.com'])
      await store.write(acceptMessage, first)
      const plain = message(['needle@example.com'])
      await store.write(acceptMessage, {
        ...plain,
        message: { ...plain.message, subject: 'plain', tag: 't' },
        tags: ['t', 'a "b" %_'],
      })
      const list = (filter: object, limit = 50, cursor?: string) =>
        listMessages(store.read, owner, filter, limit, cursor).then((page) => page.messages)
      assert.equal((await list({ recipient: 'needle@example.com' })).length, 2)
      assert.equal((await list({ recipient: 'needle@example.com', subject: '100%_\\' })).length, 1)
      assert.equal((await list({ recipient: 'needle@example.com', subject: '1%0' })).length, 0)
      assert.equal((await list({ tag: 't', status: 'queued' })).length, 1)
      assert.equal((await list({ tag: 'a "b" %_', status: 'queued' })).length, 1)
      assert.equal((await list({ tag: 'a "b" %%', status: 'queued' })).length, 0)
      const [newest] = await list({}, 1)
      const [older] = await list({}, 1, newest?.message.id)
      assert.ok(newest && older && newest.message.id > older.message.id)
      assert.equal(newest.recipients[0]?.email, 'needle@example.com')
    })

    test('cancels a message for its owner only, and each recipient is either claimed or cancelled', async () => {
      for (const claimed of await claim()) await finish(claimed, 'delivered')
      const stranger = { accountId: owner.accountId, domainId: 'dom_other' }
      const items = Array.from({ length: 60 }, (_, index) =>
        message([`a@race${index}.example`, `b@race${index}.example`]),
      )
      await Promise.all(items.map((item) => store.write(acceptMessage, item)))
      const ids = items.map((item) => item.message.id)
      const cancel = (messageId: string, whose = owner) =>
        store.write(cancelRecipients, { selection: { owner: whose, messageId }, by: 'sender', now: NOW })
      assert.equal((await cancel(ids[0] as string, stranger)).recipients, 0)
      const claims = Array.from({ length: 20 }, () => claim(4))
      const [counts, claimed] = await Promise.all([
        Promise.all(ids.map((id) => cancel(id))),
        Promise.all(claims).then((all) => all.flat()),
      ])
      const cancelled = counts.reduce((sum, { recipients }) => sum + recipients, 0)
      const rest = await claim()
      assert.equal(cancelled + claimed.length + rest.length, 120)
      for (const [index, id] of ids.entries()) {
        const found = await findMessage(store.read, owner, id)
        const statuses = found?.recipients.map((recipient) => recipient.status) ?? []
        assert.equal(statuses.filter((status) => status === 'cancelled').length, counts[index]?.recipients)
        const events = found?.events.filter((event) => event.type === 'cancelled') ?? []
        assert.equal(events.length, counts[index]?.recipients)
        assert.equal((await cancel(id)).recipients, 0)
      }
      for (const one of [...claimed, ...rest]) await finish(one, 'delivered')
    })

    test('pauses, resumes and cancels the queue', async () => {
      for (const claimed of await claim()) await finish(claimed, 'delivered')
      await store.write(acceptMessage, message(['b@paused.example']))
      const pause = { kind: 'destination' as const, value: 'paused.example', created_at: NOW }
      assert.equal(await store.write(pauseQueue, pause), true)
      assert.equal(await store.write(pauseQueue, pause), false)
      assert.deepEqual(await claim(), [])
      const lines = await summariseQueue(store.read, 10)
      assert.ok(
        lines.some(
          (line) => line.destination === 'paused.example' && line.recipients === 1 && line.held === 1,
        ),
      )
      assert.deepEqual(await lastReplies(store.read, ['paused.example', 'nobody.example']), [])
      assert.equal(await store.write(resumeQueue, pause), true)
      const cancelled = await store.write(cancelRecipients, {
        selection: { destination: 'paused.example' },
        by: 'operator',
        now: NOW,
      })
      assert.equal(cancelled.recipients, 1)
      assert.deepEqual(await claim(), [])
    })
  })
}
