// Measures the check of messages on good HTML mails: errors on the unchanged mails, and defects that are named after one
// defect was put into a mail.
//
// node test/preflight.ts FOLDER…     all .html files below the folders; docs/record/check.md has the sources

import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { checkMail } from '../src/check/check-mail.ts'
import type { CheckedMail, CheckFacts, CheckJob } from '../src/check/checked-mail.ts'
import type { Finding, FindingCode } from '../src/model/finding.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { verbose: { type: 'boolean', short: 'v' }, raw: { type: 'boolean' } },
})
const files = positionals
  .flatMap((folder) => globSync(`${folder}/**/*.html`))
  .filter((file) => !/\/(?:docs|node_modules)\//.test(file))
  .toSorted()
if (files.length === 0) {
  console.error('Usage: node test/preflight.ts FOLDER…')
  process.exit(2)
}

const FACTS: CheckFacts = {
  domain: { name: 'shop.de', isVerified: true, hasDmarc: true },
  stream: { kind: 'transactional', unsubscribe: 'service' },
}

/** Values of template variables, by words of their names. */
const VALUES: readonly (readonly [RegExp, string])[] = [
  [/url|link|href/i, 'https://www.shop.de/a/b'],
  [/mail/i, 'help@shop.de'],
  [/image|img|src/i, 'https://www.shop.de/a.png'],
  [/date|time/i, '12 May 2026'],
  [/amount|total|price|number|id/i, '42'],
]

/**
 * Returns a template as the mail that a careful author makes of it: variables have values, and links of the sample,
 * which lead nowhere, lead to a page.
 */
function prepared(html: string): string {
  const filled = html
    .replace(/\{\{[#/^!>][^{}]*\}\}/g, '')
    .replace(
      /\{\{\{?[^{}]*\}\}\}?|<%[^<>%]*%>|\{%[^{}%]*%\}/g,
      (tag) => VALUES.find(([name]) => name.test(tag))?.[1] ?? 'Ann',
    )
    .replace(/\b(href)="(?:#|\/|mailto:|\[\w+\])?"/g, '$1="https://www.shop.de/a"')
    .replace(/\bhref="(?!https?:|mailto:|tel:|#)([^"]*)"/g, 'href="https://www.shop.de/$1"')
    .replace(/\bsrc="(?!https?:|cid:|data:)([^"]*)"/g, 'src="https://www.shop.de/$1"')
    .replace(/\bexample\.(com|net|org)\b/g, 'shop.de')
    .replace(/Lorem ipsum/gi, 'We are glad')
    .replace(/\[(?:Sender_|Recipient_|First|Last|Your|Name)[^\]]*\]/gi, 'Ann')
  return filled
}

const textOf = (html: string): string =>
  html
    .replace(/<(style|script|title)[\s\S]*?<\/\1>|<!--[\s\S]*?-->/gi, ' ')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/[ \t]+/g, ' ')
    .replace(/\s*\n\s*/g, '\n')
    .replace(/&nbsp;/g, ' ')
    .trim()

const mailOf = (html: string): CheckedMail => ({
  ...{
    html,
    text: `${textOf(html)}\n`,
    subject: 'Your order of 12 May',
    from: 'orders@shop.de',
    fromName: 'The Shop',
  },
  recipients: [{ path: 'to[0].email', email: 'ann@gmail.com' }],
})

const found = (
  mail: CheckedMail,
  facts: CheckFacts = FACTS,
  more: Partial<CheckJob> = {},
): readonly Finding[] => checkMail({ mail, facts, ignore: [], ...more })

/** A defect: the changed mail, and the finding that names the defect. */
interface Defect {
  readonly mail: CheckedMail
  readonly facts?: CheckFacts
  readonly code: FindingCode
  /** Line in the body; undefined for a finding about a field. */
  readonly line?: number
}
type Mutate = (mail: CheckedMail, draw: (most: number) => number) => Defect | undefined

const lineOf = (text: string, offset: number): number => text.slice(0, offset).split('\n').length

/** Returns a defect of one of the matches of a pattern, replaced with a text. */
const replacing =
  (
    code: FindingCode,
    pattern: RegExp,
    by: (found: string, draw: (most: number) => number) => string,
  ): Mutate =>
  (mail, draw) => {
    const html = mail.html ?? ''
    const body = visibleStart(html)
    const places = [...html.matchAll(pattern)].filter(({ index }) => index >= body && !inComment(html, index))
    const place = places[draw(places.length)]
    if (place === undefined) return undefined
    const changed =
      html.slice(0, place.index) + by(place[0], draw) + html.slice(place.index + place[0].length)
    return { mail: { ...mail, html: changed, text: mail.text }, code, line: lineOf(html, place.index) }
  }

const visibleStart = (html: string): number => Math.max(0, html.search(/<body\b/i))
const inComment = (html: string, index: number): boolean =>
  html.lastIndexOf('<!--', index) > html.lastIndexOf('-->', index)

const HREF = /\bhref="https?:[^"]*"/g
const linked = (code: FindingCode, ...urls: readonly string[]): Mutate =>
  replacing(code, HREF, (_, draw) => `href="${urls[draw(urls.length)]}"`)

