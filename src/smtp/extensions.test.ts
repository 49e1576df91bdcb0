import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cpuWatch } from '../../test/support/cpu-time.ts'
import { noExtensions, readExtensions } from './extensions.ts'

test('reads the extensions of a host, in upper and lower case', () => {
  const found = readExtensions([
    'mx.test greets you',
    'pipelining',
    'SIZE 1000',
    '8BITMIME',
    'SMTPUTF8',
    'STARTTLS',
    'Chunking',
    'DSN',
    'ENHANCEDSTATUSCODES',
    'AUTH PLAIN login',
    'AUTH=LOGIN',
    'X-UNKNOWN a b',
  ])
  assert.deepEqual(found, {
    pipelining: true,
    size: 1000,
    sizeOffered: true,
    eightBitMime: true,
    smtpUtf8: true,
    chunking: true,
    dsn: true,
    enhancedStatusCodes: true,
    startTls: true,
    authMechanisms: ['PLAIN', 'LOGIN'],
  })
})

test('the first line is no keyword', () => {
  assert.deepEqual(readExtensions(['PIPELINING']), noExtensions)
})

for (const [text, size] of [
  ['SIZE', undefined],
  ['SIZE 0', undefined],
  ['SIZE many', undefined],
  ['SIZE -1', undefined],
  ['SIZE 99999999999999999999', undefined],
  ['SIZE 52428800', 52428800],
] as const) {
  test(`"${text}" limits messages to ${size ?? 'nothing'}`, () => {
    const found = readExtensions(['mx.test', text])
    assert.equal(found.size, size)
    assert.equal(found.sizeOffered, true)
  })
}

test('a keyword repeated 100,000 times takes no longer than others', () => {
  const lines = Array.from({ length: 100_000 }, (_, index) => `AUTH M${index}`)
  const used = cpuWatch()
  const { authMechanisms } = readExtensions(['mx.test', ...lines])
  const took = used()
  assert.equal(authMechanisms.length, 100_000)
  assert.ok(took < 1_500, `${took} ms`)
})
