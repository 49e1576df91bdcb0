// Faults that must not stop a node, and must not let two nodes do the same work.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createTransport } from 'nodemailer'
import pg from 'pg'
import { loadConfig } from '../../src/config/load.ts'
import { silentLog } from '../../src/lib/log.ts'
import { startApp } from '../../src/node/node.ts'
import { TestApp } from '../support/app.ts'
import { greylist } from '../support/mail-host/script.ts'
import { TestClock, until } from '../support/test-clock.ts'
import { thorough } from '../support/thorough.ts'

describe('a node', () => {
  test(
    'survives the loss of its database connections, and loses no accepted messages',
    thorough('1.4 CPU s: ends connections of the database under load'),
    async () => {
      const app = await TestApp.start({ database: 'postgres' })
      try {
        const accepted: string[] = []
        let refused = 0
        for (let round = 0; round < 5; round++) {
          const sends = Array.from({ length: 40 }, async () => {
            const { status, body } = await app.call('POST', '/v1/messages', {
              from: 'hello@example.test',
              to: [{ email: 'you@receiver.example' }],
              subject: 'Hello',
              text: 'Hello.',
            })
            if (status === 202) accepted.push(body.message_id)
            else {
              assert.ok(status === 503 || status === 500, JSON.stringify(body))
              refused++
            }
          })
          const admin = new pg.Client({ connectionString: app.storage.databaseUrl as string })
          await admin.connect()
          await admin.query(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'postrider' and pid <> pg_backend_pid()",
          )
          await admin.end()
          await Promise.all(sends)
        }
        assert.ok(accepted.length > 0, `${refused} refused`)
        for (const id of accepted) {
          // A request over a database connection that has just closed returns 503.
          await until(`${id} is stored`, async () => {
            const { status } = await app.call('GET', `/v1/messages/${id}`)
            assert.ok(status === 200 || status === 503, `${status}`)
            return status === 200
          })
        }
      } finally {
        await app.stop()
      }
    },
  )

  test('is not ready for a while before it stops, and works until then', async () => {
    const clock = new TestClock(Date.now())
    const app = await TestApp.start({ clock, env: { POSTRIDER_STOP_DELAY_MS: '5000' } })
    try {
      const ready = async (): Promise<number> => (await app.call('GET', '/readyz')).status
      assert.equal(await ready(), 200)
      const stopping = app.stopNode()
      assert.equal(await ready(), 503)
      clock.advance(4_999)
      const { status } = await app.call('POST', '/v1/messages', {
        from: 'hello@example.test',
        to: [{ email: 'you@receiver.example' }],
        subject: 'Hello',
        text: 'Hello.',
      })
      assert.equal(status, 202)
      clock.advance(1)
      await stopping
    } finally {
      const stopped = app.stop()
      clock.advance(5_000)
      await stopped
    }
  })

  test('has its data directory to itself', async () => {
    const app = await TestApp.start({ database: 'sqlite' })
    try {
      const config = loadConfig({
        POSTRIDER_DATA_DIR: app.storage.dataDir,
        POSTRIDER_HTTP_PORT: '0',
        POSTRIDER_SMTP_PORT: '0',
      })
      await assert.rejects(startApp(config, silentLog), /Another Postrider serves from/)
      await app.messageIn(await app.send(), 'delivered')
    } finally {
      await app.stop()
    }
  })

  test('that cannot start says why and locks nothing', async () => {
    const app = await TestApp.start({ database: 'sqlite' })
    await app.stopNode()
    const config = loadConfig({
      POSTRIDER_DATA_DIR: app.storage.dataDir,
      POSTRIDER_SMTP_TLS_CERT: '/nowhere/cert.pem',
      POSTRIDER_SMTP_TLS_KEY: '/nowhere/key.pem',
    })
    try {
      await assert.rejects(startApp(config, silentLog), /nowhere/)
      await app.startNode()
      await app.messageIn(await app.send(), 'delivered')
    } finally {
      await app.stop()
    }
  })

  test('does not repeat an attempt under way, whatever the clock does', async () => {
    const clock = new TestClock()
    const slow = {
      script: ({ verb }: { verb: string }) =>
        verb === 'MESSAGE' ? { reply: '250 ok', delayMs: 700 } : undefined,
    }
    const app = await TestApp.start({ clock, host: slow })
    try {
      const id = await app.send()
      await app.messageIn(id, 'sending')
      await until('the attempt has reached DATA', () =>
        app.host.connections.some(({ commands }) => commands.includes('DATA')),
      )
      await app.advance(3 * 60_000)
      await app.advance(2_000)
      await app.settled()
      await app.messageIn(id, 'delivered')
      assert.equal(app.host.mails.length, 1)
    } finally {
      await app.stop()
    }
  })

  test(
    'serves one client that logs in over SMTP hundreds of times',
    thorough('1.1 CPU s: ends connections of the database under load'),
    async () => {
      const app = await TestApp.start()
      try {
        const { smtp } = app.playground
        for (let count = 0; count < 120; count++) {
          const transport = createTransport({
            host: smtp.host,
            port: smtp.port,
            requireTLS: true,
            tls: { rejectUnauthorized: false },
            auth: { user: smtp.username, pass: smtp.password },
          })
          assert.equal(await transport.verify(), true)
          transport.close()
        }
      } finally {
        await app.stop()
      }
    },
  )

  test(
    'with a destination that never answers delivers to the others',
    thorough('0.9 CPU s: ends connections of the database under load'),
    async () => {
      const app = await TestApp.start({
        zone: {
          'silent.example': { MX: ['10 mx.silent.example'] },
          'mx.silent.example': { A: ['127.0.0.2'] },
        },
        host: { script: greylist(0) },
      })
      try {
        const before = await Promise.all(
          Array.from({ length: 100 }, () => app.send({ to: [{ email: 'a@silent.example' }] })),
        )
        await app.messageIn(await app.send(), 'delivered')
        assert.equal(before.length, 100)
      } finally {
        await app.stop()
      }
    },
  )
})
