// New mail in test inboxes on both databases: results, numbers of changes and the limit of mails of one commit.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  DATABASES,
  inOneCommit,
  lookInto,
  type TestStorage,
  testStorage,
} from '../../../test/support/store.ts'
import { newId } from '../../lib/ids.ts'
import type { SummarizedMail } from '../../model/test-inbox.ts'
import type { Store } from '../database/store.ts'
import { createInbox, revisionsOf, UNCHANGED } from './inboxes.ts'
import { keepTestMail, type NewTestMail } from './new-mails.ts'

const NOW = Date.UTC(2026, 0, 1)
const SUMMARIZED: SummarizedMail = {
  summary: {
    ...{ messageIdHeader: '', from: null, to: [], cc: [], replyTo: [], subject: 'S' },
    ...{ attachments: 0, inline: 0, snippet: '' },
  },
  search: 's',
}

for (const database of DATABASES) {
  describe(`new mail in test inboxes on ${database}`, () => {
    let storage: TestStorage
    let store: Store
    const statements: string[] = []
    before(async () => {
      storage = await testStorage(database, 'tables')
      store = await lookInto(storage, (text) => statements.push(text))
    })
    after(async () => {
      await store.close()
      await storage.remove()
    })

    async function makeInbox(keep_messages = 1_000): Promise<string> {
      const inbox = { id: newId('inb'), account_id: 'acc_1', name: 'Tests', keep_days: 7, keep_messages }
      const row = { ...inbox, ...UNCHANGED, password_hash: '', created_at: NOW }
      assert.equal(await store.write(createInbox, { inbox: row, most: 100 }), true)
      return inbox.id
    }
    const mailTo = (inboxId: string, fields: Partial<NewTestMail> = {}): NewTestMail => {
      const id = newId('mbx')
      return {
        ...{ id, messageId: id, inboxId, accountId: 'acc_1', receivedAt: NOW, mailFrom: '', tls: null },
        ...{ recipients: ['a@b.example'], tags: [], ...SUMMARIZED, raw: Buffer.from(id), ...fields },
      }
    }
    const keep = (...mails: NewTestMail[]): Promise<readonly boolean[]> =>
      store.write(inOneCommit(keepTestMail), mails)
    /** Returns message, recipients, bytes and numbers of changes of all mails of an inbox, the oldest first. */
    const mailsOf = async (inboxId: string) => {
      const query = store.read.selectFrom('test_mails').selectAll().where('inbox_id', '=', inboxId)
      const rows = await query.orderBy('id').execute()
      return rows.map(({ message_id, recipients, raw, added, changed }) => [
        ...[message_id, JSON.parse(recipients).join(' '), Buffer.from(raw).toString()],
        ...[Number(added), Number(changed)],
      ])
    }
    const stateIn = async (inboxId: string) => {
      const state = await revisionsOf(store.read, { accountId: 'acc_1', inboxId })
      return [state?.changes, state?.revision, state?.kept]
    }

    test('returns a result for each mail, in the order of the mails', async () => {
      const [one, other] = [await makeInbox(), await makeInbox()]
      const mails = [
        mailTo(other),
        mailTo('inb_none'),
        mailTo(one),
        mailTo(other, { accountId: 'acc_2' }),
        mailTo(other),
      ]
      assert.deepEqual(await keep(...mails), [true, false, true, false, true])
      assert.deepEqual(
        (await mailsOf(other)).map(([name, , raw, added]) => [name, raw, added]),
        [
          [mails[0]?.messageId, mails[0]?.id, 1],
          [mails[4]?.messageId, mails[4]?.id, 2],
        ],
      )
      assert.deepEqual(
        [await stateIn(one), await stateIn(other)].map(([changes]) => changes),
        [1, 2],
      )
    })

    test('adds the recipients of a message to its mail, in the same commit and in later commits', async () => {
      const [inboxId, other] = [await makeInbox(), await makeInbox()]
      const part = (messageId: string, ...recipients: string[]) => mailTo(inboxId, { messageId, recipients })
      const [first, second] = [newId('msg'), newId('msg')]
      assert.deepEqual(await keep(part(first, 'a@b.example')), [true])
      const one = mailTo(other, { messageId: second })
      const parts = [part(first, 'c@b.example'), part(second, 'a@b.example'), part(first, 'c@b.example')]
      assert.deepEqual(
        await keep(...parts, one, part(second, 'd@b.example'), part(first, 'e@b.example')),
        Array.from({ length: 6 }, () => true),
      )
      const mails = await mailsOf(inboxId)
      assert.deepEqual(
        mails.map(([name, recipients, , ...numbers]) => [name, recipients, ...numbers]),
        [
          [first, 'a@b.example c@b.example e@b.example', 1, 6],
          [second, 'a@b.example d@b.example', 3, 5],
        ],
      )
      assert.deepEqual((await mailsOf(other)).length, 1)
      await keep(...parts)
      assert.deepEqual(await mailsOf(inboxId), mails)
      assert.deepEqual(await stateIn(inboxId), [9, 0, []])
    })

    test('keeps the newest mails, and has one revision for each commit that removes mails', async () => {
      const inboxId = await makeInbox(5)
      const mails = Array.from({ length: 12 }, () => mailTo(inboxId))
      const namesOf = async () => (await mailsOf(inboxId)).map(([name]) => name)
      await keep(...mails.slice(0, 5))
      assert.deepEqual(await stateIn(inboxId), [5, 0, []])
      await keep(...mails.slice(5, 7))
      assert.deepEqual(
        await namesOf(),
        mails.slice(2, 7).map(({ id }) => id),
      )
      await keep(...mails.slice(7))
      assert.deepEqual(
        await namesOf(),
        mails.slice(7).map(({ id }) => id),
      )
      assert.deepEqual(await stateIn(inboxId), [12, 2, [{ kind: 'many', revision: 2, changes: 12 }]])
    })

    // Only SQLite reports its statements.
    if (database === 'sqlite') {
      test('needs as many statements for 128 mails as for one mail', async () => {
        const inboxId = await makeInbox(10)
        await keep(...Array.from({ length: 20 }, () => mailTo(inboxId)))
        const count = async (mails: number): Promise<number> => {
          statements.length = 0
          await keep(...Array.from({ length: mails }, () => mailTo(inboxId)))
          return statements.length
        }
        assert.deepEqual([await count(1), await count(128)], [5, 5])
      })
    }
  })
}
