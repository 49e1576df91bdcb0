// Messages after the end of their retention: the content is removed first, and a request for the content returns 410;
// the record is removed later.

import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { TestApp } from '../support/app.ts'
import { Person } from '../support/person.ts'
import { settled } from '../support/store.ts'
import { TestClock, until } from '../support/test-clock.ts'

const HOUR_MS = 3_600_000
/**
 * Short retention times: a test cannot go back to an earlier time, because the IDs that a process creates only
 * increase.
 */
const SHORT = {
  POSTRIDER_CONTENT_RETENTION: '2h',
  POSTRIDER_TRANSCRIPT_RETENTION: '1h',
  POSTRIDER_RECORD_RETENTION: '400h',
}

describe('retention', () => {
  let app: TestApp
  let clock: TestClock
  afterEach(() => app.stop())

  async function start(env: Record<string, string> = {}): Promise<void> {
    clock = new TestClock(Date.now())
    app = await TestApp.start({ clock, env })
  }

  const status = async (path: string): Promise<number> =>
    (await app.call('GET', `/v1/messages/${path}`)).status

  async function gone(path: string, code: number): Promise<void> {
    await settled(app.store)
    await until(`${path} is ${code}`, async () => {
      clock.advance(HOUR_MS)
      return (await status(path)) === code
    })
  }

  test('removes the content, which is then 410, and later the message; figures stay', async () => {
    await start(SHORT)
    const id = await app.send({ subject: 'Needle', text: 'in a haystack' })
    await app.messageIn(id, 'delivered')
    const owner = await Person.loggedIn(app)
    const { body: domains } = await owner.call('GET', '/api/domains')
    const base = `/api/domains/${domains.data[0].domain_id}/messages/${id}`
    assert.equal(await status(`${id}?include=content`), 200)
    await gone(`${id}?include=content`, 410)
    const sentence = 'The content of this message was removed: contents are kept for 2 hours.'
    const admin = await Person.loggedIn(app)
    const answers = [
      await app.call('GET', `/v1/messages/${id}?include=content`),
      await app.call('GET', `/v1/messages/${id}/raw`),
      await admin.call('GET', `${base}/html`),
      await admin.call('POST', `${base}/resend`, {}),
    ]
    for (const { status, body } of answers) {
      assert.deepEqual([status, body.code, body.detail], [410, 'content_removed', sentence])
    }
    const { body: message } = await app.call('GET', `/v1/messages/${id}`)
    assert.deepEqual([message.subject, message.status], ['Needle', 'delivered'])
    await until('the transcript is removed', async () => {
      const { body } = await admin.call('GET', `${base}/attempts`)
      return body.data.length === 1 && body.data[0].transcript === ''
    })
    const found = async (): Promise<number> =>
      (await app.call('GET', '/v1/messages?subject=needle')).body.data.length
    assert.equal(await found(), 1)
    clock.advance(400 * HOUR_MS)
    await gone(id, 404)
    assert.equal(await found(), 0)
    const counted = await app.store.read.selectFrom('message_counts').select('accepted').execute()
    assert.ok(counted.some(({ accepted }) => Number(accepted) > 0))
  })

  test('keeps waiting messages, however old, and removes them once they are final', async () => {
    await start(SHORT)
    const send_at = new Date(clock.now() + 48 * HOUR_MS).toISOString()
    const later = await app.send({ send_at })
    const now = await app.send()
    await app.messageIn(now, 'delivered')
    await gone(`${now}/raw`, 410)
    assert.equal(await status(`${later}/raw`), 200)
    // A node whose clock differs from the clock of the database sends nothing, so the test cancels the message to make
    // it final.
    assert.equal((await app.call('POST', `/v1/messages/${later}/cancel`)).status, 200)
    await gone(`${later}/raw`, 410)
  })

  test('a stream without stored content says so', async () => {
    await start()
    const changes = { store_content: false }
    assert.equal((await app.call('PATCH', '/v1/streams/transactional', changes)).status, 200)
    const id = await app.send({ subject: 'Your code is 123456' })
    await app.messageIn(id, 'delivered')
    await gone(`${id}/raw`, 410)
    const { body } = await app.call('GET', `/v1/messages/${id}/raw`)
    assert.equal(
      body.detail,
      'The content of this message was removed: the stream transactional stores no content after delivery.',
    )
  })
})
