// Tests of finding the only mailbox of a field, and of writing the field so that no mail program finds another mailbox.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cpuWatch } from '../../../test/support/cpu-time.ts'
import { findSoleMailbox, isMailbox, soleMailboxField } from './sole-mailbox.ts'

const OWN = 'app@example.test'

test('finds the one address among comments, brackets, words and itself', () => {
  const table: [value: string, name: string | undefined, field: string][] = [
    ['Shop (Support) <app@example.test>', 'Shop (Support)', '"Shop (Support)" <app@example.test>'],
    ['app@example.test <app@example.test>', OWN, '"app@example.test" <app@example.test>'],
    ['[Tickets] Shop <app@example.test>', '[Tickets] Shop', '"[Tickets] Shop" <app@example.test>'],
    ['Shop ((a) b) <app@example.test>', 'Shop ((a) b)', '"Shop ((a) b)" <app@example.test>'],
    ['Shop <app@example.test> (Support)', 'Shop (Support)', '"Shop (Support)" <app@example.test>'],
    ['(Support) app@example.test', 'Support', 'Support <app@example.test>'],
    ['app@example.test (Support (main))', 'Support (main)', '"Support (main)" <app@example.test>'],
    ['Shop & Co. [EU]<app@example.test>', 'Shop & Co. [EU]', '"Shop & Co. [EU]" <app@example.test>'],
    ['Shop @ Home <app@example.test>', 'Shop @ Home', '"Shop @ Home" <app@example.test>'],
    ['@shop <app@example.test>', '@shop', '"@shop" <app@example.test>'],
    [
      "'app@example.test' <APP@Example.TEST>",
      "'app@example.test'",
      `"'app@example.test'" <APP@example.test>`,
    ],
    ['App@Example.Test <app@example.test>', 'App@Example.Test', '"App@Example.Test" <app@example.test>'],
    ['Shop Team app@example.test', 'Shop Team', 'Shop Team <app@example.test>'],
    ['<app@example.test> Shop', 'Shop', 'Shop <app@example.test>'],
    ['Shop <mailto:app@example.test>', 'Shop', 'Shop <app@example.test>'],
    ['Shop (x) <app@example.test>, ', 'Shop (x)', '"Shop (x)" <app@example.test>'],
    ['app@example.test;', undefined, 'app@example.test'],
    ['< app@example.test >', undefined, 'app@example.test'],
    ['Doe(J) <app(x)@example.test(y)>', 'Doe(J)', '"Doe(J)" <app@example.test>'],
    ['J. <app@example(y). test>', 'J.', '"J." <app@example.test>'],
    ['A (x \\) y) <app@example.test>', 'A (x \\) y)', '"A (x \\\\) y)" <app@example.test>'],
    ['CORP\\shop <app@example.test>', 'CORP\\shop', '"CORP\\\\shop" <app@example.test>'],
    ['"Doe, Ann" (x) <app@example.test>', 'Doe, Ann (x)', '"Doe, Ann (x)" <app@example.test>'],
    [
      '=?utf-8?Q?Gr=C3=BC=C3=9Fe_(x)?= (y) <app@example.test>',
      'Grüße (x) (y)',
      '=?utf-8?B?R3LDvMOfZSAoeCkgKHkp?= <app@example.test>',
    ],
    ['=?utf-8?Q?a,b;c:d?= <app@example.test>', 'a,b;c:d', '"a,b;c:d" <app@example.test>'],
    // Mail programs that search only for brackets also find brackets in quotation marks.
    [
      '"x <y@example.org>" <app@example.test>',
      'x <y@example.org>',
      '=?utf-8?B?eCA8eUBleGFtcGxlLm9yZz4=?= <app@example.test>',
    ],
  ]
  for (const [value, name, field] of table) {
    const found = findSoleMailbox(value)
    assert.ok(isMailbox(found), `${value}: ${JSON.stringify(found)}`)
    assert.equal(found.email.toLowerCase(), OWN, value)
    assert.equal(found.name, name, value)
    assert.equal(soleMailboxField('From', found), `From: ${field}\r\n`, value)
  }
})

