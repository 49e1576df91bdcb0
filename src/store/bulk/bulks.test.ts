// Stored bulks on both databases: each row becomes one message under a lease, and the content of the bulk is removed
// together with the last message.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { claim, createOwner, messageTo, NOW } from '../../../test/support/queued.ts'
import { DATABASES, openTestStore, settled } from '../../../test/support/store.ts'
import { systemClock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { erase } from '../../operator/erasure.ts'
import { acceptBulkRows } from '../accepting/accept-bulk.ts'
import type { Store } from '../database/store.ts'
import { DeltaBase } from '../messages/delta.ts'
import { findContent, type Owner } from '../messages/messages.ts'
import { readStoredBytes } from '../messages/stored-bytes.ts'
import type { HeldWork } from '../node/leased-work.ts'
import { cancelRecipients } from '../queue/queue-control.ts'
import { contentDays, removeDay } from '../removal/content-days.ts'
import { removeOld } from '../removal/retention.ts'
import { discardBulk, forgetBulks } from './bulk-removal.ts'
import {
  addBulkRows,
  cancelBulk,
  claimBulk,
  endRestoredBulks,
  findBulk,
  hasDueBulks,
  hasWaitingMessages,
  listPendingRows,
  listSentRows,
  openBulk,
  othersWait,
  type PendingRow,
  queueBulk,
  type ReleaseBulk,
  releaseBulk,
} from './bulks.ts'

const BASE = Buffer.from(`{"subject":"Hello","text":"${'The same for everybody. '.repeat(100)}"}`)
const textOf = (row: number): string =>
  `"subject":"Row ${row}","text":"${'The same for everybody. '.repeat(100)}"}`

for (const database of DATABASES) {
  describe(`a bulk on ${database}`, () => {
    let store: Store
    let owner: Owner
    let id: string
    beforeEach(async () => {
      store = await openTestStore(database)
      owner = await createOwner(store)
      id = newId('blk')
    })
    afterEach(() => store.close())

    async function loading(rows: number): Promise<void> {
      const ids = { account_id: owner.accountId, domain_id: owner.domainId }
      await store.write(openBulk, {
        bulk: {
          ...{ id, ...ids, key_id: 'key_test', name: null, tag: null, stream: 'transactional' },
          ...{ template_id: null, subject: 'Hello', status: 'loading', problem: null, retry_at: 0 },
          ...{ total: 0, accepted: 0, refused: 0, contents: 0, lease: null, lease_until: null },
          ...{ created_at: NOW, finished_at: null, inbox_id: null },
        },
        content: { bulk_id: id, ...ids, source: Buffer.from('{}'), base: BASE },
      })
      await store.write(addBulkRows, {
        bulk: { id, ...ids },
        rows: Array.from({ length: rows }, (_, row) => ({
          ...{ line: row + 2, email: `r${row}@receiver.example`, data: `${row}`, refusal: null },
        })),
      })
    }

    async function queued(rows: number): Promise<void> {
      await loading(rows)
      const queueing = { accountId: owner.accountId, id, total: rows, refused: 0, idempotency: undefined }
      await store.write(queueBulk, queueing)
    }

    async function held(lease: string, now = NOW): Promise<HeldWork | undefined> {
      const bulk = await store.write(claimBulk, { now, lease, leaseUntil: now + 60_000 })
      return bulk && { accountId: bulk.account_id, id: bulk.id, lease }
    }

    /** Accepts the pending rows with even numbers, and refuses the rows with odd numbers. */
    async function accept(work: HeldWork, damaged?: readonly number[], read?: readonly PendingRow[]) {
      const pending = read ?? (await listPendingRows(store.read, id, 0, 100))
      const base = new DeltaBase(BASE, 1)
      const good = pending.filter(({ data }) => Number(data) % 2 === 0)
      const contents = good.map(({ data }) => base.encode(Buffer.from(textOf(Number(data)))))
      if (damaged !== undefined) contents[0] = Uint8Array.from(damaged)
      let contentEnd = 0
      return store.write(acceptBulkRows, {
        ...work,
        messages: good.map(({ line, data }, index) => {
          contentEnd += contents[index]?.length ?? 0
          const { message, recipients, counted } = messageTo(owner, [`r${data}@receiver.example`])
          return { line, contentEnd, message: { ...message, size: 2_500 }, recipients, counted }
        }),
        contents: Buffer.concat(contents),
        refused: pending
          .filter(({ data }) => Number(data) % 2 === 1)
          .map(({ line }) => ({ line, refusal: '[{"message":"odd"}]' })),
      })
    }

    test('becomes messages under its lease only, each row once, with contents that are deltas', async () => {
      await queued(10)
      const first = await held('one')
      assert.ok(first)
      assert.equal(await held('two'), undefined, 'one of an account at a time')
      const after = await held('three', NOW + 120_000)
      assert.ok(after, 'its holder has died')
      assert.deepEqual(await accept(first), { kind: 'lost' })
      assert.deepEqual(await accept(after), { kind: 'kept', accepted: 5, suppressed: [] })
      assert.deepEqual(
        await accept(after),
        { kind: 'kept', accepted: 0, suppressed: [] },
        'no row is pending',
      )
      const bulk = await findBulk(store.read, owner, id)
      assert.deepEqual([bulk?.status, bulk?.accepted, bulk?.refused, bulk?.contents], ['running', 5, 5, 5])
      const sent = await listSentRows(store.read, id, 0, 100)
      const claimed = await claim(store)
      assert.equal(claimed.recipients.length, 5)
      for (const [index, { message_id }] of sent.entries()) {
        const expected = `{${textOf(2 * index)}`
        assert.equal((await findContent(store.read, owner, message_id))?.content.toString(), expected)
        const content = claimed.contents.get(message_id)?.content
        assert.equal(Buffer.from(content as Uint8Array).toString(), expected)
      }
    })

    test('makes no second message from a row that was read before a commit without an answer', async () => {
      await queued(10)
      const work = (await held('one')) as HeldWork
      const read = await listPendingRows(store.read, id, 0, 100)
      const [first, second] = [read.slice(0, 4), read.slice(3)]
      assert.deepEqual(await accept(work, undefined, first), { kind: 'kept', accepted: 2, suppressed: [] })
      assert.deepEqual(await accept(work, undefined, first), { kind: 'lost' })
      assert.deepEqual(await accept(work, undefined, second), { kind: 'lost' })
      assert.deepEqual(await accept(work), { kind: 'kept', accepted: 3, suppressed: [] })
      const bulk = await findBulk(store.read, owner, id)
      assert.deepEqual([bulk?.accepted, bulk?.refused, bulk?.contents], [5, 5, 5])
      assert.equal((await claim(store)).recipients.length, 5)
    })

    test('loses its lease at once when it is cancelled, and is claimed again until that is done', async () => {
      await queued(4)
      const work = await held('one')
      assert.equal(await store.write(cancelBulk, { owner, id, isOver: false }), true)
      assert.equal(await store.write(cancelBulk, { owner, id, isOver: false }), false)
      assert.deepEqual(await accept(work as HeldWork), { kind: 'lost' })
      const again = (await held('two')) as HeldWork
      assert.equal((await findBulk(store.read, owner, id))?.status, 'cancelling')
      const left = { ...again, status: 'cancelled' as const, problem: null, retryAt: NOW, now: NOW }
      assert.equal(await store.write(releaseBulk, left), true)
      assert.equal(await hasDueBulks(store.read, NOW + 1_000_000), false)
      const content = await store.read.selectFrom('bulk_contents').selectAll().execute()
      assert.deepEqual(content, [], 'no message needs it')
    })

    test('is claimed for its cancellation after it is done, while messages of it wait, in addition to a running bulk', async () => {
      await queued(4)
      const work = (await held('one')) as HeldWork
      await accept(work)
      const end = { problem: null, retryAt: 0, now: NOW }
      await store.write(releaseBulk, { ...work, ...end, status: 'done' })
      assert.equal(await hasWaitingMessages(store.read, id), true)
      const done = id
      id = newId('blk')
      await queued(2)
      assert.equal((await held('sending'))?.id, id)
      assert.equal(await store.write(cancelBulk, { owner, id: done, isOver: false }), false)
      assert.equal(await store.write(cancelBulk, { owner, id: done, isOver: true }), true)
      assert.equal(await store.write(cancelBulk, { owner, id: done, isOver: true }), false)
      const again = (await held('cancelling')) as HeldWork
      assert.equal(again.id, done)
      const sent = await listSentRows(store.read, done, 0, 100)
      const [first, ...others] = sent.map(({ message_id }) => message_id)
      const cancel = (messageIds: readonly string[]) =>
        store.write(cancelRecipients, { selection: { owner, messageIds }, by: 'sender', now: NOW })
      await cancel([first ?? ''])
      assert.equal(await hasWaitingMessages(store.read, done), true)
      await cancel(others)
      assert.equal(await hasWaitingMessages(store.read, done), false)
      assert.equal(await store.write(releaseBulk, { ...again, ...end, status: 'cancelled' }), true)
      const bulk = await findBulk(store.read, owner, done)
      assert.deepEqual([bulk?.status, bulk?.finished_at, bulk?.accepted], ['cancelled', NOW, 2])
    })

    test('is claimed again after a pause when its time has come', async () => {
      await queued(2)
      const work = (await held('one')) as HeldWork
      const left = { ...work, status: 'paused' as const, problem: '{}', retryAt: NOW + 30_000, now: NOW }
      await store.write(releaseBulk, left)
      assert.equal(await hasDueBulks(store.read, NOW + 29_999), false)
      assert.equal(await held('two', NOW + 29_999), undefined)
      assert.ok(await held('three', NOW + 30_000))
    })

    test('is not starved by bulks of accounts with short turns, nor by a paused one', async () => {
      const turn = async (at: number, status: ReleaseBulk['status'], retryAt = at): Promise<string> => {
        const work = (await held('one')) as HeldWork
        await store.write(releaseBulk, { ...work, status, problem: null, retryAt, now: at })
        return work.accountId
      }
      const large = owner.accountId
      await queued(2)
      assert.equal(await turn(NOW + 1, 'queued'), large)
      owner = await createOwner(store)
      const small = owner.accountId
      for (id of [newId('blk'), newId('blk'), newId('blk')]) await queued(2)
      assert.equal(await turn(NOW + 2, 'done'), small)
      assert.equal(await turn(NOW + 3, 'queued'), large)
      assert.equal(await turn(NOW + 4, 'paused', NOW + 30_000), small)
      assert.equal(await turn(NOW + 5, 'queued'), small, 'to be paused is no turn')
      assert.equal(await turn(NOW + 6, 'queued'), large)
    })

    test('takes turns with bulks of other accounts, and a cancellation comes first', async () => {
      const wait = (cancelled: boolean, now = NOW) =>
        othersWait(store.read, owner.accountId, { now, cancelled })
      const [first, of] = [id, owner]
      await queued(2)
      const work = (await held('one')) as HeldWork
      id = newId('blk')
      await queued(2)
      assert.equal(await wait(false), false, 'those of an account come one after the other')
      const other = await createOwner(store)
      const [second, third] = [newId('blk'), newId('blk')]
      for (id of [second, third]) {
        owner = other
        await queued(2)
      }
      owner = of
      assert.equal(await wait(false), true)
      assert.equal(await wait(true), false)
      await store.write(releaseBulk, { ...work, status: 'queued', problem: null, retryAt: NOW + 1, now: NOW })
      const others = (await held('two')) as HeldWork
      assert.equal(others.id, second)
      assert.equal((await held('three'))?.id, first)
      await store.write(releaseBulk, {
        ...others,
        status: 'queued',
        problem: null,
        retryAt: NOW + 2,
        now: NOW,
      })
      await store.write(cancelBulk, { owner: other, id: third, isOver: false })
      assert.equal(await wait(true), true)
      const cancelling = (await held('four')) as HeldWork
      assert.equal(cancelling.id, third)
      const failed = { status: 'cancelling' as const, problem: null, retryAt: NOW + 30_000, now: NOW }
      await store.write(releaseBulk, { ...cancelling, ...failed })
      assert.equal(await wait(true), false)
      assert.equal(await wait(true, NOW + 30_000), true)
    })

    const byMessage = async (): Promise<void> => {
      const sweep = { kind: 'content', domainId: '', stream: '', keptMs: 0 } as const
      await store.write(removeOld, { sweep, now: Date.now() + 1_000, limit: 100, skippedAfter: undefined })
    }
    const byDay = async (): Promise<void> => {
      for (const day of await contentDays(store.read)) {
        await store.unlimited?.((db) => removeDay(db, day), new AbortController().signal)
      }
    }
    const testRemoval = (words: string, remove: () => Promise<void>) =>
      test(`keeps its content until the last message has none, counts it once, and is then removed (${words})`, async () => {
        await queued(4)
        const work = (await held('one')) as HeldWork
        await accept(work)
        await store.write(releaseBulk, { ...work, status: 'done', problem: null, retryAt: 0, now: NOW })
        await settled(store)
        const bytes = await readStoredBytes(store.read, owner.accountId)
        assert.ok(bytes > BASE.length && bytes < BASE.length + 2 * 60, `${bytes}`)
        const forgetting = { made: NOW + 1, unfinished: NOW + 1, limit: 3 }
        assert.equal(await store.write(forgetBulks, forgetting), false, 'its messages need it')
        await store.write(cancelRecipients, { selection: { owner }, by: 'sender', now: NOW })
        await settled(store)
        await remove()
        const left = await store.read.selectFrom('message_contents').selectAll().execute()
        assert.deepEqual(left, [])
        assert.deepEqual(await store.read.selectFrom('bulk_contents').selectAll().execute(), [])
        assert.equal(await readStoredBytes(store.read, owner.accountId), 0)
        while (await store.write(forgetBulks, forgetting));
        assert.deepEqual(await store.read.selectFrom('bulk_rows').selectAll().execute(), [])
        assert.deepEqual(await store.read.selectFrom('bulks').selectAll().execute(), [])
      })
    testRemoval('by message', byMessage)
    if (database === 'postgres') testRemoval('by day', byDay)

    test('ends after a restore, since its rows may have been sent after the backup', async () => {
      await queued(4)
      assert.equal(await store.write(endRestoredBulks, { now: NOW }), 1)
      const bulk = await findBulk(store.read, owner, id)
      assert.equal(bulk?.status, 'cancelled')
      assert.match(bulk?.problem ?? '', /restored from a backup/)
      assert.equal(await hasDueBulks(store.read, NOW), false)
      assert.equal((await listPendingRows(store.read, id, 0, 10)).length, 4, 'they can be told')
    })

    test('is discarded if it was not accepted, and kept if it was', async () => {
      const item = { accountId: owner.accountId, id, limit: 3 }
      await queued(4)
      assert.equal(await store.write(discardBulk, item), false)
      assert.ok(await findBulk(store.read, owner, id))
      const queuedId = id
      id = newId('blk')
      await loading(4)
      assert.equal(await store.write(discardBulk, { ...item, id }), true)
      assert.equal(await store.write(discardBulk, { ...item, id }), false)
      const left = await store.read.selectFrom('bulks').select('id').execute()
      assert.deepEqual(left, [{ id: queuedId }])
      const rows = await store.read.selectFrom('bulk_rows').select('bulk_id').distinct().execute()
      assert.deepEqual(rows, [{ bulk_id: queuedId }])
    })

    test('skips a damaged content and continues with the others', async () => {
      await queued(4)
      await accept((await held('one')) as HeldWork, [1, 2, 3])
      const { contents, recipients } = await claim(store)
      assert.equal(recipients.length, 2)
      assert.equal(contents.size, 1)
    })

    test('blocks the erasure of a waiting address, and not of a refused one', async () => {
      await queued(4)
      const parts = { store, clock: systemClock, webhooksMs: 1_000, auditMs: 1_000 }
      const scope = { accountId: owner.accountId, domainId: owner.domainId }
      await assert.rejects(erase(parts, 'R1@receiver.example', scope), { code: 'conflict' })
      await accept((await held('one')) as HeldWork)
      const { rows } = await erase(parts, 'R1@receiver.example', scope)
      assert.equal(rows.bulk_rows, 1)
      const left = await store.read.selectFrom('bulk_rows').select('email').execute()
      assert.ok(!left.some(({ email }) => email.startsWith('r1@')))
    })
  })
}
