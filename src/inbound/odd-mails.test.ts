// Tests that mails are read even if media types, charsets, names or line endings are invalid.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { cpuWatch } from '../../test/support/cpu-time.ts'
import { readMail } from './read-mail.ts'

const HEAD = 'From: olga.k@example.net\r\nTo: support@shop.example\r\nSubject: test\r\n'
/** The same words in UTF-8 and in Latin-1, as strings of one character per byte. */
const UTF8 = Buffer.from('Grüße aus Köln\r\n').toString('latin1')
const LATIN = 'Gr\xfc\xdfe aus K\xf6ln\r\n'
const WORDS = 'Grüße aus Köln\n'

/** Reads fields and a body, given as strings of one character per byte. */
async function read(fields: string, body: string, head = HEAD) {
  return (await readMail(Buffer.from(`${head}${fields}\r\n${body}`, 'latin1'))).parsed
}

describe('a Content-Type that cannot be read counts as text', () => {
  const types = [
    'text',
    '',
    '=?utf-8?Q?text/plain;_charset=3Dutf-8?=',
    'text/plain, text/html',
    '; charset=utf-8',
    'charset=utf-8',
    'text/',
    '/plain',
    'text/plain/x',
    '"text/plain"; charset="utf-8"',
    'text/plain charset=utf-8',
    'TEXT/PLAIN; ;; charset=utf-8;',
    '(a comment) text/plain; charset=utf-8',
    '=?utf-8?B?dGV4dC9wbGFpbg==?=',
    'multipart/mixed',
    'multipart/alternative; boundary=""',
    '\x00\x01',
    '*/*',
    ';;;;',
  ]
  for (const type of types) {
    test(JSON.stringify(type), async () => {
      const { text, attachments } = await read(`Content-Type: ${type}\r\n`, UTF8)
      assert.deepEqual([text, attachments], [WORDS, []])
    })
  }

  test('has a boundary if only a semicolon is missing', async () => {
    const parts = `--b\r\nContent-Type: text\r\n\r\n${UTF8}--b\r\nContent-Type: text/html; charset=\r\n\r\n${LATIN}--b--\r\n`
    for (const type of ['multipart/alternative boundary="b"', '=?utf-8?Q?multipart/mixed;_boundary=3Db?=']) {
      const { text, html } = await read(`Content-Type: ${type}\r\n`, parts)
      assert.deepEqual([text, html], [WORDS, WORDS], type)
    }
  })

  test('that occurs twice is the first one', async () => {
    const { text, html } = await read('Content-Type: text\r\nContent-Type: text/html\r\n', UTF8)
    assert.deepEqual([text, html], [WORDS, null])
  })

  test('is no text if the part has the name of a file', async () => {
    for (const type of ['', 'pdf', 'application']) {
      const fields = `Content-Type: ${type}; name="a.pdf"\r\nContent-Transfer-Encoding: base64\r\n`
      const { text, attachments } = await read(fields, 'JVBERg==\r\n')
      assert.equal(text, null, type)
      const files = attachments.map((one) => [one.filename, one.content_type, one.size])
      assert.deepEqual(files, [['a.pdf', 'application/octet-stream', 4]], type)
    }
  })
})

