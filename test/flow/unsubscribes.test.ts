// A recipient of a broadcast can unsubscribe from its stream by a personal link, and can subscribe again. The effect is
// immediate, also for waiting mail.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { createTransport } from 'nodemailer'
import PostalMime, { type Email } from 'postal-mime'
import { suppress } from '../../src/store/workspace/suppressions.ts'
import type { TestApp } from '../support/app.ts'
import { bringBack, eventsOf, show, startInbound } from '../support/inbound.ts'
import { signatureResults } from '../support/signatures.ts'
import { thorough } from '../support/thorough.ts'

const MARK = '{{{ @unsubscribe_url }}}'
const ONE_CLICK = 'List-Unsubscribe=One-Click'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

describe('a broadcast', () => {
  let app: TestApp
  let made = 0
  before(async () => {
    app = await startInbound({ host: { tls: true } })
  })
  after(() => app.stop())

  const somebody = (): string => `r${++made}@receiver.example`

  /** Sends a broadcast and waits for its delivery; returns the copy of each recipient. */
  async function broadcast(
    fields: object,
  ): Promise<{ id: string; mails: ReadonlyMap<string, { raw: Buffer; mail: Email }> }> {
    const id = await app.send({ stream: 'broadcast', ...fields })
    await app.messageIn(id, 'delivered')
    const taken = app.host.mails.filter(({ data }) => data.includes(id.slice(4)))
    const read = taken.map(async ({ data, recipients: [email = ''] }) => {
      return [email, { raw: data, mail: await PostalMime.parse(data) }] as const
    })
    return { id, mails: new Map(await Promise.all(read)) }
  }
  /** Returns the URL and the e-mail address in the List-Unsubscribe field. */
  function wayOut(mail: Email): { url: string; address: string } {
    const value = mail.headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? ''
    const [, url = '', address = ''] =
      /^<(http[^>]+)>, <mailto:([^?>]+)\?subject=unsubscribe>$/.exec(value) ?? []
    return { url, address }
  }
  /** Sends a broadcast; returns the unsubscribe link of its only recipient. */
  async function linkTo(
    email: string,
    fields: object = {},
  ): Promise<{ id: string; url: string; address: string }> {
    const { id, mails } = await broadcast({ to: [{ email }], ...fields })
    return { id, ...wayOut(mails.get(email)?.mail as Email) }
  }
  const leave = (url: string, body = ONE_CLICK, headers: Record<string, string> = FORM): Promise<Response> =>
    fetch(url, { method: 'POST', headers, body })
  /** Sends another message to the address; returns the final status of the recipient. */
  async function next(email: string, stream = 'broadcast'): Promise<string> {
    const id = await app.send({ stream, to: [{ email }] })
    return (await app.messageIn(id, 'delivered', 'suppressed')).to[0].status
  }

  test('to fifty has fifty links, each signed, in its body, and naming no other recipient', async () => {
    const to = Array.from({ length: 48 }, () => ({ email: somebody(), name: 'N' }))
    const [cc, bcc] = [somebody(), somebody()]
    const { mails } = await broadcast({
      to,
      cc: [{ email: cc }],
      bcc: [{ email: bcc }],
      html: `<p>x</p><a href="${MARK}">leave</a>`,
      text: `leave: {{@unsubscribe_url}}`,
    })
    assert.equal(mails.size, 50)
    const urls = new Set<string>()
    for (const [email, { raw, mail }] of mails) {
      const { url, address } = wayOut(mail)
      urls.add(url)
      assert.match(url, /\/u\/[a-z2-7]{26}$/)
      assert.equal(address, `unsubscribe+${url.slice(-26)}@bounces.example.test`)
      const post = mail.headers.filter(({ key }) => key === 'list-unsubscribe-post')
      assert.deepEqual(
        post.map(({ value }) => value),
        [ONE_CLICK],
      )
      assert.ok(mail.html?.includes(`<a href="${url}">leave</a>`))
      assert.equal(mail.text?.trim(), `leave: ${url}`)
      assert.deepEqual([mail.to?.map((one) => one.address), mail.cc], [[email], undefined])
      assert.deepEqual(await signatureResults(app, raw), ['pass', 'pass'])
      const signed = /h=([^;]+);/
        .exec(raw.toString().replace(/\r\n[ \t]+/g, ''))?.[1]
        ?.toLowerCase()
        .split(':')
      assert.ok(signed?.includes('list-unsubscribe') && signed.includes('list-unsubscribe-post'))
    }
    assert.equal(urls.size, 50)
  })

  test('has signed fields for stream and sender, unless the sender set them', async () => {
    const fieldsOf = async (fields: object) => {
      const { mails } = await broadcast({ to: [{ email: somebody() }], ...fields })
      const { raw, mail } = mails.values().next().value as { raw: Buffer; mail: Email }
      const signed = /h=([^;]+);/
        .exec(raw.toString().replace(/\r\n[ \t]+/g, ''))?.[1]
        ?.toLowerCase()
        .split(':')
      assert.ok(signed?.includes('list-id') && signed.includes('feedback-id'))
      const value = (name: string) => mail.headers.filter(({ key }) => key === name).map((one) => one.value)
      return { listId: value('list-id'), feedbackId: value('feedback-id') }
    }
    const usual = await fieldsOf({ tag: 'März: 1' })
    assert.deepEqual(usual.listId, ['<broadcast.example.test>'])
    assert.match(usual.feedbackId.join(), /^M-rz-1:broadcast:example\.test:pr[0-9a-f]{10}$/)
    const own = await fieldsOf({ headers: { 'list-id': '<a.b.example>', 'Feedback-ID': 'a:b:c:mine' } })
    assert.deepEqual(own, { listId: ['<a.b.example>'], feedbackId: ['a:b:c:mine'] })
  })

  test('with one changed byte has an invalid signature', async () => {
    const { mails } = await broadcast({ to: [{ email: somebody() }] })
    const { raw } = mails.values().next().value as { raw: Buffer }
    // The pattern begins with a port, because the base64 of a signature may contain `/u/` as well.
    const other = raw
      .toString()
      .replace(/(:\d+\/u\/)(.)/, (_, link, one) => `${link}${one === 'a' ? 'b' : 'a'}`)
    assert.notEqual(other, raw.toString())
    assert.deepEqual(new Set(await signatureResults(app, Buffer.from(other))), new Set(['fail']))
  })

  test('gets a footer if its bodies contain no link: inside the body, in the language of the HTML', async () => {
    const of = async (fields: object) => {
      const { mails } = await broadcast({ to: [{ email: somebody() }], ...fields })
      const { mail } = mails.values().next().value as { mail: Email }
      return { html: mail.html?.trim(), text: mail.text?.trim(), url: wayOut(mail).url }
    }
    const whole = await of({ html: '<html lang="de-AT"><body><p>Hallo</p></body></html>', text: 'Hallo' })
    assert.match(
      whole.html ?? '',
      new RegExp(`<p>Hallo</p><p style="[^"]+"><a href="${whole.url}"[^>]*>Abmelden</a></p></body></html>$`),
    )
    assert.equal(whole.text, `Hallo\n\n--\nAbmelden: ${whole.url}`)
    const bare = await of({ html: '<p>Hello</p>', text: undefined })
    assert.match(
      bare.html ?? '',
      new RegExp(`^<p>Hello</p><p [^>]+><a href="${bare.url}"[^>]*>Unsubscribe</a></p>$`),
    )
    const half = await of({ html: `<a href="${MARK}">x</a>`, text: 'x' })
    assert.equal(half.html, `<a href="${half.url}">x</a>`)
    assert.equal(half.text, `x\n\n--\nUnsubscribe: ${half.url}`)
    const odd = await of({
      html: '<!-- </body> --><html lang=xx><BODY><p>x</p></BODY ></html>',
      text: undefined,
    })
    assert.match(odd.html ?? '', /<p>x<\/p><p [^>]+>.*<\/p><\/BODY ><\/html>$/)
  })

  test("by a template has the link at the template's place", async () => {
    await app.call('POST', '/v1/layouts', {
      alias: 'news',
      name: 'N',
      html: '<html><body>{{{@content}}}<a href="{{@unsubscribe_url}}">Leave</a></body></html>',
    })
    await app.call('POST', '/v1/templates', {
      alias: 'news',
      name: 'N',
      subject: 's',
      html: '<p>{{v}}</p>',
      layout: 'news',
      inline_css: true,
    })
    const email = somebody()
    const { mails } = await broadcast({
      to: [{ email }],
      subject: undefined,
      text: undefined,
      template_alias: 'news',
      template_model: { v: MARK },
    })
    const { mail } = mails.get(email) as { mail: Email }
    const { url } = wayOut(mail)
    assert.ok(mail.html?.includes(`<a href="${url}">Leave</a>`))
    assert.ok(mail.text?.includes(`Leave (${url})`))
    assert.ok(!mail.html?.includes('@unsubscribe_url') && !mail.text?.includes('@unsubscribe_url'))
  })

  test('over SMTP gets links and footers too, and keeps its files', async () => {
    const { smtp } = app.playground
    const transport = createTransport({
      host: smtp.host,
      port: app.app.smtpPort as number,
      requireTLS: true,
      tls: { rejectUnauthorized: false },
      auth: { user: smtp.username, pass: smtp.password },
    })
    const to = [somebody(), somebody()]
    const mail = {
      from: 'a@example.test',
      to,
      subject: 'Grüße',
      text: 'Grüße',
      html: '<p>Grüße</p>',
      headers: { 'X-Stream': 'broadcast', 'X-Own': '1' },
    }
    const { response } = await transport.sendMail({
      ...mail,
      list: { unsubscribe: 'https://x.example/' },
      attachments: [{ filename: 'a.bin', content: Buffer.from([0, 255]) }],
    })
    const id = /msg_\w+/.exec(response)?.[0] as string
    await app.messageIn(id, 'delivered')
    const taken = app.host.mails.filter(({ data }) => data.includes(id.slice(4)))
    assert.equal(taken.length, 2)
    for (const { data } of taken) {
      const got = await PostalMime.parse(data)
      const { url } = wayOut(got)
      assert.ok(got.html?.includes(`href="${url}"`) && got.text?.includes(url))
      // Header fields that the sender submitted by SMTP stay unchanged.
      assert.deepEqual(
        got.to?.map((one) => one.address),
        to,
      )
      assert.equal(got.subject, 'Grüße')
      assert.deepEqual(Buffer.from(got.attachments[0]?.content as ArrayBuffer), Buffer.from([0, 255]))
      assert.ok(got.headers.some(({ key }) => key === 'x-own'))
      assert.deepEqual(await signatureResults(app, data), ['pass', 'pass'])
    }
  })

  test('refuses a List-Unsubscribe of the sender; other mail gets no placeholder', async () => {
    const invalid = async (fields: object, ...expected: string[]) => {
      const request = {
        from: 'a@example.test',
        to: [{ email: somebody() }],
        subject: 's',
        text: 'x',
        ...fields,
      }
      const { status, body } = await app.call('POST', '/v1/messages', request)
      assert.equal(status, 422)
      assert.deepEqual(
        body.errors.map((one: { path: string; code: string }) => `${one.path} ${one.code}`),
        expected,
      )
    }
    const headers = { 'list-unsubscribe': '<https://x.example>', 'List-Unsubscribe-Post': ONE_CLICK }
    await invalid(
      { stream: 'broadcast', headers },
      'headers.list-unsubscribe header_not_permitted',
      'headers.List-Unsubscribe-Post header_not_permitted',
    )
    await invalid(
      { html: `<a href="${MARK}">x</a>`, text: MARK },
      'html misplaced_unsubscribe_url',
      'text misplaced_unsubscribe_url',
    )
    const bye = { alias: 'bye', name: 'B', subject: 's', html: `<a href="${MARK}">x</a>`, text: 'x' }
    assert.equal((await app.call('POST', '/v1/templates', bye)).status, 201)
    await invalid({ template_alias: 'bye', text: undefined }, 'html misplaced_unsubscribe_url')
    // A value in the template model does not count as a placeholder, so the name of a recipient cannot block the
    // message.
    await app.call('PUT', '/v1/templates/bye', { ...bye, html: null, text: 'Dear {{name}}' })
    const named = { template_alias: 'bye', template_model: { name: MARK }, text: undefined }
    await app.messageIn(await app.send(named), 'delivered')
    await invalid({ unsubscribable: true }, 'unsubscribable unknown_field')
    const id = await app.send({ headers: { 'List-Unsubscribe': '<https://x.example>' } })
    await app.messageIn(id, 'delivered')
  })

  test('is unsubscribed by one empty POST (RFC 8058), once, with an event', async () => {
    const email = somebody()
    const { id, url } = await linkTo(email)
    for (let again = 0; again < 2; again++) {
      const answer = await leave(url)
      assert.equal(answer.status, 200)
      assert.equal(answer.headers.get('set-cookie'), null)
      assert.equal(answer.redirected, false)
    }
    assert.equal(await next(email), 'suppressed')
    assert.equal(await next(email, 'transactional'), 'delivered', 'the other streams go on')
    const [event, more] = eventsOf(await show(app, id), 'unsubscribed')
    assert.deepEqual([event.email, event.detail, more], [email, { stream: 'broadcast' }, undefined])
  })

  test('is unsubscribed by the forms that mail programs send', async () => {
    const multipart = new FormData()
    multipart.set('List-Unsubscribe', 'One-Click')
    const bodies: [string | FormData | undefined, Record<string, string>][] = [
      [multipart, {}],
      [ONE_CLICK, FORM],
      [undefined, {}],
      ['x', { 'content-type': 'text/plain' }],
      ['{}', { 'content-type': 'application/json' }],
      ['x', { 'content-type': ';;; no media type' }],
    ]
    for (const [body, headers] of bodies) {
      const email = somebody()
      const { url } = await linkTo(email)
      assert.equal(
        (await fetch(url, { method: 'POST', headers, ...(body === undefined ? {} : { body }) })).status,
        200,
      )
      assert.equal(await next(email), 'suppressed')
    }
    const { url } = await linkTo(somebody())
    const endless = await fetch(url, { method: 'POST', body: 'x'.repeat(20_000) })
    assert.equal(endless.status, 413)
    assert.match(await endless.text(), /"code":"body_too_large"/)
  })

  test('is not unsubscribed by mere requests: scanners, previews, prefetches', async () => {
    const email = somebody()
    const { url } = await linkTo(email)
    const scanners: Record<string, string>[] = [
      { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Safe Links' },
      { 'user-agent': 'Barracuda Sentinel (EE)' },
      { 'user-agent': 'Mimecast URL Scanner' },
      { 'user-agent': 'Proofpoint URL Defense' },
      { 'user-agent': 'Mozilla/5.0 (compatible; GoogleImageProxy)' },
      { 'user-agent': 'Slackbot-LinkExpanding 1.0' },
      { 'user-agent': 'facebookexternalhit/1.1' },
      { 'user-agent': 'curl/8.0', accept: '*/*' },
      { purpose: 'prefetch', 'sec-purpose': 'prefetch;prerender', 'x-moz': 'prefetch' },
      { 'user-agent': '', accept: 'text/html', 'x-forwarded-for': '192.0.2.1' },
    ]
    for (const headers of scanners) {
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH']) {
        const { status } = await fetch(url, { method, headers })
        assert.equal(status, ['GET', 'HEAD'].includes(method) ? 200 : 405, method)
      }
      for (const query of ['?List-Unsubscribe=One-Click', '?action=unsubscribe'])
        await fetch(url + query, { headers })
    }
    assert.equal(await next(email), 'delivered')
  })

  test('shows the brand of the stream, with a policy that allows nothing else', async () => {
    const look = (brand: object | null) => app.call('PATCH', '/v1/streams/broadcast', { brand })
    const logo_url = 'https://cdn.example/logo.png?a="><script>'
    await look({ name: 'Larch & <b>Linden</b>', logo_url, color: '#ffee00' })
    const { url } = await linkTo(somebody())
    const answer = await fetch(url)
    const [page, policy = ''] = [await answer.text(), answer.headers.get('content-security-policy') ?? '']
    assert.match(
      page,
      /<header><img src="https:\/\/cdn\.example\/logo\.png\?a=[^"<>]*" alt=""><bdi>Larch &amp; &lt;b&gt;Linden/,
    )
    assert.match(page, /from <bdi>Larch &amp; &lt;b&gt;Linden&lt;\/b&gt;<\/bdi>/)
    assert.doesNotMatch(page, /<script|<b>/)
    assert.match(page, /background:#ffee00;color:#000000/)
    assert.match(policy, /; img-src https:\/\/cdn\.example; /)
    const style = /<style>(.*)<\/style>/s.exec(page)?.[1] ?? ''
    assert.ok(policy.includes(`'sha256-${createHash('sha256').update(style).digest('base64')}'`))
    await look(null)
    const plain = await fetch(url)
    assert.match(await plain.text(), /<header><bdi>example\.test<\/bdi><\/header>/)
    assert.doesNotMatch(plain.headers.get('content-security-policy') ?? '', /img-src/)
  })

  test('offers the streams that the recipient had mail from, and no others', async () => {
    for (const [alias, name] of [
      ['tips', 'Tips & tricks'],
      ['secret', 'Investors'],
    ])
      await app.call('POST', '/v1/streams', { alias, name, kind: 'broadcast' })
    const email = somebody()
    const { url } = await linkTo(email)
    assert.doesNotMatch(await (await fetch(url)).text(), /checkbox/)
    await linkTo(email, { stream: 'tips' })
    const page = await (await fetch(url)).text()
    assert.match(page, /name="keep" value="broadcast" checked/)
    assert.match(page, /name="keep" value="tips" checked> <bdi>Tips &amp; tricks<\/bdi>/)
    assert.doesNotMatch(page, /Investors|secret/)
    const choose = async (body: string) => (await leave(url, `action=choose${body}`)).text()
    assert.match(
      await choose('&keep=broadcast&keep=secret'),
      /Your choice has been saved.*value="tips"> <bdi>Tips/s,
    )
    assert.deepEqual([await next(email), await next(email, 'tips')], ['delivered', 'suppressed'])
    assert.match(await choose('&keep=tips'), /value="tips" checked/)
    assert.deepEqual([await next(email), await next(email, 'tips')], ['suppressed', 'delivered'])
    await choose('&keep=tips&keep=broadcast')
    assert.deepEqual([await next(email), await next(email, 'tips')], ['delivered', 'delivered'])
    await choose('')
    assert.deepEqual([await next(email), await next(email, 'tips')], ['suppressed', 'suppressed'])
    // A stream that sent its first mail after the page was opened is not part of the choice.
    await choose('&keep=tips&keep=broadcast')
    assert.match(page, /name="shown" value="tips"/)
    await choose('&shown=broadcast&keep=broadcast')
    assert.deepEqual([await next(email), await next(email, 'tips')], ['delivered', 'delivered'])
    // A stream with a suppression for another reason is disabled on the page, and stays suppressed.
    const { url: other } = await linkTo('hard@receiver.example')
    await linkTo('hard@receiver.example', { stream: 'tips' })
    await app.call('POST', '/v1/suppressions', { email: 'hard@receiver.example', stream: 'tips' })
    assert.match(await (await fetch(other)).text(), /value="tips" disabled/)
    await leave(other, 'action=choose&keep=tips&keep=broadcast')
    assert.equal(await next('hard@receiver.example', 'tips'), 'suppressed')
  })

  test('shows a page in the reader’s language, without scripts, and little of the address', async () => {
    const { url } = await linkTo('somebody.long@receiver.example')
    const texts = new Set<string>()
    for (const language of ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl', 'ja', 'zh']) {
      const answer = await fetch(url, {
        headers: { 'accept-language': `xx, ${language}-XX;q=0.8, en;q=0.5` },
      })
      const text = await answer.text()
      assert.equal(answer.headers.get('content-language'), language)
      assert.ok(text.includes(`<html lang="${language}">`))
      assert.ok(text.includes('so•••@receiver.example') && !text.includes('somebody.long'))
      assert.ok(text.includes('Broadcast') && text.includes('example.test'))
      assert.match(
        text,
        /<form method="post"><button name="action" value="unsubscribe" class="main">[^<]+<\/button><\/form>/,
      )
      assert.ok(!/<script|javascript:|\son\w+=|https?:\/\//i.test(text))
      texts.add(text)
      const policy = answer.headers.get('content-security-policy') ?? ''
      assert.match(policy, /^default-src 'none'; style-src 'sha256-/)
      assert.match(policy, /form-action 'self'.*frame-ancestors 'none'/)
      assert.equal(answer.headers.get('referrer-policy'), 'no-referrer')
      assert.equal(answer.headers.get('cache-control'), 'no-store')
    }
    assert.equal(texts.size, 10)
    for (const odd of ['', '*', 'xx', ';;;,,,q=', 'de;q=0', 'x'.repeat(5_000)]) {
      const answer = await fetch(url, { headers: { 'accept-language': odd } })
      assert.equal(answer.headers.get('content-language'), 'en', odd.slice(0, 20))
    }
  })

  test('can be joined again from the page, unless there was a complaint', async () => {
    const email = somebody()
    const { url } = await linkTo(email)
    const left = await (await leave(url, 'action=unsubscribe')).text()
    assert.match(left, /value="undo"/)
    assert.match(await (await fetch(url)).text(), /value="undo"/)
    const back = await (await leave(url, 'action=undo')).text()
    assert.match(back, /value="unsubscribe"/)
    assert.equal(await next(email), 'delivered')
    const domain = await app.store.read.selectFrom('domains').selectAll().executeTakeFirstOrThrow()
    const { id: domain_id, account_id } = domain
    const row = {
      account_id,
      domain_id,
      stream: 'broadcast',
      email,
      message_id: null,
      created_at: Date.now(),
    }
    await app.store.write(suppress, { ...row, reason: 'complaint' })
    const stays = await (await leave(url, 'action=undo')).text()
    assert.match(stays, /no longer receives/)
    assert.ok(!stays.includes('<form'), 'no button that does nothing')
    assert.equal(await next(email), 'suppressed')
  })

  test('cannot be joined again by a recipient whom the sender had suppressed, in the stream or everywhere', async () => {
    for (const stream of ['broadcast', '*']) {
      const email = somebody()
      const { url } = await linkTo(email)
      await app.call('POST', '/v1/suppressions', { email, stream })
      assert.match(await (await fetch(url)).text(), /value="unsubscribe"/)
      const left = await (await leave(url, 'action=unsubscribe')).text()
      assert.ok(left.includes('no longer receives') && !left.includes('<form'))
      const listed = async () => {
        const { body } = await app.call('GET', `/v1/suppressions?email=${email}&stream=${stream}`)
        return body.data.map(({ reason, origin }: Record<string, string>) => `${reason} by ${origin}`)
      }
      const other = stream === 'broadcast' ? 'unsubscribe by recipient' : 'manual by customer'
      assert.deepEqual(await listed(), [other])
      assert.match(await (await leave(url, 'action=undo')).text(), /no longer receives/)
      assert.deepEqual(await listed(), ['manual by customer'])
      assert.equal(await next(email), 'suppressed')
    }
  })

  test('has links that cannot be guessed', async () => {
    const { url } = await linkTo(somebody())
    const token = url.slice(-26)
    const base = url.slice(0, -26)
    const changed = [...token].map(
      (letter, at) => `${token.slice(0, at)}${letter === 'a' ? 'b' : 'a'}${token.slice(at + 1)}`,
    )
    for (const other of [
      ...changed,
      token.slice(1),
      `${token}a`,
      '%00',
      '..%2f',
      'x'.repeat(500),
      '{{token}}',
    ]) {
      for (const method of ['GET', 'POST']) {
        const answer = await fetch(base + other, { method })
        assert.equal(answer.status, 404, other)
        assert.match(await answer.text(), /not valid|not_found/)
      }
    }
    assert.equal((await fetch(base + token.toUpperCase())).status, 200)
    assert.ok((await leave(url, 'x'.repeat(100_000))).status >= 400)
  })

  test('is unsubscribed by mail to its address, but not by automatic replies', async () => {
    const mail = (fields: string) =>
      Buffer.from(`From: you@receiver.example\r\nTo: x\r\nSubject: unsubscribe\r\n${fields}\r\n\r\n`)
    const email = somebody()
    const { address } = await linkTo(email)
    assert.match(await bringBack(app, address, mail('Auto-Submitted: auto-replied'), email), /^250/)
    assert.match(await bringBack(app, address, mail('X: y'), ''), /^250/)
    assert.equal(await next(email), 'delivered')
    const token = address.slice('unsubscribe+'.length).split('@')[0] as string
    for (const stranger of [
      `unsubscribe+${token.slice(1)}a@bounces.example.test`,
      `unsubscribe+${token}@bounces.other.test`,
      'unsubscribe@bounces.example.test',
    ]) {
      assert.match(await bringBack(app, stranger, mail('X: y'), email), /^550 5\.1\.1/)
    }
    assert.match(await bringBack(app, address.toUpperCase(), mail('X: y'), 'someone@else.example'), /^250/)
    assert.equal(await next(email), 'suppressed')
  })

  test('is unsubscribed by mail with any words from any program', async () => {
    for (const rest of [
      'X: y\r\n\r\nStop this spam. I never asked for "please verify your email" messages.',
      'Auto-Submitted: auto-generated\r\n\r\n',
      'X-Auto-Response-Suppress: All\r\n\r\n',
    ]) {
      const email = somebody()
      const { address } = await linkTo(email)
      const mail = Buffer.from(`From: ${email}\r\nTo: x\r\nSubject: unsubscribe\r\n${rest}\r\n`)
      assert.match(await bringBack(app, address, mail, email), /^250/)
      assert.equal(await next(email), 'suppressed', rest)
    }
  })

  test(
    'that waits is not sent to a recipient who unsubscribes meanwhile',
    thorough('0.9 CPU s; the other tests of the file cover the common cases'),
    async () => {
      const email = somebody()
      const { url } = await linkTo(email)
      await app.stopNode()
      await app.startNodeWith({ POSTRIDER_ROLES: 'api' })
      const here = new URL(new URL(url).pathname, app.app.url).href
      const to = [{ email }, { email: somebody() }]
      const ids = await Promise.all(Array.from({ length: 50 }, () => app.send({ stream: 'broadcast', to })))
      assert.equal((await leave(here)).status, 200)
      await app.stopNode()
      await app.startNodeWith({})
      for (const id of ids) {
        const { to: statuses } = await app.messageIn(id, 'partially_delivered')
        assert.deepEqual(
          statuses.map((one: { status: string }) => one.status),
          ['suppressed', 'delivered'],
        )
      }
    },
  )

  test('is stored once, whatever the number of recipients', async () => {
    const to = Array.from({ length: 50 }, () => ({ email: somebody() }))
    const id = await app.send({ stream: 'broadcast', to, text: 'x'.repeat(100_000) })
    const rows = await app.store.read
      .selectFrom('message_contents')
      .select(['content'])
      .where('message_id', '=', id)
      .execute()
    assert.equal(rows.length, 1)
    assert.ok((rows[0]?.content.length ?? 0) < 110_000)
  })
})
