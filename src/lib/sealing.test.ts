// Tests that a sealed text can be opened only for its owner, and only if the text is unchanged.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Sealing } from './sealing.ts'

test('a secret opens for its owner, and for no other', () => {
  const sealing = new Sealing('the secret of the installation', 'totp')
  const sealed = sealing.seal('JBSWY3DPEHPK3PXP', 'usr_1')
  assert.equal(sealing.open(sealed, 'usr_1'), 'JBSWY3DPEHPK3PXP')
  assert.notEqual(sealing.seal('JBSWY3DPEHPK3PXP', 'usr_1'), sealed)
  assert.ok(!Buffer.from(sealed, 'base64url').includes('JBSWY3DPEHPK3PXP'))
  assert.throws(() => sealing.open(sealed, 'usr_2'))
  assert.throws(() => new Sealing('the secret of the installation', 'other').open(sealed, 'usr_1'))
  assert.throws(() => new Sealing('another secret', 'totp').open(sealed, 'usr_1'))
  for (let at = 0; at < sealed.length; at += 7) {
    const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1)
    assert.throws(() => sealing.open(changed, 'usr_1'), `changed at ${at}`)
  }
  assert.throws(() => sealing.open('', 'usr_1'))
})
