// Erasing an address leaves no trace of the address in any table or file, keeps the data of other addresses, and keeps
// the address suppressed.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { claim, createOwner, finish, messageTo, NOW } from '../../test/support/queued.ts'
import { DATABASES, lookInto, settled, type TestStorage, testStorage } from '../../test/support/store.ts'
import { TestClock } from '../../test/support/test-clock.ts'
import { beforeIdsOf, newId } from '../lib/ids.ts'
import { silentLog } from '../lib/log.ts'
import { Problem } from '../model/problem.ts'
import { acceptMessage } from '../store/accepting/accept-message.ts'
import { backupDatabase } from '../store/database/backup.ts'
import { insertRows } from '../store/database/rows.ts'
import { TABLES } from '../store/database/schema.ts'
import type { Store } from '../store/database/store.ts'
import { findMessage, type Owner } from '../store/messages/messages.ts'
import { openStore } from '../store/node/open-in-mode.ts'
import { eraseFromMessages } from '../store/person/erasure.ts'
import { recordOutcome } from '../store/queue/outcomes.ts'
import { recordChecks } from '../store/verification/verification-checks.ts'
import { removeSuppressions } from '../store/workspace/suppression-list.ts'
import { findSuppressions, suppress } from '../store/workspace/suppressions.ts'
import { erase, everythingAbout } from './erasure.ts'

const PERSON = 'Jo.Person+shop@receiver.example'
const SECRET = 'nobody-else-writes-this'
const clock = new TestClock(NOW)
const DAY_MS = 86_400_000
const LIFETIMES = { webhooksMs: 7 * DAY_MS, auditMs: 365 * DAY_MS }

function submitted(owner: Owner, emails: readonly string[], text = SECRET) {
  const { message, ...item } = messageTo(owner, emails)
  const id = `${beforeIdsOf('msg', NOW)}${newId('msg').slice(-16)}`
  // Text longer than a page of SQLite, so that the row has overflow pages.
  const content = `${emails.join()} ${text} `.repeat(200)
  const links = item.recipients.map((one) => ({ ...one, unsubscribeToken: newId('req').slice(-26) }))
  return { ...item, content, recipients: links, message: { ...message, id, subject: `For ${emails[0]}` } }
}

async function deliver(store: Store): Promise<void> {
  for (const one of (await claim(store)).recipients) await finish(store, one, 'delivered')
  await settled(store)
}

/** Returns the tables whose rows contain a text (case-insensitive). */
async function tablesWith(store: Store, text: string): Promise<string[]> {
  const found: string[] = []
  for (const table of Object.keys(TABLES) as (keyof typeof TABLES)[]) {
    const rows = await store.read.selectFrom(table).selectAll().execute()
    const values = rows.flatMap((row) => Object.values(row))
    const all = values.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value)).join('\n')
    if (all.toLowerCase().includes(text.toLowerCase())) found.push(table)
  }
  return found
}

/**
 * Returns the files of the data directory that contain a text (case-insensitive). The search leaves out the unallocated
 * part of the pages of a database.
 */
const filesWith = ({ dataDir }: TestStorage, text: string): string[] =>
  readdirSync(dataDir).filter((name) => {
    const file = readFileSync(join(dataDir, name))
    if (file.toString('latin1', 0, 15) === 'SQLite format 3') clearUnallocated(file)
    return file.toString('latin1').toLowerCase().includes(text.toLowerCase())
  })

/**
 * Clears the unallocated part of all B-tree pages. Bytes of rows that were moved to another page remain in this part
 * (SQLite, "Database File Format", 1.6; docs/retention.md documents this fact).
 */
function clearUnallocated(file: Buffer): void {
  const pageSize = file.readUInt16BE(16)
  for (let page = 0; page < file.length; page += pageSize) {
    const header = page === 0 ? 100 : page
    const headerBytes = { 2: 12, 5: 12, 10: 8, 13: 8 }[file.readUInt8(header)]
    if (headerBytes === undefined) continue
    const pointersEnd = header + headerBytes + 2 * file.readUInt16BE(header + 3)
    const contentStart = page + (file.readUInt16BE(header + 5) || 65_536)
    if (pointersEnd < contentStart && contentStart <= page + pageSize) file.fill(0, pointersEnd, contentStart)
  }
}