describe('bytes that contradict their charset, or have no charset', () => {
  const rows: [what: string, fields: string, body: string, text?: string][] = [
    ['no charset', 'Content-Type: text/plain\r\n', LATIN],
    ['an empty one', 'Content-Type: text/plain; charset=\r\n', LATIN],
    ['no fields at all', '', LATIN],
    ['UTF-8 by its label', 'Content-Type: text/plain; charset=utf-8\r\n', LATIN],
    ['ASCII by its label, Latin-1', 'Content-Type: text/plain; charset=us-ascii\r\n', LATIN],
    ['ASCII by its label, UTF-8', 'Content-Type: text/plain; charset="us-ascii"\r\n', UTF8],
    ['unknown by its label', 'Content-Type: text/plain; charset=unknown-8bit\r\n', LATIN],
    ['a label that is none', 'Content-Type: text/plain; charset=../../etc/passwd\r\n', UTF8],
    ['an empty label before others', 'Content-Type: text/plain; charset=""; format=fixed\r\n', LATIN],
    ['typographic quotes', '', '\x93Gr\xfc\xdfe\x94 \x96 5 \x80\r\n', '“Grüße” – 5 €\n'],
    ['quoted-printable', 'Content-Transfer-Encoding: quoted-printable\r\n', 'Gr=FC=DFe aus K=F6ln\r\n'],
    ['a footer in another charset', '', `${UTF8}${UTF8}-- \r\nK\xf6ln\r\n`, `${WORDS}${WORDS}-- \nKöln\n`],
    ['UTF-8 that is cut', '', `${UTF8.trimEnd()} \xc3`, 'Grüße aus Köln \ufffd\n'],
    ['Japanese without a label', '', '\x1b$B$3$s$K$A$O\x1b(B\r\n', 'こんにちは\n'],
    [
      'Chinese by its label, UTF-8',
      'Content-Type: text/plain; charset=gb2312\r\n',
      `${UTF8}${UTF8}`,
      `${WORDS}${WORDS}`,
    ],
  ]
  for (const [what, fields, body, text = WORDS] of rows) {
    test(what, async () => assert.equal((await read(fields, body)).text, text))
  }

  test('HTML declares its charset itself', async () => {
    const html =
      '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251"><p>\xcf\xf0\xe8\xe2\xe5\xf2</p>\r\n'
    assert.match((await read('Content-Type: text/html\r\n', html)).html ?? '', /Привет/)
  })

  test('are read in header fields', async () => {
    const subject = async (written: string, fields = '') =>
      (await read(fields, 'x', `From: Gr\xfcn <a@b.example>\r\nSubject: ${written}\r\n`)).subject
    assert.equal(await subject('Gr\xfc\xdfe', 'Content-Type: text/plain; charset=iso-8859-1\r\n'), 'Grüße')
    assert.equal(await subject('Gr\xfc\xdfe\r\n aus K\xf6ln'), 'Grüße aus Köln')
    assert.equal(await subject(Buffer.from('Grüße').toString('latin1')), 'Grüße')
    assert.equal(
      await subject('\xcf\xf0\xe8\xe2\xe5\xf2', 'Content-Type: text/plain; charset=windows-1251\r\n'),
      'Привет',
    )
    assert.equal(await subject('=?utf-8?Q?Gr=FC=DFe?='), 'Grüße')
    assert.equal(await subject('=??Q?Gr=FC=DFe?='), 'Grüße')
    assert.equal(await subject('=?us-ascii?Q?Gr=C3=BC=C3=9Fe?='), 'Grüße')
    assert.equal(await subject('=?x-unknown?B?R3L832U=?='), 'Grüße')
    assert.equal(await subject('=?utf-8?B?R3LD?= =?utf-8?B?vMOf?='), 'Grüß')
    assert.equal(await subject('=?cp-850?Q?Gr=81=E1e?='), 'Grüße')
    const { from } = await read('', 'x', 'From: =?utf-8?Q?Gr=FCn=2C_Olga?= <a@b.example>\r\n')
    assert.deepEqual(from, [{ email: 'a@b.example', name: 'Grün, Olga' }])
    assert.equal((await read('', 'x', 'From: Gr\xfcn <a@b.example>\r\n')).from[0]?.name, 'Grün')
  })

  test('are read in names of files', async () => {
    const names = [
      'attachment; filename="Gr\xfc\xdfe.txt"',
      'attachment; filename="=?utf-8?Q?Gr=FC=DFe.txt?="',
      "attachment; filename*=utf-8''Gr%FC%DFe.txt",
      "attachment; filename*0*=iso8859_15''Gr%FC; filename*1*=%DFe; filename*2=.txt",
      "attachment; filename*1*=%9Fe.txt; filename*0*=utf-8''Gr%C3%BC%C3",
      'attachment; filename="Gruesse.txt"; filename*=UTF-8\'de\'Gr%C3%BC%C3%9Fe.txt',
      'attachment; filename=Gr\xfc\xdfe.txt; filename=other.txt',
    ]
    for (const disposition of names) {
      const { attachments } = await read(`Content-Disposition: ${disposition}\r\n`, 'x')
      assert.deepEqual(
        attachments.map(({ filename }) => filename),
        ['Grüße.txt'],
        disposition,
      )
    }
    const types: [type: string, name: string][] = [
      ['application/pdf; name="=?gb2312?B?xOO6wy5wZGY=?="', '你好.pdf'],
      ['application/pdf; name="Gr\xfc\xdfe.pdf"', 'Grüße.pdf'],
      ['application/pdf; name="a.pdf"; name="b.pdf"', 'a.pdf'],
      ['application/pdf; name="C:\\dir\\a \\"b\\".pdf"', 'C:\\dir\\a "b".pdf'],
      ['=?utf-8?Q?application/pdf;_name=3DGr=C3=BC=C3=9Fe.pdf?=', 'Grüße.pdf'],
    ]
    for (const [type, name] of types) {
      const { attachments } = await read(`Content-Type: ${type}\r\n`, 'x')
      assert.deepEqual(
        attachments.map((one) => [one.filename, one.content_type]),
        [[name, 'application/pdf']],
        type,
      )
    }
    const { attachments } = await read('Content-Type: image/png; name*0="a b";\r\n name*1=".png"\r\n', 'x')
    assert.equal(attachments[0]?.filename, 'a b.png')
  })
})

