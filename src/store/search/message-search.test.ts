// Searching messages by frequent words, by time ranges and page by page, on both databases.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { claim, createOwner, finish, messageTo, NOW } from '../../../test/support/queued.ts'
import { DATABASES, settled, type TestStorage, testStorage } from '../../../test/support/store.ts'
import { beforeIdsOf, newId } from '../../lib/ids.ts'
import { silentLog } from '../../lib/log.ts'
import { MESSAGE_STATUSES, type MessageStatus } from '../../model/message.ts'
import { RECIPIENT_STATUSES, type RecipientStatus } from '../../model/recipient.ts'
import { acceptMessage } from '../accepting/accept-message.ts'
import type { Store } from '../database/store.ts'
import type { Owner } from '../messages/messages.ts'
import { openStore } from '../node/open-in-mode.ts'
import { cancelRecipients } from '../queue/queue-control.ts'
import { FREQUENT } from '../readers/message-words.ts'
import { suppress } from '../workspace/suppressions.ts'
import { listMessages, type MessageFilter } from './message-search.ts'

const DAY_MS = 86_400_000
const START = Date.UTC(2026, 0, 1)

for (const database of DATABASES) {
  describe(`searching messages in ${database}`, () => {
    let storage: TestStorage
    let store: Store
    let owner: Owner
    let count = 0
    before(async () => {
      storage = await testStorage(database, 'tables')
      store = await openStore({ ...storage, log: silentLog })
      owner = await createOwner(store)
    })
    after(async () => {
      await store.close()
      await storage.remove()
    })

    /** Stores a message whose creation time is this many days after the start. */
    async function keep(day: number, subject: string): Promise<string> {
      const at = START + day * DAY_MS
      const id = `${beforeIdsOf('msg', at)}${String(++count).padStart(16, '0')}`
      const made = messageTo(owner, [`user${count}@d.example`])
      const message = { ...made.message, id, subject, created_at: at }
      await store.write(acceptMessage, { ...made, message })
      return id
    }

    /** Returns the messages of all pages of a search. */
    async function find(filter: MessageFilter, limit = 2): Promise<string[]> {
      const found = await findNow(filter, limit)
      await settled(store)
      // Messages that readers of the event log have not read yet are also found.
      assert.deepEqual(await findNow(filter, limit), found)
      return found
    }

    async function findNow(filter: MessageFilter, limit: number): Promise<string[]> {
      const ids: string[] = []
      let cursor: string | undefined
      do {
        const page = await listMessages(store.read, owner, filter, limit, cursor)
        ids.push(...page.messages.map(({ message }) => message.id))
        cursor = page.next ?? undefined
      } while (cursor !== undefined)
      return ids
    }

    test('finds each message once, newest first, across pages and long ranges without matches', async () => {
      const wanted: string[] = []
      for (const day of [0, 1, 2, 400, 401, 900]) {
        wanted.unshift(await keep(day, 'Rare thing'))
        await keep(day, 'Something else')
      }
      assert.deepEqual(await find({ subject: 'rare' }), wanted)
      assert.deepEqual(await find({ subject: 'thing RAR' }), wanted)
      assert.deepEqual(await find({ status: 'delivered' }), [])
      await store.write(acceptMessage, messageTo(await createOwner(store), ['x@d.example']))
      assert.equal((await find({})).length, 12)
      assert.equal((await find({}, 5)).length, 12)
      const after = START + 400 * DAY_MS
      assert.deepEqual(await find({ subject: 'rare', after, before: after + 2 * DAY_MS }), wanted.slice(1, 3))
      assert.deepEqual(await find({ recipient: 'user1@' }), [wanted.at(-1)])
    })

    test('finds messages that no index leads to, back to the beginning', async () => {
      const ids = await find({ status: 'queued' })
      assert.equal(ids.length, 12)
      // The newest message has the ID of the present time, much later than all other messages.
      const today = newId('msg')
      const made = messageTo(owner, ['today@d.example'])
      await store.write(acceptMessage, { ...made, message: { ...made.message, id: today } })
      assert.equal(await deliverAll(store, owner), 13)
      assert.equal((await find({ status: 'delivered' })).length, 13)
      // The search finds these messages by the index on queued recipients.
      const sent = [await keep(20, 'On its way'), await keep(300, 'On its way')].reverse()
      await store.write(acceptMessage, messageTo(await createOwner(store), ['other@d.example']))
      assert.deepEqual(await find({ status: 'queued' }), sent)
      await claim(store, { now: Date.now() })
      assert.deepEqual([await find({ status: 'queued' }), await find({ status: 'sending' })], [[], sent])
    })

    test('stores a frequent word for no further messages, and still finds them', async () => {
      const word = `often${database}`
      const first = await keep(10, `${word} first`)
      const write = (index: number) => {
        const made = messageTo(owner, [`many${index}@d.example`])
        const subject = index % 2 === 0 ? `${word} again` : `${word} other`
        return store.write(acceptMessage, { ...made, message: { ...made.message, subject, tag: word } })
      }
      for (let from = 0; from < FREQUENT + 3_000; from += 1_000) {
        await Promise.all(Array.from({ length: 1_000 }, (_, index) => write(from + index)))
      }
      const last = messageTo(owner, ['last@d.example'])
      await store.write(acceptMessage, { ...last, message: { ...last.message, subject: `${word} needle` } })
      await settled(store)
      const kept = await store.read
        .selectFrom('message_words')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('word', '=', word)
        .executeTakeFirstOrThrow()
      assert.ok(kept.count < FREQUENT + 100, `${kept.count} are kept`)
      assert.deepEqual(await find({ subject: `${word} needle` }), [last.message.id])
      assert.deepEqual(await find({ subject: `${word} first` }), [first])
      // The frequent word of the newest message was not stored.
      const { messages } = await listMessages(store.read, owner, { subject: 'often' }, 1, undefined)
      assert.equal(messages[0]?.message.id, last.message.id)
      // The tag and the stream of the newest messages were not stored either.
      assert.ok((await find({ tag: word, subject: 'other' }, 500)).length >= FREQUENT)
      assert.deepEqual(await find({ tag: word, recipient: 'many7@' }), await find({ recipient: 'many7@' }))
      assert.deepEqual(await find({ tag: word.slice(0, -1) }), [])
      assert.deepEqual(await find({ stream: 'broadcast' }), [])
      const around = { after: START + 9 * DAY_MS, before: START + 11 * DAY_MS }
      assert.deepEqual(await find({ subject: 'ofte', ...around }), [first])
    })
    test('finds metadata, before and after their search words are stored', async () => {
      const own = await createOwner(store)
      const write = (metadata: object, id = newId('msg')): Promise<unknown> => {
        const made = messageTo(own, ['meta@d.example'])
        return store.write(acceptMessage, {
          ...made,
          message: { ...made.message, id, metadata: JSON.stringify(metadata) },
        })
      }
      const count = async (...metadata: [string, string][]): Promise<number> =>
        (await listMessages(store.read, own, { metadata }, 200, undefined)).messages.length
      await write({ plan: 'pro', order: '1' })
      await write({ plan: 'pro', order: '2' })
      await write({ order: 'plan' })
      // Values of the same beginning: one whole, one longer than a search word contains, and one in letters of two bytes.
      const long = 'order-2026-11-30-0001'
      const special = ['Pro', '=50ro', 'a b!#=%_*', '\\"é\'', '']
      const refs = ['order-2026-11-30', long, `${long}2`, 'é'.repeat(9), 'é'.repeat(8), ...special]
      for (const ref of refs) await write({ ref })
      for (let round = 0; round < 2; round++) {
        assert.equal(await count(['plan', 'pro']), 2)
        assert.equal(await count(['plan', 'pro'], ['order', '2']), 1)
        assert.equal(await count(['plan', 'PRO']), 0)
        assert.equal(await count(['plan', 'pr']), 0)
        for (const ref of refs) assert.equal(await count(['ref', ref]), 1, ref)
        for (const ref of ['order-2026-11', `${long}3`, 'é'.repeat(7), 'pro', 'a b!#=%_', 'a b!#=%1*'])
          assert.equal(await count(['ref', ref]), 0)
        await settled(store)
      }
    })

    test('finds addresses in any case, whole or by their beginning', async () => {
      const own = await createOwner(store)
      const made = messageTo(own, ['Jane.DOE@d.example'])
      await store.write(acceptMessage, made)
      const ids = async (recipient: string): Promise<string[]> =>
        (await listMessages(store.read, own, { recipient }, 10, undefined)).messages.map(
          ({ message }) => message.id,
        )
      for (const recipient of ['Jane.DOE@d.example', 'jane.doe@d.example', 'JANE', 'jane.d']) {
        assert.deepEqual(await ids(recipient), [made.message.id], recipient)
      }
      assert.deepEqual(await ids('ane.doe'), [])
    })

    test('finds a message by the status of one of its recipients', async () => {
      const own = await createOwner(store)
      const ids = async (recipientStatus: RecipientStatus): Promise<string[]> =>
        (await listMessages(store.read, own, { recipientStatus }, 10, undefined)).messages.map(
          ({ message }) => message.id,
        )
      const first = messageTo(own, ['a@d.example', 'b@d.example'])
      const second = messageTo(own, ['c@d.example'])
      for (const one of [first, second]) await store.write(acceptMessage, one)
      assert.deepEqual(await ids('queued'), [second.message.id, first.message.id])
      const claimed = (await claim(store, { now: Date.now(), limit: 20_000 })).recipients.filter(
        ({ accountId }) => accountId === own.accountId,
      )
      assert.deepEqual(await ids('sending'), [second.message.id, first.message.id])
      assert.deepEqual([await ids('queued'), await ids('deferred')], [[], []])
      const [a, b, c] = claimed
      await finish(store, a!, 'deferred', Date.now() + DAY_MS)
      await finish(store, b!, 'delivered')
      await finish(store, c!, 'delivered')
      assert.deepEqual(await ids('deferred'), [first.message.id])
      assert.deepEqual(await ids('delivered'), [second.message.id, first.message.id])
      const { messages } = await listMessages(store.read, own, {}, 10, undefined)
      assert.deepEqual(
        messages.map(({ message: { status, updated_at } }) => [status, updated_at]),
        [
          ['delivered', NOW + 1],
          ['sending', NOW + 1],
        ],
      )
      assert.deepEqual([await ids('sending'), await ids('bounced')], [[], []])
    })

    test('finds by each status of messages and recipients the messages that a list shows with it', async () => {
      const own = await createOwner(store)
      await store.write(suppress, {
        ...{
          account_id: own.accountId,
          domain_id: own.domainId,
          stream: 'transactional',
          email: 'a@gone.example',
        },
        ...{ reason: 'manual', message_id: null, created_at: NOW },
      })
      const kinds = ['delivered', 'bounced', 'failed', 'deferred', 'gone', 'cancelled', 'active']
      const messageOf = (destinations: readonly string[]) =>
        messageTo(
          own,
          destinations.map((kind, index) => `${kind === 'gone' ? 'a' : index}@${kind}.example`),
        )
      const pairs = kinds.flatMap((one, index) => kinds.slice(index).map((other) => [one, other]))
      for (const pair of [...kinds.map((kind) => [kind]), ...pairs, [...kinds]]) {
        await store.write(acceptMessage, messageOf(pair))
      }
      const scheduled = messageTo(own, ['a@d.example'])
      await store.write(acceptMessage, {
        ...scheduled,
        message: { ...scheduled.message, send_at: NOW + DAY_MS },
        recipients: scheduled.recipients.map((one) => ({ ...one, startTag: NOW + DAY_MS })),
      })
      const { recipients } = await claim(store, { limit: 20_000 })
      for (const one of recipients.filter(({ domainId }) => domainId === own.domainId)) {
        const [kind = ''] = one.destination.split('.')
        if (kind === 'delivered' || kind === 'bounced' || kind === 'failed') await finish(store, one, kind)
        if (kind === 'deferred' || kind === 'cancelled') await finish(store, one, 'deferred', NOW + DAY_MS)
      }
      for (const late of [['late'], ['gone', 'late'], ['late', 'late']]) {
        await store.write(acceptMessage, messageOf(late))
      }
      const selection = { owner: own, destination: 'cancelled.example' }
      await store.write(cancelRecipients, { selection, by: 'sender', now: NOW })
      await eachFindsAll(own)
      // This call delivers the deferred messages.
      await deliverAll(store, own)
      await eachFindsAll(
        own,
        ['scheduled', 'queued', 'sending'],
        ['scheduled', 'queued', 'sending', 'deferred'],
      )
    })

    /**
     * Checks that a search by each status finds exactly the messages that the full list shows with the status, and that
     * only the statuses in `without` and `withoutRecipient` match no message.
     */
    async function eachFindsAll(
      own: Owner,
      without: readonly MessageStatus[] = [],
      withoutRecipient: readonly RecipientStatus[] = [],
    ): Promise<void> {
      const find = (filter: MessageFilter) => listMessages(store.read, own, filter, 100, undefined)
      const all = (await find({})).messages
      const ids = (found: typeof all): string[] => found.map(({ message }) => message.id)
      for (const status of MESSAGE_STATUSES) {
        const wanted = ids(all.filter(({ message }) => message.status === status))
        assert.equal(wanted.length === 0, without.includes(status), status)
        assert.deepEqual(ids((await find({ status })).messages), wanted, status)
      }
      for (const recipientStatus of RECIPIENT_STATUSES) {
        const wanted = all.filter((one) => one.recipients.some(({ status }) => status === recipientStatus))
        assert.equal(wanted.length === 0, withoutRecipient.includes(recipientStatus), recipientStatus)
        assert.deepEqual(ids((await find({ recipientStatus })).messages), ids(wanted), recipientStatus)
        for (const status of MESSAGE_STATUSES) {
          const both = wanted.filter(({ message }) => message.status === status)
          const found = await find({ status, recipientStatus })
          assert.deepEqual(ids(found.messages), ids(both), `${status}, ${recipientStatus}`)
        }
      }
    }
  })
}

/** Delivers all waiting messages of the owner; returns the number of delivered recipients. */
async function deliverAll(store: Store, owner: Owner): Promise<number> {
  const { recipients } = await claim(store, { now: Date.now() + DAY_MS })
  const mine = recipients.filter((one) => one.domainId === owner.domainId)
  await Promise.all(mine.map((one) => finish(store, one, 'delivered')))
  return mine.length
}
