// Memory for request bodies is charged as bytes arrive, is divided among accounts, and is never held without progress.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { type Answer, TestApp } from '../../support/app.ts'
import { connectTo, readAnswer } from '../../support/raw-http.ts'
import { createTenant, type Tenant } from '../../support/tenant.ts'
import { sleep, until } from '../../support/test-clock.ts'
import { thorough } from '../../support/thorough.ts'

const MIB = 1024 * 1024
const KIB = 1024

describe('memory for request bodies', () => {
  let app: TestApp
  let other: Tenant
  before(async () => {
    app = await TestApp.start({
      env: { POSTRIDER_ROLES: 'api,dashboard', POSTRIDER_BODY_MEMORY_BYTES: String(2 * MIB) },
    })
    other = await createTenant(app.store)
  })
  after(() => app.stop())

  /** Sends the header of a request, but not the body. */
  function begin(framing: string, key = app.playground.sending_key, path = '/v1/messages'): Socket {
    const socket = connectTo(app.app.url)
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\n` +
        `Origin: ${app.app.url}\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`,
    )
    return socket
  }

  const large = (bytes: number): object => ({
    from: 'hello@example.test',
    to: [{ email: 'you@receiver.example' }],
    subject: 'Large',
    text: 'x'.repeat(bytes),
  })

  const sendOfOther = (bytes: number): Promise<Answer> =>
    app.callWith(
      'POST',
      '/v1/messages',
      { ...large(bytes), from: `a@${other.domain.name}` },
      { authorization: `Bearer ${other.sendingKey}` },
    )

  /** Repeats a request until it is accepted, because memory is released a moment after a connection has closed. */
  async function acceptedInTime(bytes: number): Promise<void> {
    await until('the memory is released', async () => {
      const { status } = await app.call('POST', '/v1/messages', large(bytes))
      assert.ok(status === 202 || status === 503, String(status))
      return status === 202
    })
  }

  test('announced bytes that do not arrive take no memory', async () => {
    const idle = Array.from({ length: 60 }, (_, i) =>
      i % 2 === 0
        ? begin(`Content-Length: ${MIB}`)
        : begin('Content-Length: 10485760', 'nobody', '/api/session'),
    )
    for (const socket of idle) socket.write('{')
    await sleep(100, 'the node reads the bytes that have arrived')
    const ofSame = await app.call('POST', '/v1/messages', large(900 * KIB))
    assert.equal(ofSame.status, 202)
    assert.equal((await sendOfOther(900 * KIB)).status, 202)
    for (const socket of idle) socket.destroy()
  })

  test('an account that takes all it can leaves enough to others', async () => {
    const held = Array.from({ length: 40 }, () => {
      const socket = begin(`Content-Length: ${200 * KIB}`)
      socket.write('x'.repeat(199 * KIB))
      return { socket, answer: readAnswer(socket) }
    })
    const first = await Promise.race(held.map(({ answer }) => answer))
    assert.equal(first.status, 503)
    assert.equal(first.headers.get('retry-after'), '1')
    assert.equal(JSON.parse(first.body).code, 'unavailable')
    for (let i = 0; i < 10; i++) assert.equal((await sendOfOther(100 * KIB)).status, 202)
    for (const { socket } of held) socket.destroy()
    await acceptedInTime(900 * KIB)
  })

  test('a large body waits until there is memory for all of it', async () => {
    const beginFirst = () => {
      const socket = begin(`Content-Length: ${900 * KIB}`)
      socket.write(`{"text":"${'x'.repeat(800 * KIB)}`)
      return { socket, answer: readAnswer(socket).catch(() => undefined) }
    }
    let first = beginFirst()
    // The second request gets a response if it arrives before the first request has its memory; one of two requests
    // that arrive together is refused.
    let second = app.call('POST', '/v1/messages', large(900 * KIB))
    await until('the second waits', async () => {
      const answered = await Promise.race([
        first.answer.then(() => 'first'),
        second.then(() => 'second'),
        sleep(300, 'a body that waits has no answer').then(() => 'none'),
      ])
      if (answered === 'first') first = beginFirst()
      if (answered === 'second') second = app.call('POST', '/v1/messages', large(900 * KIB))
      return answered === 'none'
    })
    first.socket.destroy()
    assert.equal((await second).status, 202)
  })

  test('bodies of unknown length count as they arrive', async () => {
    const chunk = `40000\r\n${'x'.repeat(0x40000)}\r\n`
    const uploads = [3, 6].map((chunks) => {
      const socket = begin('Transfer-Encoding: chunked')
      socket.write(chunk.repeat(chunks))
      return { socket, answer: readAnswer(socket) }
    })
    assert.equal((await Promise.race(uploads.map(({ answer }) => answer))).status, 503)
    assert.equal((await sendOfOther(100 * KIB)).status, 202)
    for (const { socket, answer } of uploads) {
      socket.destroy()
      await answer.catch(() => {})
    }
    await acceptedInTime(900 * KIB)
  })

  test('an upload without progress is ended, and the client is informed', async () => {
    const stuck = begin(`Content-Length: ${MIB}`)
    stuck.write('{"text":"')
    const started = performance.now()
    const answer = await readAnswer(stuck)
    assert.equal(answer.status, 400)
    assert.match(JSON.parse(answer.body).detail, /in time/)
    assert.ok(performance.now() - started < 15_000)
  })

  test('the connection of a refused client continues', async () => {
    const body = JSON.stringify(large(11 * MIB))
    const head = (length: number, more: string): string =>
      `POST /v1/messages HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${app.playground.sending_key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${length}\r\n${more}\r\n`
    const socket = connectTo(app.app.url)
    socket.write(head(body.length, '') + body)
    assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 413 /)
    const small = JSON.stringify(large(10))
    socket.write(head(small.length, 'Connection: close\r\n') + small)
    assert.equal((await readAnswer(socket)).status, 202)
  })

  test(
    'a flood of large bodies: each is accepted or refused with Retry-After, and all memory is released afterwards',
    thorough('0.6 CPU s; the other tests of the file cover the common cases'),
    async () => {
      const answers = await Promise.all(
        Array.from({ length: 40 }, () => app.call('POST', '/v1/messages', large(200_000))),
      )
      const statuses = new Set(answers.map(({ status }) => status))
      assert.ok(
        [...statuses].every((status) => status === 202 || status === 503),
        [...statuses].join(),
      )
      assert.ok(statuses.has(202))
      await acceptedInTime(900 * KIB)
    },
  )

  test('a refused client takes no memory', async () => {
    const strangers = Array.from({ length: 10 }, () => begin(`Content-Length: ${MIB - 1_000}`, 'send_nobody'))
    for (const { status } of await Promise.all(strangers.map(readAnswer))) assert.equal(status, 401)
    for (const body of ['[1]', '{"a":1,"a":2}', `"${'x'.repeat(900_000)}"`, '{', '['.repeat(900_000)]) {
      const { status } = await app.call('POST', '/v1/messages', body)
      assert.ok(status === 400 || status === 422)
    }
    assert.equal((await app.call('POST', '/v1/messages', large(900 * KIB))).status, 202)
  })

  test('a large body makes the same message as a small one, and is reported with all problems', async () => {
    const { status, body } = await app.call('POST', '/v1/messages', {
      ...large(900 * KIB),
      subjct: 's',
      to: [{ email: 'nobody' }],
    })
    assert.equal(status, 422)
    const codes = body.errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)
    assert.deepEqual(codes.sort(), ['subjct unknown_field', 'to[0].email invalid_email'])
    const batch = await app.call(
      'POST',
      '/v1/messages/batch',
      Array.from({ length: 5 }, () => large(100_000)),
    )
    assert.equal(batch.status, 200)
    assert.equal(batch.body.data.length, 5)
    assert.ok(batch.body.data.every((one: object) => 'message_id' in one))
  })

  test('a key of the other kind is refused before a large body is read', async () => {
    const socket = begin(`Content-Length: ${MIB}`, app.playground.verification_key)
    socket.write('x'.repeat(100 * KIB))
    socket.write('x'.repeat(MIB - 100 * KIB))
    assert.equal((await readAnswer(socket)).status, 403)
  })
})
