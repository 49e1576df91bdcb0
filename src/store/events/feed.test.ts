// The event feed on both databases: a follower gets every event once while several nodes write.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { claim, createOwner, finish, messageTo, NOW } from '../../../test/support/queued.ts'
import { DATABASES, settled, type TestStorage, testStorage } from '../../../test/support/store.ts'
import { TestClock, until } from '../../../test/support/test-clock.ts'
import { silentLog } from '../../lib/log.ts'
import type { EventType } from '../../model/event.ts'
import { HistoryRemoval } from '../../operator/history-removal.ts'
import { RemovalTime } from '../../operator/removal-time.ts'
import { acceptMessage } from '../accepting/accept-message.ts'
import type { Store } from '../database/store.ts'
import { setDomainOptions } from '../domains/domains.ts'
import type { Owner } from '../messages/messages.ts'
import { NodeName } from '../node/node-identity.ts'
import { openStore } from '../node/open-in-mode.ts'
import { eraseFromMessages } from '../person/erasure.ts'
import { LogFollower } from '../readers/log-follower.ts'
import { type FeedEvent, feedEnd, readFeed } from './feed.ts'
import { FeedWatch } from './feed-watch.ts'
import { positionAt } from './position.ts'

const DAY_MS = 86_400_000

for (const database of DATABASES) {
  describe(`the feed in ${database}`, () => {
    let storage: TestStorage
    let store: Store
    let owner: Owner
    beforeEach(async () => {
      storage = await testStorage(database, 'tables')
      store = await openStore({ ...storage, log: silentLog })
      owner = await createOwner(store)
    })
    afterEach(async () => {
      await store.close()
      await storage.remove()
    })

    /** Accepts messages concurrently, so that a commit may contain one or several messages. */
    const send = (at: Store, to: Owner, count: number): Promise<unknown> =>
      Promise.all(
        Array.from({ length: count }, (_, index) => {
          const made = messageTo(to, [`a${index}@d.example`, `b${index}@d.example`])
          const message = { ...made.message, tag: `t${index}`, metadata: JSON.stringify({ n: `${index}` }) }
          return at.write(acceptMessage, { ...made, message })
        }),
      )

    /** Returns all events of a domain's feed after a position. */
    async function readAll(to: Owner, after = 0, limit = 7, types?: EventType[]): Promise<FeedEvent[]> {
      const all: FeedEvent[] = []
      const wanted = types && new Set(types)
      for (let position = after; ; ) {
        const page = await readFeed(store.read, {
          domainId: to.domainId,
          after: position,
          limit,
          types: wanted,
        })
        assert.ok(page.events.length <= limit)
        all.push(...page.events)
        if (page.position === position) return all
        position = page.position
      }
    }

    const eventIds = async (to: Owner): Promise<string[]> => {
      const rows = await store.read
        .selectFrom('events')
        .select('id')
        .where('domain_id', '=', to.domainId)
        .execute()
      return rows.map(({ id }) => id).sort()
    }

    test('gives a follower every event once while two nodes write and both read the log', async () => {
      const other = await openStore({ ...storage, log: silentLog })
      const watch = new FeedWatch(store, silentLog)
      await watch.start()
      const followers = [
        new LogFollower(store, silentLog, () => watch.check()),
        new LogFollower(other, silentLog, () => {}),
      ]
      for (const follower of followers) follower.start()
      const neighbour = await createOwner(other)
      const followed: FeedEvent[] = []
      let position = await feedEnd(store.read, owner.domainId)
      let reading: Promise<void> = Promise.resolve()
      const read = async (): Promise<void> => {
        for (;;) {
          const page = await readFeed(store.read, { domainId: owner.domainId, after: position, limit: 10 })
          followed.push(...page.events)
          if (page.position === position) return
          position = page.position
        }
      }
      const end = watch.listen((domainIds) => {
        if (domainIds.includes(owner.domainId)) reading = reading.then(read)
      })
      for (let round = 0; round < 8; round++) {
        await Promise.all([send(store, owner, 9), send(other, owner, 9), send(other, neighbour, 3)])
        const { recipients } = await claim(other, { now: NOW, limit: 20 })
        await Promise.all(recipients.map((one) => finish(round % 2 === 0 ? store : other, one, 'delivered')))
      }
      const wanted = await eventIds(owner)
      await until('all have come', () => followed.length >= wanted.length)
      end()
      await reading
      await Promise.all(followers.map((follower) => follower.stop()))
      await watch.stop()
      await other.close()
      assert.deepEqual(followed.map(({ id }) => id).sort(), wanted)
      const positions = followed.map((event) => event.position)
      assert.deepEqual(
        positions,
        positions.toSorted((a, b) => a - b),
      )
      assert.equal(new Set(positions).size, positions.length)
      const byRecipient = Map.groupBy(followed, ({ messageId, email }) => `${messageId} ${email}`)
      for (const events of byRecipient.values()) assert.equal(events[0]?.type, 'accepted')
      assert.deepEqual(await readAll(owner), followed)
    })

    test('contains the data of each event, and skips any number of other types', async () => {
      await send(store, owner, 2)
      const { recipients } = await claim(store, { now: NOW, limit: 1 })
      const [one] = recipients
      assert.ok(one !== undefined)
      await finish(store, one, 'deferred', NOW + 60_000)
      await settled(store)
      const types = (await readAll(owner)).map(({ type }) => type)
      assert.deepEqual(types, [...Array(4).fill('accepted'), 'sending', 'deferred'])
      const [deferred, ...more] = await readAll(owner, 0, 1, ['deferred'])
      assert.deepEqual(more, [])
      assert.ok(deferred !== undefined)
      const { position, id, messageId, messageIdHeader, email, tag, metadata, detail, ...rest } = deferred
      assert.ok(position > positionAt(NOW))
      assert.match(id, /^evt_/)
      assert.equal(`${messageId} ${email}`, `${one.messageId} ${one.email}`)
      assert.match(messageIdHeader ?? '', new RegExp(`^${messageId.slice(4)}@`))
      assert.deepEqual(`t${metadata.n}`, tag)
      assert.equal(detail.attempt, 1)
      assert.equal(detail.smtp_code, 250)
      const about = {
        ...{ type: 'deferred', at: NOW + 1, stream: 'transactional' },
        ...{ from: 'a@example.test', subject: 'Grüße 100%_\\', tags: [tag] },
      }
      assert.deepEqual(rest, { ...about, accountId: owner.accountId, domainId: owner.domainId })
      assert.deepEqual(await readAll(owner, 0, 1, ['clicked']), [])
      assert.deepEqual(
        (await readAll(owner, positionAt(NOW + 1))).map(({ type }) => type),
        ['deferred'],
      )
      assert.deepEqual(await readAll(owner, await feedEnd(store.read, owner.domainId)), [])
    })

    test('finds the events of a type among more others than it reads for a page', async () => {
      const wanted: string[] = []
      for (let round = 0; round < 3; round++) {
        await send(store, owner, 400)
        const { recipients } = await claim(store, { now: NOW, limit: 5 })
        await Promise.all(recipients.map((one) => finish(store, one, 'delivered')))
        await settled(store)
        wanted.push(...recipients.map(({ messageId, email }) => `${messageId} ${email}`))
      }
      const told = ({ messageId, email }: FeedEvent): string => `${messageId} ${email}`
      for (const limit of [1, 4, 5, 200]) {
        const found = await readAll(owner, 0, limit, ['delivered'])
        assert.deepEqual(found.map(told).sort(), wanted.toSorted(), `${limit} at a time`)
        assert.deepEqual(await readAll(owner, found[0]?.position, limit, ['delivered']), found.slice(1))
      }
      const all = await readAll(owner, 0, 300, ['accepted', 'sending', 'delivered'])
      assert.deepEqual(all, await readAll(owner, 0, 500))
    })

    test('leaves out erased events, and drops events past their retention', async () => {
      await send(store, owner, 3)
      const neighbour = await createOwner(store)
      await send(store, neighbour, 1)
      const { recipients } = await claim(store, { now: NOW })
      await Promise.all(recipients.map((one) => finish(store, one, 'delivered')))
      await settled(store)
      const end = await feedEnd(store.read, owner.domainId)
      const before = await readAll(owner)
      const messageIds = [...new Set(before.map(({ messageId }) => messageId))]
      await store.write(eraseFromMessages, { email: 'a0@d.example', messageIds: messageIds.slice(0, 1) })
      const erased = (event: FeedEvent): boolean => event.email === 'a0@d.example'
      assert.deepEqual(
        (await readAll(owner)).map(({ id }) => id),
        before.filter((event) => !erased(event)).map(({ id }) => id),
      )
      const clock = new TestClock(NOW + 2 * DAY_MS + 1_000)
      const record = 4 * DAY_MS
      const kept = { content: DAY_MS, transcript: DAY_MS, record }
      const removal = new HistoryRemoval({
        ...{
          store,
          clock,
          log: silentLog,
          node: new NodeName(),
          time: new RemovalTime({ store, clock, log: silentLog }),
          retention: kept,
          auditMs: record,
          figuresMs: record,
          webhooksMs: record,
          requestsMs: record,
        },
      })
      await store.write(setDomainOptions, {
        domain: { id: owner.domainId, account_id: owner.accountId },
        changes: { record_retention_days: 2 },
        now: NOW,
      })
      await removal.run()
      const rows = () => store.read.selectFrom('event_feed').select('domain_id').execute()
      assert.deepEqual([...new Set((await rows()).map(({ domain_id }) => domain_id))], [neighbour.domainId])
      clock.advance(2 * DAY_MS)
      await removal.run()
      assert.deepEqual(await rows(), [])
      // The next event gets a higher position than all earlier events, although the feed is empty.
      await send(store, owner, 1)
      await settled(store)
      assert.equal((await readAll(owner, end)).length, 2)
      assert.deepEqual(await readAll(owner), await readAll(owner, end))
    })
  })
}
