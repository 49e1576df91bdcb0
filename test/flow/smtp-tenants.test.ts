// No tenant can use a sender address of another tenant, and no SMTP session has data of another session.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { RawSmtpClient } from '../support/raw-smtp-client.ts'
import {
  openSubmissionListener,
  type SubmissionDoor,
  storedMessages,
} from '../support/submission-listener.ts'
import { createTenant, type Tenant } from '../support/tenant.ts'
import { thorough } from '../support/thorough.ts'

let door: SubmissionDoor
let own: Tenant
let other: Tenant

before(async () => {
  door = await openSubmissionListener({ limits: { connectionsPerNetwork: 200 } })
  own = await createTenant(door.store, { domain: 'xn--bcher-kva.test' })
  other = await createTenant(door.store)
})
after(() => door.close())

test('a header that names another sender is refused, however it is written', async () => {
  const from = `a@${own.domain.name}`
  const foreign = `b@${other.domain.name}`
  const headers = [
    `From: ${foreign}`,
    `From: ${from}\r\nFrom: ${foreign}`,
    `From: ${from}, ${foreign}`,
    `From: ${foreign}, ${from}`,
    `From: Group: ${from}, ${foreign};`,
    `From: Group: ${from};`,
    `From: <${from}> <${foreign}>`,
    `From: "${from}" <${foreign}>`,
    `From: (${from}) ${foreign}`,
    `From: a@sub.${own.domain.name}`,
    `From: a@${own.domain.name}.`,
    `From: "${foreign} "@${own.domain.name}, x`,
    `From: <@${own.domain.name}:${foreign}>`,
    `From: =?utf-8?Q?${from}?= `,
    `From: ${from}\0`,
    'From: undisclosed-recipients:;',
    `From: ${from}\r\nSender: ${foreign}`,
    `From: ${from}\r\nSender: ${from}, ${foreign}`,
    `From: ${from}\r\nResent-From: ${foreign}`,
    `From: ${from}\r\nResent-Sender: ${foreign}`,
    `From : ${from}\r\nFrom: ${foreign}`,
    `From : ${foreign}`,
  ]
  const client = await RawSmtpClient.loggedIn(door.tlsPort, own)
  for (const header of headers) {
    const reply = await client.deliver(from, ['b@example.net'], `${header}\r\n\r\nx`)
    assert.match(reply, /^55[04] 5\.(?:7\.1|6\.0) /, JSON.stringify(header))
  }
  assert.match(
    await client.ask(`MAIL FROM:<${foreign}>`),
    /^550 5\.7\.1 This credential sends from xn--bcher/,
  )
  client.vanish()
  assert.deepEqual(await storedMessages(door.store, own), [])
  assert.deepEqual(await storedMessages(door.store, other), [])
})

test("the tenant's own name is accepted, in either spelling of its domain", async () => {
  const client = await RawSmtpClient.loggedIn(door.tlsPort, own)
  const utf8 = Buffer.from('a@bücher.test').toString('latin1')
  assert.match(await client.ask(`MAIL FROM:<${utf8}> SMTPUTF8`), /^250 /)
  assert.match(await client.ask('RSET'), /^250 /)
  const header = `From: "Ann, \\"A\\"" <${utf8}>\r\nSender: b@XN--Bcher-KVA.test\r\n`
  assert.match(await client.deliver('c@xn--bcher-kva.test', ['b@example.net'], `${header}\r\nx`), /^250 /)
  client.vanish()
  const [stored] = await storedMessages(door.store, own)
  assert.equal(stored!.message.from_email, 'a@xn--bcher-kva.test')
  assert.equal(stored!.message.from_name, 'Ann, "A"')
})

test(
  'a hundred sessions of five domains at once are never mixed up',
  thorough('2 CPU s; the other tests of the file cover the common cases'),
  async () => {
    const tenants = await Promise.all([1, 2, 3, 4, 5].map(() => createTenant(door.store)))
    const sessions = Array.from({ length: 100 }, async (_, n) => {
      const tenant = tenants[n % 5]!
      const from = `s${n}@${tenant.domain.name}`
      const client = await RawSmtpClient.loggedIn(door.tlsPort, tenant)
      for (let round = 0; round < 3; round++) {
        const stranger = tenants[(n + 1 + round) % 5]!
        const refused = await client.ask(`MAIL FROM:<s${n}@${stranger.domain.name}>`)
        assert.match(refused, stranger === tenant ? /^250/ : /^550/)
        await client.ask('RSET')
        const reply = await client.deliver(from, [`r${n}-${round}@example.net`], `From: ${from}\r\n\r\n${n}`)
        assert.match(reply, /^250 /)
      }
      client.vanish()
    })
    await Promise.all(sessions)
    for (const [index, tenant] of tenants.entries()) {
      const stored = await storedMessages(door.store, tenant)
      assert.equal(stored.length, 60)
      for (const { message, recipients, content } of stored) {
        const n = Number(/^s(\d+)@/.exec(message.from_email)?.[1])
        assert.equal(n % 5, index)
        assert.equal(message.from_email, `s${n}@${tenant.domain.name}`)
        assert.equal(message.key_id, tenant.smtp.username)
        assert.match(recipients[0]!.email, new RegExp(`^r${n}-\\d@`))
        assert.ok(content.endsWith(`\r\n\r\n${n}\r\n`))
      }
    }
  },
)