for (const database of DATABASES) {
  describe(`erasing an address on ${database}`, () => {
    async function withStore(work: (store: Store, owner: Owner, storage: TestStorage) => Promise<void>) {
      const storage = await testStorage(database, 'tables')
      const store = await openStore({ ...storage, log: silentLog })
      try {
        await work(store, await createOwner(store), storage)
      } finally {
        await store.close()
        await storage.remove()
      }
    }

    test('leaves no trace of it in any table or file, and all data of others', () =>
      withStore(async (store, owner, storage) => {
        const others = await Promise.all(
          Array.from({ length: 60 }, async (_, i) => {
            const item = submitted(owner, [`other${i}@receiver.example`], 'of others')
            await store.write(acceptMessage, item)
            return item.message.id
          }),
        )
        const alone = submitted(owner, [PERSON])
        const upper = submitted(owner, [PERSON.toUpperCase().replace('RECEIVER.EXAMPLE', 'receiver.example')])
        const shared = submitted(owner, ['friend@receiver.example', PERSON])
        for (const item of [alone, upper, shared]) await store.write(acceptMessage, item)
        await deliver(store)
        assert.notDeepEqual(await tablesWith(store, PERSON), [])
        const exported = await Array.fromAsync(everythingAbout(store.read, PERSON.toLowerCase(), {}))
        assert.deepEqual([...new Set(exported.map(({ table }) => table))].toSorted(), [
          'attempts',
          'events',
          'message_contents',
          'messages',
          'recipients',
          'unsubscribe_links',
        ])
        const receipt = await erase({ store, clock, ...LIFETIMES }, PERSON.toLowerCase(), {})
        assert.deepEqual(
          [receipt.rows.messages, receipt.rows.messages_emptied, receipt.rows.recipients],
          [2, 1, 3],
        )
        assert.equal(JSON.stringify(receipt).toLowerCase().includes('person'), false)
        for (const text of [PERSON, SECRET]) assert.deepEqual(await tablesWith(store, text), [], text)
        for (const id of others) assert.equal((await findMessage(store.read, owner, id))?.events.length, 3)
        const left = await findMessage(store.read, owner, shared.message.id)
        assert.deepEqual(
          left?.recipients.map(({ email }) => email),
          ['friend@receiver.example'],
        )
        if (database === 'sqlite') {
          await backupDatabase(storage.dataDir, join(storage.dataDir, 'backup.db'))
          assert.ok(filesWith(storage, 'of others').includes('backup.db'))
          for (const text of [PERSON, SECRET]) assert.deepEqual(filesWith(storage, text), [], text)
        }
      }))

    test('keeps a suppression in force, as a hash, until it is removed', () =>
      withStore(async (store, owner) => {
        const { accountId: account_id, domainId: domain_id } = owner
        const row = { account_id, domain_id, stream: 'transactional', email: PERSON }
        await store.write(suppress, { ...row, reason: 'complaint', message_id: null, created_at: NOW })
        await erase({ store, clock, ...LIFETIMES }, PERSON, {})
        assert.deepEqual(await tablesWith(store, PERSON), [])
        const asked = { domainId: domain_id, stream: 'transactional', email: PERSON }
        const found = await findSuppressions(store.read, [asked, { ...asked, email: 'x@receiver.example' }])
        assert.deepEqual([...found.keys()], [0])
        const again = submitted(owner, [PERSON])
        await store.write(acceptMessage, again)
        const { recipients } = (await findMessage(store.read, owner, again.message.id)) ?? {}
        assert.equal(recipients?.[0]?.status, 'suppressed')
        const entries = [{ stream: 'transactional', email: PERSON }]
        const kept = await store.write(removeSuppressions, { ...owner, entries, force: false, now: NOW })
        assert.deepEqual(kept, { removed: 0, kept: 1 })
        const removed = await store.write(removeSuppressions, { ...owner, entries, force: true, now: NOW })
        assert.deepEqual(removed, { removed: 1, kept: 0 })
        assert.equal((await findSuppressions(store.read, [asked])).size, 0)
      }))

    test('keeps the strongest reason of a suppression that is listed and erased again', () =>
      withStore(async (store, owner) => {
        const { accountId: account_id, domainId: domain_id } = owner
        const row = { account_id, domain_id, stream: 'transactional', email: PERSON, message_id: null }
        for (const reason of ['hard_bounce', 'complaint', 'manual'] as const) {
          await store.write(suppress, { ...row, reason, created_at: NOW })
          await erase({ store, clock, ...LIFETIMES }, PERSON, {})
        }
        const asked = { domainId: domain_id, stream: 'transactional', email: PERSON }
        assert.equal((await findSuppressions(store.read, [asked])).get(0)?.reason, 'complaint')
      }))

    test('waits for the readers of the event log, which then write nothing about the address', () =>
      withStore(async (store, owner) => {
        const alone = submitted(owner, [PERSON])
        const shared = submitted(owner, ['friend@receiver.example', PERSON])
        const ids = [alone, shared].map(({ message }) => message.id)
        for (const item of [alone, shared]) await store.write(acceptMessage, item)
        for (const one of (await claim(store)).recipients) await finish(store, one, 'delivered')
        const email = PERSON.toLowerCase()
        assert.equal(await store.write(eraseFromMessages, { email, messageIds: ids }), 'unread')
        const { rows } = await erase({ store, clock, ...LIFETIMES }, PERSON, {})
        assert.deepEqual([rows.messages, rows.messages_emptied], [1, 1])
        await settled(store)
        const words = await store.read.selectFrom('message_words').selectAll().execute()
        assert.deepEqual(
          words.filter(({ message_id }) => ids.includes(message_id)),
          [],
        )
        for (const text of [PERSON, SECRET]) assert.deepEqual(await tablesWith(store, text), [], text)
      }))

    test('is refused while a message to it waits, and changes nothing', () =>
      withStore(async (store, owner) => {
        await store.write(acceptMessage, submitted(owner, [PERSON]))
        const before = await tablesWith(store, PERSON)
        await assert.rejects(erase({ store, clock, ...LIFETIMES }, PERSON, {}), (error: Problem) => {
          assert.equal(error.code, 'conflict')
          return true
        })
        assert.deepEqual(await tablesWith(store, PERSON), before)
        await assert.rejects(erase({ store, clock, ...LIFETIMES }, 'no address', {}), Problem)
      }))

    test('leaves longer addresses that end or begin with it unchanged', () =>
      withStore(async (store, owner) => {
        const jo = 'jo@receiver.example'
        const longer = ['mojo@receiver.example', 'jo@receiver.example.net'] as const
        const shared = submitted(owner, [jo, ...longer])
        await store.write(acceptMessage, shared)
        for (const claimed of (await claim(store)).recipients) {
          const text = `<${claimed.email}> taken`
          await store.write(recordOutcome, {
            ...{ claimed, lease: claimed.lease, outcome: { status: 'delivered', reason: '' } },
            ...{ nextAttemptAt: null, now: NOW + 1 },
            attempt: {
              ...{ startedAt: NOW, durationMs: 5, mx: 'mx.example.com', transcript: 'x' },
              reply: { code: 250, enhanced: '2.1.5', text },
            },
          })
        }
        await settled(store)
        await erase({ store, clock, ...LIFETIMES }, jo, {})
        const left = await findMessage(store.read, owner, shared.message.id)
        assert.deepEqual(
          left?.recipients.map(({ email, smtp_response }) => [email, smtp_response]),
          longer.map((email) => [email, `2.1.5 <${email}> taken`]),
        )
        for (const email of longer) {
          assert.ok(
            left?.events.some((event) => event.email === email && event.type === 'delivered'),
            email,
          )
        }
      }))

    test('finds an internationalised domain in either spelling', () =>
      withStore(async (store, owner, storage) => {
        const { accountId: account_id } = owner
        const given = 'jo@bücher.example'
        const answer = JSON.stringify({ email: given })
        const check = { account_id, id: newId('chk'), email: given, result: 'unknown' as const, answer }
        await store.write(recordChecks, {
          checks: [{ ...check, key_id: null, user_id: null, checked_at: NOW }],
        })
        const list = { account_id, key_id: 'key', name: null, columns: null, status: 'done' as const }
        const counts = { total: 1, duplicates: 0, deliverable: 0, undeliverable: 0, risky: 0, unknown: 1 }
        const verification_id = newId('ver')
        const beside = await lookInto(storage)
        await insertRows(beside.read, 'verifications', [
          {
            ...list,
            ...counts,
            id: verification_id,
            lease: null,
            lease_until: null,
            created_at: NOW,
            finished_at: NOW,
          },
        ])
        await insertRows(beside.read, 'verification_addresses', [
          { verification_id, position: 0, account_id, email: given, answer, cells: null },
        ])
        await beside.close()
        const exported = await Array.fromAsync(everythingAbout(store.read, 'jo@xn--bcher-kva.example', {}))
        assert.deepEqual(exported.map(({ table }) => table).toSorted(), [
          'verification_addresses',
          'verification_checks',
        ])
        await erase({ store, clock, ...LIFETIMES }, given, {})
        assert.deepEqual(await tablesWith(store, 'bücher'), [])
      }))

    test('in one domain leaves the others unchanged', () =>
      withStore(async (store, owner) => {
        const stranger = await createOwner(store)
        for (const one of [owner, stranger]) await store.write(acceptMessage, submitted(one, [PERSON]))
        await deliver(store)
        const { accountId, domainId } = owner
        assert.equal(
          (await erase({ store, clock, ...LIFETIMES }, PERSON, { accountId, domainId })).rows.messages,
          1,
        )
        const rows = await store.read.selectFrom('recipients').select('domain_id').execute()
        assert.deepEqual(rows, [{ domain_id: stranger.domainId }])
      }))
  })
}
