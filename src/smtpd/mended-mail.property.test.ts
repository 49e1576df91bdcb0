// Property tests: third-party parsers read the same content from random and randomly broken mails before and after
// submission.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { pick, type Random, randomOf, usualMail } from '../../test/support/mails/made.ts'
import { hasPython, PythonReader } from '../../test/support/mails/python-reader.ts'
import { asMailparser } from '../../test/support/mails/readers.ts'
import { OWN_ADDRESS, OWN_DOMAIN, submitted } from '../../test/support/mails/submitted.ts'
import { thorough } from '../../test/support/thorough.ts'
import { isRawMessage, parseRawMessage } from '../mime/raw-message.ts'
import { parseSoleMailbox } from '../mime/read-mailboxes.ts'

const python = hasPython() ? new PythonReader() : undefined
after(() => python?.close())

const FOREIGN = 'evil@bank.example'

/** Pieces of From fields as attackers and careless programs combine them. */
const PIECES = [
  OWN_ADDRESS,
  `<${OWN_ADDRESS}>`,
  FOREIGN,
  `<${FOREIGN}>`,
  `"${FOREIGN}"`,
  `"<${FOREIGN}>"`,
  `(${FOREIGN})`,
  `(<${FOREIGN}>)`,
  `=?utf-8?Q?=3C${FOREIGN.replace('@', '=40')}=3E?=`,
  `=?utf-8?Q?<${FOREIGN}>?=`,
  `=?utf-8?B?${Buffer.from(`<${FOREIGN}>`).toString('base64')}?=`,
  `=?utf-8?B?${Buffer.from(`${FOREIGN},`).toString('base64')}?=`,
  `=?utf-8?Q?"${FOREIGN}`,
  ...'<>()"@,:;\\[]',
  ...[
    '((',
    '))',
    '\\"',
    '\\)',
    '\\<',
    ' ',
    '  ',
    '\r\n ',
    '\t',
    '?=',
    '=?',
    '=?utf-8?q?',
    '\xfc',
    '\xff\xfe',
    '\xc3\xbc',
  ],
  ...['Shop', 'Ann', 'bank.example', 'evil', 'example.test', 'app', '.', "'", '='],
]

/** Returns the addresses that several kinds of parsers find in the From field of a message. */
async function addressesFound(wire: Buffer): Promise<string[]> {
  const raw = parseRawMessage(wire)
  assert.ok(isRawMessage(raw))
  const fields = raw.byName().get('from') ?? []
  assert.equal(fields.length, 1)
  const value = fields[0]!.value
  const first = /<([^>]*)>/.exec(value)?.[1]
  const last = /.*<([^>]*)>/s.exec(value)?.[1]
  const theirs = (await asMailparser(wire)).from as string[]
  const found = [
    parseSoleMailbox(value)?.email,
    first,
    last,
    ...theirs.map((one) => one.slice(one.lastIndexOf('|') + 1)),
  ]
  if (python !== undefined) {
    const { from, from_old: old } = await python.read(wire)
    assert.deepEqual([from.length, old.length], [1, 1], value)
    // The newer parser cannot read some unusual but valid fields.
    found.push(...from.filter((one) => !one.startsWith('unreadable')), ...old)
  }
  return found.filter((one) => one !== undefined)
}

/**
 * Returns the checked address if the parser found an equivalent address: an address without the quotation marks of its
 * local part, or an address at the permitted domain with a local part that the parser could not decode.
 */
function legible(found: string, checked: string): string {
  if (found.includes('\ufffd') && found.endsWith(`@${OWN_DOMAIN}`)) return checked
  return found === checked.replace(/^"(.*)"@/, '$1@') ? checked : found
}

