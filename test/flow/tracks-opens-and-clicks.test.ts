// Opens and clicks are tracked on request: each recipient gets separate links, and each hit of a link becomes an event.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createTransport } from 'nodemailer'
import PostalMime, { type Email } from 'postal-mime'
import { createResolver } from '../../src/dns/resolver.ts'
import { verifyDomain } from '../../src/domains/domains.ts'
import { OPEN_LINK, readTrackingToken, trackingKey } from '../../src/model/tracking-link.ts'
import { type Answer, TestApp } from '../support/app.ts'
import { Person } from '../support/person.ts'
import { signatureResults } from '../support/signatures.ts'
import { settled } from '../support/store.ts'
import { createTenant } from '../support/tenant.ts'
import { TestClock, until } from '../support/test-clock.ts'

const HTML =
  '<!doctype html><html><body>\r\n<P CLASS=x>İ <a href="https://shop.example/a?b=1&amp;c=2">A</a> &copy;' +
  "<a HREF = 'http://shop.example/b' >B</a><a href=mailto:x@shop.example>C</a></P></body></html>"
const CHROME =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0 Safari/537.36'
const URLS = ['https://shop.example/a?b=1&c=2', 'http://shop.example/b']

describe('tracking', () => {
  const clock = new TestClock()
  let app: TestApp
  let person: Person
  let domainId: string
  let made = 0
  before(async () => {
    app = await TestApp.start({ clock, host: { tls: true } })
    person = await Person.loggedIn(app)
    domainId = (await person.call('GET', '/api/domains')).body.data[0].domain_id
  })
  after(() => app.stop())

  const somebody = (): { email: string } => ({ email: `t${++made}@receiver.example` })

  /** Sends a message; returns the copy of each recipient. */
  async function sent(fields: object): Promise<{ id: string; mails: Map<string, Email & { raw: Buffer }> }> {
    const id = await app.send({ html: HTML, ...fields })
    await app.messageIn(id, 'delivered')
    const mails = new Map<string, Email & { raw: Buffer }>()
    for (const { data, recipients } of app.host.mails) {
      if (!data.includes(id.slice(4))) continue
      for (const email of recipients) mails.set(email, { ...(await PostalMime.parse(data)), raw: data })
    }
    return { id, mails }
  }

  /** Returns the tracked links of a message, and the URL of its tracking pixel. */
  function linksOf(mail: Email | undefined): { clicks: string[]; open: string | undefined } {
    const html = mail?.html ?? ''
    return {
      clicks: [...html.matchAll(/href ?= ?["']?(http[^"' >]+\/c\/[^"' >]+)/gi)].map(([, url = '']) => url),
      open: /<img src="([^"]+\/o\/[^"]+)"/.exec(html)?.[1],
    }
  }

  /** Sends a tracked message to one recipient. */
  async function tracked(fields: object = {}): Promise<{ id: string; clicks: string[]; open: string }> {
    const to = somebody()
    const { id, mails } = await sent({ to: [to], track_opens: true, track_links: true, ...fields })
    const { clicks, open = '' } = linksOf(mails.get(to.email))
    return { id, clicks, open }
  }

  const hit = (url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
    fetch(url, { method, redirect: 'manual', headers: { 'user-agent': CHROME, ...headers } })

  const trackedEventsOf = async (id: string): Promise<Answer['body'][]> => {
    const { body } = await app.call('GET', `/v1/messages/${id}`)
    return body.events.filter(({ type }: { type: string }) => /opened|clicked/.test(type))
  }

  /** Returns the open and click events of a message, as soon as there are `count` events. */
  async function hitsOf(id: string, count: number): Promise<string[][]> {
    const events = await until(`${count} hits`, async () => {
      const all = await trackedEventsOf(id)
      return all.length >= count && all
    })
    assert.equal(events.length, count)
    return events.map(({ type, detail }) => [
      type,
      detail.machine_reason ?? detail.kind,
      ...(detail.url === undefined ? [] : [detail.url]),
    ])
  }

  test('is off by default, and the HTML is sent unchanged', async () => {
    for (const fields of [{}, { track_opens: false, track_links: false }]) {
      const { mails } = await sent({ to: [somebody()], ...fields })
      const [mail] = mails.values()
      assert.equal(mail?.html?.trim(), HTML.replaceAll('\r\n', '\n').trim())
    }
  })

  test('gives every recipient links of their own, and changes nothing else', async () => {
    const to = [somebody(), somebody(), somebody()]
    const { id, mails } = await sent({
      to,
      track_opens: true,
      track_links: true,
      text: 'Text: https://x.example/',
    })
    assert.equal(mails.size, 3)
    const host = new URL(app.app.url).hostname
    const { body: shown } = await app.call('GET', `/v1/messages/${id}`)
    const secret = await app.store.read
      .selectFrom('installation')
      .select('value')
      .where('name', '=', 'secret')
      .executeTakeFirst()
    assert.ok(secret !== undefined)
    const all = new Set<string>()
    for (const [email, mail] of mails) {
      const { clicks, open } = linksOf(mail)
      for (const url of [...clicks, open ?? '']) all.add(url)
      let html = mail.html ?? ''
      html = html.replace(/<img [^>]*\/o\/[^>]*>/, '')
      for (const [index, url] of clicks.entries()) {
        html = html.replace(url, ['https://shop.example/a?b=1&amp;c=2', 'http://shop.example/b'][index] ?? '')
      }
      assert.equal(html.trim(), HTML.replaceAll('\r\n', '\n').trim())
      assert.equal(mail.text?.trim(), 'Text: https://x.example/')
      // Recipients of a transactional message see each other, whether the message is tracked or not.
      assert.deepEqual(
        mail.to?.map(({ address }) => address),
        to.map((one) => one.email),
      )
      assert.deepEqual(await signatureResults(app, mail.raw), ['pass', 'pass'])
      const position = shown.to.findIndex((one: { email: string }) => one.email === email)
      const read = (url: string): unknown =>
        readTrackingToken(trackingKey(secret.value, host), url.split('/').at(-1) ?? '')
      assert.deepEqual(
        [...clicks, open ?? ''].map(read),
        [...URLS, ''].map((url, link) => ({
          ...{ messageId: id, position, url },
          link: url === '' ? OPEN_LINK : link,
        })),
      )
    }
    assert.equal(all.size, 9)
  })

  test('answers hits with a redirect or a transparent GIF, HEAD alike, and nothing may be cached', async () => {
    const { clicks, open } = await tracked()
    for (const method of ['GET', 'HEAD']) {
      for (const [index, url] of clicks.entries()) {
        const answer = await hit(url, {}, method)
        assert.deepEqual([answer.status, answer.headers.get('location')], [302, URLS[index]])
        assert.match(answer.headers.get('cache-control') ?? '', /no-store/)
        assert.equal(answer.headers.get('set-cookie'), null)
      }
      const answer = await hit(open, {}, method)
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'image/gif'])
      assert.match(answer.headers.get('cache-control') ?? '', /no-store/)
      const bytes = Buffer.from(await answer.arrayBuffer())
      assert.equal(bytes.subarray(0, 6).toString('latin1'), method === 'GET' ? 'GIF89a' : '')
    }
  })

  test('does not redirect for a token that was changed, moved to another path or host, or invented', async () => {
    const { id, clicks, open } = await tracked()
    const [url = ''] = clicks
    const start = url.lastIndexOf('/') + 1
    for (let at = start; at < url.length; at++) {
      const other = url[at] === 'A' ? 'B' : 'A'
      const answer = await hit(url.slice(0, at) + other + url.slice(at + 1))
      assert.deepEqual([answer.status, answer.headers.get('location')], [404, null], `${at}`)
    }
    const token = url.slice(start)
    for (const path of [
      ...[`/o/${token}`, `/c/${open.split('/').at(-1)}`, '/c/', '/c/x', `/c/${token}A`, `/c/${token}=`],
      ...[
        `/c/${token.slice(1)}`,
        `/c/${'A'.repeat(3_000)}`,
        '/c/https%3A%2F%2Fevil.example',
        '/c/%00',
        '/o/..%2f',
      ],
    ]) {
      assert.equal((await hit(new URL(path, app.app.url).href)).status, 404, path)
    }
    const elsewhere = new URL(url)
    elsewhere.hostname = 'localhost'
    assert.equal((await hit(elsewhere.href)).status, 404)
    assert.equal((await hit(url, {}, 'POST')).status, 405)
    assert.deepEqual(await hitsOf(id, 0), [])
  })

  test('distinguishes the first hit from repeated ones and from those of machines; figures count only the first', async () => {
    const before = await figures()
    const { id, clicks, open } = await tracked()
    const [a = '', b = ''] = clicks
    // A filter at the receiving side causes hits immediately after the delivery.
    await hit(a)
    await hitsOf(id, 1)
    await app.advance(60_000)
    await hit(open, { 'user-agent': 'Mozilla/5.0' })
    await hit(a, { 'sec-purpose': 'prefetch' })
    await hit(a, {}, 'HEAD')
    await hit(a, { 'user-agent': 'curl/8.0' })
    await hitsOf(id, 5)
    for (const url of [open, a, open, a, b]) {
      await app.advance(1_000)
      await hit(url)
    }
    const events = await hitsOf(id, 10)
    assert.deepEqual(events.slice(0, 5).sort(), [
      ['clicked', 'head', URLS[0]],
      ['clicked', 'prefetch', URLS[0]],
      ['clicked', 'too_soon', URLS[0]],
      ['clicked', 'user_agent', URLS[0]],
      ['opened', 'privacy_proxy'],
    ])
    assert.deepEqual(events.slice(5), [
      ['opened', 'first'],
      ['clicked', 'first', URLS[0]],
      ['opened', 'repeated'],
      ['clicked', 'repeated', URLS[0]],
      ['clicked', 'repeated', URLS[1]],
    ])
    const [first] = await trackedEventsOf(id)
    assert.equal(JSON.stringify(first).includes('127.0.0.1'), false)
    const now = await figures()
    assert.deepEqual([now.opened - before.opened, now.clicked - before.clicked], [1, 1])
    // The list of events for these figures has the same number of entries.
    const listed = await person.call('GET', `/api/events?message_id=${id}&type=opened,clicked&counted=yes`)
    assert.deepEqual(listed.body.data.map(({ type }: { type: string }) => type).sort(), ['clicked', 'opened'])
  })

  async function figures(): Promise<{ opened: number; clicked: number }> {
    await settled(app.store)
    const rows = await app.store.read.selectFrom('message_counts').select(['opened', 'clicked']).execute()
    const sum = (name: 'opened' | 'clicked') => rows.reduce((all, row) => all + Number(row[name]), 0)
    return { opened: sum('opened'), clicked: sum('clicked') }
  }

  test('keeps a bounded number of events of one link, and counts the rest', async () => {
    const { id, clicks, open } = await tracked()
    await app.advance(60_000)
    await Promise.all(Array.from({ length: 60 }, () => hit(clicks[0] ?? '')))
    await Promise.all(Array.from({ length: 30 }, () => hit(open, {}, 'HEAD')))
    await hitsOf(id, 25)
    const counted = async () => {
      const rows = await app.store.read
        .selectFrom('tracked_links')
        .select(['link', 'hits', 'machine_hits'])
        .where('message_id', '=', id)
        .orderBy('link')
        .execute()
      return rows.map(({ link, hits, machine_hits }) => `${link} ${hits} ${machine_hits}`).join(', ')
    }
    await until('all hits are counted', async () => (await counted()) === '-1 0 30, 0 60 0')
    await hitsOf(id, 25)
  })

  test('leaves unsubscribe links and data-track="off" alone, and hides no recipients', async () => {
    const html =
      '<a href="{{{ @unsubscribe_url }}}">leave</a><a data-track="off" href="https://a.example/">a</a>' +
      '<a clicktracking="off" href="https://d.example/">d</a><a disable-tracking="true" href="https://e.example/">e</a>' +
      '<a href="https://b.example/">b</a>'
    const to = somebody()
    const { mails } = await sent({ to: [to], stream: 'broadcast', html, track_links: true })
    const mail = mails.get(to.email)
    const [unsubscribe] = /href="[^"]*\/u\/[a-z2-7]{26}"/.exec(mail?.html ?? '') ?? []
    assert.ok(unsubscribe)
    assert.ok(mail?.html?.includes('<a data-track="off" href="https://a.example/">a</a>'))
    assert.equal(linksOf(mail).clicks.length, 1)
    const { mails: own } = await sent({
      to: [somebody()],
      html: '<a href="https://c.example/leave?x=1&amp;y=2">x</a>',
      headers: { 'List-Unsubscribe': '<https://c.example/leave?x=1&y=2>' },
      track_links: true,
    })
    assert.deepEqual(linksOf([...own.values()][0]).clicks, [])
  })

  test('is set by domain, by stream, and by message; the narrowest applies', async () => {
    const change = async (path: string, body: object) => {
      const answer = await person.call('PATCH', `/api/domains/${domainId}${path}`, body)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      return answer.body
    }
    const shows = async (fields: object = {}) => {
      const { mails } = await sent({ to: [somebody()], ...fields })
      const { clicks, open } = linksOf([...mails.values()][0])
      return [open !== undefined, clicks.length > 0]
    }
    assert.deepEqual(await shows(), [false, false])
    const domain = await change('', { track_opens: true, track_links: true })
    assert.deepEqual([domain.track_opens, domain.track_links], [true, true])
    assert.deepEqual(await shows(), [true, true])
    const stream = await change('/streams/transactional', { track_opens: false })
    assert.deepEqual([stream.track_opens, stream.track_links], [false, null])
    assert.deepEqual(await shows(), [false, true])
    assert.deepEqual(await shows({ track_opens: true, track_links: false }), [true, false])
    await change('/streams/transactional', { track_opens: null })
    assert.deepEqual(await shows(), [true, true])
    await change('', { track_opens: false, track_links: false })
    assert.deepEqual(await shows(), [false, false])
  })

  test('is refused before its host was found, for messages, streams and domains', async () => {
    const { domain, sendingKey } = await createTenant(app.store, { clock })
    const records = app.store.read.selectFrom('domain_records').select(['name', 'value'])
    const record = await records
      .where('domain_id', '=', domain.id)
      .where('purpose', '=', 'tracking')
      .executeTakeFirstOrThrow()
    assert.equal(record.name, `links.${domain.name}`)
    const call = (method: string, path: string, body: object) =>
      app.callWith(method, path, body, { authorization: `Bearer ${sendingKey}` })
    const message = {
      ...{ from: `a@${domain.name}`, to: [somebody()], subject: 'x', html: HTML },
      track_opens: true,
    }
    // The domain was created with complete DNS records; the daily check finds no record for the tracking host.
    const verify = () =>
      verifyDomain({ store: app.store, clock }, createResolver({ servers: [app.dns.server] }), domain)
    await verify()
    await until(
      'the node has noticed the missing record',
      async () => (await call('POST', '/v1/messages', message)).status === 422,
    )
    for (const [method, path, body] of [
      ['POST', '/v1/messages', message],
      ['PATCH', '/v1/streams/broadcast', { track_opens: true }],
      ['POST', '/v1/streams', { alias: 'n', name: 'N', kind: 'broadcast', track_opens: true }],
    ] as const) {
      const { status, body: answer } = await call(method, path, body)
      assert.equal(status, 422, JSON.stringify(answer))
      assert.deepEqual(
        answer.errors.map((one: { path: string; code: string }) => [one.path, one.code]),
        [['track_opens', 'tracking_host_not_verified']],
      )
      assert.match(answer.errors[0].message, /publish the record links\.\S+ CNAME mail\.test and verify/)
    }
    assert.equal((await call('PATCH', '/v1/streams/broadcast', { track_opens: false })).status, 200)
    app.dns.set(record.name, { CNAME: record.value })
    await verify()
    const again = () => call('PATCH', '/v1/streams/broadcast', { track_opens: true })
    await until('tracking is possible again', async () => (await again()).status === 200)
  })

  const overSmtp = () => {
    const { username, password } = app.playground.smtp
    return createTransport({
      ...{
        host: '127.0.0.1',
        port: app.app.smtpPort,
        requireTLS: true,
        tls: { rejectUnauthorized: false },
      },
      auth: { user: username, pass: password },
    })
  }

  test('works over SMTP, by header fields that are not passed on', async () => {
    const send = (headers: Record<string, string>, more: object = {}) =>
      overSmtp().sendMail({
        ...{
          from: 'hello@example.test',
          to: somebody().email,
          subject: `smtp ${made}`,
          text: 'Text',
          html: HTML,
        },
        headers,
        ...more,
      })
    const got = async (headers: Record<string, string>): Promise<Email> => {
      await send(headers)
      const subject = `Subject: smtp ${made}\r\n`
      const { data } = await until('the message has arrived', () =>
        app.host.mails.find(({ data }) => data.includes(subject)),
      )
      return PostalMime.parse(data)
    }
    const both = await got({ 'X-Track-Opens': 'true', 'X-Track-Links': 'yes' })
    assert.equal(linksOf(both).clicks.length, 2)
    assert.notEqual(linksOf(both).open, undefined)
    assert.deepEqual(
      both.headers.filter(({ key }) => key.startsWith('x-track')),
      [],
    )
    const none = await got({ 'X-Track-Opens': 'false', 'X-Track-Links': 'off' })
    assert.deepEqual(linksOf(none), { clicks: [], open: undefined })
    await assert.rejects(send({ 'X-Track-Links': 'HtmlOnly' }), /X-Track-Links is true or false/)
  })

  test('covers mail over SMTP of any shape, except mail that cannot be changed safely, which says why', async () => {
    const stream = { alias: 'watched', name: 'Watched', kind: 'transactional', track_links: true }
    assert.equal((await app.call('POST', '/v1/streams', stream)).status, 201)
    const html = 'Content-Type: text/html\r\n\r\n<p><a href="https://shop.example/">A</a></p>'
    const deep = `Content-Type: text/html\r\n\r\n${'<div>\r\n'.repeat(300)}\r\n<a href="https://shop.example/">A</a>`
    const parts = (kind: string, ...of: readonly string[]): string =>
      `Content-Type: multipart/${kind}; boundary=${kind}\r\n\r\n${of
        .map((part) => `--${kind}\r\n${part}\r\n`)
        .join('')}--${kind}--`
    const text = 'Content-Type: text/plain\r\n\r\nText'
    const calendar = 'Content-Type: text/calendar; method=REQUEST\r\n\r\nBEGIN:VCALENDAR'
    const contents: Record<string, readonly [content: string, skipped?: string]> = {
      'no subject': [html],
      'an invitation': [`Subject: x\r\n${parts('alternative', text, html, calendar)}`],
      'text beside HTML': [`Subject: x\r\n${parts('mixed', text, html)}`],
      'a signed part': [
        `Subject: x\r\n${parts('mixed', html, parts('signed', text, 'Content-Type: application/pgp-signature\r\n\r\nx'))}`,
        'signed',
      ],
      'HTML that is nested too deep': [`Subject: x\r\n${deep}`, 'html'],
    }
    for (const [name, [content, skipped]] of Object.entries(contents)) {
      for (const field of ['', 'X-Track-Links: true\r\n']) {
        const { email } = somebody()
        const { response } = await overSmtp().sendMail({
          envelope: { from: 'hello@example.test', to: [email] },
          raw: `From: hello@example.test\r\nTo: ${email}\r\nX-Stream: watched\r\n${field}MIME-Version: 1.0\r\n${content}\r\n`,
        })
        const { tracking } = await app.messageIn(/msg_\w+/.exec(response)?.[0] ?? '', 'delivered')
        const { data } = app.host.mails.find((mail) => mail.recipients.includes(email)) as { data: Buffer }
        if (skipped === undefined) {
          assert.deepEqual(tracking, { opens: false, links: true }, name)
          assert.equal(linksOf(await PostalMime.parse(data)).clicks.length, 1, name)
        } else {
          assert.deepEqual(tracking, { opens: false, links: false, skipped }, name)
          assert.ok(data.includes(content.slice(content.indexOf('\r\n\r\n'))), name)
        }
      }
    }
  })

  test('shows the message to its sender without the pixel, and sends it again with links of its own', async () => {
    const { id, open } = await tracked()
    const { body } = await app.call('GET', `/v1/messages/${id}?include=content`)
    assert.equal(JSON.stringify(body).includes('/o/'), false)
    assert.ok(JSON.stringify(body).includes('https://shop.example/a?b=1'))
    const raw = await app.call('GET', `/v1/messages/${id}/raw`)
    assert.match(raw.body, /\/o\//)
    const again = await person.call('POST', `/api/domains/${domainId}/messages/${id}/resend`, {})
    assert.equal(again.status, 202, JSON.stringify(again.body))
    await app.messageIn(again.body.message_id, 'delivered')
    const mail = app.host.mails.find(({ data }) => data.includes(again.body.message_id.slice(4)))
    const { open: other } = linksOf(await PostalMime.parse(mail?.data ?? ''))
    assert.ok(other !== undefined && other !== open)
  })

  test('stores no URL for a stream without stored content, and nothing of an erased message', async () => {
    const settings = { alias: 'quiet', name: 'Quiet', kind: 'transactional', store_content: false }
    assert.equal((await app.call('POST', '/v1/streams', settings)).status, 201)
    const to = somebody()
    const { id, mails } = await sent({ to: [to], stream: 'quiet', track_links: true, track_opens: true })
    await app.advance(60_000)
    const { clicks, open = '' } = linksOf(mails.get(to.email))
    await Promise.all([hit(clicks[0] ?? ''), hit(open)])
    assert.deepEqual((await hitsOf(id, 2)).sort(), [
      ['clicked', 'first'],
      ['opened', 'first'],
    ])
    await settled(app.store)
    const erased = await app.call('POST', '/v1/erasures', { email: to.email })
    assert.ok(erased.status < 300, JSON.stringify(erased.body))
    const left = await app.store.read
      .selectFrom('tracked_links')
      .select('link')
      .where('message_id', '=', id)
      .execute()
    assert.deepEqual(left, [])
    // The tracked link still works after the removal.
    assert.equal((await hit(clicks[0] ?? '')).status, 302)
  })

  test('loses no written hit when the node stops, and answers afterwards', async () => {
    const { id, clicks } = await tracked()
    await app.advance(60_000)
    await hit(clicks[0] ?? '')
    const { port } = new URL(app.app.url)
    await app.stopNode()
    await app.startNode({ POSTRIDER_HTTP_PORT: port })
    assert.deepEqual(await hitsOf(id, 1), [['clicked', 'first', URLS[0]]])
    await app.advance(60_000)
    assert.equal((await hit(clicks[0] ?? '')).status, 302)
    assert.deepEqual((await hitsOf(id, 2))[1], ['clicked', 'repeated', URLS[0]])
  })
})
