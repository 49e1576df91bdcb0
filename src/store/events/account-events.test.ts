// Every type of account event is written in the commit of its change, on both databases.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { claim, createOwner, finish, messageTo, NOW } from '../../../test/support/queued.ts'
import { DATABASES, openTestStore } from '../../../test/support/store.ts'
import { webhookOf } from '../../../test/support/webhook-rows.ts'
import { createKey } from '../../access/keys.ts'
import { newId } from '../../lib/ids.ts'
import { ACCOUNT_EVENT_TYPES, type AccountEventType, ruleOfAccountEvent } from '../../model/account-event.ts'
import { GRACE_MS, type RecordsState } from '../../model/domain.ts'
import { acceptMessage } from '../accepting/accept-message.ts'
import { deleteAccount } from '../access/account-removal.ts'
import { changeAccount, setAccountStatus } from '../access/accounts.ts'
import { keysDue, noteDueKey, noteRefusedNetwork } from '../access/key-notices.ts'
import { type Key, revokeKey, rotateKey } from '../access/keys.ts'
import { openBulk, releaseBulk } from '../bulk/bulks.ts'
import type { Store } from '../database/store.ts'
import { recordDomainCheck } from '../domains/domain-checks.ts'
import { deleteDomain } from '../domains/domains.ts'
import type { Owner } from '../messages/owner.ts'
import { recordNotices } from '../problems/problem-notices.ts'
import { readWholeLog } from '../readers/log-readers.ts'
import { grantCredits, takeCredit } from '../verification/verification-credits.ts'
import { cancelVerification, openVerification, queueVerification } from '../verification/verifications.ts'
import { recordDeliveries } from '../webhooks/deliveries.ts'
import { disableWebhook } from '../webhooks/disabling.ts'
import { claimWebhooks } from '../webhooks/leases.ts'
import { createWebhook } from '../webhooks/webhooks.ts'
import { addSuppressions, removeSuppressions } from '../workspace/suppression-list.ts'
import { LISTED_SUPPRESSIONS } from '../workspace/suppressions.ts'
import { ALL_ACCOUNTS } from './account-events.ts'
import {
  type AccountEventFilter,
  type AccountFeedEvent,
  followAccountEvents,
  listAccountEvents,
  withAccountContents,
} from './account-feed.ts'
import { feedEnd, readFeedWith } from './feed.ts'
import { forgetFeed } from './feed-removal.ts'

const DAY_MS = 86_400_000

