// Tests that certificates made by a thread are complete, errors are passed on, and no thread remains.

import assert from 'node:assert/strict'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { describe, test } from 'node:test'
import { until } from '../../test/support/test-clock.ts'
import { thorough } from '../../test/support/thorough.ts'
import { makeCertificate, makeChallengeCertificate, makeRequest, renewalIdOf } from './making.ts'

const NAMES = [{ type: 'dns', value: 'mail.example' }] as const
const DAY_MS = 86_400_000
const times = { notBefore: Date.now() - DAY_MS, notAfter: Date.now() + DAY_MS }

/** Number of threads of this process, if the system reports the number. */
const threads = (): number => (existsSync('/proc/self/task') ? readdirSync('/proc/self/task').length : 0)

describe('certificates made in a thread', () => {
  test(
    'come with their key, and can sign others',
    thorough('0.8 CPU s; the other tests of the file cover the common cases'),
    async () => {
      const authority = await makeCertificate({ names: NAMES, ...times, isAuthority: true })
      const signed = await makeCertificate({ names: NAMES, ...times, issuer: authority })
      for (const { cert, key } of [authority, signed]) {
        const certificate = new X509Certificate(cert)
        assert.ok(certificate.checkPrivateKey(createPrivateKey(key)))
        assert.equal(certificate.checkHost('mail.example'), 'mail.example')
      }
      assert.ok(new X509Certificate(signed.cert).verify(new X509Certificate(authority.cert).publicKey))
      assert.equal(await renewalIdOf(authority.cert), undefined)
    },
  )

  test('so do requests for them, and the answers to challenges', async () => {
    const { request, key } = await makeRequest(['mail.example'])
    assert.ok(Buffer.isBuffer(request) && request.includes('mail.example'))
    assert.equal(createPrivateKey(key).asymmetricKeyType, 'ec')
    const challenge = await makeChallengeCertificate('mail.example', Buffer.alloc(32, 7), Date.now())
    assert.ok(new X509Certificate(challenge.cert).raw.includes(Buffer.alloc(32, 7)))
  })

  test('a failure is reported, and no thread is left', async () => {
    await assert.rejects(renewalIdOf('no certificate'), /no certificate was made: /)
    const before = threads()
    await assert.rejects(makeCertificate({ names: [{ type: 'ip', value: 'no address' }], ...times }))
    await until('the thread has ended', () => threads() <= before)
  })
})