describe('addresses', () => {
  const rows: [value: string, mailboxes: [email: string, name: string | null][]][] = [
    ['Kurz, Olga <olga.k@example.net>', [['olga.k@example.net', 'Kurz, Olga']]],
    [
      'Desk, Service <support@shop.example>, ann@shop.example',
      [
        ['support@shop.example', 'Desk, Service'],
        ['ann@shop.example', null],
      ],
    ],
    ['<@relay.example,@b.example:olga.k@example.net>', [['olga.k@example.net', null]]],
    ['Acme, Inc. <sales@acme.example>', [['sales@acme.example', 'Acme, Inc.']]],
    [
      'Kurz, Olga, Dr. <o@b.example>; Meier, Max <m@b.example>',
      [
        ['o@b.example', 'Kurz, Olga, Dr.'],
        ['m@b.example', 'Meier, Max'],
      ],
    ],
    ['=?utf-8?Q?K=C3=BChn?=, =?utf-8?Q?J=C3=B6rg?= <j@b.example>', [['j@b.example', 'Kühn, Jörg']]],
    [
      '"Kurz, Olga" <o@b.example>, Ann <a@b.example>',
      [
        ['o@b.example', 'Kurz, Olga'],
        ['a@b.example', 'Ann'],
      ],
    ],
    [
      'Team: Kurz, Olga <o@b.example>, a@b.example;',
      [
        ['o@b.example', 'Kurz, Olga'],
        ['a@b.example', null],
      ],
    ],
    [
      'x@evil.example, Bob <bob@b.example>',
      [
        ['x@evil.example', null],
        ['bob@b.example', 'Bob'],
      ],
    ],
    ['Olga <@relay.example:o@b.example>', [['o@b.example', 'Olga']]],
    ['<@a.example,@b.example,@c.example : o@b.example>', [['o@b.example', null]]],
  ]
  for (const field of ['From', 'To', 'Cc', 'Reply-To'] as const) {
    test(`of ${field} with commas in a name, or with a route`, async () => {
      for (const [value, mailboxes] of rows) {
        const parsed = await read('', 'x', `${field}: ${value}\r\n`)
        const found = parsed[field.toLowerCase().replace('-', '_') as 'from' | 'to' | 'cc' | 'reply_to']
        assert.deepEqual(
          found.map(({ email, name }) => [email, name]),
          mailboxes,
          value,
        )
      }
    })
  }
})

