// Suppressions on both databases, for a stream or a domain: suppressions apply when a message is accepted or claimed,
// and suppressed recipients are not charged.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Kysely, SqliteDialect, sql } from 'kysely'
import { claim, createOwner, messageTo, NOW } from '../../../test/support/queued.ts'
import { DATABASES, type TestStorage, testStorage } from '../../../test/support/store.ts'
import { newId } from '../../lib/ids.ts'
import { silentLog } from '../../lib/log.ts'
import type { Outcome } from '../../model/attempt.ts'
import type { BounceCategory } from '../../model/bounce-category.ts'
import { SERVICE_STREAM } from '../../model/stream.ts'
import { type AcceptMessage, acceptMessage } from '../accepting/accept-message.ts'
import { createAccount, WITHOUT_LIMITS } from '../access/accounts.ts'
import type { Database } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'
import { asKyselyDatabase, openSqlite } from '../database/sqlite-connection.ts'
import { databaseFile, type Store } from '../database/store.ts'
import { findMessage, type Owner } from '../messages/messages.ts'
import { findOwnMail } from '../messages/own-mail.ts'
import { wholeAccount } from '../messages/owner.ts'
import { openStore } from '../node/open-in-mode.ts'
import { recordOutcome } from '../queue/outcomes.ts'
import { addSuppressions, listSuppressions, removeSuppressions } from './suppression-list.ts'
import {
  endAsSuppressed,
  findInAccounts,
  findSuppressions,
  suppressedAmong,
  suppressForOwner,
  suppress as writeSuppression,
} from './suppressions.ts'
import { findUnsubscribeLink, keepUnsubscribeLinks, resubscribe, unsubscribe } from './unsubscribe.ts'

