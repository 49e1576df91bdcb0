// A program with one management key opens an account, up to the first delivered mail: at once, repeated, and with a kill
// after each step.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SCOPE_SETS } from '../../src/access/scopes.ts'
import type { Store } from '../../src/store/database/store.ts'
import { TestApp } from '../support/app.ts'
import { DnsHost } from '../support/dns-host.ts'
import { managementKey } from '../support/keys.ts'
import { MailHost } from '../support/mail-host/mail-host.ts'
import { NodeProcess } from '../support/node-process.ts'
import { patience } from '../support/patience.ts'
import { type Platform, PROVISIONED, type Provisioned, provision, STEPS } from '../support/provisioning.ts'
import { lookInto, testStorage, usualDatabase } from '../support/store.ts'
import { until } from '../support/test-clock.ts'
import { thorough } from '../support/thorough.ts'
import { type ReceivedRequest, WebhookReceiver } from '../support/webhook-receiver.ts'

const PLATFORM = { scopes: SCOPE_SETS.platform }

const isDelivered = ({ body }: ReceivedRequest): boolean => JSON.parse(body).type === 'delivered'

/** Checks that the account of the customer has one object of each kind, made by one entry of the audit log. */
async function nothingTwice({ read }: Pick<Store, 'read'>): Promise<void> {
  const accounts = await read
    .selectFrom('accounts')
    .select('id')
    .where('external_id', '=', PROVISIONED.external_id)
    .execute()
  assert.equal(accounts.length, 1)
  const [{ id } = { id: '' }] = accounts
  for (const [table, count] of [
    ['domains', 1],
    ['keys', 2],
    ['webhooks', 1],
    ['messages', 1],
  ] as const) {
    const rows = await read.selectFrom(table).select('id').where('account_id', '=', id).execute()
    assert.equal(rows.length, count, table)
  }
  const entries = await read.selectFrom('audit_log').select(['action', 'target', 'account_id']).execute()
  const made = entries.filter(({ account_id, target }) => account_id === id || target === id)
  const actions = made.map(({ action }) => action).filter((action) => action !== 'domain.verify')
  assert.deepEqual(actions.toSorted(), [
    ...['account.create', 'account.key', 'domain.add', 'key.create', 'key.create', 'webhook.create'],
  ])
}

/** Checks that responses to repeated requests are the first responses, with the same secrets. */
function sameAnswers(first: Provisioned, again: Provisioned): void {
  for (const [step, body] of again) {
    // The verification is carried out again; its response has the time of the last check.
    if (step === 'verification') assert.equal(body.status, 'verified')
    else assert.deepEqual(body, first.get(step), step)
  }
}

test('a program opens an account up to the first delivered mail, and its repetition makes nothing twice', async (t) => {
  const receiver = await WebhookReceiver.start()
  t.after(() => receiver.stop())
  const app = await TestApp.start()
  t.after(() => app.stop())
  const key = await managementKey(app, PLATFORM)
  const platform: Platform = {
    ...{ dns: app.dns, key, hook: receiver.url },
    call: (secret, method, path, body, once) =>
      app.callWith(method, path, body, {
        authorization: `Bearer ${secret}`,
        ...(once === undefined ? {} : { 'idempotency-key': once }),
      }),
  }
  const began = Date.now()
  const first = await provision(platform)
  const [delivered] = await receiver.received(1, isDelivered)
  const took = Date.now() - began
  t.diagnostic(`${took} ms from the first request to the webhook`)
  assert.ok(took < 5_000 * patience(), `${took} ms`)
  assert.equal(JSON.parse(delivered?.body ?? '{}').data.message_id, first.get('message').message_id)
  assert.equal(first.get('verification').status, 'verified')

  sameAnswers(first, await provision(platform))
  await nothingTwice(app.store)
  assert.equal(app.host.mails.length, 1)
  assert.equal(receiver.requests.filter(isDelivered).length, 1)
})

test(
  'a program that is repeated after a kill of the node continues, whichever step the kill followed',
  thorough('8 CPU s: starts and kills a node for each step'),
  async (t) => {
    const receiver = await WebhookReceiver.start()
    t.after(() => receiver.stop())
    const host = await MailHost.start()
    t.after(() => host.stop())
    const dns = await DnsHost.start({ '*.example': { MX: ['10 mx.test'] }, 'mx.test': { A: ['127.0.0.1'] } })
    t.after(() => dns.stop())
    const storage = await testStorage(usualDatabase(), 'playground')
    t.after(() => storage.remove())
    const store = await lookInto(storage)
    t.after(() => store.close())
    const node = new NodeProcess({ storage, dns, host })
    t.after(() => node.kill())
    const key = await managementKey({ store }, PLATFORM)
    const platform: Platform = {
      ...{ dns, key, hook: receiver.url },
      async call(secret, method, path, body, once) {
        const response = await fetch(new URL(path, node.playground.base_url), {
          method,
          headers: {
            authorization: `Bearer ${secret}`,
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...(once === undefined ? {} : { 'idempotency-key': once }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
        return { status: response.status, headers: response.headers, body: await response.json() }
      },
    }
    let before: Provisioned = new Map()
    for (let steps = 1; steps <= STEPS.length; steps++) {
      await node.start()
      const now = await provision(platform, steps)
      await node.kill()
      sameAnswers(new Map([...now, ...before]), now)
      before = now
    }
    await node.start()
    sameAnswers(before, await provision(platform))
    await receiver.received(1, isDelivered)
    await nothingTwice(store)
    const { message_id } = before.get('message')
    await until('the message is delivered', async () => {
      const { body } = await platform.call(before.get('sending key').key, 'GET', `/v1/messages/${message_id}`)
      return body.status === 'delivered'
    })
    const events = receiver.requests.filter(isDelivered).map(({ headers }) => headers['webhook-id'])
    assert.equal(new Set(events).size, 1)
  },
)
