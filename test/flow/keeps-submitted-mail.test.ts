// A message that is submitted by SMTP and tracked, or sent on a broadcast stream, stays unchanged except for its links.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createTransport } from 'nodemailer'
import { type Answer, TestApp } from '../support/app.ts'
import { trackedTargets, written } from '../support/mails/compared.ts'
import { PROGRAM_MAILS } from '../support/mails/programs.ts'
import { Person } from '../support/person.ts'
import { signatureResults } from '../support/signatures.ts'
import { until } from '../support/test-clock.ts'

const TRACKED = 'X-Track-Links: true\r\nX-Track-Opens: true\r\n'
const BROADCAST = 'X-Stream: broadcast\r\nX-Track-Links: true\r\n'
const HTML = '<p><a href="https://shop.example/">Shop</a></p>'
const HTML_PART = `Content-Type: text/html; charset=utf-8\r\n\r\n${HTML}`
const USUAL = 'From: Shop <hello@example.test>\r\nMessage-ID: <case@example.test>\r\n'

/** Returns a multipart entity with these parts. */
const multipart = (subtype: string, boundary: string, ...parts: readonly string[]): string =>
  `Content-Type: multipart/${subtype}; boundary=${boundary}\r\n\r\n` +
  `${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')}--${boundary}--`

interface Arrived {
  readonly id: string
  readonly email: string
  readonly raw: Buffer
  readonly text: string
  /** The message as the API shows it. */
  readonly message: Answer['body']
}

