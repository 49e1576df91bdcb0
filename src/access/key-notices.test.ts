// Tests that owners get one mail about each occasion of a key, after restarts and with several nodes as well.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { createOwner, NOW } from '../../test/support/queued.ts'
import { DATABASES, openTestStore } from '../../test/support/store.ts'
import { TestClock } from '../../test/support/test-clock.ts'
import { newId } from '../lib/ids.ts'
import { silentLog } from '../lib/log.ts'
import { PublicUrl } from '../lib/public-url.ts'
import { BY_COMMAND_LINE, BY_OPERATOR } from '../model/key-kind.ts'
import { DAY_MS, MAX_USED_NETWORKS } from '../model/key-notice.ts'
import type { ServiceMail } from '../model/service-mail.ts'
import { createUser } from '../store/access/accounts.ts'
import { noteRefusedNetwork, noteUsedNetwork } from '../store/access/key-notices.ts'
import { type Key, recordKeyUse, revokeKey } from '../store/access/keys.ts'
import type { Store } from '../store/database/store.ts'
import type { Owner } from '../store/messages/owner.ts'
import { NodeName } from '../store/node/node-identity.ts'
import { KeyNotices } from './key-notices.ts'
import { createKey, type NewKey } from './keys.ts'

const HOUR_MS = 3_600_000

