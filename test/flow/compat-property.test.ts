// Random messages in the form of other services become mail with the same recipients, texts, fields and files;
// what is not understood is named in X-Postrider-Ignored.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { simpleParser } from 'mailparser'
import { type Answer, TestApp } from '../support/app.ts'

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,11}$/)
const words = fc.array(word, { minLength: 1, maxLength: 6 }).map((list) => list.join(' '))
/** Text with letters of other scripts, quotes and signs of templates, without line breaks at its ends. */
const text = fc
  .array(fc.constantFrom('Grüße', 'a&b', '"q"', '日本', '{x}', 'e=mc', '%40', '<', "it's", 'plain'), {
    minLength: 1,
    maxLength: 8,
  })
  .map((list) => list.join(' '))
const mailbox = fc.record({ local: word, name: fc.option(words, { nil: undefined }) })
const mailboxes = fc.uniqueArray(mailbox, { selector: ({ local }) => local, minLength: 1, maxLength: 4 })
const file = fc.record({
  name: word.map((name) => `${name}.bin`),
  content: fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  isInline: fc.boolean(),
})

const message = fc.record({
  to: mailboxes,
  cc: fc.array(mailbox, { maxLength: 2 }),
  bcc: fc.array(mailbox, { maxLength: 2 }),
  fromName: fc.option(words, { nil: undefined }),
  replyTo: fc.option(word, { nil: undefined }),
  subject: text,
  html: fc.option(text, { nil: undefined }),
  text,
  header: fc.option(words, { nil: undefined }),
  pairs: fc.dictionary(word, words, { maxKeys: 3 }),
  labels: fc.uniqueArray(word, { maxLength: 3 }),
  files: fc.uniqueArray(file, { selector: ({ name }) => name, maxLength: 2 }),
  unknown: fc.option(word, { nil: undefined }),
})
type Random = typeof message extends fc.Arbitrary<infer Value> ? Value : never

/** Returns the addresses of a kind of recipients, each kind at a domain of its own. */
const emailsOf = (list: Random['to'], role: string): string[] =>
  [...new Set(list.map(({ local }) => local))].map((local) => `${local}@${role}.example`)

const named = (list: Random['to'], role: string) =>
  emailsOf(list, role).map((email) => {
    const name = list.find(({ local }) => email.startsWith(`${local}@`))?.name
    return { email, ...(name === undefined ? {} : { name }) }
  })

const html = (random: Random): string | undefined =>
  random.html === undefined
    ? undefined
    : `<p>${random.html.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</p>`

const inResend = (random: Random): object => {
  return {
    from: written({
      email: 'shop@example.test',
      ...(random.fromName === undefined ? {} : { name: random.fromName }),
    }),
    to: named(random.to, 'to').map(written),
    cc: named(random.cc, 'cc').map(written),
    bcc: named(random.bcc, 'bcc').map(written).join(', '),
    reply_to: random.replyTo && `${random.replyTo}@reply.example`,
    ...{ subject: random.subject, text: random.text, html: html(random) ?? null },
    ...(random.header === undefined ? {} : { headers: { 'X-Own': random.header } }),
    tags: Object.entries(random.pairs).map(([name, value]) => ({ name, value })),
    attachments: random.files.map(({ name, content, isInline }) => ({
      filename: name,
      content: isInline ? content.toString('base64') : { type: 'Buffer', data: [...content] },
      ...(isInline ? { content_id: name } : {}),
    })),
    ...(random.unknown === undefined ? {} : { [`zz_${random.unknown}`]: 1 }),
  }
}

const inSendGrid = (random: Random): object => ({
  personalizations: [
    {
      ...{ to: named(random.to, 'to'), cc: named(random.cc, 'cc'), bcc: named(random.bcc, 'bcc') },
      substitutions: {},
      custom_args: random.pairs,
    },
  ],
  from: { email: 'shop@example.test', ...(random.fromName === undefined ? {} : { name: random.fromName }) },
  ...(random.replyTo === undefined ? {} : { reply_to: { email: `${random.replyTo}@reply.example` } }),
  subject: random.subject,
  content: [
    { type: 'text/plain', value: random.text },
    ...(random.html === undefined ? [] : [{ type: 'text/html', value: html(random) }]),
  ],
  ...(random.header === undefined ? {} : { headers: { 'X-Own': random.header } }),
  categories: random.labels,
  attachments: random.files.map(({ name, content, isInline }) => ({
    ...{ filename: name, content: content.toString('base64'), type: 'application/octet-stream' },
    ...(isInline ? { disposition: 'inline', content_id: name } : {}),
  })),
  ...(random.unknown === undefined ? {} : { [`zz_${random.unknown}`]: 1 }),
})