/** Ends of texts, after which an element or a text may stand. */
const TEXT_END = /(?<=[a-z]{3}[.!]?)(?=<\/(?:p|td|h1|h2|h3|div)>)/g
const inserted = (code: FindingCode, ...texts: readonly string[]): Mutate =>
  replacing(code, TEXT_END, (_, draw) => texts[draw(texts.length)] ?? '')

const styled = (...styles: readonly string[]): Mutate =>
  replacing(
    'css_unsupported',
    /(?<=<(?:p|td|div|h1|h2) )/g,
    (_, draw) => `data-x style="${styles[draw(styles.length)]}" `,
  )

const field =
  (code: FindingCode, change: Partial<CheckedMail>, facts?: CheckFacts): Mutate =>
  (mail) => ({ mail: { ...mail, ...change }, code, ...(facts === undefined ? {} : { facts }) })

const about = (known: object): CheckFacts => ({ ...FACTS, recipients: { 'ann@gmail.com': known } })
const image = (size: number) => [{ path: 'attachments[0]', contentType: 'image/png', size }]

const MUTATIONS: readonly Mutate[] = [
  linked(
    'link_local',
    'http://localhost:3000/order',
    'https://shop.local/a',
    'http://192.168.1.20/a',
    'https://staging.shop.test/x',
    'http://127.0.0.1/',
  ),
  linked(
    'link_invalid',
    '',
    '#',
    'javascript:void(0)',
    'www.shop.de/order',
    '/orders/12',
    'https://',
    'file:///C:/a.html',
    'https://shop .de/',
  ),
  linked(
    'link_placeholder',
    '{{order_url}}',
    '*|ORDER_URL|*',
    'https://www.shop.de/%recipient.id%',
    'https://www.shop.de/o/\u0024{orderId}',
    'https://www.shop.de/orders/undefined',
    '[[url]]',
  ),
  inserted(
    'placeholder',
    ' undefined',
    ' [object Object]',
    ' NaN',
    ' Invalid Date',
    ' Lorem ipsum dolor',
    ' {{first_name}}',
    ' *|FNAME|*',
    ' Hi {{ name }},',
    ' TODO: write',
    ' \u0024{user.name}',
    ' %recipient.name%',
    '<br>Dear ,',
  ),
  inserted(
    'secret',
    ' AKIAIOSFODNN7EXAMPLE',
    ' sk_live_4eC39HqLyjWDarjtT1zdp7dc',
    ' 4111 1111 1111 1111',
    ' -----BEGIN RSA PRIVATE KEY-----',
    ' ghp_16C7e42F292c6912E7710c838347Ae178B4a',
    ' AIzaSyDaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe',
    ' xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy',
  ),
  styled(
    'display: flex',
    'display: grid',
    'position: absolute',
    'gap: 8px',
    'width: calc(100% - 8px)',
    'transform: rotate(2deg)',
    'float: left',
    'color: var(--c)',
    'object-fit: cover; filter: blur(2px)',
  ),
  inserted(
    'html_unsupported',
    '<form action="https://www.shop.de/a"></form>',
    '<video src="https://www.shop.de/a.mp4"></video>',
    '<script>a()</script>',
    '<iframe src="https://www.shop.de/a"></iframe>',
    '<svg></svg>',
    '<object></object>',
    '<input name="q">',
  ),
  linked('link_insecure', 'http://www.shop.de/order', 'https://ann:secret@www.shop.de/', 'https://8.8.8.8/a'),
  inserted(
    'link_mismatch',
    ' <a href="https://www.shop-login.net/a">https://www.bank.de/login</a>',
    ' <a href="https://login.phish.ru">www.paypal.com</a>',
    ' <a href="https://www.shop.de/a">sparkasse.de</a>',
  ),
  linked(
    'link_shortener',
    'https://bit.ly/3xyzabc',
    'https://tinyurl.com/abc',
    'https://t.co/abc',
    'https://ow.ly/abc',
  ),
  inserted('image_data', '<img alt="" src="data:image/png;base64,iVBORw0KGgo=">'),
  inserted('image_alt', '<img src="https://www.shop.de/a.png" width="20" height="20">'),
  field('image_weight', { attachments: image(300_000) }),
  field('message_large', {
    attachments: [{ path: 'attachments[0]', contentType: 'application/pdf', size: 22_000_000 }],
  }),
  field('text_missing', { text: undefined }),
  field('text_differs', { text: 'Quarterly figures for investors, with revenue and outlook by segment.' }),
  field('subject_empty', { subject: ' ' }),
  field('subject_long', {
    subject:
      'Your order of 12 May has been shipped and will arrive on Tuesday between nine and twelve o’clock',
  }),
  field('placeholder', { subject: 'Your order undefined' }),
  field('from_disguised', { fromName: 'support@paypal.com' }),
  field('from_disguised', { fromName: 'Pаypаl' }),
  field('not_aligned', { from: 'orders@other.de' }),
  field('dmarc_missing', {}, { ...FACTS, domain: { name: 'shop.de', isVerified: true, hasDmarc: false } }),
  field('unsubscribe_missing', {}, { ...FACTS, stream: { kind: 'broadcast', unsubscribe: 'sender' } }),
  field('recipient_suppressed', {}, about({ suppressed: 'complaint' })),
  field('recipient_dead', {}, about({ dead: true })),
  field('recipient_misspelt', {}, about({ meant: 'ann@gmail.com' })),
  field('recipient_role', {}, about({ isRole: true })),
  (mail) => {
    const html = mail.html ?? ''
    const at = html.lastIndexOf('</body>')
    const changed = `${html.slice(0, at)}${'<p>More text.</p>\n'.repeat(7_000)}${html.slice(at)}`
    const line = lineOf(changed, Buffer.from(changed).subarray(0, 102_400).toString().length)
    return at < 0 ? undefined : { mail: { ...mail, html: changed }, code: 'clipped', line }
  },
  (mail) => ({
    mail: {
      ...mail,
      html: '<html><body>\n<img src="https://www.shop.de/a.png" alt="" width="600"></body></html>',
      text: 'Look',
    },
    ...{ code: 'image_only', line: 2 },
  }),
]