async function checkSenders(runs: number): Promise<void> {
  let taken = 0
  const own = fc.constantFrom(OWN_ADDRESS, `<${OWN_ADDRESS}>`, ` <${OWN_ADDRESS}>`)
  const some = fc.array(fc.constantFrom(...PIECES), { maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(some, own, some, async (before, address, rest) => {
      const from = [...before, address, ...rest].join('')
      const result = submitted(Buffer.from(`From: ${from}\r\nSubject: x\r\n\r\ny\r\n`, 'latin1'))
      if (result.refusal !== undefined) return
      taken++
      assert.ok(result.from.endsWith(`@${OWN_DOMAIN}`), from)
      for (const found of await addressesFound(result.wire))
        assert.equal(legible(found, result.from), result.from, from)
    }),
    { numRuns: runs },
  )
  // About a tenth is taken; the number varies much in few runs.
  assert.ok(taken > runs / (runs < 1_000 ? 60 : 15), `only ${taken} were taken`)
}

test('of random From fields none is kept in which a reader finds another address than the permitted one', () =>
  checkSenders(120))

test(
  'nor of many more',
  thorough('3 CPU s: two foreign readers of thousands of fields; the test before has some of them'),
  () => checkSenders(4_000),
)

/** Pieces of messages: fields, parts, lines and defects. */
const MESSAGE_PIECES = [
  `From: ${OWN_ADDRESS}\r\n`,
  `From: ${FOREIGN}\r\n`,
  `from : Shop (x) <${OWN_ADDRESS}>\r\n`,
  `Sender: ${FOREIGN}\r\n`,
  `Resent-From: ${OWN_ADDRESS} (x (y))\r\n`,
  'To: a@b.example; [x] <c@d.example>\r\n',
  'Subject: \xfc\xdf\r\n',
  `Subject: ${'x'.repeat(1_100)}\r\n`,
  'Message-ID: 1@2.example\r\n',
  'Date: today\r\n',
  'References: <a b>,c@d.example\r\n',
  'List-ID: =?utf-8?q?=3Ca=2Eb=3E=0D=0AFrom=3A_x?=\r\n',
  'List-Unsubscribe: =?utf-8?q?=3Ca=3E=0D=0ABcc=3A_x?=\r\n',
  'MIME-Version: 1.0\r\n',
  'Content-Type: multipart/mixed; boundary=b\r\n',
  'Content-Type: text/plain; name="\xfc"\r\n',
  'Content-Transfer-Encoding: base64\r\n',
  'Content-Transfer-Encoding: quoted-printable\r\n',
  'Content-Type: message/rfc822\r\n',
  'Content-Type: multipart/signed; boundary=b\r\n',
  ...[
    '--b\r\n',
    '--b--\r\n',
    '\r\n',
    '\r\n\r\n',
    ' ',
    '\t',
    'text\r\n',
    ':',
    ': x\r\n',
    'From x\r\n',
    '>From x\r\n',
  ],
  ...['=?', '?=', '"', '(', '<', '>', ',', '\xfc', '\xc3\xbc', '=', '=41', 'QUJD'],
  `${'long '.repeat(250)}\r\n`,
  'x'.repeat(1_200),
]

function checkAnything(runs: number): void {
  let taken = 0
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...MESSAGE_PIECES), { maxLength: 14 }), (pieces) => {
      const result = submitted(Buffer.from(pieces.join(''), 'latin1'))
      if (result.refusal !== undefined) return
      taken++
      const raw = parseRawMessage(result.wire)
      assert.ok(isRawMessage(raw) && !raw.hasLongLines)
      for (const name of ['from', 'message-id', 'date']) assert.equal(raw.byName().get(name)?.length, 1, name)
      for (const name of ['from', 'sender', 'resent-from']) {
        for (const { value } of raw.byName().get(name) ?? []) {
          assert.ok(parseSoleMailbox(value)?.email.endsWith(`@${OWN_DOMAIN}`), `${name}: ${value}`)
        }
      }
      assert.equal(raw.byName().get('bcc'), undefined)
      // A mended message needs no second mending.
      const again = submitted(result.wire)
      assert.ok(again.refusal === undefined)
      assert.deepEqual(
        again.wire.subarray(again.wire.indexOf('From:')),
        result.wire.subarray(result.wire.indexOf('From:')),
      )
    }),
    { numRuns: runs },
  )
  assert.ok(taken > runs / 4, `only ${taken} were taken`)
}

test('of messages that are put together from anything, each is refused or in order afterwards', () => {
  checkAnything(300)
})

test(
  'and so are many more',
  thorough('5 CPU s: thousands of messages; the test before has some of them'),
  () => checkAnything(6_000),
)

/** Faults that mending repairs, each with the fields that intentionally read differently after mending. */
const FAULTS: Readonly<
  Record<
    string,
    { readonly spoil: (mail: string, random: Random) => string; readonly differs?: readonly string[] }
  >