const written = ({ email, name }: { email: string; name?: string }): string =>
  name === undefined ? email : `${name} <${email}>`

const sender = ({ fromName }: Random): string =>
  written({ email: 'shop@example.test', ...(fromName === undefined ? {} : { name: fromName }) })

const inMailgun = (random: Random): FormData => {
  const form = new FormData()
  const fields: [string, string | undefined][] = [
    ...[['from', sender(random)] as [string, string]],
    ...named(random.to, 'to').map((one): [string, string] => ['to', written(one)]),
    ['cc', named(random.cc, 'cc').map(written).join(', ')],
    ['bcc', named(random.bcc, 'bcc').map(written).join(', ')],
    ['h:Reply-To', random.replyTo && `${random.replyTo}@reply.example`],
    ...([
      ['subject', random.subject],
      ['text', random.text],
      ['html', html(random)],
      ['h:X-Own', random.header],
    ] as [string, string | undefined][]),
    ...Object.entries(random.pairs).map(([name, value]): [string, string] => [`v:${name}`, value]),
    ...random.labels.map((label): [string, string] => ['o:tag', label]),
    [`zz_${random.unknown}`, random.unknown],
  ]
  for (const [name, value] of fields) if (value !== undefined) form.append(name, value)
  for (const { name, content, isInline } of random.files) {
    form.append(isInline ? 'inline' : 'attachment', new File([content], name))
  }
  return form
}

const inPostal = (random: Random): object => ({
  from: sender(random),
  ...{ to: named(random.to, 'to').map(written), cc: named(random.cc, 'cc').map(written).join(', ') },
  bcc: named(random.bcc, 'bcc').map(written),
  ...{ subject: random.subject, plain_body: random.text, html_body: html(random) ?? null },
  reply_to: random.replyTo && `${random.replyTo}@reply.example`,
  tag: random.labels[0],
  ...(random.header === undefined ? {} : { headers: { 'X-Own': random.header } }),
  attachments: random.files.map(({ name, content }) => ({
    ...{ name, content_type: 'application/octet-stream', data: content.toString('base64') },
  })),
  ...(random.unknown === undefined ? {} : { [`zz_${random.unknown}`]: 1 }),
})

const inUseSend = (random: Random): object => ({
  from: sender(random),
  to: named(random.to, 'to').map(written),
  ...{ cc: named(random.cc, 'cc').map(written), bcc: named(random.bcc, 'bcc').map(written) },
  ...{ subject: random.subject, text: random.text, html: html(random) ?? null },
  replyTo: random.replyTo && `${random.replyTo}@reply.example`,
  ...(random.header === undefined ? {} : { headers: { 'X-Own': random.header } }),
  attachments: random.files.map(({ name, content }) => ({
    filename: name,
    content: content.toString('base64'),
  })),
  ...(random.unknown === undefined ? {} : { [`zz_${random.unknown}`]: 1 }),
})

/** A service: its call, the form of a message, and what of a message the service can express. */
interface Form {
  readonly path: string
  body(random: Random): object
  headers?(key: string): Record<string, string>
  tags(random: Random): readonly string[]
  readonly hasMetadata: boolean
}

