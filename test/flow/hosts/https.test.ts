// The HTTPS port: the certificate in files, its reload without a restart, and clients that do not use TLS.

import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls'
import { TestApp } from '../../support/app.ts'
import { certificateFor } from '../../support/authority.ts'
import { readAnswer } from '../../support/raw-http.ts'
import { sleep, TestClock, until } from '../../support/test-clock.ts'

const NAME = 'mail.sender.test'
const ACME = {
  POSTRIDER_ACME_EMAIL: 'post@sender.test',
  POSTRIDER_ACME_DIRECTORY: 'https://acme.invalid/directory',
}

/**
 * Two ways to begin TLS: the server first reads the ClientHello, as ACME requires, or starts TLS without reading the
 * ClientHello.
 */
for (const [how, isAcme] of [
  ['with files', false],
  ['with ACME', true],
] as const) {
  describe(`HTTPS ${how}`, { concurrency: 1 }, () => {
    let app: TestApp
    let directory: string
    const clock = new TestClock(Date.now())
    const files = (): [string, string] => [join(directory, 'cert.pem'), join(directory, 'key.pem')]
    async function renew(): Promise<void> {
      const [certFile, keyFile] = files()
      const { cert, key } = await certificateFor([NAME])
      await writeFile(keyFile, key)
      await writeFile(certFile, cert)
    }
    before(async () => {
      directory = await mkdtemp(join(tmpdir(), 'postrider-https-'))
      await renew()
      const [POSTRIDER_SMTP_TLS_CERT, POSTRIDER_SMTP_TLS_KEY] = files()
      const certificate = isAcme ? ACME : { POSTRIDER_SMTP_TLS_CERT, POSTRIDER_SMTP_TLS_KEY }
      app = await TestApp.start({
        clock,
        env: { ...certificate, POSTRIDER_HTTPS_PORT: '0', POSTRIDER_ROLES: 'api' },
      })
    })
    after(async () => {
      await app.stop()
      await rm(directory, { recursive: true })
    })

    const port = (): number => app.app.httpsPort as number
    async function open(options: ConnectionOptions = {}): Promise<TLSSocket> {
      const where = options.socket === undefined ? { port: port(), host: '127.0.0.1' } : {}
      const socket = connectTls({ ...where, servername: NAME, rejectUnauthorized: !isAcme, ...options })
      await once(socket, 'secureConnect')
      return socket
    }
    const request = (path: string): string =>
      `GET ${path} HTTP/1.1\r\nHost: ${NAME}\r\nConnection: close\r\n\r\n`
    async function status(socket: TLSSocket, path = '/healthz'): Promise<number> {
      socket.write(request(path))
      return (await readAnswer(socket)).status
    }

    test('serves what HTTP serves, with requests one after the other', async () => {
      const socket = await open({ ALPNProtocols: ['h2', 'http/1.1'] })
      assert.equal(socket.alpnProtocol, 'http/1.1')
      const codes: string[] = []
      for (const path of ['/healthz', '/healthz', '/healthz', '/v1/messages']) {
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
        const [head] = (await once(socket, 'data')) as [Buffer]
        codes.push(/^HTTP\/1\.1 (\d{3})/.exec(head.toString())?.[1] ?? '')
      }
      assert.deepEqual(codes, ['200', '200', '200', '401'])
    })

    test('accepts a handshake that arrives byte by byte', async () => {
      const below = connect({ port: port(), host: '127.0.0.1', noDelay: true })
      const slow = new Duplex({
        read() {},
        write(chunk: Buffer, _encoding, done) {
          void (async () => {
            for (const byte of chunk) {
              below.write(Buffer.from([byte]))
              await new Promise((resolve) => setImmediate(resolve))
            }
            done()
          })()
        },
      })
      below.on('data', (chunk) => slow.push(chunk)).on('end', () => slow.push(null))
      assert.equal(await status(await open({ socket: slow })), 200)
    })

    test('refuses TLS before 1.2', async () => {
      await assert.rejects(
        open({ maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' }),
      )
    })

    test('ends the connections of clients that speak no TLS, and continues', async () => {
      for (const bytes of [
        request('/healthz'),
        '\x16\x03\x01\x00\x05nonsense',
        '\x16\x03\x01\xff\xff',
        'x'.repeat(20_000),
      ]) {
        const socket = connect({ port: port(), host: '127.0.0.1' })
        socket.on('error', () => {})
        socket.end(Buffer.from(bytes, 'latin1'))
        const { status: none } = await readAnswer(socket).catch(() => ({ status: 0 }))
        assert.equal(none, 0)
      }
      assert.equal(await status(await open()), 200)
    })

    if (!isAcme) {
      test('presents changed files without a restart', async () => {
        const serial = async (): Promise<string> => {
          const socket = await open()
          const { raw } = socket.getPeerCertificate()
          socket.destroy()
          return new X509Certificate(raw).serialNumber
        }
        const before = await serial()
        await renew()
        clock.advance(1_500)
        assert.notEqual(await serial(), before)
      })
    }

    test('a handshake under way does not keep a node from stopping', async () => {
      const silent: Socket[] = Array.from({ length: 3 }, () => connect({ port: port(), host: '127.0.0.1' }))
      await Promise.all(silent.map((socket) => once(socket, 'connect')))
      // A connection reset also counts as the end of the connection.
      for (const socket of silent) socket.on('error', () => {}).resume()
      await sleep(50, 'the node meets the connections')
      await app.stopNode()
      await until('all connections are closed', () => silent.every(({ destroyed }) => destroyed))
    })
  })
}