describe('charsets', () => {
  const rows: [label: string, body: string, text: string][] = [
    ['cp-850', 'Gr\x81\xe1e aus K\x94ln', 'Grüße aus Köln'],
    ['ISO8859_15', '5 \xa4', '5 €'],
    ['_iso-2022-jp$ESC', '\x1b$B$3$s$K$A$O\x1b(B', 'こんにちは'],
    ['x-cp437', 'Gr\x81\xe1e', 'Grüße'],
    ['IBM00858', '5 \xd5', '5 €'],
    ['cp852', '\x98\xa9\x88', 'śęł'],
    ['DOS-862', '\x99\x8c\x85\x8d', 'שלום'],
    ['Windows1251', '\xcf\xf0\xe8\xe2\xe5\xf2', 'Привет'],
    ['ansi-1250', '\x9c\xea\xb3', 'śęł'],
    ['iso_8859-2:1987', '\xb6\xea\xb3', 'śęł'],
    ['Latin-2', '\xb6\xea\xb3', 'śęł'],
    ['8859-1', 'Gr\xfc\xdfe', 'Grüße'],
    ['koi8u', '\xf7\xb3\xd4\xc1\xc0', 'ВЁтаю'],
    ['KOI8-RU', '\xf0\xd2\xc9\xd7\xc5\xd4', 'Привет'],
    ['x-mac-roman', 'Gr\x9f\xa7e', 'Grüße'],
    ['MacCentralEurope', '\xe5\xab\xb8', 'Śęł'],
    ['x-sjis', '\x82\xb1\x82\xf1\x82\xc9\x82\xbf\x82\xcd', 'こんにちは'],
    ['CP932', '\x82\xb1\x82\xf1', 'こん'],
    ['csISO2022JP', '\x1b$B$3$s\x1b(B', 'こん'],
    ['cp50221', '\x1b$B$3$s\x1b(B', 'こん'],
    ['EUC_JP', '\xa4\xb3\xa4\xf3', 'こん'],
    ['gb_2312-80', '\xc4\xe3\xba\xc3', '你好'],
    ['x-gbk', '\xc4\xe3\xba\xc3', '你好'],
    ['GB18030-2000', '\xc4\xe3\xba\xc3', '你好'],
    ['HZ-GB-2312', '~{Dc:C~} ~~', '你好 ~'],
    ['big5_hkscs', '\xa7A\xa6n', '你好'],
    ['ks_c_5601-1987', '\xbe\xc8\xb3\xe7', '안녕'],
    ['ISO-2022-KR', '\x1b$)C\x0e>H3g\x0f!', '안녕!'],
    ['UTF-7', 'Gr+APwA3w-e +-', 'Grüße +'],
    ['unicode-1-1-utf-7', '+T2BZfQ-', '你好'],
    ['utf8mb4', Buffer.from('Grüße').toString('latin1'), 'Grüße'],
    ["'UTF-8'", Buffer.from('Grüße').toString('latin1'), 'Grüße'],
    ['utf-16', '\xfe\xff\x00G\x00r\x00\xfc', 'Grü'],
    ['tis-620', '\xca\xc7\xd1\xca', 'สวัส'],
    ['hp-roman8', 'Gr\xcf\xdee', 'Grüße'],
  ]
  for (const [label, body, text] of rows) {
    test(label, async () => {
      const fields = `Content-Type: text/plain; charset="${label}"\r\nContent-Transfer-Encoding: base64\r\n`
      const encoded = Buffer.from(body, 'latin1').toString('base64')
      assert.equal((await read(fields, encoded)).text, text)
    })
  }
})

