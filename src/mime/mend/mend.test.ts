// Tests of mending the header section of a message, and of keeping a sound message unchanged.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cpuWatch } from '../../../test/support/cpu-time.ts'
import { isRawMessage, parseRawMessage } from '../raw-message.ts'
import { soleMailboxOf } from './field-rules.ts'
import { isSound, mend } from './mend.ts'
import { isMendProblem } from './problem.ts'

const SENDING = { from: 'app@example.test', domain: 'example.test' }
const REST = 'From: Shop <app@example.test>\r\nSubject: x\r\n'

/** Returns the mended message as a `latin1` string, or the problem. */
function mended(message: string): string {
  const result = mend(Buffer.from(message, 'latin1'), SENDING, { headerBytes: 100_000, fields: 1_000 })
  return isMendProblem(result) ? result.problem : result.toString('latin1')
}

const soundness = (message: string): boolean => {
  const raw = parseRawMessage(Buffer.from(message, 'latin1'))
  return isRawMessage(raw) && isSound(raw)
}

/** Returns the mended form of a field: unchanged, replaced, or empty. */
function fieldOf(field: string, rest = REST): string {
  const result = mended(`${rest}${field}\r\n\r\nbody\r\n`)
  const found = result.startsWith(rest) && result.endsWith('\r\n\r\nbody\r\n')
  return found ? result.slice(rest.length, -'\r\nbody\r\n'.length).replace(/\r\n$/, '') : result
}

test('fields that are of use stay as they are, and need no mending', () => {
  for (const field of [
    'To:  Ann <a@b.example>,\r\n "B, C" <c@d.example>, e@f.example',
    'To: undisclosed-recipients:;',
    'Cc: =?utf-8?Q?J=C3=B8e?= <a@b.example>',
    'Reply-To: <a@b.example>',
    'Message-ID: <1.a=b@c.example>',
    'Message-ID: <a@b.example> (added by a relay)',
    'References: <a@b.example>\r\n <c> <d@e.example>',
    'In-Reply-To: <a@b.example>',
    'Date: Sat, 28 Nov 2026 22:50:00 +0000',
    'Date: 28 Nov 2026 22:50 -0000',
    'Date: Mon,  1 Feb 2027 02:50:60 GMT',
    'Date: Sat, 28 Nov 26 22:50:00 EST (Eastern)',
    'Date: 29 Feb 2028 22:50:00 Z',
    'List-Unsubscribe: <https://a.example/?b=?c>, <mailto:a@b.example>',
    'List-ID: =?utf-8?Q?Gr=C3=BC=C3=9Fe?= <news.a.example>',
    'X-Odd:  two  spaces\t',
    'X-Empty:',
    'Content-Type: text/plain; name="=?utf-8?Q?a?="',
  ]) {
    assert.equal(fieldOf(field), field)
    if (!/^Message-ID.*relay/.test(field))
      assert.ok(soundness(`${REST}${field}\r\n\r\nbody\r\n`) || field.includes('?c>'), field)
  }
})

