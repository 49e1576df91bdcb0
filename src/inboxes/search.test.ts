// Tests the search language of test inboxes, and the codes that are found in a mail.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cpuWatch } from '../../test/support/cpu-time.ts'
import { summarize } from '../mime/mail-summary.ts'
import { codesOf } from './mail-links.ts'
import { MAX_QUERY, parseQuery, timeIn } from './search.ts'

const AT = Date.parse('2026-03-01T23:30:00Z')
const RAW = `From: "The Shop" <shop@shop.example>\r\nTo: Ann <ann@receiver.example>\r\nCc: bob@other.example\r
Reply-To: help@shop.example\r\nMessage-ID: <one@shop.example>\r\nSubject: Größe und Maß\r
Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\r\nYour code is 482913.\r\n--x\r
Content-Disposition: attachment; filename=a.txt\r\n\r\nfile\r\n--x--\r\n`

async function mailOf(more: object = {}) {
  const raw = Buffer.from(RAW)
  const { summary, search } = await summarize(raw)
  const recipients = ['ann@receiver.example', 'bob@other.example', 'eve@hidden.example']
  return {
    ...{ received_at: AT, size: 2_000, seen: 0, recipients: JSON.stringify(recipients) },
    ...{ tags: '["Receipt"]', summary: JSON.stringify(summary), search, ...more },
  }
}

test('each filter of the language selects a mail, and its negation does not', async () => {
  const mail = await mailOf()
  const matching = [
    ...['grosse', '"größe und"', 'ANN@receiver', 'eve@hidden.example', '482913', 'shop code'],
    ...['from:shop', 'to:ann', 'cc:bob', 'bcc:eve', 'reply-to:help', 'addressed:eve', 'addressed:"the shop"'],
    ...[
      'subject:maß',
      'subject:"und maß"',
      'message-id:<one@shop.example>',
      'tag:receipt',
      'is:unread',
      'is:tagged',
    ],
    ...['has:attachment', 'larger:1k', 'smaller:1M', 'after:2026-03-01', 'before:2026-03-02', ''],
  ]
  for (const query of matching) {
    assert.ok(parseQuery(query).matches(mail), query)
    if (query === '' || query.includes(' ')) continue
    assert.ok(!parseQuery(`-${query}`).matches(mail), `-${query}`)
    assert.ok(!parseQuery(`!${query}`).matches(mail), `!${query}`)
  }
  const other = [
    'zebra',
    'to:bob',
    'bcc:ann',
    'is:read',
    'has:inline',
    'larger:1M',
    'tag:rec',
    'before:2026-03-01',
    'what:ever',
  ]
  for (const query of other) assert.ok(!parseQuery(query).matches(mail), query)
  assert.ok(parseQuery('is:read').matches(await mailOf({ seen: 1 })))
})

test('dates are those of the time zone', async () => {
  const mail = await mailOf()
  assert.ok(parseQuery('after:2026-03-02', 'Europe/Berlin').matches(mail))
  assert.ok(!parseQuery('after:2026-03-02', 'UTC').matches(mail))
  assert.equal(timeIn('2026-03-02', 'America/New_York'), Date.parse('2026-03-02T05:00:00Z'))
  assert.equal(timeIn('2026-03-02T01:00:00+02:00', 'Nowhere/None'), Date.parse('2026-03-01T23:00:00Z'))
  assert.equal(timeIn('yesterday', 'UTC'), undefined)
})

test('a query of any form takes bounded time', async () => {
  const mail = await mailOf()
  const spent = cpuWatch()
  for (const part of ['-', '!-', 'to:', '"', 'a:b ', 'from:x ', '-"a" ', ':', ' ']) {
    parseQuery(part.repeat(MAX_QUERY)).matches(mail)
  }
  assert.ok(spent() < 2_000, `${spent()} ms`)
})

test('codes are found where a word announces them or where they stand alone', () => {
  assert.deepEqual(codesOf('Your verification code: 482913.'), ['482913'])
  assert.deepEqual(codesOf('Ihr Code lautet 48 29 oder 123-456'), ['123456'])
  assert.deepEqual(codesOf('Hello\n\n  7391  \n\nBye'), ['7391'])
  assert.deepEqual(codesOf('Use the code AB12CD to sign in'), ['AB12CD'])
  assert.deepEqual(codesOf('Order 20261130 for 1,999.00 EUR, see https://a.example/482913'), [])
  const spent = cpuWatch()
  codesOf('code 1'.repeat(100_000))
  assert.ok(spent() < 2_000, `${spent()} ms`)
})
