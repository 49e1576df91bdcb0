// Random messages in the form of Resend and of SendGrid become mail with the same recipients, texts, fields and files;
// what is not understood is named in X-Postrider-Ignored.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { simpleParser } from 'mailparser'
import { type Answer, TestApp } from '../support/app.ts'
import { thorough } from '../support/thorough.ts'

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
  const written = ({ email, name }: { email: string; name?: string }): string =>
    name === undefined ? email : `${name} <${email}>`
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

describe('random messages in the form of other services', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api', POSTRIDER_SENDING_RATE: '100000/s' } })
  })
  after(() => app.stop())

  /** Checks that an accepted message has everything that the random message asks for. */
  async function check(answer: Answer, random: Random, vendor: 'resend' | 'sendgrid'): Promise<void> {
    assert.ok(answer.status === 200 || answer.status === 202, JSON.stringify(answer.body))
    const ignored = answer.headers.get('x-postrider-ignored')
    assert.equal(ignored, random.unknown === undefined ? null : `zz_${random.unknown}`)
    const { data } = (await app.call('GET', '/v1/messages?limit=1')).body
    const [stored] = data
    const emails = (role: string): string[] => stored[role].map(({ email }: { email: string }) => email)
    assert.deepEqual(emails('to'), emailsOf(random.to, 'to'))
    assert.deepEqual(emails('cc'), emailsOf(random.cc, 'cc'))
    assert.deepEqual(emails('bcc'), emailsOf(random.bcc, 'bcc'))
    assert.deepEqual(stored.metadata, { ...random.pairs })
    assert.deepEqual(stored.tags, vendor === 'sendgrid' ? random.labels : [])
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
    if (random.html !== undefined)
      assert.ok(mail.html && mail.html.includes(html(random) ?? ''), `${mail.html}`)
    assert.deepEqual(
      mail.attachments.map(({ filename, content }) => [filename, content.toString('hex')]).toSorted(),
      random.files.map(({ name, content }) => [name, content.toString('hex')]).toSorted(),
    )
  }

  for (const vendor of ['resend', 'sendgrid'] as const) {
    test(`of ${vendor}`, thorough('3 CPU s: sends and parses 60 messages'), async () => {
      const path = vendor === 'resend' ? '/compat/resend/emails' : '/compat/sendgrid/v3/mail/send'
      const translate = vendor === 'resend' ? inResend : inSendGrid
      await fc.assert(
        fc.asyncProperty(message, async (random) => {
          const unique = {
            ...random,
            cc: random.cc.filter(({ local }, at) => random.cc.findIndex((one) => one.local === local) === at),
            bcc: random.bcc.filter(
              ({ local }, at) => random.bcc.findIndex((one) => one.local === local) === at,
            ),
          }
          await check(await app.call('POST', path, translate(unique)), unique, vendor)
        }),
        { numRuns: 60, seed: 42 },
      )
    })
  }
})
