// Invalid certificate files at the start and while the service is running.

import assert from 'node:assert/strict'
import { copyFile, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { TestClock } from '../../test/support/test-clock.ts'
import { silentLog } from '../lib/log.ts'
import { TlsSource } from './tls-source.ts'

/** Ways in which the files of a pair can be unusable; each function damages a valid pair. */
const SPOILED: readonly (readonly [string, RegExp, (at: Files, other: Files) => Promise<void>])[] = [
  ['an empty certificate', /cert\.pem is empty/, ({ cert }) => truncate(cert)],
  ['an empty key', /key\.pem is empty/, ({ key }) => truncate(key)],
  [
    'both empty, as after a power cut',
    /is empty/,
    async ({ cert, key }) => {
      await truncate(cert)
      await truncate(key)
    },
  ],
  ['a certificate full of NULs', /contains no certificate/, ({ cert }) => writeFile(cert, Buffer.alloc(500))],
  ['a key cut in half', /contains no private key/, ({ key }) => truncate(key, 60)],
  [
    'a key of another certificate',
    /does not belong to the certificate/,
    ({ key }, other) => copyFile(other.key, key),
  ],
  [
    'a certificate of another key',
    /does not belong to the certificate/,
    ({ cert }, other) => copyFile(other.cert, cert),
  ],
]

interface Files {
  readonly cert: string
  readonly key: string
}

describe('a certificate', () => {
  let directory: string
  let other: Files
  let made = 0
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'postrider-cert-'))
    other = await makePair()
  })
  after(() => rm(directory, { recursive: true }))

  const hostName = 'mail.test'
  async function makePair(): Promise<Files & { readonly dataDir: string }> {
    const dataDir = join(directory, `data${++made}`)
    await TlsSource.open({ dataDir, hostName })
    return { dataDir, cert: join(dataDir, 'smtp-cert.pem'), key: join(dataDir, 'smtp-key.pem') }
  }
  /** Returns a log, and the list of the reasons in the log entries. */
  function listening() {
    const reasons: string[] = []
    const keep = (fields: object): void => {
      reasons.push(String((fields as { reason?: string }).reason))
    }
    return { reasons, log: { ...silentLog, warn: keep, error: keep } }
  }

  for (const [what, why, spoil] of SPOILED) {
    test(`${what} of the self-signed pair is replaced at the start, with a line in the log`, async () => {
      const files = await makePair()
      await spoil(files, other)
      const { reasons, log } = listening()
      const tls = await TlsSource.open({ dataDir: files.dataDir, hostName, log })
      assert.equal(tls.state().problem, undefined)
      assert.match(reasons.join(), why)
      assert.deepEqual((await TlsSource.open({ dataDir: files.dataDir, hostName })).current(), tls.current())
      assert.deepEqual((await readdir(files.dataDir)).sort(), ['smtp-cert.pem', 'smtp-key.pem'])
    })

    test(`${what} that is configured stops the start`, async () => {
      const files = await makePair()
      await spoil(files, other)
      const configured = { certFile: files.cert, keyFile: files.key }
      await assert.rejects(
        TlsSource.open({ dataDir: directory, hostName, ...configured }),
        (error: Error) => {
          assert.match(error.message, why)
          assert.match(error.message, /see POSTRIDER_SMTP_TLS_CERT and POSTRIDER_SMTP_TLS_KEY/)
          return true
        },
      )
    })

    test(`${what} does not replace the valid one while the service runs`, async () => {
      const files = await makePair()
      const clock = new TestClock()
      const { reasons, log } = listening()
      const configured = { certFile: files.cert, keyFile: files.key }
      const tls = await TlsSource.open({ dataDir: directory, hostName, ...configured, clock, log })
      const good = tls.current()
      await spoil(files, other)
      for (let looks = 0; looks < 3; looks++) {
        clock.advance(1_000)
        assert.equal(tls.current(), good)
      }
      assert.match(tls.state().problem ?? '', why)
      assert.equal(reasons.length, 1, 'the reason is logged once')
      await copyFile(other.cert, files.cert)
      await copyFile(other.key, files.key)
      clock.advance(1_000)
      assert.notEqual(tls.current(), good)
      assert.equal(tls.state().problem, undefined)
    })
  }

  test('of the self-signed pair that has expired is replaced', async () => {
    const { dataDir } = await makePair()
    const clock = new TestClock()
    clock.advance(11 * 365 * 86_400_000)
    const { notAfter } = (await TlsSource.open({ dataDir, hostName })).state()
    assert.ok(notAfter < clock.now())
    const late = await TlsSource.open({ dataDir, hostName, clock })
    assert.ok(late.state().notAfter > notAfter)
  })
})
