import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FINDING_CODES, FINDINGS, type FindingCode } from '../model/finding.ts'
import { checkMail } from './check-mail.ts'
import type { CheckedMail, CheckFacts, CheckJob } from './checked-mail.ts'
import { cssParts } from './css-scan.ts'
import { shownHtml } from './shown-html.ts'

const FACTS: CheckFacts = {
  domain: { name: 'shop.de', isVerified: true, hasDmarc: true },
  stream: { kind: 'transactional', unsubscribe: 'service' },
}

const TEXT =
  'Thank you for your order of a red coat. It leaves our house on Tuesday, and arrives two days later. Should it not fit, send it back within a month, and the shop pays for the postage in both directions, as always.'
const GOOD: CheckedMail = {
  subject: 'Your order',
  from: 'orders@shop.de',
  fromName: 'The Shop',
  html: `<html>\n<body>\n<p>${TEXT}</p>\n<p>SEAT</p>\n<p><a href="https://www.shop.de/orders/12">Your order</a></p>\n</body></html>`,
  text: TEXT,
  recipients: [{ path: 'to[0].email', email: 'ann@gmail.com' }],
}

const found = (changes: Partial<CheckedMail> = {}, more: Partial<CheckJob> = {}) =>
  checkMail({ mail: { ...GOOD, ...changes }, facts: FACTS, ignore: [], ...more })

/** Codes with their lines, of the good mail with something in place of its fourth line. */
const inHtml = (html: string, more: Partial<CheckJob> = {}): string[] =>
  found({ html: GOOD.html?.replace('<p>SEAT</p>', html) ?? '' }, more).map(
    ({ code, line, column }) => `${code} ${line}:${column}`,
  )

