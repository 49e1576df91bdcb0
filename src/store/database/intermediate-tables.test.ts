// Statements that run for each message or verification create no intermediate table in SQLite, because creating such a
// table takes longer than all lookups in the table.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { claim, createOwner, finish, messageTo, NOW } from '../../../test/support/queued.ts'
import { lookInto, settled, type TestStorage, testStorage } from '../../../test/support/store.ts'
import { silentLog } from '../../lib/log.ts'
import { acceptMessage } from '../accepting/accept-message.ts'
import { findAnybodysMail, findOwnMail } from '../messages/own-mail.ts'
import { openStore } from '../node/open-in-mode.ts'
import { releaseLeases, renewLeases } from '../queue/leases.ts'
import { grantCredits, takeCredit } from '../verification/verification-credits.ts'
import type { Store } from './store.ts'

/** SQLite opcodes that create an intermediate table (https://sqlite.org/opcode.html). */
const MAKES_TABLE = /^(OpenEphemeral|OpenAutoindex|SorterOpen)$/

/**
 * Statements that may create an intermediate table, because they run only a few times in a commit, or because no
 * cheaper statement exists.
 */
const ALLOWED: readonly RegExp[] = [
  // SQLite creates a table for the statuses in the condition of the index `messages_by_ending`, once for each chunk of
  // messages.
  /^insert or fail into messages /,
  // SQLite creates a table for the list of values, once for each claim.
  /^select message_id, format, content, bulk_id from message_contents where message_id in \(/,
  // This statement runs once for each batch of the event log.
  /"event_log_readers"/,
  /^\s*with recursive found\(waits_for\)/,
  // SQLite keeps the returned rows in a table until the end of the statement.
  /^update "accounts" .* returning "verification_credits"(?:, "low_credits")?$/,
]

let storage: TestStorage
let store: Store
const statements = new Set<string>()
before(async () => {
  storage = await testStorage('sqlite', 'tables')
  await (await openStore({ ...storage, log: silentLog })).close()
  store = await lookInto(storage, (text) => statements.add(text))
})
after(async () => {
  await store.close()
  await storage.remove()
})

async function withOwnTables(): Promise<string[]> {
  const found: string[] = []
  for (const text of [...statements]) {
    if (/^(begin|commit|rollback|pragma)/.test(text) || ALLOWED.some((one) => one.test(text))) continue
    const explained = sql<{ opcode: string }>`explain ${sql.raw(text.replace(/\?\d*/g, 'null'))}`
    const { rows } = await explained.execute(store.read)
    if (rows.some(({ opcode }) => MAKES_TABLE.test(opcode))) found.push(text)
  }
  return found
}

test('accepting, claiming, attempts and verifications', async () => {
  const owner = await createOwner(store)
  const emails = ['a@one.example', 'b@one.example', 'c@two.example']
  statements.clear()
  for (const email of emails) await store.write(acceptMessage, messageTo(owner, [email]))
  const { recipients } = await claim(store)
  const [first, second, third] = recipients
  assert.ok(first !== undefined && second !== undefined && third !== undefined)
  await store.write(renewLeases, { held: recipients, until: NOW + 90_000 })
  await finish(store, first, 'delivered')
  await finish(store, second, 'deferred', NOW + 60_000)
  await store.write(releaseLeases, { held: [third], now: NOW })
  await settled(store)
  const { accountId, domainId } = owner
  await findOwnMail(
    store.read,
    emails.map((email) => ({ accountId, email })),
    0,
  )
  await findAnybodysMail(store.read, emails, [domainId], 0)
  await store.write(grantCredits, { accountId, credits: 10, note: null, now: NOW })
  await store.write(takeCredit, { accountId, now: NOW })
  assert.deepEqual(await withOwnTables(), [])
  const unused = ALLOWED.filter((one) => ![...statements].some((text) => one.test(text)))
  assert.deepEqual(unused, [])
})
