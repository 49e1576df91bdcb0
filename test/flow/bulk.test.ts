// POST /v1/bulk sends one message to many rows: each row becomes a message, and the content is stored once.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import PostalMime from 'postal-mime'
import { changeAccount } from '../../src/store/access/accounts.ts'
import { readStoredBytes } from '../../src/store/messages/stored-bytes.ts'
import { type Answer, TestApp } from '../support/app.ts'
import { cpuWatch } from '../support/cpu-time.ts'
import { Person } from '../support/person.ts'
import { settled } from '../support/store.ts'
import { until } from '../support/test-clock.ts'
import { thorough } from '../support/thorough.ts'

const LINES = { 'content-type': 'application/x-ndjson' }
const CSV = { 'content-type': 'text/csv' }
const TEMPLATE = {
  alias: 'offer',
  name: 'Offer',
  subject: 'For {{name}}',
  html: `<html><body><p>Dear {{name}},</p>${'<p>All of this is the same for everybody.</p>'.repeat(200)}{{#each items}}<b>{{this}}</b>{{/each}}</body></html>`,
  text: 'Dear {{name}},\n{{#each items}}* {{this}}\n{{/each}}',
  required: ['name'],
}
const MESSAGE = { from: 'hello@example.test', template_alias: 'offer', tag: 'spring' }

