// Mail for inbound streams: the choice of the stream, the storage before the reply 250, and the presentation in the
// API.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { SETTINGS } from '../../src/config/settings.ts'
import { InboundLinks } from '../../src/inbound/links.ts'
import { InboundShowing } from '../../src/inbound/show.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { PublicUrl } from '../../src/lib/public-url.ts'
import { setAccountStatus } from '../../src/store/access/accounts.ts'
import { setDomainPaused } from '../../src/store/domains/domains.ts'
import type { TestApp } from '../support/app.ts'
import { knock, startInbound } from '../support/inbound.ts'
import { bringMail, createInboundStream, inboundMessages, mailOf } from '../support/inbound-mail.ts'
import { createTenant } from '../support/tenant.ts'
import { thorough } from '../support/thorough.ts'

const REPLY =
  'That works, thank you.\r\n\r\nOn Fri, 20 Nov 2026 at 09:00, Shop <shop@example.test> wrote:\r\n> Does it work?\r\n'

describe('an inbound stream', () => {
  let app: TestApp
  before(async () => {
    app = await startInbound()
    await createInboundStream(app, ['support@example.test', '*@in.example.test'])
  })
  after(() => app.stop())

  async function answerTo(address: string): Promise<string> {
    const client = await knock(app)
    await client.ask('MAIL FROM:<jo@author.example>')
    const reply = await client.ask(`RCPT TO:<${address}>`)
    client.vanish()
    return reply
  }

  test('accepts mail for its addresses with tags, in any case, and for all of a host', async () => {
    for (const address of [
      'support@example.test',
      'SUPPORT@Example.TEST',
      'support+order-17@example.test',
      'anybody@in.example.test',
      'a+b@in.example.test',
    ]) {
      assert.match(await answerTo(address), /^250 /, address)
    }
    for (const address of [
      'sales@example.test',
      'x@other.example.test',
      'x@deep.in.example.test',
      '+@example.test',
    ]) {
      assert.equal(await answerTo(address), '550 5.1.1 There is no such address here', address)
    }
  })

  test('shows a mail with its content, its envelope, its reply and its files', async () => {
    const parts = [
      '--b\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n',
      REPLY,
      '--b\r\nContent-Type: text/csv; name="a.csv"\r\nContent-Disposition: attachment; filename="a.csv"\r\n',
      'Content-Transfer-Encoding: base64\r\n\r\nMTs\r\nyOzM=\r\n--b--\r\n',
    ]
    const mail = mailOf(
      {
        'Content-Type': 'multipart/mixed; boundary=b',
        'In-Reply-To': '<before@example.test>',
        References: '<first@example.test> <before@example.test>',
        Cc: '=?utf-8?q?J=C3=B6rg?= <joerg@author.example>',
      },
      parts.join(''),
    )
    assert.match(await bringMail(app, ['support+7@example.test', 'x@in.example.test'], mail), /^250 /)
    const [row] = await inboundMessages(app, 1)
    assert.deepEqual(row.rcpt_to, ['support+7@example.test', 'x@in.example.test'])
    const { body: shown } = await app.call('GET', `/v1/inbound/${row.inbound_id}`)
    assert.equal(shown.content, 'available')
    assert.deepEqual(
      [shown.stream, shown.kind, shown.flags, shown.subject, shown.message_id, shown.in_reply_to, shown.date],
      [
        'replies',
        'message',
        [],
        'Hello',
        'one@author.example',
        'before@example.test',
        '2026-11-20T09:00:00.000Z',
      ],
    )
    assert.deepEqual(shown.from, { email: 'jo@author.example', name: 'Jo Doe' })
    assert.deepEqual(shown.cc, [{ email: 'joerg@author.example', name: 'Jörg' }])
    assert.deepEqual(shown.references, ['first@example.test', 'before@example.test'])
    assert.equal(shown.text.trimEnd(), REPLY.replaceAll('\r\n', '\n').trimEnd())
    assert.equal(shown.reply_text.trim(), 'That works, thank you.')
    assert.equal(shown.size, Buffer.byteLength(mail))
    assert.match(shown.client_address, /127\.0\.0\.1$/)
    assert.equal(shown.helo, 'mx.receiver.example')
    const [file] = shown.attachments
    assert.deepEqual(
      [file.filename, file.content_type, file.size, file.content],
      ['a.csv', 'text/csv', 5, null],
    )
    const download = await app.callWith('GET', file.url, undefined, {})
    assert.deepEqual([download.status, download.body], [200, '1;2;3'])
    assert.match(download.headers.get('content-disposition') ?? '', /^attachment; filename="a\.csv"/)
    const raw = await app.callWith('GET', shown.raw_url, undefined, {})
    assert.equal(raw.body, mail)
    assert.equal((await app.call('GET', `/v1/inbound/${row.inbound_id}/raw`)).body, mail)
  })

  test('gives webhooks the same data, with the content of small files and links that live for days', async () => {
    const [row] = await inboundMessages(app, 1)
    const { body: shown } = await app.call('GET', `/v1/inbound/${row.inbound_id}`)
    const domain = await app.store.read
      .selectFrom('domains')
      .selectAll()
      .where('name', '=', 'example.test')
      .executeTakeFirstOrThrow()
    const links = new InboundLinks('another secret', new PublicUrl('https://mail.example.test'), systemClock)
    const showing = new InboundShowing(app.store.read, links)
    const owner = { accountId: domain.account_id, domainId: domain.id }
    const admit = async (): Promise<void> => {}
    const told = await showing.eventData(owner, row.inbound_id, admit)
    assert.ok(told !== undefined)
    const { attachments, raw_url, links_expire_at, ...same } = told
    const { attachments: files, raw_url: _, links_expire_at: __, ...rest } = shown
    assert.deepEqual(JSON.parse(JSON.stringify(same)), rest)
    assert.deepEqual(
      attachments.map(({ filename, content }) => [filename, content]),
      [[files[0].filename, Buffer.from('1;2;3').toString('base64')]],
    )
    assert.match(raw_url ?? '', /^https:\/\/mail\.example\.test\/i\/inb_/)
    assert.ok(Date.parse(links_expire_at ?? '') > Date.now() + 3 * 86_400_000)
    // The secret of another installation makes the link invalid.
    const foreign = new URL(raw_url ?? '')
    assert.equal((await app.callWith('GET', foreign.pathname + foreign.search, undefined, {})).status, 404)
    assert.equal(await showing.eventData(owner, 'inb_none', admit), undefined)
  })

  test('is an event of the feed', async () => {
    const [row] = await inboundMessages(app, 1)
    for (;;) {
      const { body } = await app.call('GET', '/v1/events?type=received')
      const event = body.data.find((one: { message_id: string }) => one.message_id === row.inbound_id)
      if (event === undefined) continue
      assert.deepEqual([event.stream, event.email], ['replies', row.rcpt_to[0]])
      assert.equal(event.detail.kind, 'message')
      break
    }
  })

  test('links to one part of one message, and any other token is refused', async () => {
    await bringMail(app, 'support@example.test', mailOf({}, 'Hi\r\n'))
    const rows = await inboundMessages(app, 2)
    const [one, other] = await Promise.all(
      rows.map(async ({ inbound_id: id }) => (await app.call('GET', `/v1/inbound/${id}`)).body),
    )
    const url = new URL(one.raw_url)
    const token = url.searchParams.get('token') ?? ''
    const withToken = (given: string): string => `${url.pathname}?token=${given}`
    for (let at = 0; at < token.length; at++) {
      const changed = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`
      assert.equal((await app.callWith('GET', withToken(changed), undefined, {})).status, 404, `${at}`)
    }
    for (const path of [
      url.pathname,
      withToken(''),
      `${withToken(token)}&token=${token}`,
      `${new URL(other.raw_url).pathname}?token=${token}`,
      `/i/${one.inbound_id}/attachments/0?token=${token}`,
    ]) {
      assert.equal((await app.callWith('GET', path, undefined, {})).status, 404, path)
    }
    assert.equal((await app.callWith('GET', withToken(token), undefined, {})).status, 200)
  })

  test('refuses a loop, and a header or message that is too large, and stores nothing', async () => {
    const before = (await inboundMessages(app, 1)).length
    const hops = 'Received: from a by b; Fri, 20 Nov 2026 10:00:00 +0000\r\n'.repeat(51)
    assert.match(
      await bringMail(app, 'support@example.test', `${hops}${mailOf({}, 'x\r\n')}`),
      /^554 5\.4\.6 /,
    )
    const header = `X-Long: ${'x'.repeat(900)}\r\n`.repeat(300)
    assert.match(
      await bringMail(app, 'support@example.test', `${header}${mailOf({}, 'x\r\n')}`),
      /^554 5\.6\.0 /,
    )
    const huge = mailOf({}, `${'y'.repeat(998)}\r\n`.repeat(27_000))
    assert.match(await bringMail(app, 'support@example.test', huge), /^552 5\.3\.4 /)
    assert.equal((await inboundMessages(app, 1)).length, before)
  })

  test('marks mail of programs and lists, and stores it', async () => {
    await bringMail(
      app,
      'support@example.test',
      mailOf({ 'Auto-Submitted': 'auto-replied', Subject: 'auto' }, 'x\r\n'),
      '',
    )
    await bringMail(
      app,
      'support@example.test',
      mailOf({ 'List-Id': '<l.example>', Subject: 'list' }, 'x\r\n'),
    )
    // Phrases of automatic messages are no sign of an automatic message, because people quote such phrases.
    await bringMail(
      app,
      'support@example.test',
      mailOf(
        { Subject: 'Vacation: booking 123' },
        'The "please verify your email address" message never arrived, not even in my spam folder.\r\n',
      ),
    )
    // Only the null sender identifies this bounce of an old program.
    await bringMail(app, 'support@example.test', mailOf({ Subject: 'failure notice' }, 'Sorry.\r\n'), '')
    const rows = await inboundMessages(app, 6)
    const flagsOf = (subject: string) => rows.find((row) => row.subject === subject)?.flags
    assert.deepEqual(
      [flagsOf('auto'), flagsOf('list'), flagsOf('Vacation: booking 123'), flagsOf('failure notice')],
      [['auto_submitted'], ['mailing_list'], [], ['auto_submitted']],
    )
  })

  test('cannot send, and says so', async () => {
    const { status, body } = await app.call('POST', '/v1/messages', {
      from: 'a@example.test',
      to: [{ email: 'b@receiver.example' }],
      subject: 'x',
      text: 'x',
      stream: 'replies',
    })
    assert.deepEqual([status, body.errors[0].path, body.errors[0].code], [422, 'stream', 'inbound'])
  })

  test('lists by kind, stream, author, recipient and time', async () => {
    const count = async (query: string): Promise<number> =>
      (await app.call('GET', `/v1/inbound?${query}`)).body.data.length
    const all = await count('limit=200')
    assert.ok(all >= 4)
    assert.equal(await count('kind=message'), all)
    assert.equal(await count('kind=dmarc_report'), 0)
    assert.equal(await count('stream=replies'), all)
    assert.equal(await count('stream=other'), 0)
    assert.equal(await count('from=JO@author.example'), all)
    assert.equal(await count('recipient=support%2B7@example.test'), 1)
    assert.equal(await count('recipient=support_7@example.test'), 0)
    assert.equal(await count('after=2020-01-01T00:00:00Z'), all)
    assert.equal(await count('before=2020-01-01T00:00:00Z'), 0)
    const { body } = await app.call('GET', '/v1/inbound?from=x&after=y')
    assert.deepEqual(
      body.errors.map(({ path }: { path: string }) => path),
      ['from', 'after'],
    )
    const first = (await app.call('GET', '/v1/inbound?limit=1')).body
    const rest = (await app.call('GET', `/v1/inbound?limit=200&cursor=${first.next_cursor}`)).body
    assert.equal(rest.data.length, all - 1)
  })

  test('belongs to its domain, and another account sees none of it', async () => {
    const [row] = await inboundMessages(app, 1)
    const other = await createTenant(app.store, { domain: 'elsewhere.test' })
    const headers = { authorization: `Bearer ${other.sendingKey}` }
    const path = `/v1/inbound/${row.inbound_id}`
    assert.equal((await app.callWith('GET', path, undefined, headers)).status, 404)
    assert.equal((await app.callWith('GET', `${path}/raw`, undefined, headers)).status, 404)
    assert.deepEqual((await app.callWith('GET', '/v1/inbound', undefined, headers)).body.data, [])
  })

  test('does not take mail for a name below a domain that another account has verified', async () => {
    await createTenant(app.store, { domain: 'in.example.test' })
    assert.match(await answerTo('anybody@in.example.test'), /^550 5\.1\.1 /)
    assert.match(await answerTo('support@example.test'), /^250 /)
  })

  test('defers mail while the domain is paused or the account suspended', async () => {
    const { id: domainId, account_id: accountId } = await app.store.read
      .selectFrom('domains')
      .selectAll()
      .where('name', '=', 'example.test')
      .executeTakeFirstOrThrow()
    const domain = { id: domainId, account_id: accountId }
    await app.store.write(setDomainPaused, { domain, paused: true, now: Date.now() })
    assert.match(await answerTo('support@example.test'), /^450 4\.2\.1 /)
    await app.store.write(setDomainPaused, { domain, paused: false, now: Date.now() })
    assert.match(await answerTo('support@example.test'), /^250 /)
    await app.store.write(setAccountStatus, { id: accountId, status: 'suspended', now: Date.now() })
    assert.match(await answerTo('support@example.test'), /^450 4\.2\.1 /)
  })
})

/** Limits of inbound streams, each with a message above the limit and the expected refusal. */
const LIMITS = {
  POSTRIDER_INBOUND_MAX_MESSAGE_BYTES: {
    value: '20000',
    beyond: 'y'.repeat(70),
    lines: 400,
    refusal: /^552 /,
  },
  POSTRIDER_INBOUND_ACCOUNT_RATE: { value: '1/h', beyond: 'y', lines: 1, refusal: /^451 / },
  POSTRIDER_INBOUND_ACCOUNT_BYTES: { value: '1000', beyond: 'y'.repeat(70), lines: 30, refusal: /^452 / },
}

for (const [name, { value, beyond, lines, refusal }] of Object.entries(LIMITS)) {
  test(`${name}=${value}`, async (t) => {
    const app = await startInbound({ env: { [name]: value } })
    t.after(() => app.stop())
    await createInboundStream(app, ['support@example.test'])
    const bring = (text: string) => bringMail(app, 'support@example.test', mailOf({}, text))
    assert.match(await bring('Hello\r\n'), /^250 /)
    await inboundMessages(app, 1)
    assert.match(await bring(`${beyond}\r\n`.repeat(lines)), refusal)
    assert.equal((await inboundMessages(app, 1)).length, 1)
  })
}

test(
  'a full account refuses its own address, and the other recipients of the transaction get the mail once',
  thorough('2 CPU s: mail until an account is full'),
  async (t) => {
    const app = await startInbound({ env: { POSTRIDER_INBOUND_ACCOUNT_BYTES: '1000' } })
    t.after(() => app.stop())
    await createInboundStream(app, ['support@example.test'])
    const client = await knock(app)
    t.after(() => client.vanish())
    const ask = async (line: string, reply: RegExp) => assert.match(await client.ask(line), reply, line)
    for (const [size, taken] of [
      ['SIZE=900', /^250 /],
      ['SIZE=1100', /^452 4\.2\.2 /],
    ] as const) {
      await ask(`MAIL FROM:<jo@author.example> ${size}`, /^250 /)
      await ask('RCPT TO:<postmaster>', /^250 /)
      await ask('RCPT TO:<support@example.test>', taken)
      await ask('RSET', /^250 /)
    }
    assert.match(await bringMail(app, 'support@example.test', mailOf({}, 'y'.repeat(700))), /^250 /)
    await ask('MAIL FROM:<jo@author.example> SIZE=900', /^250 /)
    await ask('RCPT TO:<support@example.test>', /^452 4\.2\.2 /)
  },
)

test('every limit of inbound streams that is a setting is tested here', () => {
  const names = Object.values(SETTINGS).map(({ name }) => name)
  const ofStreams = names.filter((name) => /^POSTRIDER_INBOUND_(?:ACCOUNT|MAX)_/.test(name))
  assert.deepEqual(ofStreams.toSorted(), Object.keys(LIMITS).toSorted())
})