test('fields that are of no use are repaired, written anew or left out', () => {
  const table: [field: string, becomes: string][] = [
    ['To:', ''],
    ['To: <>', ''],
    ['To: ,', ''],
    ['Cc: "" <>', ''],
    ['Reply-To: ', ''],
    ['Reply-To: Support', ''],
    ['Errors-To:', ''],
    ['Return-Receipt-To: <>', ''],
    [`References: <${'x'.repeat(1000)}@a.example> <1@b.example>`, 'References: <1@b.example>'],
    [`Message-ID: <${'x'.repeat(1000)}@a.example>`, ''],
    ['To: Support Team', 'To: Support Team:;'],
    ['To: =?utf-8?Q?Ann_=3Ca=40b=2Eexample=3E?=', 'To: Ann <a@b.example>'],
    ['Cc: =?utf-8?Q?a=40b=2Eexample=2C_c=40d=2Eexample?=', 'Cc: a@b.example, c@d.example'],
    ['To: undisclosed-recipients', 'To: undisclosed-recipients:;'],
    ['To: undisclosed recipients: ;', 'To: undisclosed recipients: ;'],
    ['To: a@b.example; c@d.example', 'To: a@b.example, c@d.example'],
    ['To: a@b.example, , c@d.example,', 'To: a@b.example, c@d.example'],
    ['To: a@b.example <a@b.example>', 'To: "a@b.example" <a@b.example>'],
    ['Cc: [x] Ann (y) <a@b.example>, c@d.example', 'Cc: "[x] Ann (y)" <a@b.example>, c@d.example'],
    // Values with more than one reading.
    ['To: Doe, Ann <a@b.example>', 'To: Doe, Ann <a@b.example>'],
    ['To: Friends: a@b.example, c@d.example;', 'To: Friends: a@b.example, c@d.example;'],
    ['Message-ID:', ''],
    ['Message-ID: <>', ''],
    ['Message-ID: something', ''],
    ['Message-ID: a b', ''],
    ['Message-ID: 1@2.example', 'Message-ID: <1@2.example>'],
    ['Message-ID: < 1@2.example >', 'Message-ID: <1@2.example>'],
    ['Message-ID: <1 2@3.example>', 'Message-ID: <12@3.example>'],
    ['Message-ID: <<1@2.example>>', 'Message-ID: <1@2.example>'],
    ['Message-ID: <1@2.example> <3@4.example>', 'Message-ID: <1@2.example>'],
    ['Message-ID: <1234>', 'Message-ID: <1234@example.test>'],
    ['Message-ID: =?utf-8?Q?=3C1=402=2Eexample=3E?=', 'Message-ID: <1@2.example>'],
    ['References:', ''],
    ['References: none', ''],
    ['References: 1@2.example 3@4.example', 'References: <1@2.example> <3@4.example>'],
    ['References: <1@2.example>,<3@4.example>', 'References: <1@2.example> <3@4.example>'],
    ['References: =?utf-8?Q?=3C1=402=2Eexample=3E?=', 'References: <1@2.example>'],
    ['In-Reply-To: "Jo"\'s message of Monday <1@2.example>', 'In-Reply-To: <1@2.example>'],
    ['In-Reply-To: <1@2.example', 'In-Reply-To: <1@2.example>'],
    ['Sender:', ''],
    ['Sender: php script', ''],
    ['Sender: Shop (x) <app@example.test>', 'Sender: "Shop (x)" <app@example.test>'],
    ['List-Unsubscribe: =?utf-8?q?=3Chttps=3A//a=2Eexample/=3E?=', 'List-Unsubscribe: <https://a.example/>'],
    ['List-Unsubscribe: https://a.example/b?c', 'List-Unsubscribe: <https://a.example/b?c>'],
    ['List-Post: =?utf-8?B?PG1haWx0bzphQGIuZXhhbXBsZT4=?=', 'List-Post: <mailto:a@b.example>'],
    ['List-ID: =?utf-8?Q?A_=3Ca=2Eb=2Eexample=3E?=', 'List-ID: A\r\n <a.b.example>'],
    ['Auto-Submitted: =?utf-8?Q?auto-generated?=', 'Auto-Submitted: auto-generated'],
    ['Precedence: =?us-ascii?Q?bulk?=', 'Precedence: bulk'],
  ]
  for (const [field, becomes] of table) {
    assert.equal(fieldOf(field), becomes, field)
    if (becomes !== field && !field.startsWith('Sender:'))
      assert.ok(!soundness(`${REST}${field}\r\n\r\nbody\r\n`), field)
  }
})

test('dates that do not exist or have another form are left out', () => {
  for (const date of [
    '',
    'now',
    '2026-11-28T22:50:00Z',
    'Sa, 28 Nov 2026 23:50:00 +0100',
    'Sat, 28 Noviembre 2026 23:50:00 +0100',
    'Sat, 31 Feb 2026 23:50:00 +0100',
    '29 Feb 2027 22:50:00 Z',
    'Sat, 28 Nov 2026 25:50:00 +0100',
    'Sat, 28 Nov 2026 23:50:00',
    'Sat, 28 Nov 2026 23:50:00 +01:00',
    'Sat Nov 28 23:50:00 2026',
    '28.11.2026 23:50',
    '1796000000',
    'Sat, 28 Nov 2026 11:50:00 PM +0100',
  ]) {
    assert.equal(fieldOf(`Date: ${date}`), '', date)
  }
})

