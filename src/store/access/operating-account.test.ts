// The account that operates the installation is the account that was created first, regardless of the clocks of the
// nodes.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { DATABASES, type TestStorage, testStorage } from '../../../test/support/store.ts'
import { newId } from '../../lib/ids.ts'
import { silentLog } from '../../lib/log.ts'
import type { Store } from '../database/store.ts'
import { openStore } from '../node/open-in-mode.ts'
import { type Account, createAccount, createUser, findOperatingAccount, WITHOUT_LIMITS } from './accounts.ts'
import { recordAudit } from './audit-log.ts'
import { keepToken } from './one-time-tokens.ts'
import { operatingAccountId } from './operating-account.ts'
import { makeFirstUser } from './people.ts'
import { findSession, openSession } from './sessions.ts'

const NOW = Date.UTC(2026, 0, 31, 12)

/** Returns an account created by a node whose clock showed the time `at`. */
const accountAt = (at: number, name: string): Account => ({
  ...{ ...WITHOUT_LIMITS, id: newId('acc', at), name, created_at: at },
})

for (const database of DATABASES) {
  describe(`the operating account on ${database}`, () => {
    const first = accountAt(NOW, 'First')
    const behind = accountAt(NOW - 3_600_000, 'Of a clock that is behind')
    let storage: TestStorage
    let store: Store
    beforeEach(async () => {
      storage = await testStorage(database, 'tables')
      store = await openStore({ ...storage, log: silentLog })
    })
    afterEach(async () => {
      await store.close()
      await storage.remove()
    })

    /** Returns the ID of the operating account, as read from the session of a user of this account. */
    async function operatingBySession({ id }: Account): Promise<string | null | undefined> {
      const [user, hash] = [newId('usr'), newId('evt')]
      const person = { role: 'owner', name: null, password_hash: 'x', created_at: NOW } as const
      await store.write(createUser, { id: user, account_id: id, email: `${user}@x.example`, ...person })
      const session = {
        id: newId('ses'),
        user_id: user,
        account_id: id,
        hash,
        address: '::1',
        user_agent: '',
      }
      await store.write(openSession, {
        session: { ...session, created_at: NOW, last_seen_at: NOW },
        ...{ passwordHash: person.password_hash, seenBefore: 0, madeBefore: 0 },
      })
      return (await findSession(store.read, hash))?.operating_account_id
    }

    test('is the account that was created first, not the one with the lowest ID', async () => {
      await store.write(createAccount, first)
      await store.write(createAccount, behind)
      assert.equal((await findOperatingAccount(store.read))?.name, 'First')
      assert.equal(await operatingBySession(behind), first.id)
      await store.write(recordAudit, {
        ...{ id: newId('aud', NOW), account_id: null, at: NOW, user_id: null, actor: 'command line' },
        ...{ action: 'account.create', target: null, address: null, detail: '{}' },
      })
      const kept = await store.read.selectFrom('audit_log').select('account_id').execute()
      assert.deepEqual(kept, [{ account_id: first.id }])
    })

    test('gets the first user', async () => {
      await store.write(createAccount, first)
      await store.write(createAccount, behind)
      const token = { hash: 'h', purpose: 'first_run', user_id: null, expires_at: NOW + 1 } as const
      await store.write(keepToken, { token, now: NOW })
      const user = { id: newId('usr'), email: 'ann@x.example', name: null, role: 'owner' } as const
      const made = await store.write(makeFirstUser, {
        ...{ hash: 'h', now: NOW, account: accountAt(NOW + 1, 'Third') },
        user: { ...user, password_hash: 'x', created_at: NOW },
      })
      assert.equal(made?.account_id, first.id)
    })

    if (database === 'sqlite') return

    test('is unique, even if two nodes create the first account at once', async () => {
      let making: Promise<true> | undefined
      await store.read.transaction().execute(async (other) => {
        await createAccount(other, [first])
        making = store.write(createAccount, behind)
        for (let waits = false; !waits; ) {
          const { rows } = await sql`select from pg_locks where not granted`.execute(store.read)
          waits = rows.length > 0
        }
      })
      await making
      assert.equal(await operatingAccountId(store.read), first.id)
    })
  })
}