for (const database of DATABASES) {
  describe(`suppressions on ${database}`, () => {
    let storage: TestStorage
    let store: Store
    let owner: Owner
    before(async () => {
      storage = await testStorage(database, 'tables')
      store = await openStore({ ...storage, log: silentLog })
      owner = await createOwner(store)
    })
    after(async () => {
      await store.close()
      await storage.remove()
    })

    const suppress = (
      email: string,
      stream = 'transactional',
      account_id = owner.accountId,
    ): Promise<boolean> =>
      store.write(writeSuppression, {
        account_id,
        domain_id: owner.domainId,
        stream,
        email,
        reason: 'manual',
        message_id: null,
        created_at: NOW,
      })
    const accept = async (emails: readonly string[], more: Partial<AcceptMessage> = {}) => {
      const item = messageTo(owner, emails, more)
      const result = await store.write(acceptMessage, item)
      return { result, ...(await findMessage(store.read, owner, item.message.id)) }
    }
    /** Calls `work` with a writing connection to the database, such as a write has within its transaction. */
    async function withWriter(work: (db: Database) => Promise<void>): Promise<void> {
      if (database === 'postgres') return work(store.read)
      const own = openSqlite(databaseFile(storage.dataDir))
      const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: asKyselyDatabase(own) }) })
      await work(db)
      await db.destroy()
    }

    test('the few matches in a long list are found at any place, page by page', async () => {
      const { accountId, domainId } = await createOwner(store)
      const last = 50_000
      const rare = [1, 2, 9_999, 10_000, 10_001, 30_000, 30_001, 49_999, last]
      await withWriter(async (db) => {
        await sql`
          insert into suppressions (id, account_id, domain_id, stream, email, reason, created_at)
          with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(last)})
          select 'sup_' || cast(100000 + n as text), ${sql.lit(accountId)}, ${sql.lit(domainId)}, 'transactional',
                 'a' || cast(n as text) || '@long.example',
                 case when n in (${sql.join(rare.map((n) => sql.lit(n)))}) then 'complaint' else 'manual' end, n
          from numbers`.execute(db)
      })
      const owner = { accountId, domainId }
      const list = async (filter: object, limit: number, cursor?: string) =>
        (await listSuppressions(store.read, owner, filter, limit, cursor)).map(
          ({ id }) => Number(id.slice(4)) - 100_000,
        )
      const newestFirst = rare.toReversed()
      assert.deepEqual(await list({ reason: 'complaint' }, 50), newestFirst)
      assert.deepEqual(await list({ reason: 'complaint' }, 3), newestFirst.slice(0, 3))
      assert.deepEqual(await list({ reason: 'complaint' }, 50, 'sup_130000'), [10_001, 10_000, 9_999, 2, 1])
      assert.deepEqual(await list({ before: 3 }, 50), [2, 1])
      assert.deepEqual(await list({ stream: 'none' }, 50), [])
      assert.deepEqual(await list({ reason: 'manual' }, 2), [49_998, 49_997])
      assert.deepEqual(await list({}, 2, 'sup_100002'), [1])
      assert.deepEqual(await list({ email: 'a7@long.example' }, 2), [7])
    })

    test('are listed once for each address and stream', async () => {
      assert.equal(await suppress('once@x.example'), true)
      assert.equal(await suppress('once@x.example'), false)
      assert.equal(await suppress('once@x.example', 'broadcast'), true)
      const both = await Promise.all([suppress('race@x.example'), suppress('race@x.example')])
      assert.deepEqual(both.sort(), [false, true])
    })

    test('of one address may be on any number of lists, of which an accepted message reads its own', async () => {
      const { accountId, domainId } = await createOwner(store)
      await withWriter(async (db) => {
        await sql`
          insert into suppressions (id, account_id, domain_id, stream, email, reason, created_at)
          with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 5000)
          select 'sup_m' || cast(n as text), ${sql.lit(accountId)}, ${sql.lit(domainId)}, 's' || cast(n as text),
                 'often@x.example', case n when 4999 then 'hard_bounce' else 'manual' end, n
          from numbers`.execute(db)
      })
      const at = (stream: string, email = 'often@x.example') => ({ accountId, domainId, stream, email })
      const asked = [
        at('s7'),
        at('transactional'),
        at('s7', 'never@x.example'),
        at('s4999', 'Often@x.example'),
      ]
      const found = await findSuppressions(store.read as unknown as Database, asked)
      assert.deepEqual(
        [...found].map(([index, { stream }]) => [index, stream]),
        [
          [0, 's7'],
          [3, 's4999'],
        ],
      )
      assert.deepEqual(
        (await findInAccounts(store.read, asked)).map(({ suppression, hasBounced }) => [
          suppression?.stream,
          hasBounced,
        ]),
        [
          ['s7', true],
          [undefined, true],
          [undefined, false],
          ['s4999', true],
        ],
      )
    })

    test('match in any case, whoever wrote and reads the address', async () => {
      const { accountId, domainId } = owner
      const stream = 'transactional'
      const listed = (email: string) => ({
        ...{ account_id: accountId, domain_id: domainId, stream, email },
        ...{ message_id: null, created_at: NOW },
      })
      const complaint = { reason: 'complaint' } as const
      const link = {
        ...{
          token: newId('msg'),
          account_id: accountId,
          domain_id: domainId,
          stream,
          email: 'Ann.Link@x.example',
        },
        ...{ message_id: newId('msg'), position: 0, created_at: NOW },
      }
      await withWriter((db) => keepUnsubscribeLinks(db, [link]))
      const item = { accountId, domainId, now: NOW }
      const writers = {
        'Ann.Bounce@x.example': () => suppress('Ann.Bounce@x.example'),
        'Ann.Owner@x.example': () =>
          withWriter(async (db) => {
            await suppressForOwner(db, { ...listed('Ann.Owner@x.example'), ...complaint })
          }),
        'Ann.Hand@x.example': () =>
          store.write(addSuppressions, {
            ...item,
            entries: [{ stream, email: 'Ann.Hand@x.example', reason: 'complaint' }],
          }),
        'Ann.Link@x.example': () => store.write(unsubscribe, { token: link.token, now: NOW }),
      }
      for (const [email, write] of Object.entries(writers)) {
        await write()
        for (const spelling of [email, email.toUpperCase().replace('X.EXAMPLE', 'x.example')]) {
          assert.equal(await suppress(spelling), false, `${spelling} is listed`)
          assert.equal((await accept([spelling])).recipients?.[0]?.status, 'suppressed')
          const found = await listSuppressions(store.read, owner, { email: spelling }, 10, undefined)
          assert.deepEqual(
            found.map((one) => one.email),
            [email.toLowerCase()],
          )
        }
        const [evidence] = await findOwnMail(store.read, [{ accountId, email }], 0)
        const isMailbox = email !== 'Ann.Link@x.example' && email !== 'Ann.Bounce@x.example'
        assert.equal(evidence?.suppressed, isMailbox, email)
      }
      const { token } = link
      assert.equal((await findUnsubscribeLink(store.read, token))?.left, true)
      assert.equal((await store.write(resubscribe, { token, now: NOW }))?.suppressed, false)
      const shouted = Object.keys(writers).map((email) => ({ stream, email: email.toUpperCase() }))
      assert.deepEqual(
        await store.write(removeSuppressions, {
          accountId,
          domainId,
          entries: shouted,
          force: true,
          now: NOW,
        }),
        { removed: 3, kept: 0 },
      )
    })

    test('are found among many, by domain, stream and address', async () => {
      const all = Array.from({ length: 300 }, (_, index) => `many${index}@x.example`)
      await Promise.all(all.filter((_, index) => index % 7 === 0).map((email) => suppress(email)))
      const rows = (stream: string, domainId = owner.domainId) =>
        all.map((email) => ({ domainId, stream, email }))
      const found = await suppressedAmong(store.read, rows('transactional'))
      assert.deepEqual(
        [...found],
        [...all.keys()].filter((index) => index % 7 === 0),
      )
      assert.equal((await suppressedAmong(store.read, rows('broadcast'))).size, 0)
      assert.equal((await suppressedAmong(store.read, rows('transactional', newId('dom')))).size, 0)
      assert.equal((await suppressedAmong(store.read, [])).size, 0)
    })

    test('of the whole account apply to every domain and stream of the account, and to no other account', async () => {
      const email = 'everywhere@x.example'
      const other = await createOwner(store)
      const { accountId } = owner
      const list = wholeAccount(accountId)
      const entries = [{ stream: '*', email: 'EVERYWHERE@x.example', reason: 'manual' as const }]
      assert.equal(await store.write(addSuppressions, { ...list, entries, now: NOW }), 1)
      const found = await suppressedAmong(store.read, [
        { ...owner, stream: 'transactional', email },
        { ...owner, stream: 'broadcast', email },
        { accountId, domainId: newId('dom'), stream: 'news', email },
        { ...other, stream: 'transactional', email },
        { domainId: owner.domainId, stream: 'transactional', email },
        { ...owner, stream: SERVICE_STREAM, email },
      ])
      assert.deepEqual([...found], [0, 1, 2])
      const { recipients, events } = await accept([email])
      assert.deepEqual(
        recipients?.map(({ status }) => status),
        ['suppressed'],
      )
      const detail = events?.find(({ type }) => type === 'suppressed')?.detail
      assert.match(detail ?? '', /on the suppression list of the whole account/)
      assert.deepEqual(
        (await listSuppressions(store.read, list, {}, 10, undefined)).map((row) => row.email),
        [email],
      )
      const all = Array.from({ length: 150 }, (_, index) => ({
        ...owner,
        stream: 'news',
        email: `no${index}@x.example`,
      }))
      assert.deepEqual(
        [...(await suppressedAmong(store.read, [...all, { ...owner, stream: 'news', email }]))],
        [150],
      )
      assert.deepEqual(await store.write(removeSuppressions, { ...list, entries, force: false, now: NOW }), {
        removed: 1,
        kept: 0,
      })
      assert.equal((await suppressedAmong(store.read, [{ ...owner, stream: 'news', email }])).size, 0)
    })

    test('make a recipient final from the start, and it is never claimed', async () => {
      await suppress('dead@x.example')
      const { message, recipients, events } = await accept(['dead@x.example', 'alive@x.example'])
      assert.equal(message?.status, 'queued')
      assert.deepEqual(
        recipients?.map((one) => [one.status, one.next_attempt_at]),
        [
          ['suppressed', null],
          ['queued', NOW],
        ],
      )
      assert.deepEqual(
        events?.map((one) => [one.type, one.email]),
        [
          ['accepted', 'dead@x.example'],
          ['suppressed', 'dead@x.example'],
          ['accepted', 'alive@x.example'],
        ],
      )
      assert.deepEqual(JSON.parse(events?.[1]?.detail as string), {
        reason: 'The address is on the suppression list of the stream transactional.',
        suppression: 'manual',
        since: new Date(NOW).toISOString(),
      })
      const { recipients: claimed } = await claim(store)
      assert.deepEqual(
        claimed.map((one) => one.email),
        ['alive@x.example'],
      )
      const all = await accept(['dead@x.example'])
      assert.equal(all.message?.status, 'suppressed')
    })

    test('do not count against an allowance', async () => {
      const accountId = newId('acc')
      await store.write(createAccount, {
        id: accountId,
        name: 'Small',
        ...WITHOUT_LIMITS,
        sending_allowance: 1,
        created_at: NOW,
      })
      await suppress('gone@x.example', 'transactional', accountId)
      const small = messageTo(owner, ['gone@x.example', 'b@x.example'], { counted: true })
      const again = messageTo(owner, ['gone@x.example'], { counted: true })
      const third = messageTo(owner, ['b@x.example'], { counted: true })
      for (const [item, expected] of [
        [small, 'accepted'],
        [again, 'accepted'],
        [third, 'allowance_exhausted'],
      ] as const) {
        const own = { ...item, message: { ...item.message, account_id: accountId } }
        assert.equal((await store.write(acceptMessage, own)).kind, expected)
      }
    })

    test('can end a recipient in the queue as suppressed', async () => {
      const { message, recipients } = await accept(['w1@x.example', 'w2@x.example'])
      await suppress('w1@x.example')
      const waiting = recipients!.map(({ message_id, position, account_id, domain_id, email }) => ({
        messageId: message_id,
        position,
        accountId: account_id,
        domainId: domain_id,
        stream: 'transactional',
        email,
        inboxId: null,
      }))
      await withWriter(async (db) => {
        const found = await suppressedAmong(db, waiting)
        await endAsSuppressed(
          db,
          waiting.filter((_, index) => found.has(index)),
          NOW + 5,
        )
        await endAsSuppressed(db, [], NOW)
      })
      const now = await findMessage(store.read, owner, message!.id)
      assert.deepEqual(
        now?.recipients.map((one) => [one.status, one.next_attempt_at, one.last_event_at]),
        [
          ['suppressed', null, NOW + 5],
          ['queued', NOW, NOW],
        ],
      )
      assert.equal(JSON.parse(now?.events.at(-1)?.detail as string).suppression, 'manual')
    })

    test('follow a refusal only when it is about the address', async () => {
      const end = async (email: string, outcome: Omit<Outcome, 'reason'>): Promise<boolean> => {
        await accept([email])
        const { recipients } = await claim(store)
        const claimed = recipients.find((one) => one.email === email)!
        const attempt = { startedAt: NOW, durationMs: 1, transcript: '' }
        await store.write(recordOutcome, {
          claimed,
          lease: claimed.lease,
          outcome: { ...outcome, reason: 'because' },
          attempt,
          nextAttemptAt: null,
          now: NOW + 1,
        })
        const asked = [{ domainId: owner.domainId, stream: 'transactional', email }]
        return (await suppressedAmong(store.read, asked)).has(0)
      }
      const bounced = (category: BounceCategory, hard = true) =>
        end(`${category}.${hard}@bounced.example`, { status: 'bounced', category, hard })
      assert.equal(await bounced('mailbox_not_found'), true)
      assert.equal(await bounced('mailbox_disabled'), true)
      assert.equal(await bounced('domain_invalid'), true)
      assert.equal(await bounced('mailbox_not_found', false), false)
      assert.equal(await bounced('blocked'), false)
      assert.equal(await bounced('policy'), false)
      assert.equal(await bounced('mailbox_full', false), false)
      assert.equal(await end('d@delivered.example', { status: 'delivered' }), false)
      assert.equal(await end('e@failed.example', { status: 'failed', category: 'expired' }), false)
    })
  })
}
