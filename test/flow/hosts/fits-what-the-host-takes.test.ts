// A mail host gets a message only in a form that the extensions of the mail host allow: SMTPUTF8, 8BITMIME, SIZE, BDAT
// and DSN.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { createTransport, type SendMailOptions } from 'nodemailer'
import PostalMime from 'postal-mime'
import { listAccounts } from '../../../src/store/access/accounts.ts'
import { findDomain, listDomainRecords } from '../../../src/store/domains/domain-rows.ts'
import { firstAttempt } from '../../support/first-attempt.ts'
import { type ManyHosts, startHosts } from '../../support/mail-host/many-hosts.ts'
import { chunkingExtensions, usualExtensions } from '../../support/mail-host/script.ts'
import { until } from '../../support/test-clock.ts'

const without = (...keywords: string[]): string[] =>
  usualExtensions.filter((one) => !keywords.includes(one.split(' ')[0] ?? ''))

const MODERN = 0
const NO_UTF8 = 1
const SEVEN_BIT = 2
const SMALL = 3
const CHUNKING = 4
const LYING = 5
const REPORTING = 6
const OLD = 7

describe('a host', () => {
  let many: ManyHosts
  before(async () => {
    many = await startHosts([
      {},
      { extensions: without('SMTPUTF8') },
      { extensions: without('SMTPUTF8', '8BITMIME') },
      { extensions: [...without('SIZE'), 'SIZE 2000'] },
      { extensions: chunkingExtensions },
      { extensions: chunkingExtensions, bdat: false },
      { extensions: [...usualExtensions, 'DSN'] },
      { ehlo: false },
    ])
  })
  after(() => many.stop())

  const commandsOf = (n: number): string[] => many.hosts[n]!.connections.flatMap((one) => one.commands)

  /** Submits a message by SMTP, which allows any form of message. */
  async function submit(message: SendMailOptions): Promise<void> {
    const { username, password } = many.app.playground.smtp
    const client = createTransport({
      host: '127.0.0.1',
      port: many.app.app.smtpPort ?? 0,
      auth: { user: username, pass: password },
      tls: { rejectUnauthorized: false },
    })
    await client.sendMail(message)
    client.close()
  }

  const RAW = [
    'From: hello@example.test',
    'Subject: x',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
    '',
    'Grüße an alle, die dies hier lesen können',
    '',
  ].join('\r\n')

  async function signatures(bytes: Buffer): Promise<string[]> {
    const [account] = await listAccounts(many.app.store.read)
    const domain = await findDomain(many.app.store.read, account!.id, 'example.test')
    const records = await listDomainRecords(many.app.store.read, account!.id, domain!.id)
    const resolver = async (name: string) => {
      const record = records.find((one) => one.name === name)
      if (record === undefined) throw Object.assign(new Error(name), { code: 'ENOTFOUND' })
      return [[record.value]]
    }
    const { results } = await dkimVerify(bytes, { resolver })
    return results.map((result: { status: { result: string } }) => result.status.result)
  }

  test('with SMTPUTF8 gets a recipient beyond ASCII', async () => {
    const { status } = await firstAttempt(many.app, `jørgen@d${MODERN}.example`)
    assert.equal(status, 'delivered')
    assert.match(many.hosts[MODERN]!.mails[0]!.parameters, /SMTPUTF8/)
  })

  test('without SMTPUTF8 does not, and the message bounces before anything is sent', async () => {
    const ended = await firstAttempt(many.app, `jørgen@d${NO_UTF8}.example`)
    assert.deepEqual([ended.status, ended.category, ended.hard], ['bounced', 'content', false])
    assert.match(ended.reason, /does not offer SMTPUTF8 \(5\.6\.7\)/)
    assert.ok(!commandsOf(NO_UTF8).some((line) => /^(?:MAIL|RCPT)/.test(line)))
  })

  test('gets a message mended as it was stored, with good signatures', async () => {
    const before = many.hosts[MODERN]!.mails.length
    const html = `<p>${'many plain words '.repeat(80)}</p>`
    await submit({
      envelope: { from: 'hello@example.test', to: `mended@d${MODERN}.example` },
      raw: Buffer.from(
        `From: Shop (Support) <hello@example.test>\r\nTo:\r\nSubject: Gr\xfc\xdfe\r\nDate: today\r\nMessage-ID: 1@example.test\r\nContent-Type: text/html\r\n\r\n${html}\r\n`,
        'latin1',
      ),
    })
    const { data } = await until(
      'the mail host has the repaired message',
      () => many.hosts[MODERN]!.mails[before],
    )
    assert.deepEqual(await signatures(data), ['pass', 'pass'])
    const mail = await PostalMime.parse(data)
    assert.deepEqual(mail.from, { address: 'hello@example.test', name: 'Shop (Support)' })
    assert.deepEqual([mail.subject, mail.messageId, mail.to], ['Grüße', '<1@example.test>', undefined])
    assert.equal(mail.html?.trim(), html)
    assert.match(data.toString('latin1'), /\r\nContent-Transfer-Encoding: quoted-printable\r\n/)
  })

  test('without SMTPUTF8 gets a message that only names others beyond ASCII, and their names stay', async () => {
    const id = await many.app.send({
      to: [{ email: `plain@d${NO_UTF8}.example` }],
      cc: [{ email: `jørgen@d${MODERN}.example`, name: 'Jørgen' }],
    })
    await many.app.messageIn(id, 'delivered')
    const { data, parameters } = many.hosts[NO_UTF8]!.mails[0]!
    assert.doesNotMatch(parameters, /SMTPUTF8/)
    assert.doesNotMatch(data.toString('latin1'), /[\x80-\xff]/)
    const { cc } = await PostalMime.parse(data)
    assert.equal(cc?.[0]?.name, `Jørgen <jørgen@d${MODERN}.example>`)
    assert.deepEqual(await signatures(data), ['pass', 'pass'])
    const original = many.hosts[MODERN]!.mails.at(-1)!.data
    assert.match(original.toString(), /Jørgen|j\u00f8rgen@/)
    assert.deepEqual(await signatures(original), ['pass', 'pass'])
  })

  const MALFORMED = [
    'To: Jürgen <>',
    'Cc: ü, b@example.net',
    'Reply-To: Zürich <not an address>',
    'To: Empfänger:;',
    'To: Gruppe: ü, Jörg <>;',
    'Cc: "ü <b@example.net>',
    'To: (ü b@example.net',
    'Reply-To: ü@, @ü, <ü>',
    'References: <ü@example.net>',
    'To: jørgen@example.net, Ü:;, "',
  ]

  test('without SMTPUTF8 gets malformed header bytes beyond ASCII', async () => {
    for (const [index, field] of MALFORMED.entries()) {
      const to = `malformed${index}@d${NO_UTF8}.example`
      const raw = ['From: hello@example.test', 'Subject: x', field, '', 'text', ''].join('\r\n')
      await submit({ envelope: { from: 'hello@example.test', to }, raw })
      const { data } = await arrived(NO_UTF8, to)
      assert.doesNotMatch(data.toString('latin1'), /[\x80-\xff]/, field)
      assert.deepEqual(await signatures(data), ['pass', 'pass'], field)
    }
    const { body } = await many.app.call('GET', '/v1/messages?limit=100')
    const ids = body.data.filter((one: { subject: string }) => one.subject === 'x')
    assert.ok(ids.length >= MALFORMED.length)
    for (const { message_id } of ids) await many.app.messageIn(message_id, 'delivered')
  })

  test('gets the same result for a message by HTTP: refused or delivered', async () => {
    const to = [{ email: `http@d${NO_UTF8}.example` }]
    const refused: object[] = [
      { to: [{ email: '', name: 'Jürgen' }] },
      { to, cc: [{ email: 'ü' }, { email: 'b@example.net' }] },
      { to, reply_to: { email: 'not an address', name: 'Zürich' } },
      { to, reply_to: [{ email: '"ü' }, { email: '(ü' }, { email: '@ü' }] },
    ]
    for (const more of refused) {
      const { status } = await many.app.call('POST', '/v1/messages', {
        from: 'hello@example.test',
        subject: 'x',
        text: 'x',
        ...more,
      })
      assert.equal(status, 422, JSON.stringify(more))
    }
    const taken: object[] = [
      { reply_to: { email: 'jørgen@example.net', name: '"Ü:;, <' } },
      { headers: { References: '<ü@example.net>', 'X-Note': 'ü, "' } },
    ]
    for (const more of taken) {
      const id = await many.app.send({ to, ...more })
      await many.app.messageIn(id, 'delivered')
    }
  })

  test('with 8BITMIME gets bytes over 127 unchanged', async () => {
    const to = `eight@d${MODERN}.example`
    await submit({ envelope: { from: 'hello@example.test', to }, raw: RAW })
    const mail = await arrived(MODERN, to)
    assert.match(mail.parameters, /BODY=8BITMIME/)
    assert.match(mail.data.toString(), /Grüße/)
  })

  test('without 8BITMIME gets them in quoted-printable, signed again', async () => {
    const to = `eight@d${SEVEN_BIT}.example`
    await submit({ envelope: { from: 'hello@example.test', to }, raw: RAW })
    const { data, parameters } = await arrived(SEVEN_BIT, to)
    assert.doesNotMatch(parameters, /BODY/)
    assert.match(data.toString('latin1'), /Gr=C3=BC=C3=9Fe/)
    assert.equal((await PostalMime.parse(data)).text?.trim(), 'Grüße an alle, die dies hier lesen können')
    assert.deepEqual(await signatures(data), ['pass', 'pass'])
  })

  test('without 8BITMIME does not get a message that must not be encoded again', async () => {
    const signed = RAW.replace('text/plain; charset=utf-8', 'multipart/signed; boundary=b').replace(
      'Grüße',
      '--b\r\n\r\nGrüße\r\n--b--\r\n',
    )
    const to = `signed@d${SEVEN_BIT}.example`
    await submit({ envelope: { from: 'hello@example.test', to }, raw: signed })
    const id = (await many.app.call('GET', '/v1/messages?limit=1')).body.data[0].message_id
    const message = await many.app.messageIn(id, 'bounced')
    assert.match(message.events.at(-1).detail.reason, /does not offer 8BITMIME/)
  })

  async function arrived(n: number, to: string) {
    for (;;) {
      const mail = await many.hosts[n]!.nextMail()
      if (mail.recipients.includes(to)) return mail
    }
  }

  test('gets the size, and no message that is too large for it', async () => {
    const ended = await firstAttempt(many.app, `u@d${SMALL}.example`, { text: 'x'.repeat(3_000) })
    assert.deepEqual([ended.status, ended.category, ended.hard], ['bounced', 'size', false])
    assert.match(ended.reason, /takes 2000 bytes/)
    assert.ok(!commandsOf(SMALL).some((line) => /^(?:MAIL|DATA)/.test(line)))
    await firstAttempt(many.app, `size@d${MODERN}.example`)
    const { data, parameters } = many.hosts[MODERN]!.mails.at(-1)!
    assert.match(parameters, new RegExp(`SIZE=${data.length}\\b`))
  })

  test('that offers CHUNKING gets the message by BDAT, with the envelope in one write', async () => {
    for (const name of ['a', 'b']) {
      assert.equal((await firstAttempt(many.app, `${name}@d${CHUNKING}.example`)).status, 'delivered')
    }
    const [connection, another] = many.hosts[CHUNKING]!.connections
    assert.equal(another, undefined)
    assert.ok(!connection!.commands.includes('DATA'))
    const whole = connection!.chunks.filter((chunk) =>
      /^MAIL[\s\S]*RCPT[\s\S]*BDAT \d+ LAST[\s\S]*Subject/.test(chunk),
    )
    assert.equal(whole.length, 2)
  })

  test('that offers CHUNKING and does not know BDAT gets it by DATA from then on', async () => {
    const first = await firstAttempt(many.app, `u@d${LYING}.example`)
    assert.match(first.transcript, /offers CHUNKING but does not know BDAT/)
    const tried = commandsOf(LYING).filter((line) => line.startsWith('BDAT')).length
    assert.equal((await firstAttempt(many.app, `v@d${LYING}.example`)).status, 'delivered')
    assert.equal(commandsOf(LYING).filter((line) => line.startsWith('BDAT')).length, tried)
  })

  test('that offers DSN gets the message ID for its reports', async () => {
    const { id } = await firstAttempt(many.app, `u+x@d${REPORTING}.example`)
    assert.match(many.hosts[REPORTING]!.mails[0]!.parameters, new RegExp(`RET=HDRS ENVID=${id}$`))
    assert.ok(
      commandsOf(REPORTING).includes(
        `RCPT TO:<u+x@d${REPORTING}.example> NOTIFY=FAILURE,DELAY ORCPT=rfc822;u+2Bx@d${REPORTING}.example`,
      ),
    )
  })

  test('that knows only HELO gets the message step by step', async () => {
    assert.equal((await firstAttempt(many.app, `u@d${OLD}.example`)).status, 'delivered')
    assert.deepEqual(
      commandsOf(OLD).map((line) => line.replace(/[ :].*/, '')),
      ['EHLO', 'HELO', 'MAIL', 'RCPT', 'DATA', '(message)'],
    )
  })
})
