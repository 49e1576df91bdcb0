// Messages that are accepted under a worker's lease, on both databases: what they get, and what keeps them from it.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { claim, createOwner, finish, messageTo, NOW } from '../../test/support/queued.ts'
import { DATABASES, openTestStore } from '../../test/support/store.ts'
import { arrived } from '../delivery/direct.ts'
import type { Direct } from './direct.ts'
import { type AcceptMessage, findMessage, type Owner } from './messages.ts'
import type { Store } from './store.ts'

const LEASE = { lease: 'nod_x.1', leaseUntil: NOW + 60_000 }

for (const database of DATABASES) {
  describe(`directly on ${database}`, () => {
    let store: Store
    let owner: Owner
    let domainName: string
    beforeEach(async () => {
      store = await openTestStore(database)
      owner = await createOwner(store)
      const row = store.read.selectFrom('domains').select('name').executeTakeFirstOrThrow()
      domainName = (await row).name
    })
    afterEach(() => store.close())

    const leased = (emails: readonly string[]): AcceptMessage => messageTo(owner, emails, { lease: LEASE })
    async function accept(message: AcceptMessage): Promise<Direct | undefined> {
      const result = await store.write('acceptMessage', message)
      assert.equal(result.kind, 'accepted')
      return 'direct' in result ? result.direct : undefined
    }
    const found = async ({ message }: AcceptMessage) => {
      const { message: kept, recipients, events } = (await findMessage(store.read, owner, message.id))!
      return { status: kept.status, recipients, events: events.map(({ type }) => type) }
    }

    test('it belongs to the worker from the start, who ends it as if claimed', async () => {
      const message = leased(['a@a.example'])
      const direct = await accept(message)
      assert.deepEqual(direct, { positions: [0], domainName, relayUrl: null })
      const before = await found(message)
      assert.deepEqual([before.status, before.events], ['sending', ['accepted', 'sending']])
      assert.deepEqual((await claim(store)).recipients, [], 'nobody else gets it')
      const [one] = arrived(message, direct as Direct).recipients
      assert.equal(await finish(store, one!, 'delivered'), true)
      const after = await found(message)
      assert.deepEqual([after.status, after.events], ['delivered', ['accepted', 'sending', 'delivered']])
      assert.deepEqual([after.recipients[0]?.lease, after.recipients[0]?.attempts], [null, 1])
    })

    test('it is, to a worker, what a claim would have brought', async () => {
      const message = leased(['a@a.example', 'b@b.example'])
      const direct = await accept(message)
      await store.write('releaseAllLeases', true)
      const byClaim = (await claim(store, LEASE)).recipients
      const known = arrived(message, direct as Direct).recipients
      assert.equal(byClaim.length, 2)
      for (const [index, one] of known.entries()) {
        const claimed = byClaim[index] as unknown as Record<string, unknown>
        const expected = Object.fromEntries(Object.keys(one).map((key) => [key, claimed[key]]))
        // The lease that was released counts as one fault.
        assert.deepEqual({ ...one, faults: 1 }, expected)
      }
    })

    test('a worker that dies with it loses it when the lease ends', async () => {
      const message = leased(['a@a.example'])
      await accept(message)
      assert.deepEqual((await claim(store, { now: NOW + 59_999 })).recipients, [])
      const [taken] = (await claim(store, { now: NOW + 60_001 })).recipients
      assert.deepEqual([taken?.messageId, taken?.attempt, taken?.faults], [message.message.id, 1, 1])
    })

    test('whoever is suppressed is not attempted', async () => {
      await store.write('suppress', {
        domain_id: owner.domainId,
        account_id: owner.accountId,
        stream: 'transactional',
        email: 'gone@a.example',
        reason: 'manual',
        message_id: null,
        created_at: NOW,
      })
      const some = leased(['gone@a.example', 'a@a.example'])
      assert.deepEqual((await accept(some))?.positions, [1])
      const none = leased(['gone@a.example'])
      assert.deepEqual((await accept(none))?.positions, [])
      assert.equal((await found(none)).status, 'suppressed')
    })

    const HOLDING: readonly [name: string, hold: () => Promise<unknown>][] = [
      ['its destination is paused', () => pause('destination', 'a.example')],
      ['its stream is paused', () => pause('stream', 'transactional')],
      ['its domain is paused by the operator', () => pause('domain', domainName)],
      [
        'its domain is paused by its account',
        () =>
          store.write('setDomainPaused', {
            domain: { id: owner.domainId, account_id: owner.accountId },
            paused: true,
            now: NOW,
          }),
      ],
      [
        'its account is suspended',
        () => store.write('setAccountStatus', { id: owner.accountId, status: 'suspended', now: NOW }),
      ],
      [
        'its domain is deleted',
        () =>
          store.write('deleteDomain', {
            domain: { id: owner.domainId, account_id: owner.accountId },
            now: NOW,
          }),
      ],
    ]
    const pause = (kind: 'destination' | 'stream' | 'domain', value: string): Promise<unknown> =>
      store.write('pauseQueue', { kind, value, created_at: NOW })

    for (const [name, hold] of HOLDING) {
      test(`it waits in the queue when ${name}`, async () => {
        await hold()
        const message = leased(['b@b.example', 'a@a.example'])
        assert.equal(await accept(message), undefined)
        const { status, recipients, events } = await found(message)
        assert.deepEqual([status, events], ['queued', ['accepted', 'accepted']])
        assert.deepEqual(
          recipients.map(({ lane, lease }) => [lane, lease]),
          [
            ['ready', null],
            ['ready', null],
          ],
        )
      })
    }
  })
}
