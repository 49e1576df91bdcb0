// Test inboxes under load: 100,000 mails, mails of 25 MiB, long searches, 500 clients that wait, and the limits of
// mails, days, requests and stored bytes.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { newId } from '../../src/lib/ids.ts'
import { summarize } from '../../src/mime/mail-summary.ts'
import type { SummarizedMail } from '../../src/model/test-inbox.ts'
import { changeAccount } from '../../src/store/access/accounts.ts'
import { stateOf } from '../../src/store/inboxes/inboxes.ts'
import { removeOldTestMails } from '../../src/store/inboxes/mails.ts'
import { keepTestMail, type NewTestMail } from '../../src/store/inboxes/new-mails.ts'
import { readStoredBytes } from '../../src/store/messages/stored-bytes.ts'
import { ok, refused } from '../support/answers.ts'
import { type Answer, TestApp } from '../support/app.ts'
import { cpuWatch } from '../support/cpu-time.ts'
import { managementKey } from '../support/keys.ts'
import { inOneCommit, usualDatabase } from '../support/store.ts'
import { sleep, until } from '../support/test-clock.ts'
import { thorough } from '../support/thorough.ts'

const MIB = 1024 * 1024
const DAY_MS = 86_400_000
/** Number of mails that an inbox gets, and the number of mails among them that are sent as messages. */
const MAILS = 100_000
const SENT = 1_000
/** Number of mails in a commit or a batch. */
const COMMIT = 500
const TEXT = 'All work and no play makes Jack a dull boy.\r\n'.repeat(20)

