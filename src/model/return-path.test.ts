// Tests that a return path decodes to its recipient, and that a forged return path is refused.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../lib/ids.ts'
import { isAddress, parseAddress } from './address.ts'
import { findReturnPath, readReturnPath, returnPath } from './return-path.ts'

const SECRET = 'secret'

test('a return path is an address of at most 64 bytes before the @ and can be decoded', () => {
  for (const position of [0, 1, 49]) {
    const id = newId('msg')
    const path = returnPath(SECRET, id, position, 'example.com')
    assert.ok(isAddress(parseAddress(path)))
    assert.ok(path.indexOf('@') <= 64)
    assert.ok(path.endsWith('@bounces.example.com'))
    assert.deepEqual(readReturnPath(SECRET, path), { messageId: id, position })
    assert.deepEqual(
      readReturnPath(SECRET, path.toUpperCase()),
      { messageId: id, position },
      'case folded on the way',
    )
  }
})

test('a changed token, or one of another secret, is refused', () => {
  const path = returnPath(SECRET, newId('msg'), 3, 'example.com')
  const at = path.indexOf('@')
  for (let index = 'bounces+'.length; index < at; index++) {
    const other = path[index] === 'a' ? 'b' : 'a'
    assert.equal(readReturnPath(SECRET, path.slice(0, index) + other + path.slice(index + 1)), undefined)
  }
  assert.equal(readReturnPath('other', path), undefined)
  for (const text of ['', 'bounces@bounces.example.com', 'bounces+@x', `x${path}`]) {
    assert.equal(readReturnPath(SECRET, text), undefined)
  }
})

test('a return path is found in a text, among forged ones', () => {
  const id = newId('msg')
  const path = returnPath(SECRET, id, 7, 'example.com')
  const forged = returnPath('other', newId('msg'), 0, 'example.com')
  const found = { messageId: id, position: 7 }
  for (const text of [
    `Return-Path: <${path}>`,
    `Received: from x (envelope-from ${forged}) by y\nReturn-Path: ${path}`,
    `smtp.mailfrom=${path.toUpperCase()};`,
    `rfc822;${path.replace('+', '=2B').replace('@', '=')}@forwarder.example`,
  ]) {
    assert.deepEqual(findReturnPath(SECRET, text), found, text)
  }
  assert.equal(findReturnPath(SECRET, `Return-Path: <${forged}>`), undefined)
  assert.equal(findReturnPath(SECRET, path.replace('@', 'a@')), undefined)
  assert.equal(
    findReturnPath(SECRET, `${`${forged} `.repeat(1_000)}${path}`),
    undefined,
    'so many are not tried',
  )
})