describe('a bulk', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start()
    assert.equal((await app.call('POST', '/v1/templates', TEMPLATE)).status, 201)
  })
  after(() => app.stop())

  const lines = (...rows: readonly (object | string)[]): string =>
    rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n')
  const post = (
    body: string | Buffer,
    headers: Record<string, string> = LINES,
    query = '',
  ): Promise<Answer> => app.call('POST', `/v1/bulk${query}`, body, headers)
  const rowsOf = async (id: string, query = ''): Promise<Answer['body'][]> =>
    (await app.call('GET', `/v1/bulk/${id}/rows?limit=200${query}`)).body.data

  async function accepted(answer: Answer): Promise<string> {
    assert.equal(answer.status, 202, JSON.stringify(answer.body))
    assert.equal(answer.headers.get('location'), `/v1/bulk/${answer.body.bulk_id}`)
    return answer.body.bulk_id
  }

  /** Returns the bulk as soon as it has this status. */
  const bulkIn = (id: string, status: string): Promise<Answer['body']> =>
    until(`${id} is ${status}`, async () => {
      const { body } = await app.call('GET', `/v1/bulk/${id}`)
      return body.status === status && body
    })

  async function invalid(answer: Answer, ...expected: string[]): Promise<void> {
    assert.equal(answer.status, 422, JSON.stringify(answer.body))
    const got = answer.body.errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)
    assert.deepEqual(got, expected, JSON.stringify(answer.body.errors))
  }

  test(
    'reaches each row with its own content, which is stored once',
    thorough('1.4 CPU s; the other tests of the file cover the common cases'),
    async () => {
      const people = Array.from({ length: 30 }, (_, index) => ({
        to:
          index % 2 === 0 ? `p${index}@receiver.example` : { email: `p${index}@receiver.example`, name: 'P' },
        template_model: { name: `Ann & ${index}`, items: [`item ${index}`] },
        metadata: { row: String(index) },
      }))
      const account = (await app.store.read.selectFrom('accounts').select('id').executeTakeFirstOrThrow()).id
      await settled(app.store)
      const bytesBefore = await readStoredBytes(app.store.read, account)
      const id = await accepted(
        await post(lines({ ...MESSAGE, metadata: { list: 'a' } }, ...people), LINES, '?name=people.jsonl'),
      )
      const bulk = await bulkIn(id, 'done')
      assert.deepEqual(
        [bulk.name, bulk.total, bulk.accepted, bulk.refused, bulk.tag, bulk.stream, bulk.problem],
        ['people.jsonl', 30, 30, 0, 'spring', 'transactional', null],
      )
      const rows = await rowsOf(id)
      assert.deepEqual(
        rows.map(({ line }) => line),
        people.map((_, index) => index + 2),
      )
      for (const [index, { message_id, to }] of rows.entries()) {
        assert.equal(to, `p${index}@receiver.example`)
        const message = await app.messageIn(message_id, 'delivered')
        assert.equal(message.subject, `For Ann & ${index}`)
        assert.equal(message.template_alias, 'offer')
        assert.deepEqual(message.metadata, { list: 'a', row: String(index) })
        const shown = await app.call('GET', `/v1/messages/${message_id}?include=content`)
        assert.match(shown.body.html, new RegExp(`Dear Ann &amp; ${index},.*<b>item ${index}</b>`, 's'))
        assert.ok(shown.body.size > 8_000)
      }
      const mails = await Promise.all(
        app.host.mails
          .filter(({ recipients }) => recipients[0]?.startsWith('p'))
          .map(async ({ recipients: [to], data }) => ({ to, mail: await PostalMime.parse(data) })),
      )
      assert.equal(mails.length, 30)
      for (const { to, mail } of mails) {
        const index = /^p(\d+)@/.exec(to ?? '')?.[1]
        assert.equal(mail.subject, `For Ann & ${index}`)
        assert.equal(mail.text?.trim(), `Dear Ann & ${index},\n* item ${index}`)
        assert.equal(mail.to?.[0]?.address, to)
      }
      await settled(app.store)
      const bytes = (await readStoredBytes(app.store.read, account)) - bytesBefore
      assert.ok(bytes > 8_000 && bytes < 8_000 + 30 * 600, `${bytes} bytes for 30 messages of 9 KB`)
      const again = await app.call('GET', `/v1/bulk/${id}?include=recipients`)
      assert.deepEqual(again.body.recipients, { delivered: 30 })
      const listed = await app.call('GET', '/v1/bulk')
      assert.deepEqual(listed.body.data[0], bulk)
    },
  )

  test('with content of its own is filled like a template, and reports where the content is wrong', async () => {
    const message = { from: 'hello@example.test', subject: 'Hi {{name}}', text: 'Hi {{order.number}}.' }
    const row = { to: 'own@receiver.example', template_model: { order: { number: 7 } } }
    const id = await accepted(await post(lines({ ...message, template_model: { name: 'all' } }, row)))
    await bulkIn(id, 'done')
    const [{ message_id }] = await rowsOf(id)
    assert.equal((await app.messageIn(message_id, 'delivered')).subject, 'Hi all')
    const mail = await PostalMime.parse(
      app.host.mails.find(({ recipients }) => recipients[0] === row.to)!.data,
    )
    assert.equal(mail.text?.trim(), 'Hi 7.')
    const query = '?from=hello%40example.test&subject=To+%7B%7Bemail%7D%7D&text=x'
    const ofCsv = await accepted(await post('name,email\nAnn,csv@receiver.example', CSV, query))
    await bulkIn(ofCsv, 'done')
    const [sent] = await rowsOf(ofCsv)
    assert.equal((await app.messageIn(sent.message_id, 'delivered')).subject, 'To csv@receiver.example')
    await invalid(await post(lines({ ...message, text: 'Hi {{#if}' }, row)), 'text template_syntax')
    await invalid(await post(lines({ from: 'hello@example.test' }, row)), 'subject required', 'html required')
    await invalid(await post(lines({ ...message, sbject: 'x' }, row)), 'sbject unknown_field')
    await invalid(await post(lines({ ...message, stream: 'none' }, row)), 'stream not_found')
    await invalid(await post(lines({ ...MESSAGE, template_alias: 'none' }, row)), 'template_alias not_found')
    assert.equal((await post(lines({ ...message, from: 'a@elsewhere.test' }, row))).status, 403)
  })

  test(
    'as CSV takes columns as variables, in any usual form',
    thorough('0.8 CPU s; the other tests of the file cover the common cases'),
    async () => {
      const csv =
        '\ufeffE-Mail;to_name;name;items.0;metadata.order;=x\r\n' +
        '"c1@receiver.example";Äne;"Ann; and ""Bob""";"first\r\nand more";4711;\r\n' +
        "'=c2@receiver.example;;'=1+1;;;y\r\n\r\n"
      const id = await accepted(
        await post(csv, CSV, '?from=hello@example.test&template_alias=offer&name=list.csv'),
      )
      await bulkIn(id, 'done')
      const rows = await rowsOf(id)
      assert.deepEqual(
        rows.map(({ to }) => to),
        ['c1@receiver.example', '=c2@receiver.example'],
      )
      const [first, second] = await Promise.all(
        rows.map(({ message_id }) => app.messageIn(message_id, 'delivered', 'failed', 'bounced')),
      )
      assert.equal(first.to[0].name, 'Äne')
      assert.equal(first.subject, 'For Ann; and "Bob"')
      assert.deepEqual(first.metadata, { order: '4711' })
      assert.equal(second.subject, 'For =1+1')
      const download = await app.call('GET', `/v1/bulk/${id}/rows?format=csv`)
      assert.match(download.headers.get('content-disposition') ?? '', /filename\*=UTF-8''list-rows\.csv/)
      assert.match(download.body, /^line,to,status,message_id,reason\n2,c1@receiver\.example,delivered,msg_/)
      assert.match(download.body, /\n3,'=c2@receiver\.example,/)
      const query = '?from=hello@example.test&template_alias=offer'
      await invalid(await post('name,other\na@b.test,1', CSV, query), 'column required')
      await invalid(await post('email,a,a\nx@b.test,1,2', CSV, query), 'a duplicate_column')
      await invalid(await post('email,a.b,a\nx@b.test,1,2', CSV, query), 'a conflict')
      await invalid(await post('email,email\nx@b.test,y@b.test', CSV, query), 'column duplicate_column')
      const two = 'E-Mail,name,email\nx@b.test,1,column@receiver.example'
      await invalid(await post(two, CSV, query), 'column duplicate_column')
      const named = await accepted(await post(two, CSV, `${query}&column=email`))
      assert.deepEqual(
        (await rowsOf(named)).map(({ to }) => to),
        ['column@receiver.example'],
      )
      const postal = 'Address,name,Email\n"Main Street 1",1,postal@receiver.example'
      assert.equal(
        (await rowsOf(await accepted(await post(postal, CSV, query))))[0].to,
        'postal@receiver.example',
      )
      const blank = await accepted(
        await post('\nemail,name\n\n\r\nblank@receiver.example,"a\nb"\n\nb,c', CSV, query),
      )
      assert.deepEqual(
        (await rowsOf(blank)).map(({ line }) => line),
        [5, 7],
      )
      const deep = 'a.'.repeat(10)
      await invalid(await post(`email,${deep}b\nx@b.test,1`, CSV, query), `${deep.slice(0, -1)} invalid_path`)
      const used = cpuWatch()
      const { status } = await post(`email,${'a.'.repeat(400_000)}b\nx@b.test,1`, CSV, query)
      const took = used()
      assert.equal(status, 422)
      assert.ok(took < 3_000, `${took} ms`)
      await invalid(await post('email\n', CSV, query), ' too_few')
      assert.equal((await post('email,a\nx@b.test,"1', CSV, query)).status, 400)
      await invalid(await post('email\nx@b.test', CSV, '?template_alias=offer'), 'from required')
    },
  )

  test('refuses hostile rows one by one, with their line, and sends the others', async () => {
    const good = { to: 'good@receiver.example', template_model: { name: 'Ann' } }
    const id = await accepted(
      await post(
        [
          JSON.stringify(MESSAGE),
          '\ufeff{"to":"bom@receiver.example"}',
          '{"to":"nobody"}',
          '{"to":"nul\\u0000@receiver.example","template_model":{"name":"x"}}',
          '{"to":"open@receiver.example"',
          '[]',
          '"text"',
          '',
          '{"to":"twice@receiver.example","to":"other@receiver.example"}',
          '{"to":"unknown@receiver.example","template_modl":{}}',
          `{"to":"long@receiver.example","template_model":{"name":"${'x'.repeat(1_000_000)}"}}`,
          '{"to":"missing@receiver.example"}',
          '{"to":"crlf@receiver.example","template_model":{"name":"a\\r\\nBcc: x@y.test"}}',
          '{"to":["array@receiver.example"]}',
          '{"to":{"email":"name@receiver.example","name":"a\\nb"},"template_model":{"name":"x"}}',
          '{"to":"proto@receiver.example","template_model":{"__proto__":{"name":"x"}}}',
          JSON.stringify(good),
          JSON.stringify(good),
          `{"to":"meta@receiver.example","template_model":{"name":"x"},"metadata":{"a":"${'x'.repeat(17_000)}"}}`,
        ].join('\r\n'),
      ),
    )
    const bulk = await bulkIn(id, 'done')
    assert.deepEqual([bulk.total, bulk.accepted, bulk.refused], [17, 1, 16])
    const rows = await rowsOf(id)
    assert.deepEqual(
      rows.filter(({ status }) => status !== 'refused').map(({ line, to }) => [line, to]),
      [[17, good.to]],
    )
    const reasons = new Map(rows.map(({ line, reason }) => [line, reason]))
    for (const [line, reason] of [
      [2, /template_model\.name: The template requires this value/],
      [3, /not an email address/],
      [4, /not an email address/],
      [5, /not JSON/],
      [6, /must be a JSON object/],
      [7, /must be a JSON object/],
      [9, /to: /],
      [10, /template_modl: There is no such field; did you mean template_model/],
      [11, /at most 131072 bytes/],
      [12, /template_model\.name: The template requires this value/],
      [13, /line break/],
      [14, /^to: /],
      [15, /CR, LF or NUL/],
      [16, /__proto__: There is no such field/],
      [18, /identical/],
      [19, /metadata has at most 16384 bytes/],
    ] as const) {
      assert.match(reasons.get(line) ?? '', reason, `line ${line}`)
    }
    const failures = await app.call('GET', `/v1/bulk/${id}/rows?failures=true&format=csv`)
    assert.equal(failures.body.trim().split('\n').length, 17)
    const none = await post(lines(MESSAGE, { to: 'nobody' }, '{'))
    await invalid(none, 'line 2: to invalid_email', 'line 3 malformed')
  })

  test('is accepted once under an Idempotency-Key', async () => {
    const body = lines(MESSAGE, { to: 'once@receiver.example', template_model: { name: 'x' } })
    const headers = { ...LINES, 'idempotency-key': 'bulk-1' }
    const [one, other] = await Promise.all([post(body, headers), post(body, headers)])
    assert.deepEqual([one.status, other.status].sort(), [202, 409])
    const again = await post(body, headers)
    assert.deepEqual(again.body, (one.status === 202 ? one : other).body)
    const another = await post(body.replace('once@', 'else@'), headers)
    await invalid(another, 'Idempotency-Key key_reused')
    await bulkIn(again.body.bulk_id, 'done')
    const all = await app.store.read
      .selectFrom('bulks')
      .select('id')
      .where('status', '=', 'loading')
      .execute()
    assert.equal(all.length, 0)
  })

  test('waits while the allowance is used up, and continues when there is more', async () => {
    const { id: account } = await app.store.read.selectFrom('accounts').select('id').executeTakeFirstOrThrow()
    const allow = (sending_allowance: number | null): Promise<unknown> =>
      app.store.write(changeAccount, { id: account, changes: { sending_allowance }, now: Date.now() })
    await allow(3)
    const rows = Array.from({ length: 5 }, (_, index) => ({
      to: `a${index}@receiver.example`,
      template_model: { name: 'x' },
    }))
    const id = await accepted(await post(lines(MESSAGE, ...rows)))
    const paused = await bulkIn(id, 'paused')
    assert.deepEqual([paused.accepted, paused.problem.code], [3, 'sending_allowance_exhausted'])
    const another = await accepted(await post(lines(MESSAGE, ...rows, '{')))
    await bulkIn(another, 'paused')
    const statuses = async (query = ''): Promise<string[]> =>
      (await rowsOf(another, query)).map(({ status }) => status)
    assert.deepEqual(await statuses(), [...rows.map(() => 'waiting'), 'refused'])
    assert.deepEqual(await statuses('&failures=true'), ['refused'])
    assert.equal((await app.call('POST', `/v1/bulk/${another}/cancel`)).status, 200)
    for (const query of ['', '&failures=true']) {
      assert.deepEqual(await statuses(query), [...rows.map(() => 'cancelled'), 'refused'])
    }
    await bulkIn(another, 'cancelled')
    await allow(null)
    await app.store.read.updateTable('bulks').set({ retry_at: 0 }).where('id', '=', id).execute()
    assert.equal((await bulkIn(id, 'done')).accepted, 5)
    const sent = await rowsOf(id)
    assert.equal(new Set(sent.map(({ message_id }) => message_id)).size, 5)
  })

  test('is checked by the dashboard with all rows, and nothing is stored', async () => {
    const owner = await Person.loggedIn(app)
    const { id: domain } = await app.store.read.selectFrom('domains').select('id').executeTakeFirstOrThrow()
    const check = (csv: string, query = ''): Promise<Answer> =>
      owner.call(
        'POST',
        `/api/domains/${domain}/bulk/check?from=hello%40example.test&template_alias=offer${query}`,
        csv,
        CSV,
      )
    const before = (await app.call('GET', '/v1/bulk')).body.data.length
    const good = Array.from({ length: 300 }, (_, index) => `g${index}@receiver.example,Ann,x`)
    const { status, body } = await check(
      ['email,name,items', 'nobody,Bob,x', ...good, 'lacks@receiver.example,,', good[0], 'none,x,x'].join(
        '\n',
      ),
    )
    assert.equal(status, 200, JSON.stringify(body))
    const [first, second] = body.refusals
    assert.deepEqual([body.total, body.refused], [304, 4])
    assert.match(first.reason, /^to: This is not an email address/)
    assert.deepEqual([first.rows, first.line, second.rows, second.line], [2, 2, 1, 304])
    assert.deepEqual(body.variables, [
      { name: 'name', required: true, rows: 1, line: 303 },
      { name: 'items', required: false, rows: 1, line: 303 },
    ])
    assert.equal((await app.call('GET', '/v1/bulk')).body.data.length, before)
    await invalid(await check('email\na@receiver.example', '&stream=none'), 'stream not_found')
    await invalid(await check('name,x\nAnn,y'), 'column required')
    await invalid(await check('email,name\n'), ' too_few')
    const variables = await owner.call('GET', `/api/domains/${domain}/templates/offer/variables`)
    assert.deepEqual(variables.body.data, [
      { name: 'name', required: true },
      { name: 'items', required: false },
    ])
    assert.equal((await owner.call('GET', `/api/domains/${domain}/templates/none/variables`)).status, 404)
  })

  test('ends as usual after its key was revoked', async () => {
    const owner = await Person.loggedIn(app)
    const { id: domain } = await app.store.read.selectFrom('domains').select('id').executeTakeFirstOrThrow()
    const made = await owner.call('POST', '/api/keys', {
      ...{ kind: 'sending', domains: [domain], name: 'Shop' },
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const rows = Array.from({ length: 300 }, (_, index) => ({
      to: `r${index}@receiver.example`,
      template_model: { name: 'x' },
    }))
    const headers = { ...LINES, authorization: `Bearer ${made.body.key}` }
    const sendAt = new Date(Date.now() + 3_600_000).toISOString()
    const id = await accepted(await post(lines({ ...MESSAGE, send_at: sendAt }, ...rows), headers))
    const revoked = await owner.call('DELETE', `/api/keys/${made.body.key_id}`)
    assert.equal(revoked.status, 204)
    const bulk = await bulkIn(id, 'done')
    assert.deepEqual([bulk.accepted, bulk.refused], [300, 0])
    assert.equal((await app.call('POST', `/v1/bulk/${id}/cancel`)).status, 200)
  })

  test('is cancelled with its waiting messages', async () => {
    const sendAt = new Date(Date.now() + 3_600_000).toISOString()
    const rows = Array.from({ length: 700 }, (_, index) => ({
      to: `s${index}@receiver.example`,
      template_model: { name: 'x' },
    }))
    const id = await accepted(await post(lines({ ...MESSAGE, send_at: sendAt }, ...rows)))
    assert.equal((await app.call('POST', `/v1/bulk/${id}/cancel`)).status, 200)
    const { accepted: made } = await bulkIn(id, 'cancelled')
    const { body } = await app.call('GET', `/v1/bulk/${id}?include=recipients`)
    assert.deepEqual(body.recipients, made === 0 ? {} : { cancelled: made })
    assert.equal((await app.call('GET', '/v1/bulk/blk_00000000000000000000000000')).status, 404)
  })

  test(
    'is cancelled as long as messages wait, even after all rows have become messages',
    thorough('0.7 CPU s; the other tests of the file cover the common cases'),
    async () => {
      const sendAt = new Date(Date.now() + 3_600_000).toISOString()
      const rows = Array.from({ length: 700 }, (_, index) => ({
        to: `w${index}@receiver.example`,
        template_model: { name: 'x' },
      }))
      const id = await accepted(await post(lines({ ...MESSAGE, send_at: sendAt }, ...rows)))
      await bulkIn(id, 'done')
      const cancels = await Promise.all([1, 2, 3].map(() => app.call('POST', `/v1/bulk/${id}/cancel`)))
      assert.deepEqual(
        cancels.map(({ status }) => status),
        [200, 200, 200],
      )
      assert.ok(['cancelling', 'cancelled'].includes(cancels[0]?.body.status))
      const bulk = await bulkIn(id, 'cancelled')
      assert.deepEqual([bulk.accepted, bulk.problem], [700, null])
      const { body } = await app.call('GET', `/v1/bulk/${id}?include=recipients`)
      assert.deepEqual(body.recipients, { cancelled: 700 })
      const conflict = await app.call('POST', `/v1/bulk/${id}/cancel`)
      assert.equal(conflict.status, 409)
      assert.match(conflict.body.detail, /none of its messages is waiting/)
    },
  )
})
