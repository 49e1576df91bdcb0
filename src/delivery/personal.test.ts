// A mail with links for its recipient: two independent parsers read the same content that the author wrote.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { cpuWatch } from '../../test/support/cpu-time.ts'
import { undone, written } from '../../test/support/mails/compared.ts'
import { randomMail } from '../../test/support/mails/random-mail.ts'
import { type PythonMail, readByPython } from '../../test/support/mails/read-by-python.ts'
import { thorough } from '../../test/support/thorough.ts'
import { messageChunks } from '../model/composed-message.ts'
import { trackingKey } from '../model/tracking-link.ts'
import { type MailOfStream, personalMail } from '../submission/personal-mail.ts'
import { trackedPlaces } from '../templates/tracked-places.ts'
import { composeOpened, openStored } from './composition.ts'
import type { RecipientLink } from './recipient-link.ts'

const IDENTITY = {
  id: 'msg_01JZ0000000000000000000000',
  domainName: 'example.test',
  stream: 'news',
  createdAt: 1_750_000_000_000,
}
const LINK: RecipientLink = {
  recipient: { email: 'ann@receiver.example', position: 0 },
  url: `https://mail.example.test/u/${'a'.repeat(26)}`,
  address: 'unsubscribe+a@bounces.example.test',
  tracking: { base: 'https://links.example.test', key: trackingKey('s', 'links.example.test') },
}
const BOTH: Partial<MailOfStream> = { unsubscribable: true, tracked: { opens: true, links: true } }

/** Returns the mail as sent, and the reason if tracking was skipped. */
async function composed(
  mail: string,
  more: Partial<MailOfStream> = BOTH,
): Promise<{ raw: Buffer; skipped: unknown }> {
  const message = Buffer.from(mail, 'latin1')
  const { content = message, tracking } = await personalMail(
    {
      ...{
        message,
        domainName: 'example.test',
        unsubscribable: false,
        tracked: { opens: false, links: false },
      },
      ...{ unsubscribe: 'service', wishes: {}, maxBytes: 1e7, ...more },
    },
    async (html, wanted) => trackedPlaces(html, wanted),
  )
  const format = content === message ? 'mime' : 'personal'
  const opened = openStored({ format, content })
  const made = composeOpened(opened, IDENTITY, format === 'personal' ? LINK : undefined)
  return { raw: Buffer.concat(messageChunks(made)), skipped: tracking?.skipped }
}

const hasLegalLines = (raw: Buffer): boolean =>
  raw
    .toString('latin1')
    .split('\r\n')
    .every((line) => line.length <= 998 && !/[\r\n]/.test(line))

/** Checks that random mails reach their reader exactly as written. */
const arrives = fc.asyncProperty(randomMail, async (mail) => {
  const before = await written(Buffer.from(mail, 'latin1'))
  for (const more of [BOTH, { tracked: { opens: true, links: true } }, { unsubscribable: true }]) {
    const { raw, skipped } = await composed(mail, more)
    assert.equal(skipped, undefined)
    assert.ok(hasLegalLines(raw))
    assert.deepEqual(await written(raw), before)
  }
})

