// Tests messages with several tags: sending, showing, finding, counting and refusals.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createTransport } from 'nodemailer'
import { type Answer, TestApp } from '../../../test/support/app.ts'
import { settled } from '../../../test/support/store.ts'
import { until } from '../../../test/support/test-clock.ts'

const MAIL = {
  from: 'hello@example.test',
  to: [{ email: 'you@receiver.example' }],
  subject: 'Hello',
  text: 'Hello.\n',
}

describe('messages with several tags', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start()
  })
  after(() => app.stop())

  const show = async (id: string): Promise<Answer['body']> =>
    (await app.call('GET', `/v1/messages/${id}`)).body
  const tagsOf = async (id: string): Promise<[string, string[]]> => {
    const { tag, tags } = await show(id)
    return [tag, tags]
  }
  const list = async (query: string): Promise<string[]> => {
    const { status, body } = await app.call('GET', `/v1/messages?${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.data.map((message: { message_id: string }) => message.message_id)
  }
  const refusals = async (fields: object): Promise<string[]> => {
    const { status, body } = await app.call('POST', '/v1/messages', { ...MAIL, ...fields })
    assert.equal(status, 422, JSON.stringify(body))
    return body.errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)
  }

  test('show the first as tag, and are found by each, with spaces, quotes and wildcards', async () => {
    const tags = ['order shipped', 'a "quoted", 50%_tag', 'größe', 'x'.repeat(255)]
    const id = await app.send({ tags })
    assert.deepEqual(await tagsOf(id), [tags[0], tags])
    for (let isStored = false; ; isStored = true) {
      for (const tag of tags) assert.deepEqual(await list(`tag=${encodeURIComponent(tag)}`), [id], tag)
      for (const tag of ['quoted', 'order', '50%_tag', 'a "quoted", 50%%tag', 'Größe', 'shipped'])
        assert.deepEqual(await list(`tag=${encodeURIComponent(tag)}`), [], tag)
      if (isStored) break
      await settled(app.store)
    }
    const one = await app.send({ tag: 'alone' })
    assert.deepEqual(await tagsOf(one), ['alone', ['alone']])
    assert.deepEqual(await tagsOf(await app.send()), [null, []])
    assert.deepEqual(await tagsOf(await app.send({ tags: ['b', 'b', 'a'] })), ['b', ['b', 'a']])
    const csv = (await app.call('GET', '/v1/messages?format=csv&tag=a')).body.trim().split(/\r?\n/)
    assert.match(csv[1], /,b,"b, a"$/)
  })

  test('are in events, which each tag finds; the statistics count the first', async () => {
    const id = await app.send({ tags: ['counted', 'found'] })
    await app.messageIn(id, 'delivered')
    await settled(app.store)
    for (const tag of ['counted', 'found']) {
      const { body } = await app.call('GET', `/v1/events?tag=${tag}`)
      assert.deepEqual(
        body.data.map(({ message_id, tags }: Answer['body']) => [message_id, tags]),
        Array.from({ length: 3 }, () => [id, ['counted', 'found']]),
      )
      const ofMessage = await app.call('GET', `/v1/events?tag=${tag}&message_id=${id}`)
      assert.equal(ofMessage.body.data.length, 3)
    }
    assert.deepEqual((await app.call('GET', `/v1/events?tag=other&message_id=${id}`)).body.data, [])
    const counted = async (tag: string) =>
      (await app.call('GET', `/v1/stats?tag=${tag}`)).body.totals.accepted
    assert.deepEqual([await counted('counted'), await counted('found')], [1, 0])
  })

  test('are taken in batches, in both forms of a bulk, and by SMTP', async () => {
    const batch = await app.call('POST', '/v1/messages/batch', [{ ...MAIL, tags: ['one', 'two'] }])
    assert.deepEqual(await tagsOf(batch.body.data[0].message_id), ['one', ['one', 'two']])
    const message = { from: MAIL.from, subject: 'Hi', text: 'Hi.', tags: ['bulk', 'many'] }
    const lines = `${JSON.stringify(message)}\n${JSON.stringify({ to: 'a@receiver.example' })}\n`
    const query = 'from=hello%40example.test&subject=Hi&text=Hi&tags=bulk&tags=many'
    for (const answer of [
      await app.call('POST', '/v1/bulk', lines, { 'content-type': 'application/x-ndjson' }),
      await app.call('POST', `/v1/bulk?${query}`, 'email\na@receiver.example\n', {
        'content-type': 'text/csv',
      }),
    ]) {
      assert.equal(answer.status, 202, JSON.stringify(answer.body))
      const id = answer.body.bulk_id
      const sent = await until('the row is a message', async () => {
        const { body } = await app.call('GET', `/v1/bulk/${id}/rows`)
        return body.data[0].message_id ?? undefined
      })
      assert.deepEqual(await tagsOf(sent), ['bulk', ['bulk', 'many']])
      assert.equal((await app.call('GET', `/v1/bulk/${id}`)).body.tag, 'bulk')
    }
    const { host, port, username: user, password: pass } = app.playground.smtp
    const client = createTransport({
      ...{ host, port, requireTLS: true, tls: { rejectUnauthorized: false }, auth: { user, pass } },
    })
    const headers = { 'X-Tag': ['first', 'zweite größe'] }
    const { response } = await client.sendMail({
      ...{ from: MAIL.from, to: 'you@receiver.example', subject: 'x', text: 'x', headers },
    })
    client.close()
    const id = /msg_\w{26}/.exec(response)?.[0] ?? ''
    assert.deepEqual(await tagsOf(id), ['first', ['first', 'zweite größe']])
    assert.deepEqual(await list(`tag=${encodeURIComponent('zweite größe')}`), [id])
  })

  test('are refused together with tag, above ten, empty, too long, and with a line break', async () => {
    assert.deepEqual(await refusals({ tag: 'a', tags: ['a', 'b'] }), ['tag conflict'])
    const eleven = Array.from({ length: 11 }, (_, index) => `t${index}`)
    assert.deepEqual(await refusals({ tags: eleven }), ['tags too_many'])
    assert.deepEqual(await refusals({ tags: ['', 'x'.repeat(256), 'a\nb'] }), [
      'tags[0] too_short',
      'tags[1] too_long',
      'tags[2] invalid_characters',
    ])
    assert.deepEqual(await refusals({ tags: 'a' }), ['tags invalid_type'])
    assert.deepEqual(await tagsOf(await app.send({ tags: [], tag: null })), [null, []])
  })
})
