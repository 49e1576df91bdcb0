// A domain that one account deletes and another account adds: no data of the domain reaches the other account, in
// either direction.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createTransport } from 'nodemailer'
import { deleteDomain } from '../../src/domains/changes.ts'
import { systemClock } from '../../src/lib/clock.ts'
import type { Answer, TestApp } from '../support/app.ts'
import { StreamClient } from '../support/event-stream.ts'
import { bringBack, startInbound } from '../support/inbound.ts'
import { bringMail, mailOf } from '../support/inbound-mail.ts'
import { settled } from '../support/store.ts'
import { createTenant, type Tenant } from '../support/tenant.ts'
import { until } from '../support/test-clock.ts'

const DOMAIN = 'passing.test'
const INBOUND = `support@${DOMAIN}`

describe('a domain that passes to another account', () => {
  let app: TestApp
  let former: Tenant
  let present: Tenant
  /** A delivered broadcast and a scheduled message of the former account. */
  let delivered: { readonly id: string; readonly returnPath: string; readonly link: string }
  let scheduled: string
  let followed: StreamClient

  const as = (tenant: Tenant) => ({ authorization: `Bearer ${tenant.sendingKey}` })
  const call = (tenant: Tenant, method: string, path: string, body?: object): Promise<Answer> =>
    app.callWith(method, path, body, as(tenant))
  const mail = (fields: object = {}) => ({
    ...{
      from: `shop@${DOMAIN}`,
      to: [{ email: 'ann@receiver.example' }],
      subject: 'Of the former',
      text: 't',
    },
    ...fields,
  })

  before(async () => {
    app = await startInbound()
    former = await createTenant(app.store, { domain: DOMAIN })
    await app.store.read
      .updateTable('domain_records')
      .set({ status: 'found' })
      .where('domain_id', '=', former.domain.id)
      .execute()
    const stream = { alias: 'in', name: 'In', kind: 'inbound', addresses: [INBOUND] }
    assert.equal((await call(former, 'POST', '/v1/streams', stream)).status, 201)
    const hook = { url: 'https://hook.example/', name: 'Former' }
    assert.equal((await call(former, 'POST', '/v1/webhooks', hook)).status, 201)
    await call(former, 'POST', '/v1/suppressions', {
      email: 'gone@receiver.example',
      stream: 'transactional',
    })
    followed = await StreamClient.open(new URL('/v1/events/stream', app.app.url), as(former))
    assert.equal(followed.status, 200)
    const sent = await call(former, 'POST', '/v1/messages', mail({ stream: 'broadcast', tag: 'former' }))
    assert.equal(sent.status, 202, JSON.stringify(sent.body))
    const id: string = sent.body.message_id
    const taken = await until('the mail host has the message', () =>
      app.host.mails.find(({ data }) => data.includes(id.slice(4))),
    )
    const link = /List-Unsubscribe: <([^>]+)>/.exec(taken.data.toString().replace(/\r\n /g, ' '))?.[1] ?? ''
    delivered = { id, returnPath: taken.from, link }
    const send_at = new Date(Date.now() + 3_600_000).toISOString()
    scheduled = (await call(former, 'POST', '/v1/messages', mail({ send_at }))).body.message_id
    await settled(app.store)
    await deleteDomain({ store: app.store, clock: systemClock }, former.domain)
    present = await createTenant(app.store, { domain: DOMAIN })
  })
  after(async () => {
    await followed?.close()
    await app.stop()
  })

  test('its former keys are refused, by HTTP and SMTP', async () => {
    await until('the key is refused', async () => (await call(former, 'GET', '/v1/messages')).status === 401)
    assert.equal((await call(former, 'POST', '/v1/messages', mail())).status, 401)
    const login = createTransport({
      ...{ host: '127.0.0.1', port: app.app.smtpPort as number, requireTLS: true },
      tls: { rejectUnauthorized: false },
      auth: { user: former.smtp.username, pass: former.smtp.password },
    })
    await assert.rejects(login.verify(), /535/)
    login.close()
  })

  test('its former stream of events ends', async () => {
    await followed.ended
    assert.equal((await app.callWith('GET', '/v1/events/stream', undefined, as(former))).status, 401)
  })

  test('its new account sees nothing of the former one', async () => {
    for (const path of ['messages', 'events', 'suppressions', 'webhooks', 'inbound', 'templates', 'bulk']) {
      const { status, body } = await call(present, 'GET', `/v1/${path}`)
      assert.equal(status, 200, path)
      assert.deepEqual(body.data, [], path)
    }
    const { body: streams } = await call(present, 'GET', '/v1/streams')
    assert.deepEqual(streams.data.map(({ alias }: { alias: string }) => alias).sort(), [
      'broadcast',
      'transactional',
    ])
    for (const id of [delivered.id, scheduled]) {
      assert.equal((await call(present, 'GET', `/v1/messages/${id}`)).status, 404)
      assert.equal((await call(present, 'POST', `/v1/messages/${id}/cancel`)).status, 404)
    }
  })

  test('its DKIM keys are new', async () => {
    const keys = await app.store.read
      .selectFrom('dkim_keys')
      .select(['domain_id', 'selector', 'public_key'])
      .where('domain_id', 'in', [former.domain.id, present.domain.id])
      .execute()
    const of = (tenant: Tenant) => keys.filter(({ domain_id }) => domain_id === tenant.domain.id)
    assert.ok(of(present).length > 0)
    for (const key of of(present))
      assert.ok(of(former).every(({ public_key }) => public_key !== key.public_key))
  })

  test('mail to its addresses does not reach the former account', async () => {
    assert.match(await bringMail(app, INBOUND, mailOf({ To: INBOUND }, 'secret')), /^55/)
    const stream = { alias: 'mine', name: 'Mine', kind: 'inbound', addresses: [INBOUND] }
    assert.equal((await call(present, 'POST', '/v1/streams', stream)).status, 201)
    assert.match(await bringMail(app, INBOUND, mailOf({ To: INBOUND }, 'secret')), /^250/)
    const rows = await app.store.read.selectFrom('inbound_messages').select('account_id').execute()
    assert.deepEqual(
      rows.map(({ account_id }) => account_id),
      [present.account.id],
    )
  })

  test('a link in its former mail unsubscribes from the former stream, and not from the new one', async () => {
    assert.match(delivered.link, /^http/)
    const left = await fetch(delivered.link, {
      method: 'POST',
      body: 'List-Unsubscribe=One-Click',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    assert.ok(left.status < 500, `${left.status}`)
    assert.deepEqual((await call(present, 'GET', '/v1/suppressions')).body.data, [])
  })

  test('a bounce of its former mail suppresses nothing for the new account', async () => {
    const report = Buffer.from(
      mailOf(
        { From: 'MAILER-DAEMON@mx.receiver.example', 'Content-Type': 'text/plain' },
        '550 5.1.1 no such user ann@receiver.example',
      ),
    )
    assert.match(await bringBack(app, delivered.returnPath, report), /^[25]/)
    assert.deepEqual((await call(present, 'GET', '/v1/suppressions')).body.data, [])
    await settled(app.store)
    assert.ok(
      (await call(present, 'GET', '/v1/events')).body.data.every(
        ({ type }: { type: string }) => type === 'received',
      ),
    )
  })

  test('scheduled mail of its former account is never sent', async () => {
    await app.store.read
      .updateTable('queue')
      .set({ due_at: Date.now() - 1 })
      .where('message_id', '=', scheduled)
      .execute()
    const row = await until('the recipient has a final status', async () => {
      const found = await app.store.read
        .selectFrom('recipients')
        .select(['status'])
        .where('message_id', '=', scheduled)
        .executeTakeFirst()
      return found !== undefined && found.status !== 'scheduled' && found.status !== 'queued' && found
    })
    assert.equal(row.status, 'cancelled')
    assert.ok(app.host.mails.every(({ data }) => !data.includes(scheduled.slice(4))))
  })
})