describe('a mail submitted by SMTP', () => {
  let app: TestApp
  let made = 0
  before(async () => {
    app = await TestApp.start({ host: { tls: true } })
  })
  after(() => app.stop())

  /** Submits a message with one character per byte, and returns the messages that the recipients get. */
  async function sent(
    mail: string,
    to: readonly string[] = [`s${++made}@receiver.example`],
  ): Promise<Arrived[]> {
    const { username, password } = app.playground.smtp
    const transport = createTransport({
      ...{ host: '127.0.0.1', port: app.app.smtpPort, requireTLS: true, tls: { rejectUnauthorized: false } },
      auth: { user: username, pass: password },
    })
    const envelope = { from: 'hello@example.test', to: [...to] }
    const { response } = await transport.sendMail({ envelope, raw: Buffer.from(mail, 'latin1') })
    const id = /msg_\w+/.exec(response)?.[0] ?? ''
    const message = await app.messageIn(id, 'delivered')
    return to.map((email) => {
      const raw = app.host.mails.find(
        ({ data, recipients }) => data.includes(id.slice(4)) && recipients.includes(email),
      )?.data
      assert.ok(raw !== undefined)
      return { id, email, raw, text: raw.toString('latin1'), message }
    })
  }
  const one = async (mail: string): Promise<Arrived> => (await sent(mail))[0]!

  const clicksIn = (text: string): number =>
    text.replaceAll('=\r\n', '').match(/\/c\/[\w-]{40,}/g)?.length ?? 0
  /** Returns the unfolded header fields with this name. */
  const fields = (text: string, name: string): string[] =>
    text
      .slice(0, text.indexOf('\r\n\r\n'))
      .replace(/\r\n(?=[ \t])/g, '')
      .split('\r\n')
      .filter((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`))
      .map((line) => line.slice(name.length + 1).trim())

  for (const { program, raw } of PROGRAM_MAILS) {
    test(`of ${program} keeps thread, reply-all, images and files, tracked and as a broadcast`, async () => {
      const original = await written(Buffer.from(raw, 'latin1'))
      const to = ['ann@receiver.example', 'bob@receiver.example']
      for (const wish of [TRACKED, BROADCAST]) {
        const copies = await sent(wish + raw, to)
        for (const copy of copies) {
          assert.deepEqual(await written(copy.raw), original)
          const [target, more] = await trackedTargets(copy.raw)
          assert.match(target ?? '', /^https:\/\/shop\.example\/\d+$/)
          assert.equal(more, undefined)
          assert.deepEqual(await signatureResults(app, copy.raw), ['pass', 'pass'])
        }
        assert.notEqual(copies[0]!.text, copies[1]!.text)
        const [{ message }] = copies as [Arrived, Arrived]
        assert.deepEqual(message.tracking, { opens: wish === TRACKED, links: true })
        assert.deepEqual(
          [message.to.length, message.bcc.length, message.events[0].detail.tracking.links],
          [2, 0, true],
        )
      }
    })
  }

  test('keeps Message-ID, Date, repeated and own fields, if the mail is tracked', async () => {
    const own =
      `${USUAL}Sender: hello@example.test\r\nTo: you@receiver.example\r\nSubject: Field case\r\n` +
      'Date: Sat, 28 Nov 2026 22:50:00 +0000\r\nComments: one\r\nComments: two\r\nX-Odd:  two  spaces\r\n' +
      'Resent-From: hello@example.test\r\nResent-Date: Sat, 28 Nov 2026 22:51:00 +0000\r\nMIME-Version: 1.0\r\n'
    const { text } = await one(`${TRACKED}${own}${HTML_PART}`)
    assert.ok(text.includes(own), text)
    assert.equal(clicksIn(text), 1)
  })

  test('replaces the sender’s own List-Unsubscribe on a broadcast stream, and keeps it elsewhere', async () => {
    const own =
      'List-Unsubscribe: <https://shop.example/leave/1>\r\nlist-unsubscribe-post: List-Unsubscribe=One-Click\r\n'
    const mail = (wish: string, field = own): string =>
      `${wish}${USUAL}To: you@receiver.example\r\nSubject: x\r\n${field}${HTML_PART}` +
      '<a href="https://shop.example/leave/1">leave</a>'
    const { text, raw } = await one(mail(BROADCAST))
    const [field, more] = fields(text, 'List-Unsubscribe')
    assert.match(field ?? '', /^<https?:\/\/[^>]+\/u\/[a-z2-7]{26}>, <mailto:unsubscribe\+/)
    assert.deepEqual(
      [more, fields(text, 'List-Unsubscribe-Post')],
      [undefined, ['List-Unsubscribe=One-Click']],
    )
    assert.deepEqual(fields(text, 'List-ID'), ['<broadcast.example.test>'])
    assert.deepEqual(await signatureResults(app, raw), ['pass', 'pass'])
    // Link tracking leaves the unsubscribe link of the sender unchanged.
    assert.equal(clicksIn(text), 1)
    const folded = `List-Unsubscribe:\r\n <mailto:out@example.test>,\r\n\t<https://shop.example/leave/1>\r\n${own}`
    assert.equal(fields((await one(mail(BROADCAST, folded))).text, 'List-Unsubscribe').length, 1)
    const { text: plain } = await one(mail('X-Track-Links: true\r\n'))
    assert.deepEqual(fields(plain, 'List-Unsubscribe'), ['<https://shop.example/leave/1>'])
    const { text: named } = await one(
      mail(`${BROADCAST}X-Tag: spring sale\r\nList-ID: <own.example.test>\r\n`),
    )
    assert.deepEqual(fields(named, 'List-ID'), ['<own.example.test>'])
    assert.match(fields(named, 'Feedback-ID').join(), /^spring-sale:broadcast:/)
  })

  test('has the sender’s own List-Unsubscribe if its stream says so, over SMTP and HTTP', async () => {
    const mine = { alias: 'own-list', name: 'Own list', kind: 'broadcast', unsubscribe: 'sender' }
    assert.equal((await app.call('POST', '/v1/streams', mine)).body.unsubscribe, 'sender')
    const own = ['<mailto:out@example.test>, <https://shop.example/leave/1>']
    const mail = (field: string): string =>
      `X-Stream: own-list\r\n${USUAL}To: you@receiver.example\r\nSubject: x\r\n${field}${HTML_PART}`
    const oneClick = 'List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n'
    const kept = await one(mail(`List-Unsubscribe: ${own[0]}\r\n${oneClick}`))
    assert.deepEqual(
      [fields(kept.text, 'List-Unsubscribe'), fields(kept.text, 'List-Unsubscribe-Post')],
      [own, ['List-Unsubscribe=One-Click']],
    )
    assert.deepEqual(fields(kept.text, 'List-ID'), ['<own-list.example.test>'])
    assert.ok(kept.text.endsWith(`${HTML}\r\n`))
    assert.deepEqual(await signatureResults(app, kept.raw), ['pass', 'pass'])
    const to = [{ email: 'own@receiver.example' }]
    const post = { 'list-unsubscribe-post': 'List-Unsubscribe=One-Click' }
    const headers = { 'List-Unsubscribe': own[0] as string, ...post }
    // A broadcast without the fields is refused, over SMTP and HTTP, with the remedy.
    const wrong: [fields: Record<string, string>, told: string[]][] = [
      [{}, ['headers.List-Unsubscribe required', 'headers.List-Unsubscribe-Post required']],
      [post, ['headers.List-Unsubscribe required']],
      [
        { ...post, 'List-Unsubscribe': '<mailto:out@example.test>' },
        ['headers.List-Unsubscribe invalid_value'],
      ],
      [{ ...post, 'List-Unsubscribe': 'https://shop.example/' }, ['headers.List-Unsubscribe invalid_value']],
      [{ 'List-Unsubscribe': own[0] as string }, ['headers.List-Unsubscribe-Post required']],
      [
        { ...headers, ...{ 'list-unsubscribe-post': 'yes' } },
        ['headers.List-Unsubscribe-Post invalid_value'],
      ],
    ]
    const message = { from: 'hello@example.test', to, subject: 'x', html: HTML, stream: 'own-list' }
    for (const [own, told] of wrong) {
      const { status, body } = await app.call('POST', '/v1/messages', { ...message, headers: own })
      assert.equal(status, 422, JSON.stringify(body))
      assert.deepEqual(
        body.errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`),
        told,
      )
      assert.match(body.errors[0].message, /set `unsubscribe` of the stream to `service`/)
      // Missing brackets are repaired over SMTP.
      if (own['List-Unsubscribe']?.startsWith('https:')) continue
      const lines = Object.entries(own).map(([name, value]) => `${name}: ${value}\r\n`)
      await assert.rejects(one(mail(lines.join(''))), /headers\.List-Unsubscribe/)
    }
    const id = await app.send({ stream: 'own-list', to, headers, html: HTML, text: undefined })
    await app.messageIn(id, 'delivered')
    const { data } = app.host.mails.find((found) => found.data.includes(id.slice(4))) as { data: Buffer }
    assert.deepEqual(fields(data.toString('latin1'), 'List-Unsubscribe'), own)
    assert.ok(data.includes(HTML) && !data.includes('/u/'))
    const refused = await app.call('PATCH', '/v1/streams/transactional', { unsubscribe: 'sender' })
    assert.deepEqual([refused.status, refused.body.errors?.[0]?.code], [422, 'not_broadcast'])
  })

  test('has the service’s unsubscribe link if a template gives its content', async () => {
    const template = { alias: 'news', name: 'News', subject: 'News', html: '<p>News</p>', text: 'News' }
    assert.equal((await app.call('POST', '/v1/templates', template)).status, 201)
    const own = 'List-Unsubscribe: <https://shop.example/leave/1>\r\nX-Own: 1\r\n'
    const { text } = await one(
      `X-Stream: broadcast\r\nX-Template-Alias: news\r\n${USUAL}To: you@receiver.example\r\n${own}${HTML_PART}`,
    )
    assert.match(fields(text, 'List-Unsubscribe').join('|'), /^<http[^|]+\/u\/[a-z2-7]{26}>[^|]+$/)
    assert.deepEqual(fields(text, 'X-Own'), ['1'])
  })

  test('shows the addresses that its author wrote, to each recipient', async () => {
    for (const [to, role] of [
      ['"The team" <team@elsewhere.example>', 'bcc'],
      ['undisclosed-recipients:;', 'bcc'],
      ['Friends: Ann <ann@elsewhere.example>, bob@elsewhere.example;', 'bcc'],
      ['"Ann" <READER@receiver.example>', 'to'],
      ['Reader@Receiver.EXAMPLE', 'to'],
    ] as const) {
      for (const wish of ['', TRACKED, BROADCAST]) {
        const mail = `${wish}${USUAL}To: ${to}\r\nCc: carl@elsewhere.example\r\nSubject: x\r\n${HTML_PART}`
        const [{ text, message }] = (await sent(mail, ['reader@receiver.example'])) as [Arrived]
        assert.deepEqual([fields(text, 'To'), fields(text, 'Cc')], [[to], ['carl@elsewhere.example']])
        assert.equal(message[role].length, 1, `${to} is ${role}`)
      }
    }
  })

  test('keeps pictures by their Content-ID, and files by their name, with any disposition', async () => {
    const png = (fields: string): string =>
      `Content-Type: image/png\r\n${fields}Content-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=`
    const parts = [
      png('Content-ID: <pic@example.test>\r\nContent-Disposition: attachment; filename=pic.png\r\n'),
      png('Content-Id: <other>\r\n'),
      png('content-location: http://example.test/a.png\r\nContent-Disposition: inline\r\n'),
      'Content-Type: text/html; name="report.html"\r\n\r\n<p>The <a href="https://shop.example/r">report</a></p>',
      "Content-Type: text/plain; name*=utf-8''m%C3%A4rz.log\r\n\r\nlog",
      'Content-Type: text/html\r\nContent-Disposition: inline;\r\n filename="two.html"\r\n\r\n<p>two</p>',
      'Content-Type: message/rfc822\r\n\r\nSubject: inner\r\nContent-Type: text/html\r\n\r\n<a href="https://shop.example/i">i</a>',
      'Content-Type: text/calendar; method=REQUEST\r\n\r\nBEGIN:VCALENDAR',
      'Content-Type: application/x-custom\r\nX-Own: yes\r\n\r\nanything',
    ]
    for (const wish of [TRACKED, BROADCAST]) {
      const { text } = await one(
        `${wish}${USUAL}To: you@receiver.example\r\nSubject: x\r\nMIME-Version: 1.0\r\n${multipart('mixed', 'm', HTML_PART, ...parts)}\r\n`,
      )
      for (const part of parts) assert.ok(text.includes(`--m\r\n${part}\r\n--m`), part)
      assert.equal(clicksIn(text), 1)
    }
  })

  test('is sent unchanged and untracked if its author signed or encrypted it, and its events say so', async () => {
    const signed = multipart(
      'signed; protocol="application/pgp-signature"',
      's',
      HTML_PART,
      'Content-Type: application/pgp-signature\r\n\r\nx',
    )
    const cases: readonly (readonly [content: string, skipped: string])[] = [
      [signed, 'signed'],
      [multipart('mixed', 'm', signed, 'Content-Type: text/plain\r\n\r\nfooter of a list'), 'signed'],
      [
        'Content-Type: application/pkcs7-mime; smime-type=signed-data; name=smime.p7m\r\nContent-Transfer-Encoding: base64\r\n\r\nMIIB',
        'signed',
      ],
      [
        'Content-Type: application/x-pkcs7-mime;\r\n smime-type=enveloped-data\r\nContent-Transfer-Encoding: base64\r\n\r\nMIIB',
        'encrypted',
      ],
      [
        multipart(
          'encrypted; protocol="application/pgp-encrypted"',
          'e',
          'Content-Type: application/pgp-encrypted\r\n\r\nVersion: 1',
          'Content-Type: application/octet-stream\r\n\r\n-----BEGIN PGP MESSAGE-----',
        ),
        'encrypted',
      ],
      [
        multipart(
          'alternative',
          'a',
          'Content-Type: text/plain\r\n\r\n-----BEGIN PGP SIGNED MESSAGE-----\r\nHash: SHA256\r\n\r\nx\r\n-----BEGIN PGP SIGNATURE-----\r\n\r\nx\r\n-----END PGP SIGNATURE-----',
          HTML_PART,
        ),
        'signed',
      ],
      [
        'Content-Type: text/plain\r\n\r\n-----BEGIN PGP MESSAGE-----\r\n\r\nx\r\n-----END PGP MESSAGE-----',
        'encrypted',
      ],
      [
        multipart('mixed', 'm', HTML_PART, 'Content-Type: multipart/alternative\r\n\r\nno boundary'),
        'structure',
      ],
      [
        'Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: x-uuencode\r\n\r\nbegin 644 a',
        'encoding',
      ],
      [`Content-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\n${HTML}`, 'encoding'],
    ]
    for (const [content, skipped] of cases) {
      const body = content.slice(content.indexOf('\r\n\r\n'))
      for (const wish of [TRACKED, BROADCAST]) {
        const { text, message, raw } = await one(
          `${wish}${USUAL}To: you@receiver.example\r\nSubject: x\r\nMIME-Version: 1.0\r\n${content}\r\n`,
        )
        assert.ok(text.endsWith(`${body}\r\n`), skipped)
        const tracking = { opens: false, links: false, skipped }
        assert.deepEqual(message.tracking, tracking)
        const footer = wish === BROADCAST ? { footer: { skipped } } : {}
        assert.deepEqual(message.events[0].detail, { tracking, ...footer })
        assert.deepEqual(message.footer, footer.footer)
        // The list has the same, so that nobody has to open each message.
        const [listed] = (await app.call('GET', '/v1/messages?limit=1')).body.data
        assert.deepEqual([listed.tracking, listed.footer], [tracking, footer.footer])
        assert.equal(fields(text, 'List-Unsubscribe').length, wish === BROADCAST ? 1 : 0)
        assert.deepEqual(await signatureResults(app, raw), ['pass', 'pass'])
      }
    }
  })

  test('has one footer of each kind that a reader sees, in the language of its HTML and the charset of its text', async () => {
    const text = (body: string, fields = ''): string =>
      `Content-Type: text/plain; charset=us-ascii\r\n${fields}\r\n${body}`
    const french = `Content-Type: text/html; charset=iso-8859-1\r\n\r\n<html lang="fr"><head><meta charset="iso-8859-1"></head><body>d\xe9j\xe0</body></html>`
    const bodies: readonly (readonly [content: string, footers: readonly [html: number, text: number]])[] = [
      [text('only'), [0, 1]],
      [HTML_PART, [1, 0]],
      [multipart('alternative', 'a', text('one'), french), [1, 1]],
      [multipart('mixed', 'm', HTML_PART, text('beside')), [1, 0]],
      [
        multipart('mixed', 'm', multipart('alternative', 'a', text('one'), HTML_PART), text('of a list')),
        [1, 1],
      ],
      [
        multipart(
          'alternative',
          'a',
          text('one'),
          multipart('mixed', 'm', HTML_PART, text('between'), HTML_PART),
        ),
        [1, 1],
      ],
      [multipart('mixed', 'm', text('a'), text('b')), [0, 1]],
      [multipart('alternative', 'a', text('leave: {{{ @unsubscribe_url }}}'), HTML_PART), [1, 1]],
    ]
    for (const [content, [html, plain]] of bodies) {
      const { raw, message } = await one(
        `${BROADCAST}${USUAL}To: you@receiver.example\r\nSubject: x\r\nMIME-Version: 1.0\r\n${content}\r\n`,
      )
      const read = raw.toString('latin1').replaceAll('=\r\n', '')
      assert.equal(read.match(/href=(?:3D)?"http[^"]*\/u\/[a-z2-7]{26}"/g)?.length ?? 0, html, content)
      assert.equal(read.match(/: http\S*\/u\/[a-z2-7]{26}/g)?.length ?? 0, plain, content)
      assert.ok(!read.includes('@unsubscribe_url'))
      assert.equal(message.events[0].detail.footer, undefined)
      if (content.includes('lang="fr"')) {
        const whole = await written(raw)
        assert.match(whole.html, /charset="utf-8"><\/head><body>déjà<\/body>/)
        assert.match(read, /Se d=C3=A9sabonner/)
      }
    }
  })

  test('is sent again with links of its own, and shown to its sender without tracking', async () => {
    const person = await Person.loggedIn(app)
    const domain = (await person.call('GET', '/api/domains')).body.data[0].domain_id
    for (const wish of [TRACKED, BROADCAST]) {
      const first = await one(`${wish}${USUAL}To: you@receiver.example\r\nSubject: again\r\n${HTML_PART}`)
      const { body: shown } = await app.call('GET', `/v1/messages/${first.id}?include=content`)
      assert.equal(clicksIn(JSON.stringify(shown)), 0)
      assert.ok(shown.html.includes('https://shop.example/'))
      const { body: raw } = await app.call('GET', `/v1/messages/${first.id}/raw`)
      assert.equal(raw, first.text)
      const again = await person.call('POST', `/api/domains/${domain}/messages/${first.id}/resend`, {})
      assert.equal(again.status, 202, JSON.stringify(again.body))
      const id = again.body.message_id
      await app.messageIn(id, 'delivered')
      const copy = await until('the message arrives again', () =>
        app.host.mails.findLast(({ recipients }) => recipients.includes(first.email)),
      )
      assert.deepEqual(await written(copy.data), await written(first.raw))
      assert.equal(clicksIn(copy.data.toString('latin1')), 1)
      assert.notEqual(copy.data.toString('latin1'), first.text)
    }
  })

  test('leads to the targets of its links, which are numbered across several bodies', async () => {
    const body = (number: number): string =>
      `Content-Type: text/html\r\n\r\n<a href="https://shop.example/${number}a">a</a><a href="https://shop.example/${number}b">b</a>`
    const { text, id } = await one(
      `${TRACKED}${USUAL}To: you@receiver.example\r\nSubject: x\r\nMIME-Version: 1.0\r\n${multipart('mixed', 'm', body(1), body(2))}\r\n`,
    )
    const whole = text.replaceAll('=\r\n', '')
    const urls = [...whole.matchAll(/href=3D"(http[^"]+\/c\/[\w-]+)/g)].map(([, url = '']) => url)
    const targets = await Promise.all(
      urls.map(async (url) => (await fetch(url, { redirect: 'manual' })).headers.get('location')),
    )
    assert.deepEqual(
      targets,
      ['1a', '1b', '2a', '2b'].map((path) => `https://shop.example/${path}`),
    )
    assert.equal(whole.match(/\/o\/[\w-]+/g)?.length, 1)
    await until('the message has the click events', async () => {
      const { body } = await app.call('GET', `/v1/messages/${id}`)
      const clicked = body.events.filter(({ type }: { type: string }) => type === 'clicked')
      return new Set(clicked.map((event: Answer['body']) => event.detail.url)).size === 4
    })
  })
})
