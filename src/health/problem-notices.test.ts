// Tests that owners get one notice about a problem that lasts, and one notice when the problem is solved.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { createOwner, NOW } from '../../test/support/queued.ts'
import { DATABASES, lookInto, type TestStorage, testStorage } from '../../test/support/store.ts'
import { TestClock } from '../../test/support/test-clock.ts'
import { webhookOf } from '../../test/support/webhook-rows.ts'
import { newId } from '../lib/ids.ts'
import { silentLog } from '../lib/log.ts'
import { PublicUrl } from '../lib/public-url.ts'
import type { RecordsState } from '../model/domain.ts'
import type { ServiceMail } from '../model/service-mail.ts'
import { changeAccount, createUser } from '../store/access/accounts.ts'
import { TABLES } from '../store/database/schema.ts'
import type { Store } from '../store/database/store.ts'
import { recordDomainCheck } from '../store/domains/domain-checks.ts'
import type { Owner } from '../store/messages/owner.ts'
import { setFact } from '../store/node/installation.ts'
import { NodeName } from '../store/node/node-identity.ts'
import { openStore } from '../store/node/open-in-mode.ts'
import { REMOVAL_TIME } from '../store/node/removal-time.ts'
import { disableWebhook } from '../store/webhooks/disabling.ts'
import { createWebhook } from '../store/webhooks/webhooks.ts'
import { ProblemNotices } from './problem-notices.ts'

const CHECK_MS = 5 * 60_000

