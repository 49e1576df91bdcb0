// Inbound messages in the store: accepted within limits, claimed by one node, finished once, removed by age.

import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { createOwner, NOW } from '../../../test/support/queued.ts'
import { DATABASES, openTestStore, settled } from '../../../test/support/store.ts'
import { TestClock } from '../../../test/support/test-clock.ts'
import { beforeIdsOf, newId } from '../../lib/ids.ts'
import { erase, everythingAbout } from '../../operator/erasure.ts'
import type { Store } from '../database/store.ts'
import type { Owner } from '../messages/owner.ts'
import { takeBackLeases } from '../node/node-leases.ts'
import {
  type AcceptInbound,
  acceptInbound,
  type ClaimedInbound,
  claimInbound,
  type FinishInbound,
  findParsedInbound,
  findRawInbound,
  finishInbound,
  type InboundFilter,
  listInbound,
  releaseInbound,
  renewInbound,
} from './inbound.ts'
import { removeOldInbound } from './inbound-removal.ts'
import { keepInboxMail } from './inbox.ts'

const DAY_MS = 86_400_000
const LIFETIMES = { webhooksMs: 7 * DAY_MS, auditMs: 365 * DAY_MS }

const mailFor = (
  { accountId, domainId }: Owner,
  { at = NOW, size = 100, from = 'jo@author.example', limit = 1_000, stored = null as number | null } = {},
): AcceptInbound => ({
  message: {
    // The ID contains the time `at`, whereas `newId` only makes IDs of the current time.
    id: `${beforeIdsOf('inb', at)}${newId('inb').slice(-16)}`,
    ...{ account_id: accountId, domain_id: domainId, stream: 'in', received_at: at, mail_from: from },
    ...{ rcpt_to: '["support@example.test"]', client_address: '192.0.2.1', helo: 'h', tls: null, size },
  },
  raw: Buffer.alloc(size, 'a'),
  storedBytesLimit: stored,
  inboundBytesLimit: limit,
})

const finding = (id: string, more: Partial<FinishInbound> = {}): FinishInbound => ({
  id,
  kind: 'message',
  flags: [],
  authentication: null,
  from: { email: 'Jo@Author.example', name: null },
  subject: 'Hello',
  headerMessageId: null,
  parsed: '{"text":"x"}',
  now: NOW,
  ...more,
})

const LEASE = 'nod_1.1'

