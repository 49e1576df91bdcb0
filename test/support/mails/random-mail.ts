// Messages of any structure for property tests: bodies in many charsets and encodings, HTML pages, forms, attachments,
// and messages within messages.

import fc from 'fast-check'

/** A MIME part with its header fields and content (one character per byte), or a multipart. */
type Part =
  | { readonly head: string; readonly body: string }
  | { readonly subtype: string; readonly parts: readonly Part[] }

const SINGLE_BYTE: Readonly<Record<string, (text: string) => Buffer>> = {
  'us-ascii': (text) => Buffer.from(text.replace(/[^\0-\x7f]/g, '?')),
  'utf-8': (text) => Buffer.from(text),
  'iso-8859-1': (text) => Buffer.from(text.replace(/[^\0-\x7f\xa0-\xff]/g, '?'), 'latin1'),
  'koi8-r': (text) => Buffer.from(text.replace(/[^\0-\x7f]/g, '\xd2'), 'latin1'),
}

const wrapped = (bytes: Buffer): string => bytes.toString('base64').replace(/.{76}/g, '$&\r\n')
const quoted = (bytes: Buffer): string =>
  bytes
    .toString('latin1')
    .split('\r\n')
    .map((line) =>
      (
        line
          .replace(
            /^-|[^!-<>-~]/g,
            (one) => `=${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
          )
          .match(/(?:=..|[^=]){1,70}/g) ?? []
      ).join('=\r\n'),
    )
    .join('\r\n')

const ENCODINGS: Readonly<Record<string, (bytes: Buffer) => string>> = {
  // A line that equals a boundary delimiter of the message would end the part.
  '8bit': (bytes) => bytes.toString('latin1').replace(/^--b\d/gm, 'b'),
  'quoted-printable': quoted,
  base64: wrapped,
}

const WORDS = [
  'Hello',
  'Grüße',
  'Привет',
  '-- ',
  '--b1',
  '--b1--',
  '.',
  'From here',
  '=3D',
  'こんにちは',
  '🎉',
  'x'.repeat(150),
  '  two  ',
  '',
]
const PIECES = [
  '<a href="https://shop.test/1">',
  "<A HREF='https://shop.test/two?x=1'>",
  '</a>',
  '<p>',
  '</p>',
  '<br>',
  '<table><tr><td>',
  '<b>',
  '</b>',
  '<img src="cid:one">',
  '<!-- note -->',
  '&amp;',
]

const lines = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 12 })
  .map((all) => all.join('\r\n'))
const html = fc
  .array(fc.constantFrom(...PIECES, ...WORDS), { minLength: 1, maxLength: 12 })
  .map((all) => `<html><body>${all.join('\r\n')}</body></html>`)

const textPart = (subtype: 'plain' | 'html', content: fc.Arbitrary<string>): fc.Arbitrary<Part> =>
  fc
    .record({
      content,
      charset: fc.constantFrom(...Object.keys(SINGLE_BYTE)),
      encoding: fc.constantFrom(...Object.keys(ENCODINGS)),
      more: fc.constantFrom('', '; format=flowed', '; x=y'),
    })
    .map(({ content, charset, encoding, more }) => ({
      head: `Content-Type: text/${subtype}; charset=${charset}${more}\r\nContent-Transfer-Encoding: ${encoding}\r\n`,
      body: ENCODINGS[encoding]!(SINGLE_BYTE[charset]!(content)),
    }))

const file: fc.Arbitrary<Part> = fc
  .record({
    type: fc.constantFrom(
      'application/pdf',
      'image/png',
      'text/csv',
      'text/calendar; method=REQUEST',
      'application/octet-stream',
    ),
    name: fc.constantFrom('a.bin', 'two words.pdf'),
    disposition: fc.constantFrom('attachment', 'inline'),
    id: fc.constantFrom('', 'Content-ID: <one>\r\n', 'Content-Id:\r\n <two@host>\r\n'),
    content: fc.uint8Array({ maxLength: 40 }),
  })
  .map(({ type, name, disposition, id, content }) => ({
    head: `Content-Type: ${type}\r\nContent-Disposition: ${disposition};\r\n filename="${name}"\r\n${id}Content-Transfer-Encoding: base64\r\n`,
    body: wrapped(Buffer.from(content)),
  }))

const inner: fc.Arbitrary<Part> = fc.constant({
  head: 'Content-Type: message/rfc822\r\nContent-Disposition: attachment; filename="inner.eml"\r\n',
  body: 'Subject: inner\r\nContent-Type: text/html\r\n\r\n<a href="https://inner.test/">x</a>\r\n',
})

const text = textPart('plain', lines)
const page = textPart('html', html)
const multipart = (subtype: string, ...parts: readonly fc.Arbitrary<Part>[]): fc.Arbitrary<Part> =>
  fc.tuple(...parts).map((all) => ({ subtype, parts: all }))

const related = multipart('related', page, file)
const forms = fc.oneof(
  multipart('alternative', text, page),
  multipart('alternative', text, related),
  related,
  page,
  text,
)
const part = fc.oneof(
  forms,
  multipart('mixed', forms, file),
  multipart('mixed', forms, file, inner),
  multipart('mixed', page, file, page),
  multipart('related', multipart('alternative', text, page), file),
  multipart('mixed', multipart('mixed', forms, file), text),
)

function written(one: Part, depth = 1): string {
  if ('head' in one) return `${one.head}\r\n${one.body}`
  const boundary = `b${depth}`
  const parts = one.parts.map((inside) => `--${boundary}\r\n${written(inside, depth + 1)}\r\n`)
  return `Content-Type: multipart/${one.subtype}; boundary="${boundary}"\r\n\r\n${parts.join('')}--${boundary}--`
}

const header = fc.record({
  subject: fc.constantFrom('Hello', '=?utf-8?q?Gr=C3=BC=C3=9Fe?=', 'a\r\n folded one'),
  to: fc.constantFrom(
    'ann@receiver.example',
    '"Ann, A." <Ann@receiver.example>,\r\n bob@receiver.example',
    'Friends: ann@receiver.example;',
  ),
  more: fc.constantFrom(
    '',
    'References: <1@a>\r\n <2@b>\r\n',
    'Reply-To: Help <help@example.test>\r\nX-Own: 1\r\nX-Own: 2\r\n',
  ),
})

/** Generates complete messages; each string has one character per byte. */
export const randomMail: fc.Arbitrary<string> = fc
  .tuple(header, part)
  .map(
    ([{ subject, to, more }, content]) =>
      `From: Shop <hello@example.test>\r\nTo: ${to}\r\nSubject: ${subject}\r\nMessage-ID: <1@example.test>\r\n` +
      `Date: Fri, 27 Nov 2026 10:00:00 +0000\r\n${more}MIME-Version: 1.0\r\n${written(content)}\r\n`,
  )