for (const database of DATABASES) {
  describe(`notices of problems on ${database}`, () => {
    let storage: TestStorage
    let store: Store
    let clock: TestClock
    let accountId: string
    let mails: ServiceMail[]
    let canSend: boolean
    let notAfter: number
    beforeEach(async () => {
      storage = await testStorage(database, 'tables')
      store = await openStore({ ...storage, log: silentLog })
      clock = new TestClock(NOW)
      accountId = (await createOwner(store)).accountId
      for (const [email, role] of [
        ['owner@example.com', 'owner'],
        ['viewer@example.com', 'viewer'],
      ] as const) {
        const user = { id: newId('usr'), account_id: accountId, email, name: null, role, password_hash: 'x' }
        await store.write(createUser, { ...user, created_at: NOW })
      }
      mails = []
      canSend = true
      notAfter = NOW + 90 * 86_400_000
    })
    afterEach(async () => {
      await store.close()
      await storage.remove()
    })

    const notices = (): ProblemNotices =>
      new ProblemNotices({
        ...{ store, clock, log: silentLog, node: new NodeName(), storedBytesPerAccount: undefined },
        publicUrl: new PublicUrl('https://mail.example.com'),
        certificate: () => ({ notAfter, problem: undefined }),
        async send(mail) {
          // Mails about the missing DMARC record are ignored, because the domain has this second problem throughout.
          if (
            canSend &&
            /allowance|certificate|clock|webhook|Required DNS records|can no longer send/.test(mail.text)
          )
            mails.push(mail)
          return canSend
        },
      })
    /** Runs the given number of checks, as a node does. */
    async function look(times: number): Promise<void> {
      const looking = notices()
      for (let i = 0; i < times; i++) {
        clock.advance(CHECK_MS)
        await looking.run()
      }
      // The lease of this node ends, so that another node can continue.
      clock.advance(2 * CHECK_MS)
    }
    const allow = (sending_allowance: number): Promise<unknown> =>
      store.write(changeAccount, { id: accountId, changes: { sending_allowance }, now: clock.now() })

    test('a problem that lasts is reported once, to the owners only, with the remedy', async () => {
      await allow(0)
      await look(1)
      assert.equal(mails.length, 0)
      await look(5)
      assert.deepEqual(
        mails.map(({ to }) => to),
        ['owner@example.com'],
      )
      const mail = mails.at(0)
      assert.match(mail?.subject ?? '', /allowance is used up/)
      assert.match(mail?.text ?? '', /Ask the operator/)
      assert.match(mail?.text ?? '', /https:\/\/mail\.example\.com\/account\n/)
    })

    test('problems of the installation are reported only to the owners of the first account', async () => {
      const other = await createOwner(store)
      const user = { id: newId('usr'), account_id: other.accountId, email: 'other@example.com', name: null }
      await store.write(createUser, { ...user, role: 'owner', password_hash: 'x', created_at: NOW })
      notAfter = NOW + 5 * 86_400_000
      await look(3)
      assert.deepEqual(
        mails.map(({ to, subject }) => [to, subject.split(',')[0]]),
        [['owner@example.com', 'The TLS certificate expires on 2026-01-06']],
      )
      notAfter = NOW + 90 * 86_400_000
      const doubt = { aheadMs: 365 * 86_400_000, waitedMs: 0 }
      await store.write(setFact, { name: REMOVAL_TIME, value: JSON.stringify({ trusted: NOW, doubt }) })
      await look(3)
      assert.match(mails.at(-1)?.text ?? '', /clock has jumped ahead by 365 days/)
      assert.match(mails.map(({ text }) => text).join(), /Solved: The TLS certificate expires/)
    })

    test('the end of a problem is reported once, and its return again', async () => {
      await allow(0)
      await look(3)
      await allow(1_000)
      await look(5)
      assert.equal(mails.length, 2)
      assert.match(mails[1]?.subject ?? '', /^Solved: The sending allowance is used up/)
      await allow(0)
      await look(3)
      assert.equal(mails.length, 3)
      assert.match(mails[2]?.subject ?? '', /^The sending allowance is used up/)
    })

    test('a webhook that was disabled because of its receiver is reported to the owners', async () => {
      const domain = await store.read.selectFrom('domains').selectAll().executeTakeFirstOrThrow()
      const webhook = { ...webhookOf({ accountId, domainId: domain.id }), name: 'Shop', lease: 'nod_1' }
      await store.write(createWebhook, { webhook, most: 1 })
      const key = { id: webhook.id, accountId, domainId: domain.id, lease: 'nod_1' }
      await store.write(disableWebhook, { ...key, lease: 'nod_2', reason: 'failing', now: clock.now() })
      await look(5)
      assert.equal(mails.length, 0)
      await store.write(disableWebhook, { ...key, reason: 'failing', now: clock.now() })
      await look(5)
      assert.deepEqual(
        mails.map(({ to, subject }) => [to, subject]),
        [['owner@example.com', 'The webhook Shop is disabled: every attempt failed for three days']],
      )
      assert.match(mails[0]?.text ?? '', /\/webhooks\/whk_\w+\n/)
    })

    test('each disabled webhook of a domain is reported with its page', async () => {
      const domain = await store.read.selectFrom('domains').selectAll().executeTakeFirstOrThrow()
      const disabled: string[] = []
      await look(3)
      for (const name of ['Shop', 'Store']) {
        const webhook = { ...webhookOf({ accountId, domainId: domain.id }), name, lease: 'nod_1' }
        await store.write(createWebhook, { webhook, most: 2 })
        const key = { id: webhook.id, accountId, domainId: domain.id, lease: 'nod_1' }
        await store.write(disableWebhook, { ...key, reason: 'gone', now: clock.now() })
        await look(3)
        disabled.push(webhook.id)
      }
      assert.deepEqual(
        mails.map(({ subject }) => subject),
        ['Shop', 'Store'].map((name) => `The webhook ${name} is disabled: its receiver answered 410 (gone)`),
      )
      for (const [i, id] of disabled.entries()) {
        assert.ok(mails[i]?.text.includes(`https://mail.example.com/domains/${domain.id}/webhooks/${id}\n`))
      }
    })

    test('missing records are solved when they are found, not when the domain is closed for them', async () => {
      const domain = await store.read.selectFrom('domains').selectAll().executeTakeFirstOrThrow()
      const check = (looked: RecordsState): Promise<unknown> =>
        store.write(recordDomainCheck, { domain, records: [], looked, claimProved: false, now: clock.now() })
      await check('gone')
      await look(3)
      assert.match(mails[0]?.subject ?? '', /^Required DNS records of \S+ are missing$/)
      // Users have checked the domain some hours before the deadline, so the next check is some hours after the
      // deadline.
      clock.advance(3 * 86_400_000)
      await look(3)
      assert.equal(mails.length, 1)
      await check('gone')
      await look(3)
      assert.equal(mails.length, 2)
      assert.match(mails[1]?.subject ?? '', /^\S+ can no longer send$/)
      await check('complete')
      await look(3)
      assert.equal(mails.length, 3)
      assert.match(mails[2]?.text ?? '', /^Solved: \S+ can no longer send\.$/m)
      assert.doesNotMatch(mails[2]?.text ?? '', /Required DNS records/)
    })

    test('high shares of bounces and complaints are events, once at their begin and once at their end', async () => {
      const domain = await store.read.selectFrom('domains').selectAll().executeTakeFirstOrThrow()
      const unowned = await createOwner(store)
      const owners = [{ accountId, domainId: domain.id }, unowned]
      const count = async (counts: object): Promise<void> => {
        const look = await lookInto(storage)
        for (const { accountId: account_id, domainId: domain_id } of owners) {
          const hour_at = clock.now() - (clock.now() % 3_600_000)
          const none = Object.fromEntries(Object.keys(TABLES.message_counts).map((column) => [column, 0]))
          const row = { ...none, account_id, domain_id, stream: 'transactional', hour_at, ...counts }
          await look.read
            .insertInto('message_counts')
            .values(row as never)
            .execute()
          const nothing = Object.fromEntries(Object.keys(TABLES.message_parts).map((column) => [column, 0]))
          const part: Readonly<Record<string, unknown>> = {
            ...{ ...nothing, ...row, kind: 'provider', name: 'Yahoo' },
          }
          await look.read
            .insertInto('message_parts')
            .values(Object.fromEntries(Object.keys(nothing).map((column) => [column, part[column]])) as never)
            .execute()
        }
        await look.close()
      }
      const told = async (owner: Owner): Promise<string[]> => {
        const rows = await store.read
          .selectFrom('account_events')
          .selectAll()
          .where('account_id', '=', owner.accountId)
          .orderBy('id')
          .execute()
        return rows.flatMap(({ type, domain_id, object_id, detail }) => {
          if (!type.endsWith('.high')) return []
          assert.deepEqual([domain_id, object_id], [owner.domainId, owner.domainId])
          const { status, share, limit, ...counts } = JSON.parse(detail)
          return [`${type} ${status} ${share} ${limit} ${JSON.stringify(counts)}`]
        })
      }
      await count({ delivered: 940, bounced: 60, complained: 5 })
      await look(1)
      for (const owner of owners) assert.deepEqual(await told(owner), [])
      await look(5)
      const begun = [
        'bounces.high begun 0.06 0.05 {"bounced":60,"finished":1000}',
        'complaints.high begun 0.00532 0.001 {"complained":5,"delivered":940}',
      ]
      for (const owner of owners) assert.deepEqual((await told(owner)).toSorted(), begun)
      clock.advance(3_600_000)
      await count({ delivered: 99_000 })
      await look(5)
      const ended = [
        'bounces.high ended 0.0006 0.05 {"bounced":60,"finished":100000}',
        'complaints.high ended 0.00005 0.001 {"complained":5,"delivered":99940}',
      ]
      for (const owner of owners) assert.deepEqual((await told(owner)).slice(2).toSorted(), ended)
    })

    test('a problem that comes and goes is not reported', async () => {
      for (let i = 0; i < 4; i++) {
        await allow(0)
        await look(1)
        await allow(1_000)
        await look(1)
      }
      assert.equal(mails.length, 0)
    })

    test('a problem that could not be reported is reported as soon as possible', async () => {
      canSend = false
      await allow(0)
      await look(4)
      canSend = true
      await look(3)
      assert.equal(mails.length, 1)
    })
  })
}
