// DANE (RFC 7672): the certificate of a mail host must match its TLSA records if a resolver has validated the records.

import assert from 'node:assert/strict'
import { hash, X509Certificate } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { certificateFor } from '../../support/authority.ts'
import { type Certificate, testCertificate } from '../../support/certificate.ts'
import type { DnsFailure, DnsRecords } from '../../support/dns-host.ts'
import { firstAttempt } from '../../support/first-attempt.ts'
import { type ManyHosts, startHosts } from '../../support/mail-host/many-hosts.ts'

const digest = ({ cert }: Certificate): string =>
  hash('sha256', new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' }))

describe('a host with TLSA records', () => {
  let many: ManyHosts
  before(async () => {
    many = await startHosts([{ tls: true }, {}], { env: { POSTRIDER_DNSSEC: 'trusted' } })
    const right = `3 1 1 ${digest(await testCertificate())}`
    const wrong = `3 1 1 ${digest(await certificateFor(['host0.test']))}`
    const unusable = `1 1 1 ${'00'.repeat(32)}`
    const nodata: DnsRecords = { secure: true }
    publish('right', { TLSA: [right], secure: true })
    publish('one-right', { TLSA: [wrong, right], secure: true })
    publish('wrong', { TLSA: [wrong], secure: true })
    publish('unusable', { TLSA: [unusable], secure: true })
    publish('none', nodata)
    publish('unsigned', { TLSA: [wrong] })
    publish('broken', 'SERVFAIL')
    publish('silent', 'TIMEOUT')
    publish('plain', { TLSA: [right], secure: true }, { A: ['127.0.1.2'], secure: true })
    publish('plain-unusable', { TLSA: [unusable], secure: true }, { A: ['127.0.1.2'], secure: true })
    publish('unsigned-host', { TLSA: [wrong], secure: true }, { A: ['127.0.1.1'] })
    publish('unsigned-mx', { TLSA: [wrong], secure: true })
    many.app.dns.set('unsigned-mx.example', { MX: ['10 mx.unsigned-mx.example'] })
    many.app.dns.set('address.example', { A: ['127.0.1.1'], secure: true })
    many.app.dns.set(`_${many.app.host.port}._tcp.address.example`, { TLSA: [wrong], secure: true })
    many.app.dns.set('fallback.example', { MX: ['10 mx.wrong.example', '20 mx.right.example'], secure: true })
  })
  after(() => many.stop())

  /** Publishes a destination with a signed MX record, its mail host, and the TLSA records of the mail host. */
  function publish(
    name: string,
    tlsa: DnsRecords | DnsFailure,
    host: DnsRecords = { A: ['127.0.1.1'], secure: true },
  ): void {
    const { dns, host: any } = many.app
    dns.set(`${name}.example`, { MX: [`10 mx.${name}.example`], secure: true })
    dns.set(`mx.${name}.example`, host)
    dns.set(`_${any.port}._tcp.mx.${name}.example`, tlsa)
  }

  for (const name of ['right', 'one-right']) {
    test(`gets mail when they match its certificate, whoever signed it: ${name}`, async () => {
      const { status, transcript } = await firstAttempt(many.app, `u@${name}.example`)
      assert.equal(status, 'delivered')
      assert.match(transcript, /matches the TLSA records/)
    })
  }

  const DEFERRED: [name: string, reason: RegExp][] = [
    [
      'wrong',
      /No TLSA record matches the certificate; DANE of mx\.wrong\.example requires a verified certificate/,
    ],
    ['plain', /STARTTLS is not offered; DANE of mx\.plain\.example requires TLS/],
    ['plain-unusable', /STARTTLS is not offered; DANE/],
    ['broken', /DANE: _\d+\._tcp\.mx\.broken\.example could not be looked up \(ESERVFAIL\)/],
    ['address', /No TLSA record matches the certificate/],
  ]
  for (const [name, reason] of DEFERRED) {
    test(`waits when they do not match: ${name}`, async () => {
      const ended = await firstAttempt(many.app, `u@${name}.example`)
      assert.deepEqual([ended.status, ended.category], ['deferred', 'tls'])
      assert.match(ended.reason, reason)
    })
  }

  test('waits when the signed MX records do not name the host', async () => {
    let asked = 0
    many.app.dns.set('forged.example', () =>
      asked++ === 0 ? { MX: ['10 mx.unsigned-mx.example'] } : { MX: ['10 mx.right.example'], secure: true },
    )
    const ended = await firstAttempt(many.app, 'u@forged.example')
    assert.deepEqual([ended.status, ended.category], ['deferred', 'tls'])
    assert.match(ended.reason, /signed DNS of forged\.example does not name mx\.unsigned-mx\.example/)
  })

  test('that are unusable gets mail over TLS with any certificate', async () => {
    const { status, tls } = await firstAttempt(many.app, 'u@unusable.example')
    assert.deepEqual([status, tls], ['delivered', 'TLSv1.3'])
  })

  for (const name of ['none', 'unsigned', 'unsigned-host', 'unsigned-mx']) {
    test(`that are not validated, or missing, is treated as any other: ${name}`, async () => {
      const { status, transcript } = await firstAttempt(many.app, `u@${name}.example`)
      assert.equal(status, 'delivered')
      assert.doesNotMatch(transcript, /TLSA/)
    })
  }

  test('is skipped for the next host if it has the wrong certificate', async () => {
    const { status, mx } = await firstAttempt(many.app, 'u@fallback.example')
    assert.deepEqual([status, mx], ['delivered', 'mx.right.example'])
  })

  test('is counted in the TLS report if its certificate does not match', async () => {
    await many.app.stopNode()
    const rows = await many.app.store.read
      .selectFrom('tls_results')
      .selectAll()
      .where('policy_domain', '=', 'wrong.example')
      .execute()
    assert.deepEqual(
      rows.map((row) => [row.policy_type, row.mx, row.result, row.sessions]),
      [['tlsa', 'mx.wrong.example', 'validation-failure', 1]],
    )
    await many.app.startNode({ POSTRIDER_DNSSEC: 'off' })
    assert.equal(
      (await firstAttempt(many.app, 'u@wrong.example')).status,
      'delivered',
      'and DANE is off then',
    )
  })
})