/** Defects of HTML, each with the only finding that it causes. */
const DEFECTS: readonly (readonly [html: string, ...findings: string[]])[] = [
  ['<p>SEAT</p>'],
  ['<a href="http://localhost:3000/x">x</a>', 'link_local 4:4'],
  ['<a href="https://shop.test/x">x</a>', 'link_local 4:4'],
  ['<a href="https://10.1.2.3/x">x</a>', 'link_local 4:4'],
  ['<a href="https://[::1]/x">x</a>', 'link_local 4:4'],
  ['<a href="https://intranet/x">x</a>', 'link_local 4:4'],
  ['<p>a</p><a title="a>b" href="">x</a>', 'link_invalid 4:24'],
  ['<a href="#">x</a>', 'link_invalid 4:4'],
  ['<a href="#part">x</a><h1 id="part">x</h1>'],
  ['<a href="twitter.com">x</a>', 'link_invalid 4:4'],
  ['<a href="//shop.de">x</a>', 'link_invalid 4:4'],
  ['<a href="java\nscript:a()">x</a>', 'link_invalid 4:4'],
  ['<a href="https:///x">x</a>', 'link_invalid 4:4'],
  ['<a href="mailto:">x</a>', 'link_invalid 4:4'],
  ['<a href="mailto:help@shop.de?subject=a">x</a>'],
  ['<a href="tel:+49301234">x</a>'],
  ['<a href="shop-app://orders/12">x</a>'],
  ['<a href="{{{ @unsubscribe_url }}}">x</a>'],
  ['<a href="{{url}}">x</a>', 'link_placeholder 4:4'],
  ['<a href="*|URL|*">x</a>', 'link_placeholder 4:4'],
  ['<a href="https://shop.de/%7B%7Bid%7D%7D">x</a>', 'link_placeholder 4:4'],
  ['<a href="https://shop.de/orders/undefined">x</a>', 'link_placeholder 4:4'],
  ['<a href="https://shop.de/undefined-behaviour">x</a>'],
  ['<a href="http://www.shop.de">x</a>', 'link_insecure 4:4'],
  ['<a href="https://ann:secret@shop.de">x</a>', 'link_insecure 4:4'],
  ['<a href="https://8.8.8.8/">x</a>', 'link_insecure 4:4'],
  ['<a href="https://bit.ly/x">x</a>', 'link_shortener 4:4'],
  ['<a href="https://evil.net/x">www.bank.de</a>', 'link_mismatch 4:4'],
  ['<a href="https://www.shop.de/x"><b>https://shop.de</b></a>'],
  ['<a href="https://nodejs.org/x">Node.js</a>'],
  ['<a href="https://shop.de/x">report.pdf</a>'],
  ['<a href="https://bаnk.de/x">x</a>', 'link_mismatch 4:4'],
  ['<img src="https://shop.de/a.png">', 'image_alt 4:1'],
  ['<img src="https://shop.de/a.png" width="1" height="1">'],
  ['<img alt="" src="data:image/png;base64,AAAA">', 'image_data 4:13'],
  ['<img alt="" src="cid:logo">'],
  ['<img alt="" src="./img/a.png">', 'link_invalid 4:13'],
  ['<p style="color:red;display: flex">x</p>', 'css_unsupported 4:21'],
  ['<p style="border-radius:4px;background-image:url(\'a;b\')">x</p>'],
  ['<style>/* a { } */ p::before { color: red }</style>', 'css_unsupported 4:20'],
  [
    '<style>@media (min-width: 600px) { .a { display: flex } } .b { gap: 2px }</style>',
    'css_unsupported 4:64',
  ],
  ['<style>@import url(a.css);</style>', 'css_unsupported 4:8'],
  ['<style>.a { width: calc(100% - 4px) }</style>', 'css_unsupported 4:13'],
  ['<form action="https://shop.de/a"></form>', 'html_unsupported 4:1'],
  ['<script>if (a < b) display(undefined)</script>', 'html_unsupported 4:1'],
  ['<!-- <script></script> <a href="#"> undefined -->'],
  ['<!--[if mso]><v:rect href="#"><![endif]-->'],
  ['<p>Total: undefined</p>', 'placeholder 4:11'],
  ['<p>a <b>[object Object]</b></p>', 'placeholder 4:9'],
  ['<p>Hello ,</p>', 'placeholder 4:4'],
  ['<p>Dear {{name}},</p>', 'placeholder 4:9'],
  ['<p>Hi %recipient.name%</p>', 'placeholder 4:7'],
  ['<p>Hi null,</p>', 'placeholder 4:7'],
  ['<p>null and void</p>'],
  ['<p>TODO INCLUIDO</p>'],
  ['<pre>undefined</pre><code>NaN</code>'],
  ['<p>Bonjour !</p>'],
  ['<p>AKIAIOSFODNN7EXAMPLE</p>', 'secret 4:4'],
  ['<p>-----BEGIN EC PRIVATE KEY-----</p>', 'secret 4:4'],
  ['<p>Card 4111 1111 1111 1111.</p>', 'secret 4:9'],
  ['<p>Card 4111 1111 1111 1112.</p>'],
  [
    '<p>Your code is 493817</p><a href="https://shop.de/r?token=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N">x</a>',
  ],
  ['<p>User name: ann<br>Password: tea4two!!</p>', 'secret 4:32'],
]