> = {
  'a subject on one line': {
    spoil: (mail) => mail.replace(/^Subject: /m, `Subject: ${'many words '.repeat(150)}`),
  },
  'recipients on one line': {
    spoil: (mail) =>
      mail.replace(
        /^To: .*(?:\r\n[ \t].*)*/im,
        `To: ${Array.from({ length: 60 }, (_, n) => `"Person, ${n}" <person${n}@author.example>`).join(', ')}`,
      ),
  },
  'references on one line': {
    spoil: (mail) =>
      mail.replace(
        '\r\nMIME-Version',
        `\r\nReferences: ${'<a.message@author.example> '.repeat(50)}\r\nMIME-Version`,
      ),
    differs: ['references'],
  },
  'a long line in the body': {
    spoil: (mail) => mail.replace(/\r\n\r\n(?=[^-\r])/, `\r\n\r\n${'long '.repeat(300)}`),
  },
  'no blank lines in base64': {
    spoil: (mail) => mail.replace(/(?<=^[A-Za-z0-9+/]{76})\r\n(?=[A-Za-z0-9+/])/gm, ''),
  },
  'long lines of quoted-printable': { spoil: (mail) => mail.replace(/(?<![?=])=\r\n(?!-|\r)/g, '') },
  'a blank before the colon': { spoil: (mail) => mail.replace(/^(Subject|To|Date):/gim, '$1 :') },
  'an indented header': { spoil: (mail) => mail.replace(/^(?=[\s\S])/, ' ') },
  'a line of an mbox file': { spoil: (mail) => `From app@example.test Sat Nov 28 22:50:00 2026\r\n${mail}` },
  'no date': { spoil: (mail) => mail.replace(/^Date: .*\r\n/m, 'Date: today\r\n'), differs: ['date'] },
  'no message ID': {
    spoil: (mail) => mail.replace(/^Message-ID: .*\r\n/m, 'Message-ID:\r\n'),
    differs: ['message_id'],
  },
  'a message ID without brackets': {
    spoil: (mail) => mail.replace(/^Message-ID: <(.*)>/m, 'Message-ID: $1'),
  },
  'empty recipients': {
    spoil: (mail) => mail.replace(/^Cc: .*\r\n/m, '').replace('MIME-Version', 'Cc:\r\nMIME-Version'),
  },
  'a field twice': { spoil: (mail) => mail.replace(/^(Subject: .*(?:\r\n[ \t].*)*\r\n)/m, '$1$1') },
  'a name in Latin-1': { spoil: (mail) => mail.replace('MIME-Version', 'X-Name: J\xf6rg\r\nMIME-Version') },
  'words around addresses': {
    spoil: (mail) => mail.replace(/^From: .*(?:\r\n[ \t].*)*/m, `From: Shop [x] (y) <${OWN_ADDRESS}>`),
    differs: ['from'],
  },
}

/** Returns a mail as programs write it, from the permitted address. */
const ownMail = (random: Random): string =>
  usualMail(random)
    .toString('latin1')
    .replace(/(^From: [^\r]*?(?:\r\n[ \t][^\r]*?)*<?)person90@[a-z.]+/m, `$1${OWN_ADDRESS}`)

const FIELDS = [
  'from',
  'to',
  'cc',
  'reply_to',
  'subject',
  'date',
  'message_id',
  'in_reply_to',
  'references',
  'text',
  'html',
  'attachments',
]

async function checkMails(seeds: number): Promise<void> {
  const refused: string[] = []
  for (let seed = 1; seed <= seeds; seed++) {
    const random = randomOf(seed)
    const mail = ownMail(random)
    const [name, { spoil, differs = [] }] = pick(random, Object.entries(FAULTS))
    const raw = Buffer.from(spoil(mail, random), 'latin1')
    const result = submitted(raw)
    if (result.refusal !== undefined) {
      refused.push(`${name}: ${result.refusal}`)
      continue
    }
    // Parsers differ on lines that are no fields, so such messages are compared with the mail without the fault.
    const asMeant = /mbox|indented|colon/.test(name) ? Buffer.from(mail, 'latin1') : raw
    const [before, now] = [await asMailparser(asMeant), await asMailparser(result.wire)]
    for (const field of FIELDS.filter((one) => !differs.includes(one)))
      assert.deepEqual(now[field], before[field], `seed ${seed}, ${name}: ${field}`)
    if (python !== undefined) {
      const [old, later] = [await python.read(asMeant), await python.read(result.wire)]
      assert.deepEqual(
        [later.parts, later.to, later.cc],
        [old.parts, old.to, old.cc],
        `seed ${seed}, ${name}`,
      )
      assert.deepEqual(later.from, [OWN_ADDRESS])
    }
  }
  assert.deepEqual(refused, [])
}

test('random mails with faults arrive with the sender, recipients, subject, bodies and files that they came with', () =>
  checkMails(16))

test(
  'and so do many more',
  thorough('6 CPU s: two foreign readers of a thousand mails; the test before has some of them'),
  () => checkMails(1_000),
)