describe('a mail with links for its recipient', () => {
  test('reads as its author wrote it', () => fc.assert(arrives, { numRuns: 40 }))

  test('reads so in many more', thorough('7 CPU s: two thousand mails are parsed four times'), () =>
    fc.assert(arrives, { numRuns: 2_000 }),
  )

  test('reads alike in another language', async (context) => {
    const mails = fc.sample(randomMail, 30)
    const sent = await Promise.all(mails.map((mail) => composed(mail)))
    const before = readByPython(mails.map((mail) => Buffer.from(mail, 'latin1')))
    const after = readByPython(sent.map(({ raw }) => raw))
    if (before === undefined || after === undefined) return context.skip('Python is not installed')
    for (const [index, [fields, parts]] of after.entries()) {
      const [wantedFields, wantedParts]: PythonMail = before[index]!
      assert.deepEqual(fields, wantedFields)
      const shown = parts.map((part) => (part[4] === true ? part.with(3, undone(part[3] ?? '')) : part))
      assert.deepEqual(shown, wantedParts)
    }
  })

  test('is the same at each attempt, and of another recipient differs by links alone', async () => {
    for (const mail of fc.sample(randomMail, 20)) {
      const [one, two] = await Promise.all([composed(mail), composed(mail)])
      assert.deepEqual(one.raw, two.raw)
    }
  })

  const HEAD = 'From: hello@example.test\r\nSubject: x\r\n'
  test('keeps the bytes of text in charsets of one byte, and says UTF-8 where the text becomes so', async () => {
    const russian = Buffer.from([0xf0, 0xd2, 0xc9]).toString('latin1')
    const { raw } = await composed(
      `${HEAD}Content-Type: text/html; charset=koi8-r\r\n\r\n<a href="https://shop.test/">${russian}</a>`,
    )
    const text = raw.toString('latin1')
    assert.match(text, /\r\nContent-Type: text\/html; charset=koi8-r\r\n/)
    assert.match(text.replaceAll('=\r\n', ''), /\/c\/[\w-]+">=F0=D2=C9<\/a>/)
    const { html } = await written(
      (await composed(`${HEAD}Content-Type: text/html; charset=shift_jis\r\n\r\n\x82\xb1\\\x82\xf1`)).raw,
    )
    assert.equal(html, 'こ\\ん')
  })

  test('has marks of an editor replaced, whatever space is in them', async () => {
    for (const space of [' ', '', '\xc2\xa0', '\xe3\x80\x80']) {
      const { raw } = await composed(
        `${HEAD}Content-Type: text/html; charset=utf-8\r\n\r\n<a href="{{{${space}@unsubscribe_url${space}}}}">out \xc3\xbc</a>`,
        { unsubscribable: true },
      )
      const text = raw.toString('latin1').replaceAll('=\r\n', '')
      assert.match(text, /<a href=3D"https:\/\/mail\.example\.test\/u\/a{26}">out =C3=BC<\/a>\r\n$/)
    }
  })

  test('has no more than three hundred tracked links over all its bodies', async () => {
    const body = `Content-Type: text/html\r\n\r\n${'<a href="https://shop.test/">x</a>\r\n'.repeat(200)}`
    const { raw } = await composed(
      `${HEAD}MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=m\r\n\r\n--m\r\n${body}\r\n--m\r\n${body}\r\n--m--\r\n`,
    )
    assert.equal(raw.toString('latin1').replaceAll('=\r\n', '').match(/\/c\//g)?.length, 300)
  })

  const LINKED = 'Content-Type: text/html\r\n\r\n<a href="https://shop.test/1">x</a>'
  const ODD: Readonly<Record<string, string>> = {
    'a file of Outlook alone': `${HEAD}MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=m\r\n\r\n--m\r\n\r\ntext\r\n--m\r\nContent-Type: application/ms-tnef; name=winmail.dat\r\nContent-Transfer-Encoding: base64\r\n\r\neJ8+IgA=\r\n--m--\r\n`,
    'HTML in UTF-16': `${HEAD}MIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-16\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from('\ufeff<a href="https://shop.test/1">Grüße 𝒳</a>', 'utf16le').toString('base64')}\r\n`,
    'a boundary of all kinds of characters': `${HEAD}MIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary="=_?:(b)'+/,-. ="\r\n\r\n--=_?:(b)'+/,-. =\r\n\r\ntext\r\n--=_?:(b)'+/,-. =\r\n${LINKED}\r\n--=_?:(b)'+/,-. =--\r\n`,
    'boundaries that begin alike': `${HEAD}MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: multipart/alternative; boundary=b1\r\n\r\n--b1\r\n\r\ntext\r\n--b1\r\n${LINKED}\r\n--b1--\r\n--b\r\nContent-Type: application/zip\r\nContent-Disposition: attachment; filename=a.zip\r\n\r\n--b1 no delimiter\r\n--b--\r\n`,
    'HTML in a preamble': `${HEAD}MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n<a href="https://shop.test/p">p</a>\r\n--b\r\n${LINKED}\r\n--b--\r\n<a href="https://shop.test/e">e</a>\r\n`,
    'a header alone': `${HEAD}To: ann@receiver.example\r\n\r\n`,
    'a form that nobody reads': `${HEAD}MIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\n\r\ntext\r\n--b\r\nContent-Type: text/enriched\r\n\r\n<bold>text</bold>\r\n--b\r\n${LINKED}\r\n--b--\r\n`,
    'a mail within a mail, with parts of its own': `${HEAD}MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n${LINKED}\r\n--b\r\nContent-Type: message/rfc822\r\nContent-Disposition: attachment; filename=a.eml\r\n\r\nSubject: inner\r\nContent-Type: multipart/signed; boundary=s\r\n\r\n--s\r\n${LINKED}\r\n--s\r\nContent-Type: application/pgp-signature\r\n\r\nx\r\n--s--\r\n--b--\r\n`,
    'parts that are not closed': `${HEAD}MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n${LINKED}\r\n`,
    'a byte order mark': `${HEAD}Content-Type: text/html; charset=utf-8\r\n\r\n\xef\xbb\xbf<a href="https://shop.test/1">\xc3\xbc</a>\r\n`,
  }
  for (const [what, mail] of Object.entries(ODD)) {
    test(`reads as its author wrote it with ${what}`, async () => {
      const dated = `Date: Fri, 27 Nov 2026 10:00:00 +0000\r\n${mail}`
      const { raw, skipped } = await composed(dated)
      assert.equal(skipped, undefined)
      assert.deepEqual(await written(raw), await written(Buffer.from(dated, 'latin1')))
      const [before, after] = readByPython([Buffer.from(dated, 'latin1'), raw]) ?? []
      const textsOf = (read: PythonMail | undefined) =>
        read?.[1].map(([type, name, id, content = '', shown]) => [
          type,
          name,
          id,
          shown ? undone(content) : content,
        ])
      assert.deepEqual(textsOf(after), textsOf(before))
    })
  }

  const HOSTILE: Readonly<Record<string, string>> = {
    'soft line breaks': `Content-Transfer-Encoding: quoted-printable\r\n\r\n${'=\r\n'.repeat(80_000)}x`,
    'signs of quoted-printable': `Content-Transfer-Encoding: quoted-printable\r\n\r\n${'='.repeat(250_000)}`,
    'blanks after such signs': `Content-Transfer-Encoding: quoted-printable\r\n\r\n${`=${' '.repeat(79)}`.repeat(3_000)}`,
    'blanks in base64': `Content-Transfer-Encoding: base64\r\n\r\n${' '.repeat(250_000)}#`,
    comments: `\r\n${'<!--'.repeat(60_000)}`,
    'halves of marks': `\r\n${'{{{         @unsubscribe_url'.repeat(9_000)}`,
    'elements that name a charset': `\r\n${'<meta '.repeat(40_000)}\xff`,
    'boundaries within a line': `\r\n${'--b'.repeat(80_000)}`,
  }
  for (const [what, hostile] of Object.entries(HOSTILE)) {
    test(`is made in bounded time of ${what}`, async () => {
      const spent = cpuWatch()
      const { raw } = await composed(`${HEAD}Content-Type: text/html; charset=us-ascii\r\n${hostile}`, {
        unsubscribable: true,
      })
      assert.ok(hasLegalLines(raw) || what === 'blanks in base64')
      assert.ok(spent() < 1_000, `${spent()} ms`)
    })
  }

  test('is untouched where it is too large, and says so', async () => {
    const large = `${HEAD}Content-Type: text/html\r\n\r\n${'<a href="https://shop.test/">x</a>\r\n'.repeat(80_000)}`
    const { raw, skipped } = await composed(large, { tracked: { opens: true, links: true } })
    assert.deepEqual([skipped, raw.toString('latin1')], ['too_large', large])
    const small = `${HEAD}Content-Type: text/html\r\n\r\n<a href="https://shop.test/">x</a>\r\n`
    assert.equal((await composed(small, { ...BOTH, maxBytes: 120 })).skipped, 'too_large')
  })
})
