// Tests which recipients the list of a key permits.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Address, parseAddress } from './address.ts'
import { isRecipientPattern, PermittedRecipients } from './permitted-recipients.ts'

const address = (text: string): Address => parseAddress(text) as Address

describe('permitted recipients', () => {
  const permitted = new PermittedRecipients(['Ann@Example.com', '*@staff.example.com', '*@Bücher.example'])

  test('are the listed addresses in any case, and all addresses of the listed domains', () => {
    for (const text of [
      ...['ann@example.com', 'ANN@EXAMPLE.COM', 'bob@staff.example.com', 'Bob+x@STAFF.example.com'],
      'jo@xn--bcher-kva.example',
    ]) {
      assert.ok(permitted.includes(address(text)), text)
    }
    for (const text of [
      ...['bob@example.com', 'ann+x@example.com', 'ann@sub.example.com', 'bob@sub.staff.example.com'],
      ...['"*"@example.com', 'ann@example.com.example.net'],
    ]) {
      assert.ok(!permitted.includes(address(text)), text)
    }
  })

  test('cover narrower patterns only', () => {
    for (const [pattern, covers] of [
      ['ann@example.com', true],
      ['*@example.com', false],
      ['bob@staff.example.com', true],
      ['*@staff.example.com', true],
      ['*@sub.staff.example.com', false],
      ['*@xn--bcher-kva.example', true],
    ] as const) {
      assert.equal(permitted.covers(pattern), covers, pattern)
    }
  })

  test('are addresses or *@domain', () => {
    for (const text of ['ann@example.com', '*@example.com']) assert.ok(isRecipientPattern(text), text)
    for (const text of [
      '*',
      'example.com',
      '@example.com',
      '*@*',
      '*@example.*',
      'a*@',
      '*@x@y.example',
      '',
    ]) {
      assert.ok(!isRecipientPattern(text), text)
    }
  })
})
