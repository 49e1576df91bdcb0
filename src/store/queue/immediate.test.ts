// Immediate delivery on both databases: messages that are accepted under a lease, and conditions that prevent immediate
// delivery.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { claim, createOwner, finish, messageTo, NOW, standingOf } from '../../../test/support/queued.ts'
import { DATABASES, openTestStore } from '../../../test/support/store.ts'
import { immediate } from '../../queue/immediate.ts'
import { type AcceptMessage, acceptMessage } from '../accepting/accept-message.ts'
import { setAccountStatus } from '../access/accounts.ts'
import type { Store } from '../database/store.ts'
import { deleteDomain, setDomainPaused } from '../domains/domains.ts'
import { findMessage, type Owner } from '../messages/messages.ts'
import { suppress } from '../workspace/suppressions.ts'
import type { Immediate } from './immediate.ts'
import { releaseAllLeases } from './leases.ts'
import { pauseQueue } from './queue-control.ts'

const LEASE = { token: 'nod_x.1', until: NOW + 60_000, endsAt: Number.POSITIVE_INFINITY }

for (const database of DATABASES) {
  describe(`immediate delivery on ${database}`, () => {
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
    async function accept(message: AcceptMessage): Promise<Immediate | undefined> {
      const result = await store.write(acceptMessage, message)
      assert.equal(result.kind, 'accepted')
      return 'immediate' in result ? result.immediate : undefined
    }
    const shown = async ({ message }: AcceptMessage) => {
      const { message: kept, recipients, events } = (await findMessage(store.read, owner, message.id))!
      return { status: kept.status, recipients, events: events.map(({ type }) => type) }
    }

    test('a message is under the lease from the start, and ends like a claimed one', async () => {
      const message = leased(['a@a.example'])
      const found = await accept(message)
      assert.deepEqual(found, { positions: [0], domainName, relayUrl: null })
      const before = await shown(message)
      assert.deepEqual([before.status, before.events], ['sending', ['accepted', 'sending']])
      assert.deepEqual((await claim(store)).recipients, [], 'nobody else gets it')
      const [one] = immediate(message, found as Immediate).recipients
      assert.equal(await finish(store, { ...one!, lease: LEASE.token }, 'delivered'), true)
      const after = await shown(message)
      assert.deepEqual([after.status, after.events], ['delivered', ['accepted', 'sending', 'delivered']])
      assert.deepEqual([after.recipients[0]?.status, after.recipients[0]?.attempts], ['delivered', 1])
    })

    test('a message carries the same data as after a claim', async () => {
      const message = leased(['a@a.example', 'b@b.example'])
      const found = await accept(message)
      await store.write(releaseAllLeases, { now: NOW })
      const byClaim = (await claim(store, { lease: LEASE })).recipients
      const known = immediate(message, found as Immediate).recipients
      assert.equal(byClaim.length, 2)
      for (const [index, one] of known.entries()) {
        const claimed = byClaim[index] as unknown as Record<string, unknown>
        const expected = Object.fromEntries(Object.keys(one).map((key) => [key, claimed[key]]))
        // The released lease counts as one fault of the recipient.
        assert.deepEqual({ ...one, faults: 1, startTag: expected.startTag }, expected)
      }
    })

    test('a node that dies loses its message when the lease ends', async () => {
      const message = leased(['a@a.example'])
      await accept(message)
      assert.deepEqual((await claim(store, { now: NOW + 55_000 })).recipients, [])
      const [taken] = (await claim(store, { now: NOW + 65_000 })).recipients
      assert.deepEqual([taken?.messageId, taken?.attempt, taken?.faults], [message.message.id, 1, 1])
    })

    test('a suppressed recipient is not attempted', async () => {
      await store.write(suppress, {
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
      assert.equal((await shown(none)).status, 'suppressed')
    })

    const HOLDING: readonly [name: string, hold: () => Promise<unknown>][] = [
      ['its destination is paused', () => pause('destination', 'a.example')],
      ['its stream is paused', () => pause('stream', 'transactional')],
      ['its domain is paused by the operator', () => pause('domain', domainName)],
      [
        'its domain is paused by its account',
        () =>
          store.write(setDomainPaused, {
            domain: { id: owner.domainId, account_id: owner.accountId },
            paused: true,
            now: NOW,
          }),
      ],
      [
        'its account is suspended',
        () => store.write(setAccountStatus, { id: owner.accountId, status: 'suspended', now: NOW }),
      ],
      [
        'its domain is deleted',
        () =>
          store.write(deleteDomain, {
            domain: { id: owner.domainId, account_id: owner.accountId },
            now: NOW,
          }),
      ],
    ]
    const pause = (kind: 'destination' | 'stream' | 'domain', value: string): Promise<unknown> =>
      store.write(pauseQueue, { kind, value, created_at: NOW })

    for (const [name, hold] of HOLDING) {
      test(`a message waits in the queue when ${name}`, async () => {
        await hold()
        const message = leased(['b@b.example', 'a@a.example'])
        assert.equal(await accept(message), undefined)
        const { status, recipients, events } = await shown(message)
        assert.deepEqual([status, events], ['queued', ['accepted', 'accepted']])
        assert.deepEqual(
          await Promise.all(
            recipients.map(({ position }) => standingOf(store, { messageId: message.message.id, position })),
          ),
          ['ready', 'ready'],
        )
      })
    }
  })
}