test('says why a value is not one mailbox', () => {
  const table: [value: string, reason: RegExp][] = [
    ['', /no address/],
    ['Shop', /no address/],
    ['Shop (Support <app@example.test>', /< in a comment/],
    ['Shop (Support app@example.test', /parenthesis \( without/],
    ['Shop :) <app@example.test>', /colon/],
    ['Shop) <app@example.test>', /parenthesis \) without/],
    ['Doe, Ann <app@example.test>', /comma/],
    ['Shop: Billing <app@example.test>', /colon/],
    ['Shop; <app@example.test>', /semicolon/],
    ['G: app@example.test;', /colon/],
    ['<app@example.test>, x', /comma/],
    ['app@example.test, (b@example.org)', /comma/],
    ['<mailto:app@example.test,b@example.org>', /angle brackets that/],
    ['<app@example.test> <b@example.org>', /more than one address in angle/],
    ['b@example.org <app@example.test>', /second address/],
    ['b @ example.org <app@example.test>', /second address/],
    ['"b"@example.org <app@example.test>', /second address/],
    ['=?utf-8?Q?b?=@example.org <app@example.test>', /second address/],
    ['b@[192.0.2.1] <app@example.test>', /second address/],
    ['app@example.test@example.org <app@example.test>', /second address/],
    ['(b@example.org) <app@example.test>', /second address/],
    ['Shop (<b@example.org>) <app@example.test>', /< in a comment/],
    ['Shop ("x) <app@example.test>', /" in a comment/],
    ['Shop (a \\" b) <app@example.test>', /in a comment/],
    ['Shop (a (b) <b@example.org>) <app@example.test>', /< in a comment/],
    ['app@example.test b@example.org', /more than one address/],
    ['b@example.org app@example.test', /more than one address/],
    ['app@example.test (b@example.org)', /more than one address/],
    ['"x"app@example.test', /next to its address/],
    ['app@example.test"x"', /next to its address/],
    ['"unclosed <app@example.test>', /quotation mark/],
    ['5" screen <app@example.test>', /quotation mark/],
    ['Shop <app@example.test', /< without/],
    ['Shop app@example.test>', /> without/],
    ['<@relay.example:app@example.test>', /angle brackets that/],
    ['<app@example.test,b@example.org>', /angle brackets that/],
    ['<app (b@example.org) @example.test>', /angle brackets that/],
    ['app@example.test\\ <b@example.org>', /backslash|second/],
    ['x\\<b@example.org> <app@example.test>', /backslash/],
    ['=?utf-8?Q?app=40example.test?=', /no address/],
    ['=?utf-8?B?PGFwcEBleGFtcGxlLnRlc3Q+?=', /no address/],
    ['=?utf-8?Q?Shop_<app@example.test>?=', /encoded-word/],
    ['=?utf-8?Q?<b@example.org>?= <app@example.test>', /encoded-word/],
    ['app@example.test.', /no address/],
    [`${'x'.repeat(2000)} <app@example.test>`, /2000 characters/],
  ]
  for (const [value, reason] of table) {
    const found = findSoleMailbox(value)
    assert.ok(!isMailbox(found), `${value}: ${JSON.stringify(found)}`)
    assert.match(found.reason, reason, value)
  }
})

test('hostile values cost little time', () => {
  for (const piece of [
    '"',
    '(',
    ')',
    '<',
    '\\',
    '"\\"',
    '@',
    'a@',
    '@ ',
    ' ',
    '=?',
    '=?a?q?',
    'x',
    ',',
    '()',
  ]) {
    const used = cpuWatch()
    findSoleMailbox(piece.repeat(2000 / piece.length))
    assert.ok(used() < 200, piece)
  }
})