for (const database of DATABASES) {
  describe(`notices about keys on ${database}`, () => {
    let store: Store
    let clock: TestClock
    let owner: Owner
    let mails: ServiceMail[]
    let canSend: boolean
    beforeEach(async () => {
      store = await openTestStore(database)
      clock = new TestClock(NOW)
      owner = await createOwner(store)
      for (const [email, role] of [
        ['owner@example.com', 'owner'],
        ['viewer@example.com', 'viewer'],
      ] as const) {
        const user = { id: newId('usr'), email, name: null, role, password_hash: 'x', created_at: NOW }
        await store.write(createUser, { ...user, account_id: owner.accountId })
      }
      mails = []
      canSend = true
    })
    afterEach(() => store.close())

    const noticesOf = (node: NodeName): KeyNotices =>
      new KeyNotices({
        ...{ store, clock, log: silentLog, node, publicUrl: new PublicUrl('https://mail.example.com') },
        async send(mail) {
          if (canSend) mails.push(mail)
          return canSend
        },
      })
    const here = new NodeName()
    /** Runs the notices of a node that has just started; returns the mails that were sent. */
    async function told(node = here): Promise<readonly ServiceMail[]> {
      const before = mails.length
      await noticesOf(node).run()
      return mails.slice(before)
    }
    /** Asserts that one mail to the owner has this subject, and that a restarted node sends nothing more. */
    async function tellsOnce(subject: RegExp): Promise<string> {
      const sent = await told()
      assert.deepEqual(
        sent.map(({ to }) => to),
        ['owner@example.com'],
      )
      assert.match(sent[0]?.subject ?? '', subject)
      assert.deepEqual(await told(), [])
      return sent[0]?.text ?? ''
    }
    const keyOf = async (more: Partial<NewKey> = {}): Promise<Key> => {
      const { accountId, domainId } = owner
      const key = { accountId, domainId, kind: 'sending' as const, name: 'App' }
      return (await createKey({ store, clock }, { ...key, ...more })).key
    }
    const use = (id: string, network: string): Promise<true> =>
      store.write(noteUsedNetwork, { accountId: owner.accountId, id, network, now: clock.now() })

    test('tell of a use from another network, once a day', async () => {
      const { id, last4 } = await keyOf()
      await use(id, '192.0.2.0/24')
      await use(id, '192.0.2.0/24')
      assert.deepEqual(await told(), [])
      await use(id, '198.51.100.0/24')
      await use(id, '203.0.113.0/24')
      const text = await tellsOnce(/used from another network/)
      assert.ok(text.includes(`App (sending, …${last4})`) && text.includes('198.51.100.0/24'), text)
      await use(id, '203.0.113.0/24')
      clock.advance(DAY_MS)
      await use(id, '203.0.113.0/24')
      assert.deepEqual(await told(), [])
      for (let n = 0; n < MAX_USED_NETWORKS; n++) await use(id, `10.0.${n}.0/24`)
      await tellsOnce(/used from another network/)
      clock.advance(DAY_MS)
      await use(id, '10.1.0.0/24')
      assert.deepEqual(await told(), [])
    })

    test('tell of a refused network, once a day', async () => {
      const { id } = await keyOf()
      const refuse = (address: string) =>
        store.write(noteRefusedNetwork, { accountId: owner.accountId, id, address, now: clock.now() })
      await refuse('203.0.113.9')
      await refuse('203.0.113.10')
      assert.match(await tellsOnce(/refused because of its network/), /Address: 203\.0\.113\.9\n/)
      clock.advance(DAY_MS)
      await refuse('203.0.113.9')
      await tellsOnce(/refused because of its network/)
    })

    test('tell of the end 14 and 3 days before, and of a key that is not used', async () => {
      const { id } = await keyOf({ expiresAt: NOW + 200 * DAY_MS })
      await keyOf({ expiresAt: NOW + HOUR_MS })
      const { accountId: account_id } = owner
      assert.deepEqual(await told(), [])
      clock.advance(180 * DAY_MS - 1)
      const used = { id, account_id, last_used_from: '192.0.2.0/24' }
      await store.write(recordKeyUse, { ...used, last_used_at: NOW + DAY_MS })
      assert.deepEqual(await told(), [])
      clock.advance(DAY_MS + HOUR_MS)
      assert.match(await tellsOnce(/is not used/), /Last use: 2026-01-02 00:00 UTC/)
      clock.advance(5 * DAY_MS)
      assert.match(await tellsOnce(/ends soon/), /End: 2026-07-20 00:00 UTC/)
      clock.advance(11 * DAY_MS)
      await tellsOnce(/ends soon/)
      // Another use makes a later time without use another occasion.
      const idle = await keyOf()
      clock.advance(181 * DAY_MS)
      await tellsOnce(/is not used/)
      await store.write(recordKeyUse, { ...used, id: idle.id, last_used_at: clock.now() })
      clock.advance(181 * DAY_MS)
      await tellsOnce(/is not used/)
      await store.write(revokeKey, { accountId: account_id, id: idle.id, now: clock.now() })
      clock.advance(181 * DAY_MS)
      assert.deepEqual(await told(), [])
    })

    test('tell of management keys of the command line, and not of keys that the operator creates', async () => {
      const management = { kind: 'management', domainId: null, scopes: ['account:read'] } as const
      await keyOf({ ...management, createdBy: BY_OPERATOR })
      await keyOf({ createdBy: BY_COMMAND_LINE })
      assert.deepEqual(await told(), [])
      await keyOf({ ...management, name: 'Terraform', createdBy: BY_COMMAND_LINE })
      assert.match(await tellsOnce(/management key was created/), /Terraform \(management/)
    })

    test('are sent by one node at a time, and again until a mail is accepted, for three days', async () => {
      const { id } = await keyOf()
      await use(id, '192.0.2.0/24')
      await use(id, '198.51.100.0/24')
      canSend = false
      assert.deepEqual(await told(), [])
      canSend = true
      assert.deepEqual(await told(new NodeName()), [])
      const [sent] = await told()
      // The name of the mail keeps a repetition after a crash from being sent.
      assert.match(sent?.once ?? '', /^key notice key_\w{26} new_network 2026-01-01$/)
      clock.advance(DAY_MS)
      await use(id, '203.0.113.0/24')
      canSend = false
      for (let day = 0; day < 4; day++) {
        await told()
        clock.advance(DAY_MS)
      }
      canSend = true
      assert.deepEqual(await told(), [])
      // Daily notices are forgotten after a month.
      const rows = () => store.read.selectFrom('key_notices').select('notice').execute()
      assert.equal((await rows()).length, 2)
      clock.advance(40 * DAY_MS)
      await told()
      assert.deepEqual(await rows(), [])
    })
  })
}
