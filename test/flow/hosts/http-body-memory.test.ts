// The bodies of all HTTP requests under way share one memory: beyond it requests are told to come back.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { TestApp } from '../../support/app.ts'
import { connectTo, readAnswer } from '../../support/raw-http.ts'
import { until } from '../../support/test-clock.ts'

const MIB = 1024 * 1024

describe('memory for request bodies', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api', POSTRIDER_BODY_MEMORY_BYTES: String(MIB) } })
  })
  after(() => app.stop())

  /** Begins a request and sends no body yet. */
  function begin(framing: string, key = app.playground.sending_key): Socket {
    const socket = connectTo(app.app.url)
    socket.write(
      `POST /v1/messages HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\n` +
        `Content-Type: application/json\r\n${framing}\r\n\r\n`,
    )
    return socket
  }

  const large = (octets: number): object => ({
    from: 'hello@example.test',
    to: [{ email: 'you@receiver.example' }],
    subject: 'Large',
    text: 'x'.repeat(octets),
  })

  /** Sends until it is accepted: memory is given back a moment after a connection has gone. */
  async function acceptedInTime(octets: number): Promise<void> {
    for (let tries = 0; tries < 200; tries++) {
      const { status } = await app.call('POST', '/v1/messages', large(octets))
      if (status === 202) return
      assert.equal(status, 503)
      await setTimeout(10)
    }
    assert.fail('the memory was not given back')
  }

  test('503 with Retry-After before the body is read, and 202 again when there is room', async () => {
    const first = begin(`Content-Length: ${MIB - 1_000}`)
    first.write('{')
    await acceptedInTime(100)
    const answer = await readAnswer(begin('Content-Length: 2000'))
    assert.equal(answer.status, 503)
    assert.equal(answer.headers.get('retry-after'), '1')
    assert.equal(JSON.parse(answer.body).code, 'unavailable')
    first.destroy()
    await acceptedInTime(MIB - 1_000)
  })

  test('the connection of who was refused goes on', async () => {
    const first = begin(`Content-Length: ${MIB - 1_000}`)
    await acceptedInTime(100)
    const body = JSON.stringify(large(300_000))
    const head = (more: string): string =>
      `POST /v1/messages HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${app.playground.sending_key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n${more}\r\n`
    const socket = connectTo(app.app.url)
    socket.write(head(''))
    const answer = String((await once(socket, 'data'))[0])
    assert.match(answer, /^HTTP\/1\.1 503 /)
    first.destroy()
    await acceptedInTime(MIB - 1_000)
    socket.write(body)
    socket.write(head('Connection: close\r\n') + body)
    assert.equal((await readAnswer(socket)).status, 202)
  })

  test('bodies of unknown length count as they come', async () => {
    const chunk = `40000\r\n${'x'.repeat(0x40000)}\r\n`
    let slow: Socket | undefined
    // Connections are read in any order: once more if the other one was quicker.
    await until('it has its memory', async () => {
      slow?.destroy()
      await acceptedInTime(MIB - 1_000)
      slow = begin('Transfer-Encoding: chunked')
      slow.write(chunk.repeat(3))
      await setTimeout(50)
      return (await app.call('POST', '/v1/messages', large(500_000))).status === 503
    })
    const answers = await Promise.all(
      [1, 2].map(() => {
        const socket = begin('Transfer-Encoding: chunked')
        socket.write(chunk.repeat(2))
        return readAnswer(socket)
      }),
    )
    assert.deepEqual(
      answers.map(({ status }) => status),
      [503, 503],
    )
    slow?.destroy()
    await acceptedInTime(MIB - 1_000)
  })

  test('a flood of large bodies: each is accepted or told to come back, and then all is as before', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => app.call('POST', '/v1/messages', large(200_000))),
    )
    const statuses = new Set(answers.map(({ status }) => status))
    assert.ok(
      [...statuses].every((status) => status === 202 || status === 503),
      [...statuses].join(),
    )
    assert.ok(statuses.has(202))
    await acceptedInTime(MIB - 1_000)
  })

  test('whoever is refused takes no memory', async () => {
    const strangers = Array.from({ length: 10 }, () => begin(`Content-Length: ${MIB - 1_000}`, 'send_nobody'))
    for (const { status } of await Promise.all(strangers.map(readAnswer))) assert.equal(status, 401)
    for (const body of ['[1]', '{"a":1,"a":2}', `"${'x'.repeat(900_000)}"`, '{']) {
      const { status } = await app.call('POST', '/v1/messages', body)
      assert.ok(status === 400 || status === 422)
    }
    assert.equal((await app.call('POST', '/v1/messages', large(MIB - 1_000))).status, 202)
  })

  test('a body over its own limit is read and dropped, and costs no memory', async () => {
    const { status } = await app.call('POST', '/v1/messages', large(11 * MIB))
    assert.equal(status, 413)
    assert.equal((await app.call('POST', '/v1/messages', large(100))).status, 202)
  })
})
