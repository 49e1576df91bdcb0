// Hostile and broken webhook receivers: each request is limited and recorded, and no receiver delays another receiver.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { after, before, describe, type TestContext, test } from 'node:test'
import { type Answer, TestApp } from '../support/app.ts'
import { certificateFor } from '../support/authority.ts'
import { createTenant } from '../support/tenant.ts'
import { until } from '../support/test-clock.ts'
import { type ReceiverScript, WebhookReceiver } from '../support/webhook-receiver.ts'

const MIB = 1_024 * 1_024

describe('a receiver', () => {
  let app: TestApp
  let good: WebhookReceiver
  let bad: WebhookReceiver
  const ends: (() => void)[] = []
  before(async () => {
    good = await WebhookReceiver.start()
    bad = await WebhookReceiver.start()
    app = await TestApp.start({
      env: { POSTRIDER_WEBHOOK_HTTP: 'yes', POSTRIDER_ALLOW_PRIVATE_NETWORKS: '127.0.0.1/32' },
    })
    await call('POST', '', { url: good.url, event_types: ['accepted'] })
  })
  after(async () => {
    for (const end of ends) end()
    await app.stop()
    await Promise.all([good.stop(), bad.stop()])
  })

  async function call(method: string, path: string, body?: object): Promise<Answer['body']> {
    const answer = await app.call(method, `/v1/webhooks${path}`, body)
    assert.ok(answer.status < 300, JSON.stringify(answer.body))
    return answer.body
  }

  async function listening(server: Server): Promise<number> {
    const sockets = new Set<Socket>()
    server.on('connection', (socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    ends.push(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    return (server.address() as AddressInfo).port
  }

  const isTried = ({ attempts }: Answer['body']): boolean => attempts.length > 0

  /** Sends a message; returns the first attempt at a receiver, and the delay of a working receiver at the same time. */
  async function attemptAt(
    url: string,
  ): Promise<{ attempt: Answer['body']; goodMs: number; webhook: Answer['body'] }> {
    const { webhook_id: id } = await call('POST', '', { url, event_types: ['accepted'] })
    try {
      const began = Date.now()
      const messageId = await app.send()
      await good.received(1, ({ body }) => body.includes(messageId))
      const goodMs = Date.now() - began
      const attempt = await until(
        'the delivery has an attempt',
        async () => (await call('GET', `/${id}/deliveries`)).data.findLast(isTried)?.attempts[0],
      )
      return { attempt, goodMs, webhook: await call('GET', `/${id}`) }
    } finally {
      await call('PATCH', `/${id}`, { enabled: false })
      await app.call('DELETE', `/v1/webhooks/${id}`)
    }
  }

  /** Starts a separate receiver for a test, so that slow receivers can make the node wait concurrently. */
  async function started(test: TestContext, script: ReceiverScript): Promise<WebhookReceiver> {
    const receiver = await WebhookReceiver.start(script)
    test.after(() => receiver.stop())
    return receiver
  }

  describe('that makes the node wait', { concurrency: true }, () => {
    test('that never answers is given up after ten seconds, and others do not wait for it', async (t) => {
      const bad = await started(t, () => undefined)
      const { attempt, goodMs } = await attemptAt(bad.url)
      assert.deepEqual([attempt.status, attempt.problem], [null, 'There was no answer in 10 s.'])
      assert.ok(goodMs < 8_000, `${goodMs} ms`)
    })

    test('that answers a byte a second has ten seconds as well', async (t) => {
      const timers = new Set<NodeJS.Timeout>()
      const bad = await started(t, (_, response) => {
        response.writeHead(200)
        timers.add(setInterval(() => response.write('x'), 1_000))
        return undefined
      })
      const { attempt, goodMs } = await attemptAt(bad.url)
      for (const timer of timers) clearInterval(timer)
      assert.equal(attempt.problem, 'There was no answer in 10 s.')
      assert.ok(goodMs < 8_000, `${goodMs} ms`)
    })

    test('that is slow or dead delays no other account, however many webhooks it has', async (t) => {
      const bad = await started(t, () => undefined)
      const tenant = await createTenant(app.store)
      const headers = { authorization: `Bearer ${tenant.sendingKey}` }
      for (let count = 0; count < 20; count++) {
        await app.call('POST', '/v1/webhooks', { url: bad.url }, headers)
      }
      const from = `a@${tenant.domain.name}`
      const message = { from, to: [{ email: 'b@receiver.example' }], subject: 's', text: 't' }
      const sent = await Promise.all(
        Array.from({ length: 20 }, () => app.call('POST', '/v1/messages', message, headers)),
      )
      assert.ok(sent.every(({ status }) => status === 202))
      const before = bad.requests.length
      await bad.received(before + 10)
      const began = Date.now()
      const id = await app.send()
      await good.received(1, ({ body }) => body.includes(id))
      assert.ok(Date.now() - began < 8_000, `${Date.now() - began} ms`)
    })
  })

  test('that answers without end is read up to 64 KiB, and its status counts', async () => {
    let written = 0
    bad.script = (_, response) => {
      response.writeHead(200)
      const more = (): void => {
        do written += MIB
        while (!response.destroyed && response.write(Buffer.alloc(MIB, 'x')))
      }
      response.on('drain', more)
      more()
      return undefined
    }
    const { attempt } = await attemptAt(bad.url)
    assert.equal(attempt.status, 200)
    assert.equal(attempt.answer.length, 1_000)
    assert.ok(written < 64 * MIB, `${written} bytes`)
  })

  test('that redirects to the metadata of a cloud, or anywhere, is not followed', async () => {
    for (const location of ['http://169.254.169.254/latest/meta-data', good.url]) {
      const before = good.requests.length
      bad.script = (_, response) => {
        response.writeHead(302, { location }).end()
        return undefined
      }
      const { attempt } = await attemptAt(bad.url)
      assert.deepEqual([attempt.status, attempt.problem], [302, null])
      assert.equal(good.requests.length, before + 1)
    }
  })

  test('that resets the connection, or speaks no HTTP, fails', async () => {
    const resets = await listening(createTcpServer((socket) => socket.resetAndDestroy()))
    const speaks = await listening(createTcpServer((socket) => void socket.end('220 mail ESMTP\r\n')))
    for (const [port, problem] of [
      [resets, /^The host closed the connection before its answer was complete \(/],
      [speaks, /^The answer of the host is not valid HTTP \(/],
    ] as const) {
      const { attempt } = await attemptAt(`http://127.0.0.1:${port}/`)
      assert.equal(attempt.status, null)
      assert.match(attempt.problem, problem)
    }
  })

  test('with a certificate for another name gets nothing', async () => {
    const { key, cert } = await certificateFor(['other.test'])
    let requests = 0
    const server = createTlsServer({ key, cert }, (_, response) => {
      requests++
      response.end()
    })
    const port = await listening(server as unknown as Server)
    const { attempt } = await attemptAt(`https://127.0.0.1:${port}/`)
    assert.match(attempt.problem, /certificate/)
    assert.equal(requests, 0)
  })

  test('whose name leads to a forbidden address is not connected to', async () => {
    let connections = 0
    const port = await listening(createTcpServer(() => connections++))
    app.dns.set('inside.example', { A: ['10.0.0.1', '169.254.169.254'] })
    const { attempt } = await attemptAt(`http://inside.example:${port}/`)
    assert.match(attempt.problem, /private or special use/)
    assert.equal(connections, 0)
  })
})
