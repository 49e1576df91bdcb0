// /readyz, the metrics and the checks of the installation report the state of TLS.

import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { TlsSource } from '../../../src/certificates/tls-source.ts'
import { checkCertificate } from '../../../src/health/installation.ts'
import { TestApp } from '../../support/app.ts'
import { certificateFor } from '../../support/authority.ts'
import { TestClock } from '../../support/test-clock.ts'

describe('the state of TLS', () => {
  let app: TestApp
  let dataDir: string
  let smtpTlsCert: string
  let smtpTlsKey: string
  const clock = new TestClock(Date.now())
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'postrider-tls-'))
    await TlsSource.open({ dataDir, hostName: 'sender.test' })
    smtpTlsCert = join(dataDir, 'smtp-cert.pem')
    smtpTlsKey = join(dataDir, 'smtp-key.pem')
    const env = { POSTRIDER_SMTP_TLS_CERT: smtpTlsCert, POSTRIDER_SMTP_TLS_KEY: smtpTlsKey }
    app = await TestApp.start({ env, clock })
  })
  after(async () => {
    await app.stop()
    await rm(dataDir, { recursive: true })
  })

  const metric = async (name: string): Promise<number> => {
    const { body } = await app.call('GET', '/metrics')
    return Number(new RegExp(`^postrider_smtp_certificate_${name} (\\S+)$`, 'm').exec(body)?.[1])
  }
  const summary = async () => (await app.call('GET', '/readyz')).body.smtp_certificate
  const check = () =>
    checkCertificate(
      {
        ...{ mode: 'production', dataDir, databaseUrl: undefined, publicUrl: undefined },
        ...{ adminHost: '127.0.0.1', adminPort: 8026, acmeEmail: undefined },
        ...{ hostname: 'sender.test', smtpTlsCert, smtpTlsKey },
      },
      clock.now(),
    )

  test('a good certificate is ok, with its expiry', async () => {
    const { status, not_after } = await summary()
    assert.equal(status, 'ok')
    assert.ok(
      Math.abs((Date.parse(not_after) - clock.now()) / 1_000 - (await metric('remaining_seconds'))) < 2,
    )
    assert.equal(await metric('files_usable'), 1)
    assert.equal((await check()).status, 'ok')
  })

  test('an expired certificate is reported by all of them, and the node stays ready', async () => {
    const before = [await readFile(smtpTlsCert), await readFile(smtpTlsKey)] as const
    const expired = await certificateFor(['sender.test'], { expired: true })
    await writeFile(smtpTlsKey, expired.key)
    await writeFile(smtpTlsCert, expired.cert)
    clock.advance(1_000)
    const { status: ready, body } = await app.call('GET', '/readyz')
    assert.deepEqual([ready, body.smtp_certificate.status], [200, 'expired'])
    assert.ok((await metric('remaining_seconds')) < -300 * 86_400)
    const { status, detail } = await check()
    assert.equal(status, 'fail')
    assert.match(detail, /^expired on \d{4}-\d\d-\d\d$/)
    await writeFile(smtpTlsKey, before[1])
    await writeFile(smtpTlsCert, before[0])
    clock.advance(1_000)
    assert.equal((await summary()).status, 'ok')
  })

  test('files that became unusable are reported by all of them', async () => {
    await truncate(smtpTlsCert)
    clock.advance(1_000)
    const { status, problem } = await summary()
    assert.equal(status, 'not replaced')
    assert.match(problem, /is empty/)
    assert.equal(await metric('files_usable'), 0)
    const { status: checked, detail } = await check()
    assert.equal(checked, 'fail')
    assert.match(detail, /is empty/)
  })
})