describe('a test inbox', () => {
  let app: TestApp
  let manager: string
  let accountId: string
  before(async () => {
    app = await TestApp.start({
      env: { POSTRIDER_AUTH_FAILURE_RATE: '100000/s', POSTRIDER_SENDING_RATE: '100000/s' },
    })
    manager = await managementKey(app)
    const [account] = await app.store.read.selectFrom('accounts').select('id').execute()
    accountId = account?.id ?? ''
  })
  after(() => app.stop())

  const call = (method: string, path: string, body?: object) =>
    app.call(method, path, body, { authorization: `Bearer ${manager}` })
  const make = async (fields: object): Promise<Answer['body']> =>
    ok(call('POST', '/v1/inboxes', { name: 'Load', ...fields }), 201)
  const newMail = (inboxId: string, raw: Buffer, summarized: SummarizedMail, receivedAt = Date.now()) => {
    const id = newId('mbx', receivedAt)
    return {
      ...{ id, messageId: id, inboxId, accountId, receivedAt, mailFrom: '', tls: null, tags: [] },
      ...{ recipients: ['ann@receiver.example'], ...summarized, raw },
    }
  }
  const keep = async (inboxId: string, raw: Buffer, receivedAt = Date.now()): Promise<boolean> =>
    app.store.write(keepTestMail, newMail(inboxId, raw, await summarize(raw), receivedAt))
  const mailOf = (subject: string): Buffer => Buffer.from(`Subject: ${subject}\r\n\r\n${TEXT}`)
  /** Keeps mails with the subjects `Number 0` to below `count`, 500 in a commit. */
  async function keepMany(inboxId: string, count: number): Promise<void> {
    // Summarizing each mail would take longer than keeping the mail.
    const { summary, search } = await summarize(mailOf('Number 0'))
    const numbered = (number: number): NewTestMail => {
      const subject = `Number ${number}`
      const summarized = {
        summary: { ...summary, subject },
        search: search.replace('number 0', `number ${number}`),
      }
      return newMail(inboxId, mailOf(subject), summarized)
    }
    for (let start = 0; start < count; start += COMMIT) {
      const mails = Array.from({ length: COMMIT }, (_, index) => numbered(start + index))
      assert.ok((await app.store.write(inOneCommit(keepTestMail), mails)).every((isKept) => isKept))
    }
  }
  /** Sends the following messages, up to `Number 99999`, by a test credential, and waits for the last mail. */
  async function sendRest(inboxId: string, start: number): Promise<void> {
    const wanted = {
      kind: 'sending',
      name: 'Load',
      domains: ['example.test'],
      mode: 'test',
      inbox_id: inboxId,
    }
    const { key } = await ok(call('POST', '/v1/keys', { ...wanted, rate: '100000/s' }), 201)
    for (let first = start; first < MAILS; first += COMMIT) {
      const requests = Array.from({ length: COMMIT }, (_, index) => ({
        ...{ from: 'hello@example.test', to: [{ email: 'ann@receiver.example' }] },
        ...{ subject: `Number ${first + index}`, text: TEXT },
      }))
      await ok(app.call('POST', '/v1/messages/batch', requests, { authorization: `Bearer ${key}` }))
      await until('the mails of the batch are in the inbox', async () => {
        const state = await stateOf(app.store.read, { accountId, inboxId })
        return state?.changes === first + COMMIT
      })
    }
  }
  /** Returns the longest time of requests, in milliseconds. */
  async function slowest(count: number, ask: () => Promise<unknown>): Promise<number> {
    let longest = 0
    for (let done = 0; done < count; done++) {
      const began = performance.now()
      await ask()
      longest = Math.max(longest, performance.now() - began)
    }
    return longest
  }

  test(
    'keeps the newest 10,000 of 100,000 mails, lists and searches them quickly, and wakes 500 clients at once',
    thorough('15 CPU s: a hundred thousand mails'),
    async (t) => {
      const { inbox_id: id, ...inbox } = await make({ keep_messages: 10_000 })
      const of = `/v1/inboxes/${id}`
      const kept = cpuWatch()
      await keepMany(id, MAILS - SENT)
      // The PostgreSQL server of the tests has no autovacuum, which would count the mails.
      if (usualDatabase() === 'postgres') await sql`analyze test_mails`.execute(app.store.read)
      t.diagnostic(`${MAILS - SENT} mails: ${kept().toFixed(0)} ms of CPU`)
      await sendRest(id, MAILS - SENT)
      t.diagnostic(`${SENT} further mails, as messages: ${kept().toFixed(0)} ms of CPU in total`)
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
        list: await slowest(50, () => ok(call('GET', `${of}/messages`))),
        search: await slowest(20, () => ok(call('GET', `${of}/messages?search=number+95123`))),
        'search without a match': await slowest(20, () => ok(call('GET', `${of}/messages?search=nothing`))),
        // This search reads all mails, for a third of a second.
        'search by a filter': await slowest(5, () => ok(call('GET', `${of}/messages?search=subject:95123`))),
        one: await slowest(50, () => ok(call('GET', `${of}/messages/${data[7].mail_id}`))),
      }
      const listed = await pit('messages?limit=50')
      assert.deepEqual([listed.total, listed.messages_count, listed.count], [10_000, 10_000, 50])
      assert.equal((await pit('search?query=subject:95123')).messages_count, 1)
      for (const [what, ms] of Object.entries(figures)) {
        t.diagnostic(`longest ${what}: ${ms.toFixed(1)} ms`)
        assert.ok(ms < 2_000, `${what}: ${ms} ms`)
      }

      const spent = cpuWatch()
      const long = encodeURIComponent('word '.repeat(2_000))
      assert.deepEqual((await ok(call('GET', `${of}/messages?search=${long}`))).data, [])
      await refused(call('GET', `${of}/messages?search=${'x'.repeat(10_241)}`), 422, 'validation_failed')
      t.diagnostic(`a search of 10 KB: ${spent().toFixed(0)} ms of CPU`)
      assert.ok(spent() < 10_000, `${spent()} ms`)

      const waited = cpuWatch()
      // The first look of a client without `since` reads all mails.
      const since = `&since=${new Date().toISOString()}`
      const waiting = Array.from({ length: 500 }, (_, index) =>
        ok(call('GET', `${of}/wait?timeout=30s&subject=signal${index < 20 ? '' : since}`)),
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
    thorough('3 CPU s: large mails'),
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
      for (let count = 0; count < 2; count++) await keep(id, raw)
      t.diagnostic(`a mail of 25 MiB: ${(spent() / 2).toFixed(0)} ms of CPU`)
      // The client notices meanwhile which of its idle connections the server has closed.
      await sleep(500, 'idle connections close')
      const { data } = await ok(call('GET', of))
      assert.deepEqual(
        data.map(({ size }: Answer['body']) => size),
        [raw.length, raw.length],
      )
      const mail = await ok(call('GET', `${of}/${data[0].mail_id}`))
      assert.deepEqual([mail.attachments[0].size, mail.incomplete], [18 * MIB, false])
      const answer = await fetch(new URL(`${of}/${data[0].mail_id}/attachments/0`, app.app.url), {
        headers: { authorization: `Bearer ${manager}` },
      })
      assert.equal((await answer.arrayBuffer()).byteLength, 18 * MIB)
      const hog = await app.callWith('GET', `/inboxes/${id}/api/v2/messages`, undefined, { authorization })
      assert.deepEqual([hog.body.total, hog.body.count], [2, 1], 'as many as fit into an answer')
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