for (const database of DATABASES) {
  describe(`inbound messages in ${database}`, () => {
    let store: Store
    before(async () => {
      store = await openTestStore(database)
    })
    after(() => store.close())
    // Finishes the messages that a test left unparsed, so that the next test does not claim them.
    afterEach(async () => {
      const left = await store.read
        .selectFrom('inbound_messages')
        .select('id')
        .where('state', '=', 'received')
        .execute()
      for (const { id } of left) await store.write(finishInbound, finding(id))
    })

    const bytesOf = async (accountId: string): Promise<[number, number]> => {
      const row = await store.read
        .selectFrom('stored_bytes')
        .selectAll()
        .where('account_id', '=', accountId)
        .executeTakeFirst()
      return [Number(row?.bytes ?? 0), Number(row?.inbound_bytes ?? 0)]
    }
    const claimAll = (now: number, again = true): Promise<ClaimedInbound[]> =>
      store.write(claimInbound, { lease: LEASE, limit: 100, now, until: now + 60_000, again })

    test('are refused beyond either limit of their account, for all streams of a mail or none', async () => {
      const owner = await createOwner(store)
      const accept = (...mails: AcceptInbound[]) => store.write(acceptInbound, { mails })
      assert.equal(await accept(mailFor(owner, { size: 600 }), mailFor(owner, { size: 300 })), 'accepted')
      assert.equal(await accept(mailFor(owner, { size: 60 }), mailFor(owner, { size: 60 })), 'full')
      assert.equal(await accept(mailFor(owner, { size: 101 })), 'full')
      assert.equal(await accept(mailFor(owner, { size: 50, stored: 940 })), 'full')
      assert.equal(await accept(mailFor(owner, { size: 100 })), 'accepted')
      assert.deepEqual(await bytesOf(owner.accountId), [1_000, 1_000])
      assert.equal((await listInbound(store.read, owner, {}, 10, undefined)).length, 3)
    })

    test('are claimed and renewed until a time in the future', async () => {
      const owner = await createOwner(store)
      const mail = mailFor(owner)
      await store.write(acceptInbound, { mails: [mail] })
      const ids = async () => (await claimAll(Date.now())).map(({ id }) => id)
      assert.deepEqual(await ids(), [mail.message.id])
      assert.deepEqual(await ids(), [])
      await store.write(renewInbound, { lease: LEASE, ids: [mail.message.id], until: Date.now() + 60_000 })
      assert.deepEqual(await ids(), [])
    })

    test('are claimed by one node at a time, until the claim ends or is released', async () => {
      const owner = await createOwner(store)
      const mail = mailFor(owner)
      await store.write(acceptInbound, { mails: [mail] })
      const { id } = mail.message
      const triesOf = (...claimed: readonly ClaimedInbound[][]) =>
        claimed.flat().flatMap((one) => (one.id === id ? one.tries : []))
      assert.deepEqual(triesOf(...(await Promise.all([claimAll(NOW), claimAll(NOW)]))), [1])
      assert.deepEqual(triesOf(await claimAll(NOW + 55_000)), [])
      await store.write(renewInbound, { lease: 'nod_2.1', ids: [id], until: NOW + 180_000 })
      await store.write(renewInbound, { lease: LEASE, ids: [id], until: NOW + 120_000 })
      assert.deepEqual(triesOf(await claimAll(NOW + 65_000)), [])
      assert.deepEqual(triesOf(await claimAll(NOW + 125_000)), [2])
      await store.write(releaseInbound, { lease: LEASE, ids: [] })
      await store.write(releaseInbound, { lease: 'nod_2.1', ids: [id] })
      assert.deepEqual(triesOf(await claimAll(NOW + 125_000)), [])
      // A node that stops releases its claim; the released claim does not count as a try.
      await store.write(releaseInbound, { lease: LEASE, ids: [id] })
      assert.deepEqual(triesOf(await claimAll(NOW + 125_000)), [2])
      // The node crashed and has restarted.
      await store.write(takeBackLeases, { node: 'nod_1' })
      assert.deepEqual(triesOf(await claimAll(NOW + 125_000)), [3])
    })

    test('are claimed one at a time after a failure, fewest tries first, in addition to new ones', async () => {
      const owner = await createOwner(store)
      const mails = Array.from({ length: 3 }, () => mailFor(owner))
      await store.write(acceptInbound, { mails })
      const tries = (claimed: readonly ClaimedInbound[]) => claimed.map((one) => one.tries).sort()
      assert.deepEqual(tries(await claimAll(NOW)), [1, 1, 1])
      const tried = new Set<string>()
      for (let round = 0; round < 3; round++) {
        await store.write(takeBackLeases, { node: 'nod_1' })
        assert.deepEqual(await claimAll(NOW, false), [])
        const [only, ...others] = await claimAll(NOW)
        assert.deepEqual([only?.tries, others], [2, []])
        tried.add(only?.id ?? '')
      }
      assert.equal(tried.size, 3)
      await store.write(takeBackLeases, { node: 'nod_1' })
      const fresh = mailFor(owner)
      await store.write(acceptInbound, { mails: [fresh] })
      assert.deepEqual(tries(await claimAll(NOW)), [1, 3])
    })

    test('are finished once, with one event', async () => {
      const owner = await createOwner(store)
      const mail = mailFor(owner)
      await store.write(acceptInbound, { mails: [mail] })
      const { id } = mail.message
      const finished = await Promise.all([1, 2, 3].map(() => store.write(finishInbound, finding(id))))
      assert.deepEqual(finished.filter(Boolean), [true])
      assert.deepEqual(await findParsedInbound(store.read, id), { text: 'x' })
      const events = await store.read.selectFrom('events').selectAll().where('message_id', '=', id).execute()
      assert.deepEqual(
        events.map(({ type, email }) => [type, email]),
        [['received', 'support@example.test']],
      )
      assert.equal(await store.write(finishInbound, finding('inb_gone')), false)
    })

    test('lose their content and then their record when they exceed their retention, and the parsed data is the same', async () => {
      const owner = await createOwner(store)
      const [old, young] = [mailFor(owner, { at: NOW - 10 * DAY_MS }), mailFor(owner)]
      await store.write(acceptInbound, { mails: [old, young] })
      await store.write(finishInbound, finding(old.message.id))
      await settled(store)
      const remove = (kind: 'content' | 'record' | 'transcript', days: number, stream = 'in') =>
        store.write(removeOldInbound, {
          sweep: { kind, domainId: owner.domainId, stream, keptMs: days * DAY_MS },
          now: NOW,
          limit: 10,
        })
      assert.deepEqual([await remove('content', 11), await remove('content', 9, 'other')], [0, 0])
      assert.equal(await remove('transcript', 0), 0)
      assert.equal(await remove('content', 9), 1)
      assert.equal(await findRawInbound(store.read, old.message.id), undefined)
      assert.equal(await findParsedInbound(store.read, old.message.id), undefined)
      assert.deepEqual(await bytesOf(owner.accountId), [100, 100])
      assert.equal((await listInbound(store.read, owner, {}, 10, undefined)).length, 2)
      assert.equal(await remove('record', 9), 1)
      assert.equal(await remove('record', 9), 0)
      const left = await listInbound(store.read, owner, {}, 10, undefined)
      assert.deepEqual(
        left.map(({ id }) => id),
        [young.message.id],
      )
      const part = await findRawInbound(store.read, young.message.id, { start: 10, end: 13 })
      assert.equal(Buffer.from(part ?? []).toString(), 'aaa')
    })

    test('are found by addresses in any case, including letters outside ASCII', async () => {
      const owner = await createOwner(store)
      const [mail, reply] = [mailFor(owner), mailFor(owner)]
      const to = { ...mail, message: { ...mail.message, rcpt_to: '["Ünal@Example.test"]' } }
      for (const one of [to, reply]) await store.write(acceptInbound, { mails: [one] })
      const from = { email: 'ÜNAL@author.example', name: null }
      await store.write(finishInbound, finding(reply.message.id, { from }))
      const ids = async (filter: object): Promise<string[]> =>
        (await listInbound(store.read, owner, filter, 10, undefined)).map(({ id }) => id)
      assert.deepEqual(await ids({ recipient: 'Ünal@example.test' }), [mail.message.id])
      assert.deepEqual(await ids({ from: 'ÜNal@Author.example' }), [reply.message.id])
      const clock = new TestClock(NOW)
      for (const email of ['Ünal@example.test', 'ÜNAL@author.example']) {
        assert.equal((await erase({ store, clock, ...LIFETIMES }, email, owner)).rows.inbound_messages, 1)
      }
      assert.deepEqual(await ids({}), [])
    })

    test('are erased with their author or their addressee, in the given domain alone', async () => {
      const [owner, other] = [await createOwner(store), await createOwner(store)]
      const mails = [mailFor(owner, { from: '' }), mailFor(other, { from: 'jo@author.example' })]
      const kept = mailFor(owner, { from: 'al@author.example' })
      for (const mail of [...mails, kept]) await store.write(acceptInbound, { mails: [mail] })
      for (const { message } of mails) await store.write(finishInbound, finding(message.id))
      await store.write(finishInbound, finding(kept.message.id, { from: undefined }))
      const rows: string[] = []
      for await (const { table } of everythingAbout(store.read, 'jo@author.example', owner)) rows.push(table)
      assert.deepEqual(rows.sort(), ['inbound_contents', 'inbound_messages', 'inbound_parsed'])
      const clock = new TestClock(NOW)
      const receipt = await erase({ store, clock, ...LIFETIMES }, 'JO@author.example', owner)
      assert.equal(receipt.rows.inbound_messages, 1)
      const ids = async (of: Owner) =>
        (await listInbound(store.read, of, {}, 10, undefined)).map(({ id }) => id)
      assert.deepEqual([await ids(owner), await ids(other)], [[kept.message.id], [mails[1]?.message.id]])
      await erase({ store, clock, ...LIFETIMES }, 'support@example.test', other)
      assert.deepEqual(await ids(other), [])
      assert.deepEqual(await bytesOf(other.accountId), [0, 0])
    })

    test('are found and erased by addresses with capital letters outside ASCII', async () => {
      const owner = await createOwner(store)
      const author = mailFor(owner, { from: '' })
      const { message, ...rest } = mailFor(owner, { from: '' })
      const addressed = { ...rest, message: { ...message, rcpt_to: '["Ökonom@example.test"]' } }
      for (const mail of [author, addressed]) await store.write(acceptInbound, { mails: [mail] })
      const from = { email: 'Änn@author.example', name: null }
      await store.write(finishInbound, finding(author.message.id, { from }))
      await store.write(finishInbound, finding(message.id))
      const mail = { received_at: NOW, rcpt_to: '', subject: '', size: 0, raw: Buffer.from('x') }
      await store.write(keepInboxMail, { ...mail, id: newId('inb'), mail_from: 'Änn@AUTHOR.example' })
      const ids = async (filter: InboundFilter) =>
        (await listInbound(store.read, owner, filter, 10, undefined)).map(({ id }) => id)
      assert.deepEqual(await ids({ from: 'ÄNN@author.example' }), [author.message.id])
      assert.deepEqual(await ids({ recipient: 'Ökonom@example.test' }), [message.id])
      const clock = new TestClock(NOW)
      const { rows } = await erase({ store, clock, ...LIFETIMES }, 'Änn@author.example', {})
      assert.deepEqual([rows.inbound_messages, rows.inbox_mails], [1, 1])
      assert.deepEqual(await ids({}), [message.id])
    })
  })
}
