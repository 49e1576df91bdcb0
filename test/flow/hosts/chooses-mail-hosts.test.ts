// The choice among the mail hosts of a destination: by preference, at random among equal preferences, and by the
// address of the domain if there is no MX record.

import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { TestApp } from '../../support/app.ts'
import { firstAttempt } from '../../support/first-attempt.ts'
import { MailHost } from '../../support/mail-host/mail-host.ts'

const MANY = Array.from({ length: 200 }, (_, i) => `${i + 1} mx${i}.many.example`)
const LONG = Array.from({ length: 100 }, (_, i) => `${i + 10} mx${i}.long.example`)

let app: TestApp
/** A second mail host, with another address but the same port. */
let second: MailHost
before(async () => {
  app = await TestApp.start({
    zone: {
      'second.test': { A: ['127.0.0.2'] },
      'third.test': { A: ['127.0.0.3'] },
      'ranked.example': { MX: ['20 second.test', '10 mx.test', '30 third.test'] },
      'equal.example': { MX: ['10 mx.test', '10 second.test'] },
      'busy.example': { MX: ['10 second.test', '20 mx.test'] },
      'plain.example': { A: ['127.0.0.1'] },
      'alias-of-plain.example': { CNAME: 'plain.example' },
      'aliased.example': { MX: ['10 alias.aliased.example'] },
      'alias.aliased.example': { CNAME: 'further.aliased.example' },
      'further.aliased.example': { CNAME: 'mx.test' },
      'alias.example': { CNAME: 'target.example' },
      'many.example': { MX: MANY },
      '*.many.example': { A: ['127.0.0.9'] },
      'long.example': { MX: [...LONG, '1 mx.test'] },
    },
  })
  second = await MailHost.start({ address: '127.0.0.2', port: app.host.port })
})
after(async () => {
  await app.stop()
  await second.stop()
})
beforeEach(() => {
  second.script = undefined
  app.host.mails.length = 0
  second.mails.length = 0
})

test('the host of the lowest preference gets all mail while it can', async () => {
  for (let i = 0; i < 8; i++) assert.equal((await firstAttempt(app, `u${i}@ranked.example`)).mx, 'mx.test')
})

test('hosts of equal preference share the mail', async () => {
  const to = Array.from({ length: 40 }, (_, i) => ({ email: `u${i}@equal.example` }))
  await app.messageIn(await app.send({ to }), 'delivered')
  // The probability that all 40 random choices select the same mail host is below 10^-11.
  assert.ok(app.host.mails.length > 0 && second.mails.length > 0)
  assert.equal(app.host.mails.length + second.mails.length, 40)
})

test('the next host gets the mail when the first one refuses at its greeting', async () => {
  second.script = ({ verb }) => (verb === 'CONNECT' ? '421 4.3.2 Too busy' : undefined)
  // A reused connection would have no new greeting.
  await second.interrupt({ after: 'close' })
  const { status, mx, transcript } = await firstAttempt(app, 'u@busy.example')
  assert.deepEqual([status, mx], ['delivered', 'mx.test'])
  assert.match(transcript, /421 4\.3\.2 Too busy/)
})

test('a refusal of the message by one host is not retried at the next', async () => {
  second.script = ({ verb }) => (verb === 'RCPT' ? '550 5.1.1 No such user' : undefined)
  const { status, mx } = await firstAttempt(app, 'u@busy.example')
  assert.deepEqual([status, mx], ['bounced', 'second.test'])
  assert.equal(app.host.mails.length, 0)
})

test('a domain without MX records is its own mail host', async () => {
  const { status, mx } = await firstAttempt(app, 'u@plain.example')
  assert.deepEqual([status, mx], ['delivered', 'plain.example'])
})

test('a mail host that is an alias is reached by its target', async () => {
  const { status, mx } = await firstAttempt(app, 'u@aliased.example')
  assert.deepEqual([status, mx], ['delivered', 'alias.aliased.example'])
})

test('a destination that is an alias has the mail hosts of its target', async () => {
  assert.equal((await firstAttempt(app, 'u@alias.example')).status, 'delivered')
})

test('an alias of a domain without MX records is its own mail host as well', async () => {
  const { status, mx } = await firstAttempt(app, 'u@alias-of-plain.example')
  const { body } = await app.call('GET', '/v1/suppressions?email=u@alias-of-plain.example')
  assert.deepEqual([status, mx, body.data], ['delivered', 'alias-of-plain.example', []])
})

test('200 mail hosts, all of them down, are tried within bounds', async () => {
  const { status, transcript } = await firstAttempt(app, 'u@many.example')
  assert.equal(status, 'deferred')
  assert.equal(transcript.match(/connecting to/g)?.length, 5)
  const asked = app.dns.queries.filter((query) => query.endsWith('.many.example'))
  assert.ok(asked.length <= 1 + 2 * 5, `${asked.length} queries`)
})

test('an answer too long for UDP is fetched by TCP', async () => {
  const { status, mx } = await firstAttempt(app, 'u@long.example')
  assert.deepEqual([status, mx], ['delivered', 'mx.test'])
  assert.equal(app.dns.count('long.example', 'MX'), 2)
})