const mails = files.map((file) => {
  const html = readFileSync(file, 'utf8').replace(/\r\n?/g, '\n')
  return { file, html, mail: mailOf(values.raw ? html : prepared(html)) }
})
const errorsOf = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ severity }) => severity === 'error')
let errors = 0
const times: number[] = []
for (const { file, mail } of mails) {
  const began = performance.now()
  const findings = found(mail)
  times.push(performance.now() - began)
  for (const one of errorsOf(findings)) {
    errors++
    console.log(
      `error in ${file}: ${one.path}:${one.line ?? '-'} ${one.code} ${one.message} ${one.excerpt ?? ''}`,
    )
  }
}
console.log(`${mails.length} good mails: ${errors} errors; slowest ${Math.max(...times).toFixed(1)} ms`)

/** Draws numbers that are the same in each run. */
let state = 7
const draw = (most: number): number => {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
  return most === 0 ? 0 : Math.floor((state / 2_147_483_648) * most)
}

const WANTED = 300
const results = { tuned: { all: 0, named: 0 }, held: { all: 0, named: 0 } }
const missed = new Map<string, number>()
for (let index = 0, tries = 0; index < WANTED && tries < 20 * WANTED; tries++) {
  const number = tries % mails.length
  const mail = mails[number]
  const mutate = MUTATIONS[(tries + Math.floor(tries / mails.length)) % MUTATIONS.length]
  if (mail === undefined || mutate === undefined) break
  const defect = mutate(mail.mail, draw)
  if (defect === undefined) continue
  index++
  const result = number % 3 === 2 ? results.held : results.tuned
  result.all++
  const named = found(defect.mail, defect.facts).some(
    ({ code, line }) => code === defect.code && (defect.line === undefined || line === defect.line),
  )
  if (named) result.named++
  else {
    missed.set(defect.code, (missed.get(defect.code) ?? 0) + 1)
    if (values.verbose) {
      const text = defect.mail.html?.split('\n')[(defect.line ?? 1) - 1]?.trim().slice(0, 300)
      console.log(`missed ${defect.code} in ${basename(mail.file)}:${defect.line ?? '-'}: ${text}`)
    }
  }
}
const { tuned, held } = results
console.log(
  `defects named: ${tuned.named} of ${tuned.all}; of the mails that are held out: ${held.named} of ${held.all}`,
)
if (missed.size > 0)
  console.log(`missed: ${[...missed].map(([code, count]) => `${code} ${count}`).join(', ')}`)
