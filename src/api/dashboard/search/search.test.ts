// Tests the search across all domains and the details of an address, on both databases.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createTransport } from 'nodemailer'
import { TestApp } from '../../../../test/support/app.ts'
import { Person } from '../../../../test/support/person.ts'
import { settled } from '../../../../test/support/store.ts'
import { createTenant } from '../../../../test/support/tenant.ts'
import { findDomain } from '../../../store/domains/domain-rows.ts'

describe('the search across all domains', () => {
  let app: TestApp
  let owner: Person
  let domain: string
  before(async () => {
    app = await TestApp.start({
      host: {
        script: ({ verb, argument }) =>
          verb === 'RCPT' && /<no@/i.test(argument) ? '550 5.1.1 No such user' : undefined,
      },
    })
    owner = await Person.loggedIn(app)
    const { body } = await owner.call('GET', '/api/session')
    domain = (await findDomain(app.store.read, body.account.account_id, app.playground.domain))?.id ?? ''
  })
  after(() => app.stop())

  const search = async (q: string) => {
    const { status, body } = await owner.call('GET', `/api/search?q=${encodeURIComponent(q)}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  const idsOf = async (q: string): Promise<string[]> =>
    (await search(q)).messages.map(({ message_id }: { message_id: string }) => message_id)

  test('finds templates and layouts by a part of their name or alias', async () => {
    const at = `/api/domains/${domain}`
    const template = { name: 'Welcome 100%', alias: 'sign-up', subject: 's', text: 't' }
    const { body: made } = await owner.call('POST', `${at}/templates`, template)
    const layout = {
      name: 'Frame of welcome',
      alias: 'frame',
      html: '{{{ @content }}}',
      text: '{{{ @content }}}',
    }
    await owner.call('POST', `${at}/layouts`, layout)
    const named = async (q: string): Promise<string[]> =>
      (await search(q)).templates.map(({ kind, name }: Record<string, string>) => `${kind} ${name}`)
    const both = ['template Welcome 100%', 'layout Frame of welcome']
    for (const [q, found] of [
      ['WELC', both],
      ['sign-u', both.slice(0, 1)],
      ['100%', both.slice(0, 1)],
      ['1%0', []],
      ['_', []],
    ] as const) {
      assert.deepEqual(await named(q), found, q)
    }
    const [{ id, domain_id, alias }] = (await search('sign-up')).templates
    assert.deepEqual([id, domain_id, alias], [made.template_id, domain, 'sign-up'])
  })

  test('finds a message by its ID, its Message-ID, words without accents, and its tag', async () => {
    const id = await app.send({ subject: 'Prüfung für Zoë Łukasz', tag: 'exam-2026' })
    await settled(app.store)
    const ulid = id.slice(4)
    for (const q of [id, id.toLowerCase(), `<${ulid}@${app.playground.domain}>`, `queued as ${id}`]) {
      assert.deepEqual(await idsOf(q), [id], q)
    }
    for (const q of ['prufung', 'PRÜF', 'fur zoe', 'lukasz', 'Łuk']) assert.deepEqual(await idsOf(q), [id], q)
    assert.deepEqual(await idsOf('nothing of this'), [])
    const [found] = (await search(id)).messages
    assert.deepEqual([found.domain_id, found.subject], [domain, 'Prüfung für Zoë Łukasz'])
    assert.deepEqual((await search('exam')).tags, [{ domain_id: domain, tag: 'exam-2026' }])
    assert.deepEqual((await search('xam')).tags, [])
  })

  test('finds a message by the Message-ID that an SMTP client has chosen', async () => {
    const { username, password, port } = app.playground.smtp
    const transport = createTransport({
      ...{ host: '127.0.0.1', port, requireTLS: true, tls: { rejectUnauthorized: false } },
      auth: { user: username, pass: password },
    })
    const messageId = '<order-7.Confirm$2@mailer.shop.example>'
    const sent = await transport.sendMail({
      ...{ from: `me@${app.playground.domain}`, to: 'you@receiver.example', subject: 'Sent', text: 'Sent' },
      messageId,
    })
    await settled(app.store)
    const id = sent.response.split(' ').at(-1)
    for (const q of [messageId, messageId.slice(1, -1), `Message-ID: ${messageId}`]) {
      assert.deepEqual(await idsOf(q), [id], q)
    }
    assert.deepEqual(await idsOf(messageId.toLowerCase()), [])
  })

  test('finds addresses by their beginning in any case, each once', async () => {
    const to = ['Zelda@receiver.example', 'zelda@receiver.example', 'zeldb@receiver.example']
    for (const email of to) await app.send({ to: [{ email }] })
    assert.deepEqual((await search('ZEL')).addresses, ['zelda@receiver.example', 'zeldb@receiver.example'])
    assert.deepEqual((await search('Zelda <zelda@Receiver.example>')).addresses, ['zelda@receiver.example'])
    assert.deepEqual((await search('elda')).addresses, [])
    // A domain is stored in its ASCII form, and can be found by its Unicode form.
    await app.send({ to: [{ email: 'ann@bücher.example' }] })
    for (const q of ['ann@bücher.example', 'Ann <Ann@BÜCHER.example>', 'ann@xn--bcher']) {
      assert.deepEqual((await search(q)).addresses, ['ann@xn--bcher-kva.example'], q)
    }
  })

  test('covers all domains of the account, and no other account', async () => {
    const own = await app.store.read.selectFrom('domains').select('account_id').where('id', '=', domain)
    const { account_id } = await own.executeTakeFirstOrThrow()
    const second = await createTenant(app.store, { domain: 'second.example' })
    const other = await createTenant(app.store, { domain: 'other.example' })
    const send = async (from: string, key: string): Promise<string> => {
      const body = { from, to: [{ email: 'quentin@receiver.example' }], subject: 'Quarterly', html: 'H' }
      const answer = await app.call(
        'POST',
        '/v1/messages',
        { ...body, tag: 'quarter' },
        { authorization: `Bearer ${key}` },
      )
      return answer.body.message_id
    }
    const foreign = await send('a@other.example', other.sendingKey)
    const ours = await send(`a@${app.playground.domain}`, app.playground.sending_key)
    await settled(app.store)
    assert.notEqual(second.account.id, account_id)
    assert.deepEqual(await idsOf('quarterly'), [ours])
    assert.deepEqual(await idsOf(foreign), [])
    assert.deepEqual((await search('quarter')).tags, [{ domain_id: domain, tag: 'quarter' }])
    // The results of a search stay the same after another domain is added to the account.
    const added = (await owner.call('POST', '/api/domains', { domain: 'third.example' })).body.domain_id
    assert.deepEqual(await idsOf('quarterly'), [ours])
    assert.deepEqual((await search('quentin')).addresses, ['quentin@receiver.example'])
    assert.equal((await owner.call('DELETE', `/api/domains/${added}?confirm=third.example`)).status, 204)
    const record = await owner.call('GET', '/api/addresses/quentin%40receiver.example/messages')
    assert.deepEqual(
      record.body.data.map(({ message_id }: { message_id: string }) => message_id),
      [ours],
    )
  })

  test('shows the mail, suppressions and verifications of an address', async () => {
    const first = await app.send({ to: [{ email: 'No@receiver.example' }] })
    await app.messageIn(first, 'bounced')
    const second = await app.send({ to: [{ email: 'No@receiver.example' }] })
    await app.messageIn(second, 'suppressed')
    await owner.call('POST', '/api/verification/verifications', ['no@receiver.example'])
    const path = '/api/addresses/no%40receiver.example'
    const { status, body } = await owner.call('GET', path)
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(body.counts, { bounced: 1, suppressed: 1 })
    assert.equal(body.counted_all, true)
    assert.deepEqual(
      body.suppressions.map(({ created_at: _, ...one }: Record<string, unknown>) => one),
      [
        {
          ...{ domain_id: domain, email: 'no@receiver.example', stream: 'transactional' },
          ...{ reason: 'hard_bounce', message_id: first },
        },
      ],
    )
    assert.equal(body.verifications.length, 1)
    const pages: string[] = []
    for (let cursor = ''; ; ) {
      const page = (await owner.call('GET', `${path}/messages?limit=1${cursor}`)).body
      pages.push(...page.data.map(({ message_id }: { message_id: string }) => message_id))
      if (page.next_cursor === null) break
      cursor = `&cursor=${page.next_cursor}`
    }
    assert.deepEqual(pages, [second, first])
    const nobody = await owner.call('GET', '/api/addresses/nobody%40receiver.example')
    assert.deepEqual([nobody.body.counts, nobody.body.suppressions], [{}, []])
  })

  test('refuses an invalid address and an invalid cursor', async () => {
    const wrong = await owner.call('GET', '/api/addresses/nonsense')
    assert.deepEqual([wrong.status, wrong.body.errors[0].path], [422, 'email'])
    const cursor = await owner.call('GET', '/api/addresses/a%40b.example/messages?cursor=x')
    assert.equal(cursor.status, 400)
    assert.equal((await owner.call('GET', '/api/search?q=')).status, 422)
    assert.equal((await owner.call('GET', '/api/search?q=%00')).status, 422)
  })
})
