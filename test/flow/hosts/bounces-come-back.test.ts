// A bounce that arrives by SMTP becomes one event of the recipient to whose return path the bounce was sent.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { reportMail } from '../../../src/dsn/sample-mail.test-data.ts'
import { bounceSample } from '../../../src/dsn/samples.test-data.ts'
import type { TestApp } from '../../support/app.ts'
import {
  bringBack,
  eventsOf,
  handOver,
  knock,
  RETURN_PATH_HOST,
  show,
  startInbound,
} from '../../support/inbound.ts'

let app: TestApp
let next = 0

before(async () => {
  app = await startInbound()
})
after(() => app.stop())

/** Returns a new recipient, without earlier events. */
const somebody = (): string => `r${++next}@receiver.example`
const dsn = (
  email: string,
  action = 'failed',
  status = '5.1.1',
  diagnostic = '550 5.1.1 no such user',
): Buffer =>
  reportMail({
    from: 'MAILER-DAEMON@mx.receiver.example',
    subject: 'Undelivered Mail Returned to Sender',
    text: 'It could not be delivered.',
    report: `Reporting-MTA: dns; mx.receiver.example

Final-Recipient: rfc822; ${email}
Action: ${action}
Status: ${status}
Remote-MTA: dns; inner.receiver.example
Diagnostic-Code: smtp; ${diagnostic}
`,
  })

describe('a bounce in the form of', () => {
  for (const name of [
    'Postfix: unknown user at RCPT',
    'Gmail: no such user',
    'Exchange Online: mailbox full',
    'Exim with a report: a block, which is about us',
    'RFC 6533: an address in UTF-8',
    'qmail: no such mailbox',
    'Exim: refused at RCPT',
    'Sendmail 5',
    'Domino in words',
    'a full mailbox that answers for itself',
  ]) {
    test(name, async () => {
      const { mail, category, hard, code } = bounceSample(name)
      const { id, returnPath } = await handOver(app, { to: [{ email: somebody() }] })
      assert.match(await bringBack(app, returnPath, mail), /^250 2\.0\.0 /)
      const message = await show(app, id)
      assert.equal(message.status, 'bounced')
      assert.equal(message.to[0].status, 'bounced')
      const [event, more] = eventsOf(message, 'bounced')
      assert.equal(more, undefined)
      const { detail } = event
      assert.deepEqual(
        [detail.asynchronous, detail.category, detail.hard, detail.smtp_code],
        [true, category, hard, code],
      )
      assert.ok(detail.diagnostic.length > 0)
    })
  }
})

test('the right one of several recipients bounces, and the message is partially delivered', async () => {
  const [first, second, third] = [somebody(), somebody(), somebody()]
  const { id, returnPaths } = await handOver(app, {
    to: [{ email: first }, { email: second }],
    bcc: [{ email: third }],
  })
  assert.match(await bringBack(app, returnPaths.get(second) as string, dsn(second)), /^250 /)
  const message = await show(app, id)
  assert.equal(message.status, 'partially_delivered')
  assert.deepEqual(
    [...message.to, ...message.bcc].map((one) => one.status),
    ['delivered', 'bounced', 'delivered'],
  )
  assert.deepEqual(
    [message.to[1].smtp_code, message.to[1].smtp_response, message.to[1].mx],
    [550, '550 5.1.1 no such user', 'inner.receiver.example'],
  )
  assert.deepEqual(
    eventsOf(message, 'bounced').map((event) => event.email),
    [second],
  )
})

test('the return path decides, whomever the report names', async () => {
  const [one, other] = [somebody(), somebody()]
  const { id, returnPaths } = await handOver(app, { to: [{ email: one }, { email: other }] })
  await bringBack(app, returnPaths.get(one) as string, dsn(other))
  const message = await show(app, id)
  assert.deepEqual(
    message.to.map((recipient: { status: string }) => recipient.status),
    ['bounced', 'delivered'],
  )
  assert.equal(eventsOf(message, 'bounced')[0].detail.final_recipient, other)
})

test('the same bounce again, at once or later, is one event', async () => {
  const email = somebody()
  const { id, returnPath } = await handOver(app, { to: [{ email }] })
  const replies = await Promise.all(Array.from({ length: 5 }, () => bringBack(app, returnPath, dsn(email))))
  replies.push(await bringBack(app, [returnPath, returnPath.toUpperCase()], dsn(email)))
  for (const reply of replies) assert.match(reply, /^250 /)
  assert.equal(eventsOf(await show(app, id), 'bounced').length, 1)
})

test('a warning and a success change nothing', async () => {
  const email = somebody()
  const { id, returnPath } = await handOver(app, { to: [{ email }] })
  const before = await show(app, id)
  for (const [action, status] of [
    ['delayed', '4.4.1'],
    ['relayed', '2.0.0'],
    ['delivered', '2.0.0'],
  ] as const) {
    assert.match(await bringBack(app, returnPath, dsn(email, action, status, '')), /^250 /)
  }
  assert.deepEqual(await show(app, id), before)
})

test('a bounce is accepted at the return-path host as well, from any sender, over TLS, with folded case', async () => {
  const email = somebody()
  const { id, returnPath } = await handOver(app, { to: [{ email }] })
  const client = await knock(app)
  assert.match(await client.ask('STARTTLS'), /^220 /)
  await client.upgrade()
  assert.doesNotMatch(await client.ask('EHLO mx.receiver.example'), /AUTH|STARTTLS/)
  assert.match(await client.ask('MAIL FROM:<MAILER-DAEMON> SIZE=2000 BODY=8BITMIME'), /^250 /)
  const address = `${returnPath.slice(0, returnPath.indexOf('@')).toUpperCase()}@${RETURN_PATH_HOST}`
  assert.match(await client.ask(`RCPT TO:<${address}>`), /^250 2\.1\.5 /)
  assert.match(await client.ask('DATA'), /^354 /)
  client.send(dsn(email))
  assert.match(await client.ask('.'), /^250 2\.0\.0 /)
  assert.match(await client.ask('QUIT'), /^221 /)
  client.vanish()
  assert.equal((await show(app, id)).status, 'bounced')
})
