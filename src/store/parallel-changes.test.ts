// Changes by another node between reading rows and the write that depends on these rows, on PostgreSQL. The transaction
// of the other node holds the row until the write waits for the row or has ended.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { createOwner, messageTo, NOW } from '../../test/support/queued.ts'
import { type TestStorage, testStorage } from '../../test/support/store.ts'
import { newId } from '../lib/ids.ts'
import { silentLog } from '../lib/log.ts'
import { acceptMessage } from './accepting/accept-message.ts'
import type { Store } from './database/store.ts'
import type { Owner } from './messages/messages.ts'
import { openStore } from './node/open-in-mode.ts'
import { pullInDeferred } from './queue/late-due.ts'
import { cancelRecipients } from './queue/queue-control.ts'
import { removeSuppressions } from './workspace/suppression-list.ts'
import { suppress } from './workspace/suppressions.ts'
import { findUnsubscribeLink, forgetOrphanedLinks, keepUnsubscribeLinks } from './workspace/unsubscribe.ts'

describe('a change by another node', () => {
  let storage: TestStorage
  let store: Store
  let owner: Owner
  let other: pg.Client
  before(async () => {
    storage = await testStorage('postgres', 'tables')
    store = await openStore({ ...storage, log: silentLog })
    owner = await createOwner(store)
    other = new pg.Client({ connectionString: storage.databaseUrl })
    await other.connect()
  })
  after(async () => {
    await other.end()
    await store.close()
    await storage.remove()
  })

  /**
   * Runs a write while another transaction has changed a row; commits that change once the write waits or has ended.
   */
  async function during<T>(change: string, values: readonly unknown[], write: () => Promise<T>): Promise<T> {
    await other.query('begin')
    await other.query(change, [...values])
    let isOver = false
    const writing = write().finally(() => {
      isOver = true
    })
    while (!isOver) {
      const { rows } = await other.query(
        `select from pg_locks where not granted and pid in
          (select pid from pg_stat_activity where datname = current_database())`,
      )
      if (rows.length > 0) break
    }
    await other.query('commit')
    return writing
  }

  const accepted = async (email: string): Promise<string> => {
    const item = messageTo(owner, [email])
    await store.write(acceptMessage, item)
    return item.message.id
  }

  test('does not keep a named message from being cancelled', async () => {
    const id = await accepted('ann@receiver.example')
    const { recipients } = await during(
      "update queue set state = 'throttled', waits_for = 'receiver.example' where message_id = $1",
      [id],
      () => store.write(cancelRecipients, { selection: { owner, messageIds: [id] }, by: 'sender', now: NOW }),
    )
    assert.equal(recipients, 1)
    const waiting = await store.read
      .selectFrom('queue')
      .select('state')
      .where('message_id', '=', id)
      .execute()
    assert.deepEqual(waiting, [])
  })

  test('does not remove the unsubscribe link of a message that was just accepted', async () => {
    const token = 't'.repeat(30)
    const link = {
      ...{ token, account_id: owner.accountId, domain_id: owner.domainId, stream: 'broadcast' },
      ...{ email: 'bob@receiver.example', message_id: newId('msg'), position: 0, created_at: NOW },
    }
    await store.read.transaction().execute((db) => keepUnsubscribeLinks(db, [link]))
    const id = await accepted('bob@receiver.example')
    await during('update unsubscribe_links set message_id = $1 where token = $2', [id, token], () =>
      store.write(forgetOrphanedLinks, { after: '', limit: 100 }),
    )
    assert.equal((await findUnsubscribeLink(store.read, token))?.email, 'bob@receiver.example')
  })

  test('does not remove a complaint from its list, unless it is forced', async () => {
    const { accountId, domainId } = owner
    const entry = { stream: 'broadcast', email: 'eve@receiver.example' }
    await store.write(suppress, {
      ...{ account_id: accountId, domain_id: domainId, ...entry, reason: 'manual' },
      ...{ message_id: null, created_at: NOW },
    })
    const removal = { accountId, domainId, entries: [entry], force: false, now: NOW }
    const removed = await during(
      "update suppressions set reason = 'complaint' where email = $1",
      [entry.email],
      () => store.write(removeSuppressions, removal),
    )
    assert.deepEqual(removed, { removed: 0, kept: 1 })
    const forced = await store.write(removeSuppressions, { ...removal, force: true })
    assert.deepEqual(forced, { removed: 1, kept: 0 })
  })

  test('does not touch a recipient with a late due time that it has claimed', async () => {
    const id = await accepted('kim@receiver.example')
    const far = Date.now() + 1e9
    await other.query("update queue set state = 'deferred', due_at = $2 where message_id = $1", [id, far])
    await during(
      `update queue set state = 'active', due_at = null, lease = 'n.1', lease_until = $2, active_since = 1
        where message_id = $1`,
      [id, Date.now() + 60_000],
      () => store.write(pullInDeferred, { now: Date.now(), latest: Date.now() + 1e6 }),
    )
    const [row] = await store.read
      .selectFrom('queue')
      .select(['state', 'due_at', 'lease'])
      .where('message_id', '=', id)
      .execute()
    assert.deepEqual(row, { state: 'active', due_at: null, lease: 'n.1' })
  })
})