for (const database of DATABASES) {
  describe(`account events in ${database}`, () => {
    let store: Store
    before(async () => {
      store = await openTestStore(database)
    })
    after(() => store.close())

    const EVERY: AccountEventFilter = { domains: null }

    /** Returns the events of an account that the work causes, in feed order. */
    async function caused(
      { accountId }: Pick<Owner, 'accountId'>,
      work: () => Promise<unknown>,
    ): Promise<readonly AccountFeedEvent[]> {
      await readWholeLog(store)
      const from = await feedEnd(store.read, accountId)
      await work()
      await readWholeLog(store)
      return (await followAccountEvents(store.read, accountId, EVERY, { after: from, limit: 500 })).events
    }

    /** Asserts that the work causes exactly these events of an account, with the details that the table lists. */
    async function causes(
      owner: Owner,
      types: readonly AccountEventType[],
      work: () => Promise<unknown>,
    ): Promise<readonly AccountFeedEvent[]> {
      const events = await caused(owner, work)
      assert.deepEqual(
        events.map(({ type }) => type),
        types,
      )
      for (const { type, accountId, domainId, domainName, detail } of events) {
        provoked.add(type)
        assert.equal(accountId, owner.accountId)
        assert.equal(domainName === null, domainId === null)
        const names = Object.keys(ruleOfAccountEvent(type).sample).toSorted()
        assert.deepEqual(Object.keys(detail).toSorted(), names, type)
      }
      return events
    }
    const provoked = new Set<AccountEventType>()

    const resourcesAt = (now: number) => ({
      store,
      clock: { now: () => now, monotonic: () => now, after: () => () => {} },
    })
    const keyOf = async (owner: Owner, more: object = {}, now = NOW): Promise<Key> =>
      (
        await createKey(resourcesAt(now), {
          ...{ accountId: owner.accountId, kind: 'sending', domainId: owner.domainId, name: 'App' },
          ...more,
        })
      ).key

    test('of domains', async () => {
      const owner = await createOwner(store)
      const domain = { id: owner.domainId, account_id: owner.accountId }
      const record = { domain_id: owner.domainId, purpose: 'dkim_rsa', name: 'x', found: '[]', note: null }
      const check = (looked: RecordsState, now: number): Promise<unknown> =>
        store.write(recordDomainCheck, {
          ...{ domain, looked, claimProved: false, now },
          records: looked === 'gone' ? [{ ...record, purpose: 'dkim_rsa', status: 'missing' }] : [],
        })
      const [gone] = await causes(owner, ['domain.records_missing'], () => check('gone', NOW + 1))
      assert.equal(gone?.objectId, owner.domainId)
      assert.equal(gone?.domainName, `${owner.domainId.slice(-26)}.test`)
      assert.deepEqual(gone?.detail, { records: [{ purpose: 'dkim_rsa', status: 'missing' }] })
      await causes(owner, [], () => check('gone', NOW + 2))
      await causes(owner, ['domain.closed'], () => check('gone', NOW + GRACE_MS + 2))
      const [back] = await causes(owner, ['domain.verified'], () => check('complete', NOW + GRACE_MS + 3))
      assert.deepEqual(back?.detail, { again: true })
      const key = await keyOf(owner)
      const ended = await causes(owner, ['key.revoked', 'domain.deleted'], () =>
        store.write(deleteDomain, { domain, now: NOW + DAY_MS }),
      )
      assert.deepEqual(
        ended.map(({ objectId, detail }) => [objectId, detail.reason]),
        [
          [key.id, 'domain_deleted'],
          [owner.domainId, 'deleted'],
        ],
      )
    })

    test('of keys', async () => {
      const owner = await createOwner(store)
      const { accountId } = owner
      let key: Key | undefined
      const [made] = await causes(owner, ['key.created'], async () => {
        key = await keyOf(owner, { createdBy: 'usr_maker', expiresAt: NOW + 30 * DAY_MS })
      })
      const { id, last4 } = key as Key
      assert.deepEqual(
        [made?.objectId, made?.domainId, made?.detail],
        [id, owner.domainId, { kind: 'sending', name: 'App', last4, created_by: 'usr_maker' }],
      )
      const rotation = { accountId, id, hash: newId('key'), last4: 'abcd', now: NOW }
      const [rotated] = await causes(owner, ['key.rotated'], () =>
        store.write(rotateKey, { ...rotation, previousUntil: NOW + 1_000 }),
      )
      assert.equal(rotated?.detail.last4, 'abcd')
      const refuse = (now: number, address = '203.0.113.9'): Promise<unknown> =>
        store.write(noteRefusedNetwork, { accountId, id, address, now })
      const [refused] = await causes(owner, ['key.refused_network'], async () => {
        await refuse(NOW)
        await refuse(NOW + 1, '203.0.113.10')
      })
      assert.equal(refused?.detail.address, '203.0.113.9')
      await causes(owner, ['key.refused_network'], () => refuse(NOW + DAY_MS))

      const noteDue = async (now: number): Promise<void> => {
        for (const due of await keysDue(store.read, now, 100))
          if (due.id === id) await store.write(noteDueKey, { ...due, now })
      }
      await causes(owner, [], () => noteDue(NOW + 15 * DAY_MS))
      for (const days of [14, 3]) {
        const [due] = await causes(owner, ['key.expiring'], async () => {
          await noteDue(NOW + (30 - days) * DAY_MS)
          await noteDue(NOW + (30 - days) * DAY_MS + 3_600_000)
        })
        assert.deepEqual(due?.detail.days_left, days)
      }
      const revoke = (): Promise<boolean> => store.write(revokeKey, { accountId, id, now: NOW })
      await causes(owner, ['key.revoked'], revoke)
      await causes(owner, [], revoke)
      // The end of a key that lives for a short time is no news.
      const short = await keyOf(owner, { expiresAt: NOW + 2 * DAY_MS })
      assert.ok((await keysDue(store.read, NOW + DAY_MS, 100)).every((due) => due.id !== short.id))
    })

    test('of allowances: once at each step, and anew after a change and in the next month', async () => {
      const owner = await createOwner(store)
      const { accountId: id } = owner
      const change = (changes: object): Promise<unknown> =>
        store.write(changeAccount, { id, changes, now: NOW })
      let made = 0
      const send = async (count: number, created_at = NOW): Promise<string> => {
        const emails = Array.from({ length: count }, () => `a${made++}@d.example`)
        const item = messageTo(owner, emails)
        const message = { ...item.message, created_at }
        return (await store.write(acceptMessage, { ...item, message, counted: true })).kind
      }
      await change({ sending_allowance: 20 })
      await causes(owner, [], () => send(15))
      const [low] = await causes(owner, ['allowance.low'], () => send(1))
      assert.deepEqual(low?.detail, { used_percent: 80, left: 4, allowance: 20 })
      await causes(owner, [], () => send(1))
      const [lower] = await causes(owner, ['allowance.low'], () => send(2))
      assert.deepEqual(lower?.detail, { used_percent: 95, left: 1, allowance: 20 })
      const [exhausted] = await causes(owner, ['allowance.exhausted'], async () => {
        await send(2)
        await send(2)
        await send(1)
      })
      assert.deepEqual(exhausted?.detail, { left: 1, allowance: 20 })
      await change({ sending_allowance: 10, allowance_renews: 'month' })
      await causes(owner, ['allowance.exhausted'], async () => {
        await send(10)
        await send(1)
      })
      await causes(owner, ['allowance.low', 'allowance.exhausted'], async () => {
        const next = Date.UTC(2026, 1, 2)
        await send(8, next)
        await send(3, next)
        await send(2, next)
      })
    })

    test('of credits: at a tenth of the balance after the latest grant', async () => {
      const owner = await createOwner(store)
      const { accountId } = owner
      const grant = (credits: number): Promise<unknown> =>
        store.write(grantCredits, { accountId, credits, note: null, now: NOW })
      const take = async (count: number): Promise<void> => {
        for (let i = 0; i < count; i++) await store.write(takeCredit, { accountId, now: NOW })
      }
      await grant(20)
      await causes(owner, [], () => take(17))
      const [low] = await causes(owner, ['credits.low'], () => take(3))
      assert.deepEqual(low?.detail, { left: 2 })
      await grant(19)
      await causes(owner, ['credits.low'], () => grant(-18))
    })

    test('of bulks and lists', async () => {
      const owner = await createOwner(store)
      const { accountId, domainId } = owner
      const ids = { account_id: accountId, domain_id: domainId }
      const id = newId('blk')
      await store.write(openBulk, {
        bulk: {
          ...{ id, ...ids, key_id: 'key_test', name: 'News', tag: null, stream: 'transactional' },
          ...{ template_id: null, subject: 'Hello', status: 'running', problem: null, retry_at: 0 },
          ...{ total: 3, accepted: 3, refused: 0, contents: 0, lease: 'one', lease_until: null },
          ...{ created_at: NOW, finished_at: null, inbox_id: null },
        },
        content: { bulk_id: id, ...ids, source: Buffer.from('{}'), base: Buffer.from('{}') },
      })
      const release = (status: 'paused' | 'done'): Promise<unknown> =>
        store.write(releaseBulk, {
          ...{ accountId, id, lease: 'one', status, problem: null, retryAt: NOW, now: NOW },
        })
      const [ended] = await causes(owner, ['bulk.finished'], () => release('done'))
      assert.deepEqual(
        [ended?.objectId, ended?.domainId, ended?.detail],
        [id, domainId, { name: 'News', status: 'done', total: 3 }],
      )
      const list = newId('ver')
      await store.write(openVerification, {
        ...{ id: list, account_id: accountId, key_id: 'key', name: null, columns: null, status: 'loading' },
        ...{ total: 0, duplicates: 0, deliverable: 0, undeliverable: 0, risky: 0, unknown: 0 },
        ...{ lease: null, lease_until: null, created_at: NOW, finished_at: null },
      })
      await store.write(queueVerification, { accountId, id: list, total: 4, duplicates: 0 })
      const [cancelled] = await causes(owner, ['verification_list.finished'], () =>
        store.write(cancelVerification, { accountId, id: list, now: NOW }),
      )
      assert.deepEqual(cancelled?.detail, { name: null, status: 'cancelled', total: 4 })
    })

    test('of suppressions: by a bounce in the commit of the outcome, by hand, and of a long list', async () => {
      const owner = await createOwner(store)
      const { accountId, domainId } = owner
      await store.write(acceptMessage, messageTo(owner, ['Gone@d.example']))
      const { recipients } = await claim(store, { now: NOW })
      const claimed = recipients.find(({ email }) => email === 'Gone@d.example') ?? assert.fail()
      const [bounced] = await causes(owner, ['suppression.added'], () =>
        finish(store, claimed, 'bounced', null, { hard: true, category: 'mailbox_not_found' }),
      )
      assert.deepEqual(bounced?.detail, {
        ...{ email: 'gone@d.example', stream: 'transactional', reason: 'hard_bounce', count: 1 },
        message_id: claimed.messageId,
      })
      const entriesOf = (count: number) =>
        Array.from({ length: count }, (_, index) => ({
          ...{ stream: '*', email: `n${index}@d.example`, reason: 'manual' as const },
        }))
      const add = (count: number): Promise<unknown> =>
        store.write(addSuppressions, { accountId, domainId, entries: entriesOf(count), now: NOW })
      await causes(owner, ['suppression.added', 'suppression.added'], () => add(2))
      await causes(owner, [], () => add(2))
      const many = LISTED_SUPPRESSIONS + 3
      const [counted] = await caused(owner, () => add(many))
      assert.deepEqual(counted?.detail, { stream: '*', reason: 'manual', count: many - 2, message_id: null })
      const entries = entriesOf(1)
      await causes(owner, ['suppression.removed'], () =>
        store.write(removeSuppressions, { accountId, domainId, entries, force: false, now: NOW }),
      )
      // A suppression of the whole account belongs to no domain.
      const [ofAll] = await causes(owner, ['suppression.added'], () =>
        store.write(addSuppressions, { accountId, domainId: accountId, entries, now: NOW }),
      )
      assert.equal(ofAll?.domainId, null)
    })

    test('of imports, in the commit of the last addresses', async () => {
      const owner = await createOwner(store)
      const { accountId, domainId } = owner
      const item = { accountId, now: NOW, finishes: { total: 130, valid: 120, added: 100 } }
      const entries = [{ stream: '*', email: 'last@d.example', reason: 'manual' as const }]
      const [, ended] = await causes(owner, ['suppression.added', 'import.finished'], () =>
        store.write(addSuppressions, { ...item, domainId, entries }),
      )
      assert.deepEqual(
        [ended?.objectId, ended?.domainId, ended?.detail],
        [domainId, domainId, { list: 'suppressions', total: 130, added: 101, existing: 19, rejected: 10 }],
      )
      const [ofAll] = await causes(owner, ['import.finished'], () =>
        store.write(addSuppressions, { ...item, domainId: accountId, entries: [] }),
      )
      assert.deepEqual([ofAll?.objectId, ofAll?.domainId], [accountId, null])
    })

    test('of shares of bounces and complaints, with the notice to the owners', async () => {
      const owner = await createOwner(store)
      const { accountId, domainId } = owner
      const types = ['complaints.high', 'bounces.high'] as const
      await causes(owner, types, () =>
        store.write(recordNotices, {
          ...{ accountId, begun: [], ended: [], now: NOW },
          events: types.map((type) => ({
            ...{ accountId, domainId, objectId: domainId, type, at: NOW },
            detail: ruleOfAccountEvent(type).sample,
          })),
        }),
      )
    })

    test('of webhooks: when a webhook pauses, and when it is turned off', async () => {
      const owner = await createOwner(store)
      const webhook = webhookOf(owner)
      await store.write(createWebhook, { webhook, most: 5 })
      await store.write(acceptMessage, messageTo(owner, ['a@d.example']))
      await readWholeLog(store)
      const now = Date.now()
      const feeds = { feedIds: [owner.domainId], lease: 'one', now, until: now + 60_000, limit: 1 }
      const [held] = await store.write(claimWebhooks, feeds)
      assert.equal(held?.id, webhook.id)
      const key = { ...owner, id: webhook.id, lease: 'one' }
      const record = (foundFailingAt: number | undefined): Promise<boolean> =>
        store.write(recordDeliveries, {
          ...{ ...key, made: [], repeated: [], removed: [], position: 0, attemptedTo: 0 },
          ...{ replayPosition: null, failures: 10, failingSince: NOW, resumeAt: NOW, foundFailingAt },
        })
      const [paused] = await causes(owner, ['webhook.failing'], async () => {
        await record(NOW)
        await record(undefined)
      })
      assert.deepEqual(paused?.detail, {
        ...{ name: '', host: 'receiver.example', status: 'paused', reason: 'failing' },
      })
      const [disabled] = await causes(owner, ['webhook.failing'], () =>
        store.write(disableWebhook, { ...key, reason: 'gone', now: NOW }),
      )
      assert.deepEqual([disabled?.detail.status, disabled?.detail.reason], ['disabled', 'gone'])
    })

    test('of accounts', async () => {
      await createOwner(store)
      const owner = await createOwner(store)
      const { accountId: id } = owner
      const suspend = (): Promise<unknown> =>
        store.write(changeAccount, { id, changes: { status: 'suspended', reason: 'unpaid' }, now: NOW })
      await causes(owner, ['account.suspended'], suspend)
      await causes(owner, [], suspend)
      await causes(owner, ['account.resumed'], () =>
        store.write(setAccountStatus, { id, status: 'active', now: NOW }),
      )
      const key = await keyOf(owner, { kind: 'verification', domainId: null })
      const ended = await causes(owner, ['domain.deleted', 'key.revoked'], () =>
        store.write(deleteAccount, { id, now: NOW }),
      )
      assert.deepEqual([ended[1]?.objectId, ended[1]?.detail.reason], [key.id, 'account_deleted'])
    })

    test('every type of the table was provoked', () => {
      assert.deepEqual([...provoked].toSorted(), ACCOUNT_EVENT_TYPES.toSorted())
    })

    test('a refused change writes no event, and the feed of all accounts has every event once', async () => {
      const owners = [await createOwner(store), await createOwner(store)]
      await readWholeLog(store)
      const from = await feedEnd(store.read, ALL_ACCOUNTS)
      await Promise.all(owners.map((owner) => keyOf(owner)))
      await assert.rejects(keyOf(owners[0] as Owner, { domainId: newId('dom') }))
      await readWholeLog(store)
      const query = { domainId: ALL_ACCOUNTS, after: from, limit: 100 }
      const { events } = await readFeedWith(store.read, query, withAccountContents)
      assert.deepEqual(
        events.map(({ accountId, type }) => `${accountId} ${type}`).toSorted(),
        owners.map(({ accountId }) => `${accountId} key.created`).toSorted(),
      )
    })

    test('are followed and listed in pages, by type, object, domain and time', async () => {
      const owner = await createOwner(store)
      const other = { accountId: owner.accountId, domainId: newId('dom') }
      const keys: Key[] = []
      for (let index = 0; index < 5; index++) keys.push(await keyOf(owner, {}, NOW + index))
      await keyOf(owner, { kind: 'verification', domainId: null }, NOW + 5)
      await readWholeLog(store)
      const follow = async (filter: AccountEventFilter, limit: number): Promise<string[]> => {
        const found: string[] = []
        for (let after = 0; ; ) {
          const page = await followAccountEvents(store.read, owner.accountId, filter, { after, limit })
          assert.ok(page.events.length <= limit)
          if (page.position === after) return found
          found.push(...page.events.map(({ id }) => id))
          after = page.position
        }
      }
      const list = async (filter: AccountEventFilter, limit: number): Promise<string[]> => {
        const found: string[] = []
        for (let before: number | null = Number.MAX_SAFE_INTEGER; before !== null; ) {
          const page: Awaited<ReturnType<typeof listAccountEvents>> = await listAccountEvents(
            store.read,
            owner.accountId,
            filter,
            { before, limit },
          )
          found.push(...page.events.map(({ id }) => id))
          before = page.next
        }
        return found
      }
      const all = await follow(EVERY, 100)
      assert.equal(all.length, 6)
      for (const limit of [1, 2, 3, 100]) {
        assert.deepEqual(await follow(EVERY, limit), all)
        assert.deepEqual(await list(EVERY, limit), all.toReversed())
        assert.deepEqual(await list({ ...EVERY, objectId: keys[2]?.id }, limit), [all[2]])
        assert.deepEqual(await follow({ domains: new Set([other.domainId]) }, limit), [all[5]])
        assert.deepEqual(await list({ ...EVERY, after: NOW + 1, before: NOW + 3 }, limit), [all[2], all[1]])
        assert.deepEqual(await follow({ ...EVERY, types: new Set(['key.revoked']) }, limit), [])
      }
      // Old events are removed with the feed of all accounts.
      const removal = { before: NOW + 3, isOfAll: true, limit: 1_000 }
      for (const domainId of [ALL_ACCOUNTS, owner.accountId]) {
        await store.write(forgetFeed, { ...removal, domainId })
      }
      assert.deepEqual(await follow(EVERY, 100), all.slice(3))
      const left = await store.read
        .selectFrom('account_events')
        .select('id')
        .where('account_id', '=', owner.accountId)
        .execute()
      assert.equal(left.length, 3)
    })
  })
}