test('header text that is not UTF-8 is read as Windows-1252, or as the charset of the message, and encoded', () => {
  const table: [field: string, becomes: string][] = [
    ['Comments: Gr\xfc\xdfe', 'Comments: =?utf-8?B?R3LDvMOfZQ==?='],
    ['X-Shop: 5 \x80', 'X-Shop: =?utf-8?B?NSDigqw=?='],
    // The first field mixes UTF-8 and Windows-1252; the second has an encoded-word with an unencoded byte.
    ['X-Shop: \xc3\xbc und \xfc', 'X-Shop: =?utf-8?B?w7wgdW5kIMO8?='],
    ['X-Shop: =?iso-8859-1?Q?M\xfcller?= \xfc', 'X-Shop: =?utf-8?B?TcO8bGxlciDDvA==?='],
    ['To: J\xf6rg <j@b.example>, k@b.example', 'To: =?utf-8?B?SsO2cmc=?= <j@b.example>, k@b.example'],
    ['Cc: j\xf6rg@b.example, k@b.example', 'Cc: =?utf-8?B?asO2cmdAYi5leGFtcGxl?= :;, k@b.example'],
    [
      'Content-Type: text/csv; name="\xdcbersicht.csv"; charset=utf-8',
      "Content-Type: text/csv;\r\n name*=utf-8''%C3%9Cbersicht.csv; charset=utf-8",
    ],
    [
      'Content-Disposition: attachment; filename=\xdc.csv',
      "Content-Disposition: attachment;\r\n filename*=utf-8''%C3%9C.csv",
    ],
    ['Content-Description: \xdcbersicht', 'Content-Description: =?utf-8?Q?=C3=9Cbersicht?='],
    ['List-Help: <https://a.example/\xfc>', 'List-Help: <https://a.example/%FC>'],
    ['Message-ID: <\xfc@b.example>', 'Message-ID: <?@b.example>'],
  ]
  for (const [field, becomes] of table) assert.equal(fieldOf(field), becomes, field)
  const named = (charset: string, subject: Buffer): string =>
    mended(
      `From: app@example.test\r\nContent-Type: text/plain; charset="${charset}"\r\nSubject: ${subject.toString('latin1')}\r\n\r\nx\r\n`,
    )
  const russian = Buffer.from('f0d2c9d7c5d4', 'hex')
  assert.match(
    named('koi8-r', russian),
    new RegExp(`Subject: =\\?utf-8\\?B\\?${Buffer.from('Привет').toString('base64')}`),
  )
  const japanese = Buffer.from('8ce48f91', 'hex')
  assert.match(
    named('Shift_JIS', japanese),
    new RegExp(`Subject: =\\?utf-8\\?B\\?${Buffer.from('御書').toString('base64')}`),
  )
  // Bytes in these charsets could be decoded to further fields.
  assert.match(named('utf-16le', Buffer.from('e4', 'hex')), /Subject: =\?utf-8\?B\?w6Q=\?=/)
})

test('a From whose bytes are not UTF-8 keeps its address', () => {
  const from = (value: string): string => mended(`From: ${value}\r\n\r\nx\r\n`)
  assert.equal(
    from('Gr\xfcn <app@example.test>'),
    'From: =?utf-8?B?R3LDvG4=?= <app@example.test>\r\n\r\nx\r\n',
  )
  assert.match(from('Gr\xfcn <gr\xfcn@example.test>'), /address beyond ASCII that is not UTF-8/)
  assert.match(from('\xfc, Ann <app@example.test>'), /comma/)
})

