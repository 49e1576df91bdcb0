// A bounce that arrives while the store is unreachable is deferred and not lost: the mail host sends the bounce again,
// and the service then records the bounce.

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { bounceSample } from '../../src/dsn/samples.test-data.ts'
import { databaseFile } from '../../src/store/database/store.ts'
import type { TestApp } from '../support/app.ts'
import { bringBack, eventsOf, handOver, knock, show, startInbound } from '../support/inbound.ts'

let app: TestApp
before(async () => {
  app = await startInbound()
})
after(() => app.stop())

/** Runs a statement on a separate connection, without the node. */
async function run(statement: string): Promise<void> {
  if (app.storage.databaseUrl === undefined) {
    const database = new DatabaseSync(databaseFile(app.storage.dataDir), { timeout: 5_000 })
    database.exec(statement)
    database.close()
    return
  }
  const client = new pg.Client({ connectionString: app.storage.databaseUrl })
  await client.connect()
  await client.query(statement)
  await client.end()
}

const DSN = bounceSample('qmail: no such mailbox').mail

test('at the end of the message', async () => {
  const { id, returnPath } = await handOver(app, { to: [{ email: 'a@receiver.example' }] })
  await run('alter table suppressions rename to away')
  assert.match(await bringBack(app, returnPath, DSN), /^45[12] 4\.3\.[01] /)
  await run('alter table away rename to suppressions')
  const between = await show(app, id)
  assert.equal(between.status, 'delivered')
  assert.deepEqual(eventsOf(between, 'bounced'), [], 'nothing was written by half')
  assert.match(await bringBack(app, returnPath, DSN), /^250 /)
  const message = await show(app, id)
  assert.equal(message.status, 'bounced')
  assert.equal(eventsOf(message, 'bounced').length, 1)
})

test('at RCPT, when the owner of the token cannot be looked up', async () => {
  const { id, returnPath } = await handOver(app, { to: [{ email: 'b@receiver.example' }] })
  await run('alter table domains rename to away')
  const client = await knock(app)
  await client.ask('MAIL FROM:<>')
  assert.match(await client.ask(`RCPT TO:<${returnPath}>`), /^45[12] 4\.3\.[01] /)
  await run('alter table away rename to domains')
  assert.match(await client.ask(`RCPT TO:<${returnPath}>`), /^250 /, 'in the same session')
  client.vanish()
  assert.match(await bringBack(app, returnPath, DSN), /^250 /)
  assert.equal((await show(app, id)).status, 'bounced')
})
