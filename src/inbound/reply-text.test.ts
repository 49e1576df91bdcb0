// The reply in a text: quotations go, empty lines stay unless they are very many.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cpuWatch } from '../../test/support/cpu-time.ts'
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

test('lines stay whole however long they are, and those of a quotation go', () => {
  const long = 'A paragraph in one line. '.repeat(400).trim()
  const reply = `Yes.\n${long}\n\nJo`
  assert.equal(
    replyText(`${reply}\n\nOn Fri, 20 Nov 2026, Shop wrote:\n> ${long}\n> ${long}\n`).trimEnd(),
    reply,
  )
  const twice = `${'x'.repeat(3_000)}\x001\x00`
  assert.equal(replyText(`${twice}\n${twice}`), `${twice}\n${twice}`.replaceAll('\0', ''))
})

test('lines that are made to take long take no longer than others', () => {
  for (const piece of ['On ', '<a@b.c> ', 'On a wrote: ', '> On ']) {
    for (const end of ['', '\n', `${piece.repeat(99)}\n`]) {
      const used = cpuWatch()
      replyText(`Hello\n${`${piece}${end}`.repeat(65_536 / (piece.length + end.length))}\nx`)
      const took = used()
      assert.ok(took < 1_500, `${took} ms for ${JSON.stringify(piece + end)}`)
    }
  }
})