test('a From that is missing or empty is that of the envelope, and a name gets its address', () => {
  const table: [header: string, from: string][] = [
    ['Subject: x\r\n', 'app@example.test'],
    ['From:\r\n', 'app@example.test'],
    ['From: <>\r\n', 'app@example.test'],
    ['From: root\r\n', 'root <app@example.test>'],
    ['From: root (Cron Daemon)\r\n', 'root Cron Daemon <app@example.test>'],
    ['From: "(Cron Daemon)" <root>\r\n', 'Cron Daemon <app@example.test>'],
    ['From: <root>\r\n', 'root <app@example.test>'],
    ['From: =?utf-8?B?R3LDvG4=?=\r\n', '=?utf-8?B?R3LDvG4=?= <app@example.test>'],
  ]
  for (const [header, from] of table) {
    assert.ok(
      mended(`${header}\r\nx\r\n`).includes(`From: ${from}\r\n`),
      `${header}: ${mended(`${header}\r\nx\r\n`)}`,
    )
  }
  assert.match(mended('From: =?utf-8?Q?b=40c=2Eexample?=\r\n\r\nx'), /no address/)
  assert.match(mended('From: undisclosed-recipients:;\r\n\r\nx'), /colon/)
})

test('headers that are nearly ones are read', () => {
  const from = 'From: app@example.test\r\n'
  const table: [message: string, becomes: string][] = [
    [`${from}Subject : x\r\n\r\ny`, `${from}Subject: x\r\n\r\ny`],
    [`From\t: app@example.test\r\n\r\ny`, `${from}\r\ny`],
    [`From app@example.test Sat Nov 28 22:50:00 2026\r\n${from}\r\ny`, `${from}\r\ny`],
    [`>From app@example.test Sat Nov 28\r\n${from}\r\ny`, `${from}\r\ny`],
    [`  ${from}  Subject: x\r\n\r\ny`, `${from}Subject: x\r\n\r\ny`],
    [` ${from}Subject: x\r\n\r\ny`, `${from}Subject: x\r\n\r\ny`],
    [` \r\n${from}\r\ny`, `${from}\r\ny`],
    [
      `${from}Subject: x\r\nDear Ann,\r\n\r\nthe text\r\n`,
      `${from}Subject: x\r\n\r\nDear Ann,\r\n\r\nthe text\r\n`,
    ],
    [`${from}Subject: x\r\nText alone`, `${from}Subject: x\r\n\r\nText alone`],
    [`Disk 3 has failed.\r\nReplace it: now\r\n`, `${from}\r\nDisk 3 has failed.\r\nReplace it: now\r\n`],
    [`Alarm: disk 3\r\n\r\nReplace it\r\n`, `${from}\r\nAlarm: disk 3\r\n\r\nReplace it\r\n`],
    [`\r\nText`, `${from}\r\nText`],
    [
      `${from}Subject: a long\r\nsubject\r\nTo: a@b.example\r\n\r\ny`,
      `${from}Subject: a long\r\n subject\r\nTo: a@b.example\r\n\r\ny`,
    ],
    // A colon of a time or of a parameter does not end the name of a field.
    [
      `${from}Received: from a.example\r\nby b.example with SMTP; 19 Nov 2014 08:46:08 -0000\r\nTo: a@b.example\r\n\r\ny`,
      `${from}Received: from a.example\r\n by b.example with SMTP; 19 Nov 2014 08:46:08 -0000\r\nTo: a@b.example\r\n\r\ny`,
    ],
    [
      `${from}Content-Type: multipart/mixed;\r\nboundary="ab"\r\nTo: a@b.example\r\n\r\n--ab\r\n\r\ny\r\n--ab--\r\n`,
      `${from}Content-Type: multipart/mixed;\r\n boundary="ab"\r\nTo: a@b.example\r\n\r\n--ab\r\n\r\ny\r\n--ab--\r\n`,
    ],
    [
      `${from}X-Sealed: h=from:to\r\n:cc;\r\nTo: a@b.example\r\n\r\ny`,
      `${from}X-Sealed: h=from:to\r\n :cc;\r\nTo: a@b.example\r\n\r\ny`,
    ],
    [`\xef\xbb\xbf${from}Subject: x\r\n\r\ny`, `${from}Subject: x\r\n\r\ny`],
    [`\xef\xbb\xbfOnly text.\r\n`, `${from}\r\nOnly text.\r\n`],
    [`${from}Subject: x`, `${from}Subject: x\r\n\r\n`],
  ]
  for (const [message, becomes] of table) assert.equal(mended(message), becomes, message)
})

