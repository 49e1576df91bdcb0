// DKIM keys and their DNS records.

import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { test } from 'node:test'
import { dkimRecord, generateDkimKey, loadDkimKey, publicKeyOf } from './keys.ts'

test('makes RSA keys of 2,048 bits, published as SPKI', async () => {
  const { privateKey, publicKey } = await generateDkimKey('rsa-sha256')
  assert.match(privateKey, /^-----BEGIN PRIVATE KEY-----\n/)
  const key = loadDkimKey('rsa-sha256', privateKey)
  assert.equal(key.asymmetricKeyDetails?.modulusLength, 2048)
  const published = createPublicKey({ key: Buffer.from(publicKey, 'base64'), type: 'spki', format: 'der' })
  const data = Buffer.from('data')
  assert.ok(verify('sha256', data, published, sign('sha256', data, key)))
  assert.equal(publicKeyOf(key), publicKey)
  assert.equal(dkimRecord('rsa-sha256', publicKey), `v=DKIM1; k=rsa; p=${publicKey}`)
})

test('makes Ed25519 keys, published as 32 bytes', async () => {
  const { privateKey, publicKey } = await generateDkimKey('ed25519-sha256')
  assert.equal(Buffer.from(publicKey, 'base64').length, 32)
  assert.equal(publicKeyOf(loadDkimKey('ed25519-sha256', privateKey)), publicKey)
  assert.equal(dkimRecord('ed25519-sha256', publicKey), `v=DKIM1; k=ed25519; p=${publicKey}`)
})

test('publishes the key of RFC 8463 §A.1 and §A.2', () => {
  const seed = Buffer.from('nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=', 'base64')
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed])
  const pem = `-----BEGIN PRIVATE KEY-----\n${der.toString('base64')}\n-----END PRIVATE KEY-----\n`
  assert.equal(
    publicKeyOf(loadDkimKey('ed25519-sha256', pem)),
    '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
  )
})

test('loads no key of another kind, and never shows one', async () => {
  const { privateKey } = await generateDkimKey('ed25519-sha256')
  const short = generateKeyPairSync('rsa', { modulusLength: 512 }).privateKey
  const table: [algorithm: 'rsa-sha256' | 'ed25519-sha256', pem: string][] = [
    ['rsa-sha256', privateKey],
    ['ed25519-sha256', short.export({ type: 'pkcs8', format: 'pem' }).toString()],
    ['rsa-sha256', short.export({ type: 'pkcs8', format: 'pem' }).toString()],
    ['rsa-sha256', 'SECRET'],
    ['rsa-sha256', privateKey.replace('MC4CAQ', 'MC4CAX')],
  ]
  for (const [algorithm, pem] of table) {
    assert.throws(
      () => loadDkimKey(algorithm, pem),
      (error) => error instanceof TypeError && !/SECRET|MC4/.test(String(error.stack) + String(error.cause)),
    )
  }
})
