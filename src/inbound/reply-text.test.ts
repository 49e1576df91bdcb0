// The reply in a text: quotations go, empty lines stay unless they are very many.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { replyText } from './reply-text.ts'

test('quotations and what introduces them are left out, empty lines within are not', () => {
  const reply = 'Yes, please.\n\n\n\nJo'
  assert.equal(
    replyText(
      `${reply}\n\nOn Fri, 20 Nov 2026, Shop wrote:\n> Shall we send it?\n> Kind regards\n`,
    ).trimEnd(),
    reply,
  )
})

test('of a long run of empty lines, whatever spaces they have, a few are kept', () => {
  for (const line of ['\n', ' \n', '\t\r\n']) {
    const reply = replyText(`Yes.${line.repeat(20_000)}And no.`)
    assert.match(reply, /^Yes\.[ \t\r\n]+And no\.$/)
    assert.ok(reply.split('\n').length <= 22, `${reply.split('\n').length} lines`)
  }
})
