// A complaint is an event on the recipient, and the stream sends him nothing more.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { reportMail } from '../../../src/dsn/sample-mail.test-data.ts'
import type { TestApp } from '../../support/app.ts'
import {
  bringBack,
  eventsOf,
  type HandedOver,
  handOver,
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

const somebody = (): string => `c${++next}@receiver.example`

/** A report of one of our messages; `fields` are the machine's part. */
const arf = (fields: string, original: string): Buffer =>
  reportMail({
    from: 'feedback@provider.example',
    subject: 'FW: Hello',
    type: 'feedback-report',
    text: 'This is an email abuse report.',
    report: `${fields}\nUser-Agent: SomeFBL/1.0\nVersion: 1\n`,
    original,
  })
const withReturnPath = ({ raw, returnPath }: HandedOver): string => `Return-Path: <${returnPath}>\n${raw}`
const abuse = `abuse@${RETURN_PATH_HOST}`

async function complained(id: string): Promise<readonly string[]> {
  return eventsOf(await show(app, id), 'complained').map((event) => event.email)
}

test('at abuse@, with the return path in the message that is returned', async () => {
  const email = somebody()
  const sent = await handOver(app, { to: [{ email }, { email: somebody() }] })
  const own = { ...sent, returnPath: sent.returnPaths.get(email) as string }
  const report = arf('Feedback-Type: abuse', withReturnPath(own))
  assert.match(await bringBack(app, abuse, report, 'fbl@provider.example'), /^250 /)
  assert.match(await bringBack(app, abuse, report, 'fbl@provider.example'), /^250 /)
  const message = await show(app, sent.id)
  assert.equal(message.status, 'delivered')
  assert.deepEqual(
    eventsOf(message, 'complained').map((event) => [event.email, event.detail]),
    [[email, { feedback_type: 'abuse', user_agent: 'SomeFBL/1.0' }]],
  )
  const again = await app.send({ to: [{ email }] })
  assert.equal((await app.messageIn(again, 'suppressed')).events.at(-1).detail.suppression, 'complaint')
})

test('of somebody who is on the list already counts more than why they are', async () => {
  const email = somebody()
  const sent = await handOver(app, { to: [{ email }] })
  assert.equal((await app.call('POST', '/v1/suppressions', { email, reason: 'unsubscribe' })).status, 201)
  const report = arf('Feedback-Type: abuse', withReturnPath(sent))
  assert.match(await bringBack(app, abuse, report, 'fbl@provider.example'), /^250 /)
  assert.equal((await app.call('DELETE', `/v1/suppressions/${email}`)).status, 409)
  assert.equal((await app.call('DELETE', `/v1/suppressions/${email}?force=true`)).status, 204)
})

test('at the return path itself, and at postmaster without a domain', async () => {
  const first = await handOver(app, { to: [{ email: somebody() }] })
  await bringBack(app, first.returnPath, arf('Feedback-Type: abuse', ''))
  assert.equal((await complained(first.id)).length, 1)
  const second = await handOver(app, { to: [{ email: somebody() }] })
  const report = arf(`Feedback-Type: fraud\nOriginal-Mail-From: <${second.returnPath}>`, '')
  assert.match(await bringBack(app, 'Postmaster', report), /^250 /)
  assert.equal((await complained(second.id)).length, 1)
})

test('by its Message-ID, when there is one recipient or the report names him', async () => {
  const alone = await handOver(app, { to: [{ email: somebody() }] })
  await bringBack(app, abuse, arf('Feedback-Type: abuse', alone.raw))
  assert.equal((await complained(alone.id)).length, 1)

  const [one, two] = [somebody(), somebody()]
  const several = await handOver(app, { to: [{ email: one }, { email: two }] })
  await bringBack(app, abuse, arf('Feedback-Type: abuse', several.raw))
  assert.deepEqual(await complained(several.id), [])
  await bringBack(
    app,
    abuse,
    arf(`Feedback-Type: abuse\nOriginal-Rcpt-To: <${two.toUpperCase()}>`, several.raw),
  )
  assert.deepEqual(await complained(several.id), [two])
  await bringBack(app, abuse, arf('Feedback-Type: abuse', `X-HmXmrOriginalRecipient: ${one}\n${several.raw}`))
  assert.deepEqual((await complained(several.id)).toSorted(), [one, two])
})

test('what is no complaint, or is about no message of ours, is none', async () => {
  const sent = await handOver(app, { to: [{ email: somebody() }] })
  for (const type of ['not-spam', 'auth-failure', 'other']) {
    assert.match(await bringBack(app, abuse, arf(`Feedback-Type: ${type}`, withReturnPath(sent))), /^250 /)
  }
  const forged = sent.returnPath.replace(/.@/, (end) => (end === 'a@' ? 'b@' : 'a@'))
  const elsewhere = sent.raw.replace(/^Message-ID: <(.*)@.*>/m, 'Message-ID: <$1@elsewhere.example>')
  const madeUp = sent.raw.replace(/^Message-ID: <.{26}/m, 'Message-ID: <01KZZZZZZZZZZZZZZZZZZZZZZZ')
  for (const original of [elsewhere, madeUp, `Return-Path: <${forged}>\n${madeUp}`]) {
    assert.match(await bringBack(app, abuse, arf('Feedback-Type: abuse', original)), /^250 /)
  }
  const report = reportMail({
    from: 'MAILER-DAEMON@x.example',
    subject: 'Undelivered',
    text: 'x',
    report: 'Final-Recipient: rfc822; a@b.example\nAction: failed\nStatus: 5.1.1\n',
    original: sent.raw,
  })
  assert.match(await bringBack(app, abuse, report), /^250 /, 'a bounce is not believed for a Message-ID')
  const message = await show(app, sent.id)
  assert.deepEqual(eventsOf(message, 'complained'), [])
  assert.equal(message.status, 'delivered')
})
