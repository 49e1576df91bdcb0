// An account that is deleted while it sends: attempts in progress end, nothing else is sent, and every client is told.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SCOPE_SETS } from '../../src/access/scopes.ts'
import { type Answer, TestApp } from '../support/app.ts'
import { managementKey } from '../support/keys.ts'
import { plainToken, RawSmtpClient } from '../support/raw-smtp-client.ts'
import { createTenant } from '../support/tenant.ts'
import { until } from '../support/test-clock.ts'

const CLIENTS = 4
/** Number of requests of each client before the deletion. */
const BEFORE = 5

test('an account that is deleted while it sends sends nothing from then on, and leaves nothing in the queue', async (t) => {
  const gate = Promise.withResolvers<void>()
  const app = await TestApp.start({
    host: {
      // The first message of the account is held until the account is deleted.
      async script({ verb, from }) {
        if (verb === 'MESSAGE' && !from.endsWith('@rp.sender.test')) return undefined
        if (verb === 'MESSAGE') await gate.promise
        return undefined
      },
    },
  })
  t.after(() => app.stop())
  const tenant = await createTenant(app.store)
  const { account, domain, sendingKey, smtp } = tenant
  const platform = await managementKey(app, { scopes: SCOPE_SETS.platform })
  const call = (
    key: string,
    method: string,
    path: string,
    body?: object | string,
    type = 'application/json',
  ) => app.callWith(method, path, body, { authorization: `Bearer ${key}`, 'content-type': type })
  const message = (to: string) => ({
    ...{ from: `a@${domain.name}`, to: [{ email: to }], subject: 's', text: 't' },
  })

  const first = await call(sendingKey, 'POST', '/v1/messages', message('first@one.example'))
  assert.equal(first.status, 202)
  await until('the attempt is in progress', () =>
    app.host.connections.some(({ commands }) => commands.includes('(message)')),
  )
  const later = { ...message('later@one.example'), send_at: new Date(Date.now() + 3_600_000).toISOString() }
  assert.equal((await call(sendingKey, 'POST', '/v1/messages', later)).status, 202)
  const rows = Array.from({ length: 200 }, (_, index) => ({ to: `row${index}@bulk.example` }))
  const lines = [{ ...message(''), to: undefined, stream: 'transactional' }, ...rows]
  const bulk = await call(
    sendingKey,
    'POST',
    '/v1/bulk',
    lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    'application/x-ndjson',
  )
  assert.ok(bulk.status < 300, JSON.stringify(bulk.body))
  const client = await RawSmtpClient.connect(app.app.smtpPort ?? 0)
  await client.reply()
  await client.ask('EHLO client.test')
  await client.ask('STARTTLS')
  await client.upgrade()
  await client.ask('EHLO client.test')
  assert.match(await client.ask(`AUTH PLAIN ${plainToken(smtp)}`), /^235 /)
  await client.begin(`a@${domain.name}`, 'smtp@one.example')

  let isDeleted = false
  const answers: Answer[] = []
  const clients = Array.from({ length: CLIENTS }, async (_, index) => {
    for (let sent = 0; sent < BEFORE || !isDeleted; sent++) {
      const to = `c${index}-${sent}@many${index}.example`
      const answer = await call(sendingKey, 'POST', '/v1/messages', message(to))
      answers.push(answer)
      if (answer.status === 401) return
    }
  })
  await until('the clients have begun', () => answers.length >= CLIENTS * BEFORE)
  const confirm = encodeURIComponent(account.name)
  const deleted = await call(platform, 'DELETE', `/v1/accounts/${account.id}?confirm=${confirm}`)
  assert.equal(deleted.status, 204, JSON.stringify(deleted.body))
  isDeleted = true
  await Promise.all(clients)
  for (const { status, body } of answers) {
    assert.ok([202, 401, 403].includes(status), `${status} ${JSON.stringify(body)}`)
  }
  assert.match(await client.ask(`From: a@${domain.name}\r\nSubject: s\r\n\r\nt\r\n.`), /^5[35]0 /)
  client.vanish()
  const refused = await call(sendingKey, 'POST', '/v1/messages', message('late@one.example'))
  assert.deepEqual([refused.status, refused.body.code], [401, 'authentication_failed'])

  gate.resolve()
  const { read } = app.store
  const left = await until('the queue has nothing of the account', async () => {
    const queued = await read
      .selectFrom('queue')
      .select('message_id')
      .where('account_id', '=', account.id)
      .execute()
    return queued.length === 0 && { queued }
  })
  assert.deepEqual(left.queued, [])
  const recipients = await read
    .selectFrom('recipients')
    .select(['email', 'status'])
    .where('account_id', '=', account.id)
    .execute()
  const statuses = new Set(recipients.map(({ status }) => status))
  assert.deepEqual(statuses.difference(new Set(['delivered', 'cancelled', 'bounced'])), new Set())
  const delivered = recipients.filter(({ status }) => status === 'delivered').map(({ email }) => email)
  assert.ok(delivered.includes('first@one.example'), 'an attempt in progress ends as it ends')
  assert.ok(!delivered.includes('later@one.example'))
  const arrived = app.host.mails.flatMap(({ recipients: [email = ''] }) => email)
  assert.deepEqual(arrived.toSorted(), delivered.toSorted())
  // The round that finds the account deleted ends the bulk.
  await until('no bulk of the account is left to run', async () => {
    const bulks = await read
      .selectFrom('bulks')
      .select('status')
      .where('account_id', '=', account.id)
      .execute()
    return bulks.every(({ status }) => status !== 'running' && status !== 'queued')
  })
})
