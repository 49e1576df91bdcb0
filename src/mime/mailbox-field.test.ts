// Tests of address fields.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { legalDisplayName, mailboxField } from './mailbox-field.ts'

test('writes each name in the form that it needs', () => {
  const table: [name: string | undefined, email: string, written: string][] = [
    [undefined, 'a@example.com', 'a@example.com'],
    ['', 'a@example.com', 'a@example.com'],
    [' \t ', 'a@example.com', 'a@example.com'],
    [undefined, '"a b"@example.com', '<"a b"@example.com>'],
    ['Jane Doe', 'a@example.com', 'Jane Doe <a@example.com>'],
    ['Jane  Doe', 'a@example.com', '"Jane  Doe" <a@example.com>'],
    ['Doe, Jane (Dr.)', 'a@example.com', '"Doe, Jane (Dr.)" <a@example.com>'],
    ['a "b" \\c', 'a@example.com', '"a \\"b\\" \\\\c" <a@example.com>'],
    ['evil@example.org', 'a@example.com', '"evil@example.org" <a@example.com>'],
    ['Jané', 'a@example.com', '=?utf-8?B?SmFuw6k=?= <a@example.com>'],
    ['=?utf-8?Q?x?=', 'a@example.com', '=?utf-8?B?PT91dGYtOD9RP3g/PQ==?= <a@example.com>'],
    ['x\r\nBcc: y', 'a@example.com', '"x Bcc: y" <a@example.com>'],
  ]
  for (const [name, email, written] of table) {
    const mailbox = name === undefined ? { email } : { email, name }
    assert.equal(mailboxField('To', [mailbox]), `To: ${written}\r\n`)
  }
})

test('folds between mailboxes and words, never a line without a word', () => {
  const many = Array.from({ length: 50 }, (_, i) => ({
    email: `someone.number.${i}@example.com`,
    name: 'é'.repeat(i),
  }))
  const long = {
    email: `${'l'.repeat(64)}@${'d'.repeat(63)}.${'d'.repeat(63)}.example.com`,
    name: 'N'.repeat(5000),
  }
  for (const line of mailboxField('Reply-To', [long, ...many, long])
    .split('\r\n')
    .slice(0, -1)) {
    assert.ok(line.length <= 260)
    assert.match(line, /^(?:Reply-To: | )[!-~]/)
    if (line.includes('=?')) assert.ok(line.length <= 76, line)
  }
})

test('a UTF-8 local part stays what it is, as bytes', () => {
  assert.equal(
    Buffer.from(mailboxField('To', [{ email: 'jøe@example.com', name: 'Jøe' }]), 'latin1').toString('utf8'),
    'To: =?utf-8?Q?J=C3=B8e?= <jøe@example.com>\r\n',
  )
})

test('throws for what is no address', () => {
  const emails = [
    'a@example.com\r\nBcc: x@example.com',
    'a@example.com>, <b@example.com',
    'a@example.com,b@example.com',
    'a b@example.com',
    '"a\r\n b"@example.com',
    '"a" b"@example.com',
    '"a>"@example.com',
    'a',
    '',
    'a@b@example.com',
    'a\u2028@example.com',
    '"a\u0085"@example.com',
    '\ud83d@example.com',
    `${'a'.repeat(5000)}@example.com`,
  ]
  for (const email of emails) assert.throws(() => mailboxField('To', [{ email }]), TypeError, email)
})

test('a display name is one line without space around it', () => {
  assert.equal(legalDisplayName('\t Jane\tDoe\r\n'), 'Jane Doe')
})
