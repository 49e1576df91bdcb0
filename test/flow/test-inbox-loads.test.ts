// Test inboxes under load: 100,000 mails, mails of 25 MiB, long searches, 500 clients that wait, and the limits of
// mails, days, requests and stored bytes.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { newId } from '../../src/lib/ids.ts'
import { summarize } from '../../src/mime/mail-summary.ts'
import { changeAccount } from '../../src/store/access/accounts.ts'
import { keepTestMail, removeOldTestMails } from '../../src/store/inboxes/mails.ts'
import { readStoredBytes } from '../../src/store/messages/stored-bytes.ts'
import { ok, refused } from '../support/answers.ts'
import { type Answer, TestApp } from '../support/app.ts'
import { cpuWatch } from '../support/cpu-time.ts'
import { managementKey } from '../support/keys.ts'
import { sleep } from '../support/test-clock.ts'
import { thorough } from '../support/thorough.ts'

const MIB = 1024 * 1024
const DAY_MS = 86_400_000
const TEXT = 'All work and no play makes Jack a dull boy.\r\n'.repeat(20)

describe('a test inbox', () => {
  let app: TestApp
  let manager: string
  let accountId: string
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_AUTH_FAILURE_RATE: '100000/s' } })
    manager = await managementKey(app)
    const [account] = await app.store.read.selectFrom('accounts').select('id').execute()
    accountId = account?.id ?? ''
  })
  after(() => app.stop())

  const call = (method: string, path: string, body?: object) =>
    app.call(method, path, body, { authorization: `Bearer ${manager}` })
  const make = async (fields: object): Promise<Answer['body']> =>
    ok(call('POST', '/v1/inboxes', { name: 'Load', ...fields }), 201)
  const keep = async (inboxId: string, raw: Buffer, receivedAt = Date.now()): Promise<string> => {
    const id = newId('mbx', receivedAt)
    await app.store.write(keepTestMail, {
      ...{ id, messageId: id, inboxId, accountId, receivedAt, mailFrom: '', tls: null, tags: [] },
      ...{ recipients: ['ann@receiver.example'], ...(await summarize(raw)), raw: new Uint8Array(raw) },
    })
    return id
  }
  const mailOf = (subject: string): Buffer => Buffer.from(`Subject: ${subject}\r\n\r\n${TEXT}`)
  /** Returns the time of one in a hundred requests, in milliseconds: the longest of a hundred but one. */
  async function slowest(ask: () => Promise<unknown>): Promise<number> {
    const times: number[] = []
    for (let count = 0; count < 100; count++) {
      const began = performance.now()
      await ask()
      times.push(performance.now() - began)
    }
    return times.sort((one, other) => one - other)[98] ?? 0
  }

  test(
    'keeps the newest 10,000 of 100,000 mails, lists and searches them quickly, and wakes 500 clients at once',
    thorough('60 CPU s: a hundred thousand mails'),
    async (t) => {
      const { inbox_id: id, ...inbox } = await make({ keep_messages: 10_000 })
      const of = `/v1/inboxes/${id}`
      for (let start = 0; start < 100_000; start += 1_000) {
        const numbers = Array.from({ length: 1_000 }, (_, index) => start + index)
        await Promise.all(numbers.map((number) => keep(id, mailOf(`Number ${number}`))))
      }
      const rows = await app.store.read
        .selectFrom('test_mails')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('inbox_id', '=', id)
        .executeTakeFirst()
      assert.equal(Number(rows?.count), 10_000)
      const { data } = await ok(call('GET', `${of}/messages?limit=200`))
      assert.ok(data.every(({ subject }: Answer['body']) => Number(subject.split(' ')[1]) >= 99_000))

      const login = `Basic ${Buffer.from(`${inbox.username}:${inbox.password}`).toString('base64')}`
      const pit = async (path: string): Promise<Answer['body']> => {
        const target = `/inboxes/${id}/api/v1/${path}`
        for (;;) {
          const answer = await app.callWith('GET', target, undefined, { authorization: login })
          if (answer.status !== 429) return ok(Promise.resolve(answer))
          await sleep(100, 'the limit of requests to an inbox')
        }
      }
      const figures: Record<string, number> = {
        list: await slowest(() => ok(call('GET', `${of}/messages`))),
        search: await slowest(() => ok(call('GET', `${of}/messages?search=number+95123`))),
        'search without a match': await slowest(() => ok(call('GET', `${of}/messages?search=nothing`))),
        'search by a filter': await slowest(() => ok(call('GET', `${of}/messages?search=subject:95123`))),
        one: await slowest(() => ok(call('GET', `${of}/messages/${data[7].mail_id}`))),
      }
      const listed = await pit('messages?limit=50')
      assert.deepEqual([listed.total, listed.messages_count, listed.count], [10_000, 10_000, 50])
      assert.equal((await pit('search?query=subject:95123')).messages_count, 1)
      for (const [what, ms] of Object.entries(figures)) {
        t.diagnostic(`p99 of ${what}: ${ms.toFixed(1)} ms`)
        assert.ok(ms < 2_000, `${what}: ${ms} ms`)
      }

      const spent = cpuWatch()
      const long = encodeURIComponent('word '.repeat(2_000))
      assert.deepEqual((await ok(call('GET', `${of}/messages?search=${long}`))).data, [])
      await refused(call('GET', `${of}/messages?search=${'x'.repeat(10_241)}`), 422, 'validation_failed')
      t.diagnostic(`a search of 10 KB: ${spent().toFixed(0)} ms of CPU`)
      assert.ok(spent() < 10_000, `${spent()} ms`)

      const waited = cpuWatch()
      const waiting = Array.from({ length: 500 }, () =>
        ok(call('GET', `${of}/wait?timeout=30s&subject=signal`)),
      )
      // The inbox stays busy meanwhile, so that each client looks at many new mails.
      for (let count = 0; count < 20; count++) {
        await keep(id, mailOf(`Beside ${count}`))
        await sleep(50, 'the clients look')
      }
      const began = performance.now()
      await keep(id, mailOf('Signal'))
      const all = await Promise.all(waiting)
      assert.ok(all.every((answer) => answer.data[0].subject === 'Signal'))
      t.diagnostic(`500 clients have the mail after ${(performance.now() - began).toFixed(0)} ms`)
      t.diagnostic(`500 clients that wait: ${waited().toFixed(0)} ms of CPU`)
      assert.ok(waited() < 60_000, `${waited()} ms`)
    },
  )

  test(
    'takes mails of 25 MiB, lists them without reading them, and gives one back',
    thorough('4 CPU s: large mails'),
    async (t) => {
      const { inbox_id: id, username, password } = await make({ keep_messages: 10 })
      const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
      const of = `/v1/inboxes/${id}/messages`
      const file = Buffer.alloc(18 * MIB, 'postrider')
        .toString('base64')
        .replace(/.{76}/g, '$&\r\n')
      const head = 'Content-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n'
      const raw = Buffer.from(`Subject: Large\r\n${head}Content-Disposition: attachment\r\n\r\n${file}`)
      assert.ok(raw.length > 24 * MIB && raw.length < 26 * MIB, `${raw.length}`)
      const spent = cpuWatch()
      for (let count = 0; count < 4; count++) await keep(id, raw)
      t.diagnostic(`a mail of 25 MiB: ${(spent() / 4).toFixed(0)} ms of CPU`)
      // The client notices meanwhile which of its idle connections the server has closed.
      await sleep(500, 'idle connections close')
      const { data } = await ok(call('GET', of))
      assert.deepEqual(
        data.map(({ size }: Answer['body']) => size),
        Array.from({ length: 4 }, () => raw.length),
      )
      const mail = await ok(call('GET', `${of}/${data[0].mail_id}`))
      assert.deepEqual([mail.attachments[0].size, mail.incomplete], [18 * MIB, false])
      const answer = await fetch(new URL(`${of}/${data[0].mail_id}/attachments/0`, app.app.url), {
        headers: { authorization: `Bearer ${manager}` },
      })
      assert.equal((await answer.arrayBuffer()).byteLength, 18 * MIB)
      const hog = await app.callWith('GET', `/inboxes/${id}/api/v2/messages`, undefined, { authorization })
      assert.deepEqual([hog.body.total, hog.body.count], [4, 1], 'as many as fit into an answer')
    },
  )

  test('removes mails after their days', async () => {
    const { inbox_id: id } = await make({ keep_days: 2 })
    const now = Date.now()
    for (const days of [1, 1.9, 2.1, 5]) await keep(id, mailOf(`${days} days`), now - days * DAY_MS)
    assert.equal(await app.store.write(removeOldTestMails, { now, limit: 100 }), 2)
    const { data } = await ok(call('GET', `/v1/inboxes/${id}/messages`))
    assert.deepEqual(
      data.map(({ subject }: Answer['body']) => subject),
      ['1 days', '1.9 days'],
    )
  })

  test('refuses more than fifty requests a second by the clients of other programs', async () => {
    const { inbox_id: id, username, password } = await make({})
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
    const began = performance.now()
    const answers = await Promise.all(
      Array.from({ length: 300 }, () =>
        app.callWith('GET', `/inboxes/${id}/api/v1/info`, undefined, { authorization }),
      ),
    )
    const seconds = (performance.now() - began) / 1_000
    const limited = answers.filter(({ status }) => status === 429)
    const served = answers.length - limited.length
    assert.ok(served >= 50 && served <= 51 + 50 * seconds, `${served} in ${seconds} s`)
    for (const { headers, body } of limited) {
      assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/)
      assert.match(body, /50 requests a second/)
    }
    assert.ok(answers.every(({ status }) => status === 200 || status === 429))
  })

  test('counts towards the limit of stored bytes', async () => {
    const { inbox_id: id, username, password } = await make({})
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
    const put = () =>
      app.callWith(
        'POST',
        `/inboxes/${id}/api/v1/send`,
        { From: { Email: 'a@b.example' }, To: [{ Email: 'c@d.example' }], Subject: 'S', Text: TEXT },
        { authorization },
      )
    const before = await readStoredBytes(app.store.read, accountId)
    await ok(put())
    const size = (await readStoredBytes(app.store.read, accountId)) - before
    assert.ok(size > TEXT.length, `${size}`)
    const limit = before + 2 * size + 100
    const change = (stored_bytes_limit: number | null) =>
      app.store.write(changeAccount, {
        id: accountId,
        changes: { stored_bytes_limit },
        now: Date.now(),
      } as never)
    await change(limit)
    await ok(put())
    const full = await put()
    assert.deepEqual([full.status, Object.keys(full.body)], [400, ['Error']])
    assert.match(full.body.Error, /limit of \d+ bytes/)
    assert.equal((await call('DELETE', `/v1/inboxes/${id}/messages`)).status, 204)
    await ok(put())
    await change(null)
  })

  test('answers IDs and searches with characters that no database stores', async () => {
    const { inbox_id: id, username, password } = await make({})
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
    const ask = (method: string, path: string, body?: object) =>
      app.callWith(method, `/inboxes/${id}/api/${path}`, body, { authorization })
    await keep(id, mailOf('Nothing'))
    for (const what of ['%00', '%F0%90', '%ED%A0%80', "'", '%5C', '%25']) {
      assert.ok((await ask('GET', `v1/search?query=${what}`)).status < 500, what)
      const { status } = await ask('GET', `v1/message/${what}`)
      assert.ok(status === 404 || status === 400, `${what}: ${status}`)
      assert.ok((await ask('GET', `v2/search?kind=containing&query=${what}`)).status < 500, what)
    }
    assert.equal((await ask('DELETE', 'v1/messages', { IDs: ['\0', '\ud800', 'x'] })).status, 200)
    assert.equal((await ask('PUT', 'v1/tags', { IDs: ['\0'], Tags: ['\0'] })).status, 200)
    assert.equal((await ask('GET', 'v1/messages')).body.total, 1)
  })
})