describe('findings in HTML', () => {
  for (const [html, ...findings] of DEFECTS) {
    it(html.replace(/\s+/g, ' ').slice(0, 90), () => assert.deepEqual(inHtml(html), findings))
  }

  it('has the excerpt, the remedy and the clients, and never the secret', () => {
    const [secret, css] = found({
      html: `${GOOD.html}<p style="display:grid">sk_live_4eC39HqLyjWDarjtT1zdp7dc</p>`,
    })
    assert.equal(secret?.excerpt, 'sk_l…')
    assert.equal(JSON.stringify(secret).includes('4eC39'), false)
    assert.deepEqual(css?.clients, ['outlook.windows'])
    assert.equal(css?.excerpt?.startsWith('display:grid'), true)
    assert.equal(css?.what_to_do, FINDINGS.css_unsupported.remedy)
  })

  it('leaves out ignored codes, and everything but errors if only errors are wanted', () => {
    const html = '<a href="#">x</a><a href="http://shop.de">y</a>'
    assert.deepEqual(inHtml(html, { ignore: ['link_invalid'] }), ['link_insecure 4:21'])
    assert.deepEqual(inHtml(html, { errorsOnly: true }), ['link_invalid 4:4'])
  })

  it('reports decorative styles for named clients only', () => {
    const html = '<p style="border-radius: 4px">x</p>'
    assert.deepEqual(inHtml(html, { clients: ['outlook.windows'] }), ['css_unsupported 4:11'])
    assert.deepEqual(inHtml(html, { clients: ['gmail.ios'] }), [])
  })

  it('takes links to the playground for links that work, and no other local links', () => {
    const html = '<a href="http://127.0.0.1:8025/u/x">x</a><a href="http://127.0.0.1:3000/">y</a>'
    const facts = { ...FACTS, ownOrigin: 'http://127.0.0.1:8025' }
    assert.deepEqual(inHtml(html, { facts }), ['link_local 4:45'])
    const text = `${TEXT} http://127.0.0.1:8025/u/x`
    assert.deepEqual(found({ text }, { facts }), [])
  })

  it('takes expressions of a template for any text', () => {
    const html =
      '<p>{{name}}</p><a href="{{url}}">x</a><a href="https://shop.de/{{id}}">y</a><a href="#">z</a>'
    assert.deepEqual(inHtml(html, { isTemplate: true }), ['link_invalid 4:80'])
  })
})

/** Defects of other parts, each with the only finding that it causes. */
const OTHERS: readonly (readonly [
  code: FindingCode,
  changes: Partial<CheckedMail>,
  facts?: CheckFacts | undefined,
  path?: string,
])[] = [
  ['clipped', { html: `<p>${`${TEXT}\n`.repeat(1_100)}</p>` }, undefined, 'html'],
  ['message_large', { size: 21 * 1024 * 1024 }],
  ['image_weight', { attachments: [{ path: 'attachments[0]', contentType: 'image/png', size: 250_000 }] }],
  ['image_only', { html: '<img alt="" src="https://shop.de/a.png">', text: 'Look' }, undefined, 'html'],
  ['text_missing', { text: undefined }],
  ['text_differs', { text: 'Quarterly figures for investors by segment and region' }],
  ['subject_empty', { subject: '  ' }],
  ['subject_long', { subject: 'a'.repeat(79) }],
  ['placeholder', { subject: 'Hi {{name}}' }, undefined, 'subject'],
  ['link_local', { text: `${TEXT} See http://localhost/a.` }, undefined, 'text'],
  ['secret', { text: `${TEXT} ghp_16C7e42F292c6912E7710c838347Ae178B4a` }, undefined, 'text'],
  ['from_disguised', { fromName: 'ann@paypal.com' }],
  ['from_disguised', { fromName: 'Pаypal' }],
  ['not_aligned', { from: 'a@other.de' }],
  ['not_aligned', {}, { ...FACTS, domain: { name: 'shop.de', isVerified: false, hasDmarc: true } }],
  ['dmarc_missing', {}, { ...FACTS, domain: { name: 'shop.de', isVerified: true, hasDmarc: false } }],
  ['recipient_suppressed', {}, { recipients: { 'ann@gmail.com': { suppressed: 'complaint' } } }],
  ['recipient_dead', {}, { recipients: { 'ann@gmail.com': { dead: true } } }],
  ['recipient_misspelt', {}, { recipients: { 'ann@gmail.com': { meant: 'ann@gmail.com' } } }],
  ['recipient_role', {}, { recipients: { 'ann@gmail.com': { isRole: true } } }],
  ['address_missing', {}, { stream: { kind: 'broadcast', unsubscribe: 'service' } }],
  [
    'unsubscribe_missing',
    { text: `${TEXT}\nThe Shop, Main Street 12, 10115 Berlin` },
    { stream: { kind: 'broadcast', unsubscribe: 'sender' } },
  ],
]

