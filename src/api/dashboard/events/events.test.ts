// Tests that GET /api/events and its stream show events of all domains of an account, and of no other account.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Answer, TestApp } from '../../../../test/support/app.ts'
import { StreamClient } from '../../../../test/support/event-stream.ts'
import { Person } from '../../../../test/support/person.ts'
import { settled } from '../../../../test/support/store.ts'
import { createTenant, type Tenant } from '../../../../test/support/tenant.ts'
import { until } from '../../../../test/support/test-clock.ts'
import { createKey } from '../../../access/keys.ts'
import { addDomain } from '../../../domains/domains.ts'
import { systemClock } from '../../../lib/clock.ts'
import { deleteDomain } from '../../../store/domains/domains.ts'

describe('the activity of an account', () => {
  let app: TestApp
  let owner: Person
  let stranger: Tenant
  let accountId: string
  let shop: Awaited<ReturnType<typeof addDomain>>['domain']
  let own: string
  let first: string
  let ofShop: string
  before(async () => {
    app = await TestApp.start()
    owner = await Person.loggedIn(app)
    stranger = await createTenant(app.store)
    accountId = (await owner.call('GET', '/api/session')).body.account.account_id
    own = (await owner.call('GET', '/api/domains')).body.data[0].domain_id
    const resources = { store: app.store, clock: systemClock }
    const named = { accountId, name: 'shop.test', returnPathHost: 'rp.mail.test' }
    shop = (await addDomain({ ...resources, ...named, trackingTarget: 'mail.test', verified: true })).domain
    const { secret } = await createKey(resources, {
      ...{ accountId, domainId: shop.id, kind: 'sending', name: 'Shop' },
    })
    first = await app.send({ to: [{ email: 'Ann@receiver.example' }], subject: 'Welcome' })
    await app.messageIn(first, 'delivered')
    ofShop = await sendAs(secret, 'shop.test', 'anna@receiver.example')
    await sendAs(stranger.sendingKey, stranger.domain.name, 'ann@receiver.example')
    const last = async (): Promise<string | undefined> => types(await list(`?message_id=${ofShop}`))[0]
    await until('it is delivered', async () => (await last()) === 'delivered')
    await settled(app.store)
  })
  after(() => app.stop())

  async function sendAs(secret: string, domain: string, email: string): Promise<string> {
    const { status, body } = await app.call(
      'POST',
      '/v1/messages',
      { from: `us@${domain}`, to: [{ email }], subject: 'Order', text: 'Hello' },
      { authorization: `Bearer ${secret}` },
    )
    assert.equal(status, 202, JSON.stringify(body))
    return body.message_id
  }

  const list = (query = ''): Promise<Answer> => owner.call('GET', `/api/events${query}`)
  const types = ({ body }: Answer): string[] => body.data.map(({ type }: { type: string }) => type)
  const messages = ({ body }: Answer): string[] => [
    ...new Set<string>(body.data.map(({ message_id }: { message_id: string }) => message_id)),
  ]

  test('has the events of all its domains, newest first, with domain and subject', async () => {
    const all = await list()
    assert.deepEqual(messages(all), [ofShop, first])
    assert.deepEqual(types(all).slice(-3), ['delivered', 'sending', 'accepted'])
    const { domain_id, subject, email } = all.body.data.at(-1)
    assert.deepEqual([domain_id, subject, email], [own, 'Welcome', 'Ann@receiver.example'])
    const pages: string[] = []
    for (let cursor = ''; ; ) {
      const { body } = await list(`?limit=2${cursor}`)
      pages.push(...body.data.map(({ id }: { id: string }) => id))
      if (body.next_cursor === null) break
      cursor = `&cursor=${body.next_cursor}`
    }
    assert.deepEqual(
      pages,
      all.body.data.map(({ id }: { id: string }) => id),
    )
  })

  test('is narrowed by domain, type, message ID and the beginning of an address in any case', async () => {
    assert.deepEqual(messages(await list(`?domain_id=${own}`)), [first])
    assert.deepEqual(types(await list('?type=delivered')), ['delivered', 'delivered'])
    assert.deepEqual(messages(await list(`?message_id=${first}`)), [first])
    assert.deepEqual(messages(await list('?search=ann')), [ofShop, first])
    assert.deepEqual(messages(await list('?search=ANN%40Receiver.example')), [first])
    assert.deepEqual(messages(await list(`?search=ann&domain_id=${shop.id}`)), [ofShop])
    assert.deepEqual(messages(await list('?search=nobody')), [])
  })

  test('is narrowed by words of the subject, stream, tag, cause and time', async () => {
    assert.deepEqual(messages(await list('?search=WELC')), [first])
    assert.deepEqual(messages(await list('?search=ord')), [ofShop])
    assert.deepEqual(messages(await list('?search=welcome%20order')), [])
    assert.deepEqual(messages(await list('?stream=transactional&tag=none')), [])
    assert.deepEqual(messages(await list('?stream=transactional')), [ofShop, first])
    assert.deepEqual(types(await list('?provider=other&type=delivered')), ['delivered', 'delivered'])
    assert.deepEqual(types(await list('?provider=Gmail')), [])
    assert.deepEqual(types(await list('?category=mailbox_full')), [])
    const now = new Date().toISOString()
    assert.deepEqual(messages(await list(`?after=${now}`)), [])
    assert.deepEqual(messages(await list(`?before=${now}`)), [ofShop, first])
    assert.equal((await list('?after=yesterday')).status, 422)
  })

  test('is refused for domains of others and invalid values', async () => {
    for (const path of ['', '/stream']) {
      assert.equal((await list(`${path}?domain_id=${stranger.domain.id}`)).status, 404)
      assert.equal((await list(`${path}?type=deliverd`)).status, 422)
      assert.equal((await list(`${path}?cursor=x`)).status, 400)
      assert.equal((await list(`${path}?search=a%00`)).status, 422)
      assert.equal((await app.call('GET', `/api/events${path}`)).status, 401)
    }
  })

  test('comes by the stream, without a domain once it is deleted', async () => {
    const open = (query: string): Promise<StreamClient> =>
      StreamClient.open(new URL(`/api/events/stream${query}`, app.app.url), { cookie: owner.cookie })
    const stream = await open('?search=ANN&type=delivered&cursor=0')
    const missed = await stream.has(2)
    assert.deepEqual(
      missed.map(({ data }) => [data.message_id, data.domain_id, data.subject]),
      [
        [first, own, 'Welcome'],
        [ofShop, shop.id, 'Order'],
      ],
    )
    const next = await app.send({ to: [{ email: 'anne@receiver.example' }] })
    assert.equal((await stream.has(3))[2]?.data.message_id, next)
    await stream.close()
    await app.store.write(deleteDomain, { domain: shop, now: Date.now() })
    const again = await open('?type=delivered&cursor=0')
    assert.deepEqual(
      (await again.has(2)).map(({ data }) => data.domain_id),
      [own, own],
    )
    await again.close()
  })
})
