// Tests of finding domains in a sorted buffer.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainList } from './lists.ts'

const listOf = (...names: string[]): DomainList =>
  new DomainList(
    Buffer.from(
      names
        .toSorted()
        .map((name) => `${name}\n`)
        .join(''),
    ),
  )

test('finds every name of a list of any length, and nothing between them', () => {
  for (const count of [0, 1, 2, 3, 10, 1_000]) {
    const names = Array.from({ length: count }, (_, index) => `d${index * 2}.example`)
    const list = listOf(...names)
    assert.ok(names.every((name) => list.has(name)))
    for (let index = 0; index <= count; index++) assert.equal(list.has(`d${index * 2 + 1}.example`), false)
    for (const name of ['', '.', 'a', 'zzz', 'd0.exampl', 'd0.examplee', '0.example']) {
      assert.equal(list.has(name), false)
    }
  }
})

test('considers the parents of a subdomain, on label borders', () => {
  const list = listOf('mailinator.com', 'a.b.example')
  assert.ok(list.hasOrParent('mailinator.com'))
  assert.ok(list.hasOrParent('x.y.mailinator.com'))
  assert.ok(list.hasOrParent('x.a.b.example'))
  for (const name of ['notmailinator.com', 'b.example', 'com', 'mailinator.com.example']) {
    assert.equal(list.hasOrParent(name), false, name)
  }
})

test('a list that was cut off is no list', () => {
  assert.throws(() => new DomainList(Buffer.from('a.example\nb.exam')), /has no line break at its end/)
})
