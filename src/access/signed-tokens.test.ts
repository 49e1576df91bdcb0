// Tests that valid signed tokens are accepted and all other tokens are rejected.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SignedTokens } from './signed-tokens.ts'

const NOW = Date.UTC(2027, 0, 1)
const tokens = new SignedTokens('the secret', 'tests')

test('a token is read for its subject until it expires', () => {
  const token = tokens.make('ann@example.com', NOW + 1_000)
  const read = tokens.read(token, 'ann@example.com', NOW)
  assert.equal(read?.expiresAt, NOW + 1_000)
  assert.equal(tokens.read(token, 'ann@example.com', NOW + 999)?.id, read?.id)
  assert.equal(tokens.read(token, 'ann@example.com', NOW + 1_000), undefined)
  assert.notEqual(
    tokens.read(tokens.make('ann@example.com', NOW + 1_000), 'ann@example.com', NOW)?.id,
    read?.id,
  )
})

test('a token with another subject, purpose or secret, or a changed byte, is refused', () => {
  const token = tokens.make('ann@example.com', NOW + 1_000)
  assert.equal(tokens.read(token, 'bob@example.com', NOW), undefined)
  assert.equal(new SignedTokens('the secret', 'others').read(token, 'ann@example.com', NOW), undefined)
  assert.equal(new SignedTokens('another', 'tests').read(token, 'ann@example.com', NOW), undefined)
  for (let at = 0; at < token.length; at++) {
    const changed = Buffer.from(token)
    changed[at] = (changed[at] as number) ^ 1
    assert.equal(tokens.read(changed, 'ann@example.com', NOW), undefined, `byte ${at}`)
  }
  for (const length of [0, 1, 22, 37, 39]) {
    assert.equal(tokens.read(Buffer.alloc(length), 'ann@example.com', NOW), undefined)
  }
})