const FORMS: Readonly<Record<string, Form>> = {
  resend: { path: '/compat/resend/emails', body: inResend, tags: () => [], hasMetadata: true },
  sendgrid: {
    ...{ path: '/compat/sendgrid/v3/mail/send', body: inSendGrid },
    ...{ tags: ({ labels }) => labels, hasMetadata: true },
  },
  mailgun: {
    ...{ path: '/compat/mailgun/v3/example.test/messages', body: inMailgun },
    headers: (key) => ({ authorization: `Basic ${btoa(`api:${key}`)}` }),
    ...{ tags: ({ labels }) => labels, hasMetadata: true },
  },
  postal: {
    ...{ path: '/compat/postal/api/v1/send/message', body: inPostal },
    headers: (key) => ({ 'x-server-api-key': key }),
    ...{ tags: ({ labels }) => labels.slice(0, 1), hasMetadata: false },
  },
  usesend: { path: '/compat/usesend/api/v1/emails', body: inUseSend, tags: () => [], hasMetadata: false },
}

describe('random messages in the form of other services', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api', POSTRIDER_SENDING_RATE: '100000/s' } })
  })
  after(() => app.stop())

  /** Checks that an accepted message has everything that the random message asks for. */
  async function check(
    answer: Pick<Answer, 'status' | 'headers' | 'body'>,
    random: Random,
    form: Form,
  ): Promise<void> {
    assert.ok(answer.status === 200 || answer.status === 202, JSON.stringify(answer.body))
    const ignored = answer.headers.get('x-postrider-ignored')
    assert.equal(ignored, random.unknown === undefined ? null : `zz_${random.unknown}`)
    const { data } = (await app.call('GET', '/v1/messages?limit=1')).body
    const [stored] = data
    const emails = (role: string): string[] => stored[role].map(({ email }: { email: string }) => email)
    assert.deepEqual(emails('to'), emailsOf(random.to, 'to'))
    assert.deepEqual(emails('cc'), emailsOf(random.cc, 'cc'))
    assert.deepEqual(emails('bcc'), emailsOf(random.bcc, 'bcc'))
    assert.deepEqual(stored.metadata, form.hasMetadata ? { ...random.pairs } : {})
    assert.deepEqual(stored.tags, form.tags(random))
    const raw = await app.call('GET', `/v1/messages/${stored.message_id}/raw`)
    const mail = await simpleParser(raw.body)
    assert.equal(mail.subject, random.subject)
    assert.deepEqual(mail.from?.value[0], { address: 'shop@example.test', name: random.fromName ?? '' })
    const shownTo = [mail.to ?? []].flat().flatMap(({ value }) => value)
    assert.deepEqual(
      shownTo.map(({ address = '', name }) => ({ email: address, ...(name === '' ? {} : { name }) })),
      named(random.to, 'to'),
    )
    assert.doesNotMatch(raw.body, /@bcc\.example/)
    const replies = mail.replyTo?.value.map(({ address }) => address) ?? []
    assert.deepEqual(replies, random.replyTo === undefined ? [] : [`${random.replyTo}@reply.example`])
    assert.equal(mail.headers.get('x-own'), random.header)
    assert.equal(mail.text?.trim(), random.text)
    if (random.html !== undefined) assert.ok(String(mail.html).includes(html(random) ?? ''), `${mail.html}`)
    assert.deepEqual(
      mail.attachments.map(({ filename, content }) => [filename, content.toString('hex')]).toSorted(),
      random.files.map(({ name, content }) => [name, content.toString('hex')]).toSorted(),
    )
  }

  async function send(
    { path, body, headers }: Form,
    random: Random,
  ): Promise<Pick<Answer, 'status' | 'headers' | 'body'>> {
    const given = body(random)
    const key = app.playground.sending_key
    if (!(given instanceof FormData)) return app.call('POST', path, given, headers?.(key) ?? {})
    const answer = await fetch(new URL(path, app.app.url), {
      method: 'POST',
      headers: headers?.(key) ?? {},
      body: given,
    })
    return { status: answer.status, headers: answer.headers, body: await answer.json() }
  }

  const once = (list: Random['cc']): Random['cc'] =>
    list.filter(({ local }, at) => list.findIndex((one) => one.local === local) === at)

  for (const [name, form] of Object.entries(FORMS)) {
    test(`of ${name}`, async () => {
      await fc.assert(
        fc.asyncProperty(message, async (random) => {
          const unique = { ...random, cc: once(random.cc), bcc: once(random.bcc) }
          await check(await send(form, unique), unique, form)
        }),
        { numRuns: 60, seed: 42 },
      )
    })
  }
})
