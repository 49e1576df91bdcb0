// DKIM keys and their DNS records.

import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { test } from 'node:test'
import { dkimRecord, generateDkimKey, importDkimKey, loadDkimKey, publicKeyOf } from './keys.ts'

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

test('imports keys that were generated elsewhere', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey
  const edwards = generateKeyPairSync('ed25519').privateKey
  for (const [key, type, algorithm] of [
    [rsa, 'pkcs8', 'rsa-sha256'],
    [rsa, 'pkcs1', 'rsa-sha256'],
    [edwards, 'pkcs8', 'ed25519-sha256'],
  ] as const) {
    const pem = key.export({ type, format: 'pem' }).toString()
    for (const text of [
      pem,
      pem.replace(/^/gm, '  '),
      pem.replaceAll('\n', '\r\n'),
      pem.trimEnd(),
      `# a comment\n${pem}`,
    ]) {
      const imported = importDkimKey(text)
      assert.ok(!('problem' in imported), JSON.stringify(imported))
      assert.equal(imported.algorithm, algorithm)
      assert.equal(imported.publicKey, publicKeyOf(key))
      assert.equal(imported.privateKey, key.export({ type: 'pkcs8', format: 'pem' }))
    }
  }
})

test('imports no other text, and tells the remedy without the key', () => {
  const pem = { type: 'pkcs8', format: 'pem' } as const
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const good = rsa.privateKey.export(pem).toString()
  const edwards = generateKeyPairSync('ed25519').privateKey.export(pem).toString()
  // Another bit of the modulus, which loads as a key.
  const der = rsa.privateKey.export({ type: 'pkcs1', format: 'der' })
  der[40]! ^= 1
  const changed = `-----BEGIN RSA PRIVATE KEY-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END RSA PRIVATE KEY-----\n`
  const table: [text: string, problem: RegExp][] = [
    ['', /Give the private key in PEM/],
    ['MIIEvQIBADANBg', /Give the private key in PEM/],
    [rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString(), /is a public key or a certificate/],
    ['-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n', /is a public key or a certificate/],
    [rsa.privateKey.export({ ...pem, cipher: 'aes-256-cbc', passphrase: 'x' }).toString(), /is encrypted/],
    [
      rsa.privateKey.export({ ...pem, type: 'pkcs1', cipher: 'aes-256-cbc', passphrase: 'x' }).toString(),
      /is encrypted/,
    ],
    [good + edwards, /several keys/],
    [good.replaceAll('\n', '\\n'), /line breaks are written as \\n/],
    [good.slice(0, 400), /damaged or cut off/],
    [good.replace(/\n.{20}/, '\n'), /damaged or cut off/],
    [changed, /damaged: its signatures/],
    [
      '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaA==\n-----END OPENSSH PRIVATE KEY-----\n',
      /ssh-keygen -p -m PKCS8/,
    ],
    [generateKeyPairSync('rsa', { modulusLength: 1_024 }).privateKey.export(pem).toString(), /has 1024 bits/],
    [generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export(pem).toString(), /type ec cannot/],
    [generateKeyPairSync('x25519').privateKey.export(pem).toString(), /type x25519 cannot/],
    [generateKeyPairSync('ed448').privateKey.export(pem).toString(), /type ed448 cannot/],
    [
      generateKeyPairSync('rsa-pss', { modulusLength: 1_024 }).privateKey.export(pem).toString(),
      /type rsa-pss cannot/,
    ],
  ]
  for (const [text, problem] of table) {
    const imported = importDkimKey(text)
    assert.ok('problem' in imported, text)
    assert.match(imported.problem, problem)
    const secret = text.split('\n').filter((line) => /^[\w+/=]{20,}$/.test(line))
    for (const line of secret) assert.ok(!imported.problem.includes(line), line)
  }
})
