// Tests of finding the bodies of a message among files and resources of the HTML.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { cpuWatch } from '../../test/support/cpu-time.ts'
import { bodiesOf } from './bodies.ts'

const HTML = 'text/html: html'
const TEXT = 'text/plain: text'

/** A part as `type; parameters|Field=value: content`, or a multipart as an array that begins with its subtype. */
interface Parts extends ReadonlyArray<Part> {
  readonly 0: string
}
type Part = string | Parts
let boundaries = 0
function written(part: Part): string {
  if (typeof part === 'string') {
    const [fields = '', content = ''] = part.split(': ', 2)
    const [type, ...more] = fields.split('|')
    return `Content-Type: ${type}\r\n${more.map((one) => `${one.replace('=', ': ')}\r\n`).join('')}\r\n${content}`
  }
  const [type, ...parts] = part as readonly Part[]
  const boundary = `b${++boundaries}`
  return `Content-Type: multipart/${type}; boundary=${boundary}\r\n\r\n${parts
    .map((one) => `--${boundary}\r\n${written(one)}\r\n`)
    .join('')}--${boundary}--`
}

function found(message: Part): string {
  const bodies = bodiesOf(Buffer.from(`${written(message)}\r\n`))
  if (typeof bodies === 'string') return bodies
  return bodies
    .map(({ kind, isForm, leaf }) => `${kind}${isForm ? '*' : ''} ${leaf.body.toString().trim()}`)
    .join(', ')
}

describe('bodies', () => {
  // A star in the expected bodies marks a part of a multipart/alternative.
  const cases: readonly (readonly [what: string, message: Part, bodies: string])[] = [
    ['text alone', TEXT, 'text text'],
    ['HTML alone, with a file name', 'text/html; name=body.html: html', 'html html'],
    ['an attachment alone', 'text/html|Content-Disposition=attachment: html', ''],
    ['another type alone', 'text/calendar; method=REQUEST: x', ''],
    ['two forms', ['alternative', TEXT, HTML], 'text* text, html* html'],
    [
      'two forms with file names',
      ['alternative', 'text/plain; name=a: text', 'text/html; name=b: html'],
      'text* text, html* html',
    ],
    [
      'three forms',
      ['alternative', TEXT, 'text/x-amp-html: amp', HTML, 'text/calendar: x'],
      'text* text, html* html',
    ],
    [
      'a page with a name and its picture',
      ['alternative', TEXT, ['related', 'text/html; name=b.html: html', 'image/png|Content-ID=<a>: x']],
      'text* text, html* html',
    ],
    [
      'pages around forms',
      ['related', ['alternative', TEXT, HTML], 'text/html|Content-ID=<a>: frame'],
      'text* text, html* html',
    ],
    [
      'a page and what it shows by Content-Location',
      ['related', HTML, 'text/html|Content-Location=a.html: frame'],
      'html html',
    ],
    [
      'a page that is named by start',
      ['related; start="<r>"', 'text/html|Content-ID=<f>: frame', 'text/html|Content-ID=<r>: html'],
      'html html',
    ],
    [
      'a start that names nothing',
      ['related; start="<none>"', 'text/html|Content-ID=<r>: html', 'text/html|Content-ID=<f>: frame'],
      'html html',
    ],
    [
      'text and HTML in a related, as homemade programs write them',
      ['related', TEXT, HTML, 'image/png|Content-ID=<a>: x'],
      'text text, html html',
    ],
    [
      'bodies between files',
      ['mixed', HTML, 'application/pdf: x', 'text/html: more'],
      'html html, html more',
    ],
    ['a file by its name', ['mixed', HTML, 'text/html; name="r.html": file'], 'html html'],
    ['a file by its name before the body', ['mixed', 'text/plain; name=log.txt: file', HTML], 'html html'],
    [
      'a file by a name in sections',
      ['mixed', TEXT, "text/plain; name*0*=utf-8''a; name*1=b: file"],
      'text text',
    ],
    [
      'a file by the name of its disposition',
      ['mixed', TEXT, 'text/plain|Content-Disposition=inline; filename=a: file'],
      'text text',
    ],
    ['an empty name', ['mixed', TEXT, 'text/plain; name="": text'], 'text text, text text'],
    ['two named parts', ['mixed', 'text/plain; name=a: one', 'text/html; name=b: two'], 'text one'],
    [
      'a disposition that is folded',
      ['mixed', TEXT, 'text/plain|Content-Disposition=\r\n ATTACHMENT: file'],
      'text text',
    ],
    [
      'an unknown disposition',
      ['mixed', TEXT, 'text/html|Content-Disposition=form-data; name=x: file'],
      'text text',
    ],
    [
      'a disposition in quotes',
      ['mixed', 'text/plain|Content-Disposition="Inline": text', 'application/pdf: x'],
      'text text',
    ],
    [
      'types that are none',
      ['mixed', TEXT, 'x-be2: file', 'application-x-gzip: file', 'text: text', '; name=a: file'],
      'text text, text text',
    ],
    ['a message in the message', ['mixed', TEXT, 'message/rfc822: Subject'], 'text text'],
    ['a digest', ['mixed', TEXT, ['digest', 'text/plain: x']], 'text text'],
    [
      'a file of a Mac',
      ['mixed', TEXT, ['appledouble', 'application/applefile: x', 'text/plain: file']],
      'text text',
    ],
    ['a multipart that nobody knows', ['x-own', TEXT, HTML], 'text text, html html'],
    ['no Content-Type', ['mixed', '|X=1: text'], 'text text'],
    [
      'an invoice that is signed by itself',
      ['mixed', HTML, 'application/pkcs7-mime; name=invoice.xml.p7m: x'],
      'html html',
    ],
    ['signed', ['signed', HTML, 'application/pgp-signature: x'], 'signed'],
    ['signed within', ['mixed', ['signed', HTML, 'application/pkcs7-signature: x'], TEXT], 'signed'],
    ['encrypted', ['encrypted', 'application/pgp-encrypted: x', 'application/octet-stream: x'], 'encrypted'],
    ['S/MIME, signed', 'application/pkcs7-mime; smime-type="signed-data": x', 'signed'],
    ['S/MIME, of any kind', 'application/x-pkcs7-mime: x', 'encrypted'],
    ['signed, without a boundary', 'multipart/signed: x', 'signed'],
    ['a multipart without a boundary', ['mixed', HTML, 'multipart/alternative: x'], 'structure'],
    ['a deep tree', Array.from({ length: 40 }).reduce<Part>((inner) => ['mixed', inner], HTML), 'structure'],
    ['many parts', ['mixed', ...Array.from({ length: 1_100 }, () => TEXT)], 'structure'],
  ]
  for (const [what, message, bodies] of cases) {
    test(`of ${what}`, () => assert.equal(found(message), bodies))
  }

  test('are found in linear time in what is made to take long', () => {
    const hostile = [
      `Content-Disposition:${' \r\n '.repeat(30_000)}x`,
      `Content-Type: text/plain${'; name'.repeat(30_000)}`,
      `Content-ID:${' '.repeat(120_000)}`,
      `Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\nContent-Disposition: inline; filename\r\n\r\n'.repeat(20_000)}`,
    ]
    for (const text of hostile) {
      const spent = cpuWatch()
      bodiesOf(Buffer.from(`${text}\r\n\r\nx`))
      assert.ok(spent() < 1_000, `${spent()} ms`)
    }
  })
})