describe('transfer encodings and line ends', () => {
  const UUENCODED = 'begin 644 a.txt\r\n#0V%T\r\n`\r\nend\r\n'

  test('uuencoded text and files', async () => {
    for (const name of ['x-uuencode', 'X-UUE', 'uuencode', '"x-uuencode"']) {
      const fields = `Content-Transfer-Encoding: ${name}\r\n`
      assert.equal((await read(fields, `${UUENCODED}`)).text, 'Cat\n', name)
    }
    const asFile = `Content-Type: application/zip; name=a.zip\r\nContent-Transfer-Encoding: x-uuencode\r\n`
    const { attachments } = await read(asFile, UUENCODED)
    assert.deepEqual(
      attachments.map(({ size, encoding }) => [size, encoding]),
      [[3, 'x-uuencode']],
    )
    const spoilt = 'begin 644 a\r\nM0V%T\r\n#0V%T   \r\n'
    assert.match((await read('Content-Transfer-Encoding: x-uuencode\r\n', spoilt)).text ?? '', /^Cat/)
    const base64 = 'begin-base64 644 a\nQ2F0\n====\n'
    assert.equal((await read('Content-Transfer-Encoding: x-uuencode\r\n', base64)).text, 'Cat\n')
  })

  test('base64 that continues after its padding', async () => {
    assert.equal((await read('Content-Transfer-Encoding: base64\r\n', 'Q2E=\r\ndA==\r\n')).text, 'Cat')
  })

  test('lines that end in CR', async () => {
    const mail = `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n${UTF8}--b\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\nQ2F0\r\n--b--\r\n`
    const { parsed } = await readMail(Buffer.from(mail.replaceAll('\r\n', '\r'), 'latin1'))
    assert.deepEqual([parsed.subject, parsed.text], ['test', 'Grüße aus Köln\n'])
    assert.equal(parsed.attachments[0]?.size, 3)
    const within = Buffer.from('a\rb\rc').toString('base64')
    assert.equal((await read('Content-Transfer-Encoding: base64\r\n', within)).text, 'a\nb\nc')
    assert.equal((await read('', 'a\r\rb\r\n')).text, 'a\n\nb\n')
  })

  test('a header section of 205 KB has a body, and so has a larger one', async () => {
    const long = `References: ${'<0123456789@example.net>\r\n '.repeat(8_000)}\r\n`
    const { parsed, flags } = await readMail(Buffer.from(`${HEAD}${long}\r\n${UTF8}`, 'latin1'))
    assert.deepEqual([parsed.text, flags], [WORDS, []])
    const larger = await readMail(Buffer.from(`${HEAD}${long.repeat(3)}\r\n${UTF8}`, 'latin1'))
    assert.deepEqual([larger.parsed.text, larger.flags], [WORDS, ['incomplete']])
  })
})

test('hostile mails take no longer than others', async () => {
  const long = 60_000
  const mails = [
    `Content-Type: ${'a/'.repeat(long / 2)}`,
    `Content-Type: text/plain${'; '.repeat(long / 2)}`,
    `Content-Type: text/plain; charset=${'='.repeat(long)}`,
    `Content-Disposition: attachment${'; a="\\'.repeat(long / 6)}`,
    `Content-Disposition: attachment${'; filename*1*=%'.repeat(long / 15)}`,
    `Subject: ${'=?utf-8?Q?'.repeat(long / 10)}`,
    `Subject: ${'=?utf-8?B?\xfc?= '.repeat(long / 14)}`,
    `Subject: ${'=?x?Q?a?='.repeat(long / 9)}${' '.repeat(1_000)}`,
    `From: ${'a, '.repeat(long / 3)}<a@b.example>`,
    `From: <${'@a,'.repeat(long / 3)}:a@b.example>`,
    `X: ${'\r'.repeat(long)}`,
    `Content-Transfer-Encoding: ${'('.repeat(long)}`,
  ]
  for (const mail of mails) {
    const used = cpuWatch()
    await readMail(Buffer.from(`${mail}\r\n\r\nx`, 'latin1'))
    const spent = used()
    assert.ok(spent < 1_000, `${spent} ms: ${mail.slice(0, 40)}`)
  }
  const bodies = ['\xfc\xc3', '\x1b$', '~{', '+AA', '\xe0\xa0', 'begin 644 \r\n', 'M\r\n']
  for (const body of bodies) {
    for (const label of ['utf-8', 'utf-7', 'hz', 'iso-2022-kr', 'gb18030', 'cp850', '']) {
      const used = cpuWatch()
      const fields = `Content-Type: text/plain; charset=${label}\r\nContent-Transfer-Encoding: ${body.length > 2 ? 'x-uuencode' : '8bit'}\r\n`
      await read(fields, body.repeat(long))
      assert.ok(used() < 1_500, `${label} ${JSON.stringify(body)}`)
    }
  }
})