describe('findings in other parts', () => {
  it('finds nothing in a good mail', () => assert.deepEqual(found(), []))

  for (const [code, changes, facts = FACTS, path] of OTHERS) {
    it(`${code} ${JSON.stringify(changes).slice(0, 60)}`, () => {
      const findings = found(changes, { facts })
      assert.deepEqual(
        findings.map((one) => one.code),
        [code],
      )
      if (path !== undefined) assert.equal(findings[0]?.path, path)
      assert.equal(findings[0]?.severity, FINDINGS[code].severity)
    })
  }

  it('has a case for each code but those that the network finds', () => {
    const cases = new Set([
      ...OTHERS.map(([code]) => code),
      ...DEFECTS.flatMap(([, ...all]) => all.map((one) => one.split(' ')[0])),
    ])
    assert.deepEqual(
      FINDING_CODES.filter((code) => !cases.has(code)),
      ['link_dead', 'spam_rule'],
    )
  })
})

describe('hostile content', () => {
  const HOSTILE: Readonly<Record<string, string>> = {
    'elements nested 100,000 deep': '<div>'.repeat(100_000),
    'a megabyte of CSS': `<style>${'.a{display:flex;gap:1px}'.repeat(45_000)}</style>`,
    'a megabyte of open blocks': `<style>${'a{'.repeat(500_000)}</style>`,
    'a megabyte in one value': `<style>a{color:${'('.repeat(1_000_000)}</style>`,
    'a megabyte of quotes': `<p style="${"'".repeat(1_000_000)}">`,
    'open comments': '<!--'.repeat(250_000),
    'open declarations': '<p><!'.repeat(200_000),
    'open braces': '{{'.repeat(500_000),
    'open brackets': '[['.repeat(500_000),
    'many links': `<a href="http://localhost/${'a'.repeat(20)}">x</a>`.repeat(20_000),
    'open links': '<a href=https://shop.de>'.repeat(40_000),
    'one long address': `<a href="https://shop.de/${'a'.repeat(1_000_000)}">x</a>`,
    'spaces in a tag': `<a ${' '.repeat(1_000_000)}`,
    digits: '4111'.repeat(250_000),
    'a long user name': `user: ${'a '.repeat(500_000)}`,
    'at signs': 'a@'.repeat(500_000),
    greetings: 'Hi '.repeat(330_000),
    entities: '&amp;'.repeat(200_000),
  }
  for (const [name, html] of Object.entries(HOSTILE)) {
    it(`is checked in linear time: ${name}`, () => {
      const before = process.cpuUsage()
      const findings = found({
        html,
        text: html,
        subject: html.slice(0, 500_000),
        fromName: html.slice(0, 900),
      })
      const { user, system } = process.cpuUsage(before)
      assert.ok(findings.length <= 300)
      assert.ok(user + system < 4_000_000, `${(user + system) / 1_000} ms of CPU time`)
    })
  }
})

describe('scanners', () => {
  it('reads the text of HTML with the places of its characters', () => {
    const html = '<p>One <b>t</b>wo<!-- no --></p><style>no</style><div>th&amp;ree</div>'
    const { text, sheets } = shownHtml(html)
    assert.equal(text.value.replace(/\n+/g, '|'), '|One two|th&amp;ree|')
    assert.equal(html.slice(text.offsetOf(text.value.indexOf('wo'))).slice(0, 2), 'wo')
    assert.deepEqual(
      sheets.map(({ start, end }) => html.slice(start, end)),
      ['no'],
    )
  })

  it('reads declarations, selectors and rules', () => {
    const css =
      '@import "a;b"; a:hover, b > c { color : red ; x: url(data:a;b) } @media x { d { e: f } } g { h: i'
    assert.deepEqual(
      [...cssParts(css, 100, false)].map((part) =>
        part.kind === 'declaration'
          ? `${part.property}=${part.value}`
          : part.kind === 'selector'
            ? part.text
            : part.name,
      ),
      ['@import', 'a:hover, b > c', 'color=red', 'x=url(data:a;b)', '@media', 'g', 'h=i'],
    )
    const [, , declaration] = cssParts(css, 100, false)
    assert.equal(css.slice((declaration?.offset ?? 0) - 100).startsWith('color'), true)
  })
})