test('a line that is no field is named, with its fault', () => {
  const from = 'From: app@example.test\r\n'
  assert.match(
    mended(`${from}Reply To: a@b.example\r\nTo: c@d.example\r\n\r\n`),
    /^Line 2 of the header is no field \("Reply To: a@b.example"\): the name/,
  )
  assert.match(
    mended(`no colon\r\n${from}\r\n`),
    /^Line 1 of the header is no field \("no colon"\): it has no colon/,
  )
  assert.match(mended(`${from}X-\xfc: a\r\nTo: c@d.example\r\n\r\n`), /^Line 2 .*the name/)
  assert.match(mended(`${from}Bcc\xa0: c@d.example\r\nTo: c@d.example\r\n\r\n`), /^Line 2 .*the name/)
})

test('fields that stand there twice become one where nothing is lost', () => {
  const table: [fields: string, becomes: string][] = [
    ['To: a@b.example\r\nTO:  a@b.example', 'To: a@b.example'],
    ['To: a@b.example\r\nTo: c@d.example', 'To: a@b.example,\r\n c@d.example'],
    ['Date: soon\r\nDate: 28 Nov 2026 22:50:00 +0000', 'Date: 28 Nov 2026 22:50:00 +0000'],
    ['Message-ID: <1@a.example>\r\nMessage-Id: <2@a.example>', 'Message-ID: <1@a.example>'],
    ['MIME-Version: 1.0\r\nMime-Version: 1.0 (x)', 'MIME-Version: 1.0'],
    [
      'Content-Type: text/html; charset=utf-8\r\nContent-Type: text/html',
      'Content-Type: text/html; charset=utf-8',
    ],
    // Values that the rules refuse.
    [
      'Content-Type: text/html\r\nContent-Type: text/plain',
      'Content-Type: text/html\r\nContent-Type: text/plain',
    ],
  ]
  for (const [fields, becomes] of table) assert.equal(fieldOf(fields), becomes, fields)
  assert.equal(mended(`${REST}Subject: y\r\n\r\n`), `${REST}\r\n`)
  assert.equal(mended(`${REST}From: Shop <app@example.test>\r\n\r\n`), `${REST}\r\n`)
  assert.equal(mended(`${REST}From: b@example.test\r\n\r\n`), `${REST}From: b@example.test\r\n\r\n`)
})

test('hostile headers cost little time', () => {
  const pieces = [
    'no colon\r\n',
    'To: "\r\n',
    '\\"',
    '(',
    '<',
    'a@',
    ',',
    ' ',
    'a:',
    '=?utf-8?q?',
    '<a@b>',
    '\xfc',
    '"',
    ';a="',
    '\r\n ',
    'From x\r\n',
  ]
  for (const start of ['', 'To: ', 'From: ', 'References: ', 'Content-Type: a/b', 'X: ']) {
    for (const piece of pieces) {
      const used = cpuWatch()
      const value = piece.repeat(Math.floor(12_000 / piece.length))
      mended(`${start}${value}\r\nFrom: x\r\n\r\nbody\r\n`)
      mended(`${start}a${value}b; c\r\n${start}d\r\n\r\nbody\r\n`)
      const spent = used()
      assert.ok(spent < 150, `${start}${JSON.stringify(piece)}: ${spent} ms`)
    }
  }
})

test('a bare address next to an encoded-word is not kept, because programs read two addresses', () => {
  for (const from of ['=?utf-8?q??=app@example.test', '=?utf-8?q?x?=app@example.test']) {
    assert.equal(soleMailboxOf(from), undefined, from)
  }
})
