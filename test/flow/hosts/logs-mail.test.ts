// The lines about mail in the log: one for each accepted message, attempt, suppressed recipient and report that came
// back.

import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { bounceSample } from '../../../src/dsn/samples.test-data.ts'
import { type Log, silentLog } from '../../../src/lib/log.ts'
import { type MailLine, mailLog } from '../../../src/model/mail-log.ts'
import type { TestApp } from '../../support/app.ts'
import { bringBack, handOver, startInbound } from '../../support/inbound.ts'
import { until } from '../../support/test-clock.ts'

type Line = Readonly<Record<string, unknown>>

let app: TestApp
let lines: Line[] = []
const log: Log = {
  ...silentLog,
  info: (fields, message) => {
    if (message === 'mail') lines.push(fields as Line)
  },
}

before(async () => {
  app = await startInbound({
    log,
    env: { POSTRIDER_LOG_MAIL: 'all' },
    host: {
      tls: true,
      script({ verb, address }) {
        if (verb !== 'RCPT') return undefined
        if (address.startsWith('gone')) return '550 5.1.1 no such user'
        return address.startsWith('later') ? '451 4.7.1 try again later' : undefined
      },
    },
  })
})
after(() => app.stop())
beforeEach(() => {
  lines = []
})

/** Returns the lines about a message, once there is a line of this event. */
const linesOf = (id: string, event: string): Promise<Line[]> =>
  until(`${event} is logged`, () => {
    const own = lines.filter((line) => line.message_id === id)
    return own.some((line) => line.event === event) ? own : undefined
  })

const text = (given: readonly Line[]): string => JSON.stringify(given)

test('an accepted message and its delivery are logged, without the content', async () => {
  const id = await app.send({ subject: 'Secret subject', text: 'Secret text' })
  const [accepted, delivered] = await linesOf(id, 'delivered')
  assert.deepEqual(
    [accepted?.event, accepted?.recipients, accepted?.stream, accepted?.recipient],
    ['accepted', 1, 'transactional', undefined],
  )
  const { recipient, destination, attempt, mx, smtp_code, tls, duration_ms, delay_ms } = delivered as Line
  assert.deepEqual(
    { recipient, destination, attempt, mx, smtp_code },
    {
      recipient: 'you@receiver.example',
      destination: 'receiver.example',
      attempt: 1,
      mx: 'mx.test',
      smtp_code: 250,
    },
  )
  assert.match(`${tls}`, /^TLSv1\.[23]$/)
  assert.ok(Number(duration_ms) > 0 && Number(delay_ms) >= 0)
  assert.doesNotMatch(text(lines), /secret/i)
})

test('a bounce, a deferral and a suppressed recipient are logged with their cause', async () => {
  const [bounced] = (await linesOf(await app.send({ to: [{ email: 'gone@a.example' }] }), 'bounced')).slice(
    -1,
  )
  assert.deepEqual(
    [bounced?.smtp_code, bounced?.smtp_enhanced, bounced?.category, bounced?.hard],
    [550, '5.1.1', 'mailbox_not_found', true],
  )
  const [deferred] = (
    await linesOf(await app.send({ to: [{ email: 'later@a.example' }] }), 'deferred')
  ).slice(-1)
  assert.equal(deferred?.smtp_code, 451)
  assert.ok(Date.parse(`${deferred?.next_attempt_at}`) > Date.now() - 60_000)
  const again = await app.send({ to: [{ email: 'gone@a.example' }] })
  assert.deepEqual(
    (await linesOf(again, 'suppressed')).map(({ event, suppression }) => [event, suppression]),
    [
      ['accepted', undefined],
      ['suppressed', 'hard_bounce'],
    ],
  )
})

test('the messages of a batch are logged, with their suppressed recipients', async () => {
  const answer = await app.call(
    'POST',
    '/v1/messages/batch',
    JSON.stringify(
      ['fine@b.example', 'gone@a.example'].map((email) => ({
        from: 'hello@example.test',
        to: [{ email }],
        subject: 'Hello',
        text: 'Hello.',
      })),
    ),
  )
  const [fine, gone] = answer.body.data.map((one: { message_id: string }) => one.message_id)
  assert.deepEqual(
    (await linesOf(fine, 'delivered')).map(({ event }) => event),
    ['accepted', 'delivered'],
  )
  assert.deepEqual(
    (await linesOf(gone, 'suppressed')).map(({ event }) => event),
    ['accepted', 'suppressed'],
  )
})

test('a bounce that comes back later is logged once', async () => {
  const { id, returnPath } = await handOver(app)
  const { mail } = bounceSample('qmail: no such mailbox')
  for (let times = 0; times < 2; times++) assert.match(await bringBack(app, returnPath, mail), /^250 /)
  const own = (await linesOf(id, 'bounced')).filter(({ event }) => event === 'bounced')
  assert.deepEqual(
    own.map(({ asynchronous, category }) => [asynchronous, category]),
    [[true, 'mailbox_not_found']],
  )
})

test('settings leave out accepted messages, addresses, or all lines', () => {
  const accepted: MailLine = { event: 'accepted', messageId: 'msg_1', fields: {} }
  const bounced: MailLine = { event: 'bounced', messageId: 'msg_1', email: '"a@b"@c.example', fields: {} }
  assert.equal(mailLog({ logMail: 'off', logRecipients: 'address' }, log), undefined)
  const write = mailLog({ logMail: 'outcomes', logRecipients: 'domain' }, log)
  write?.(accepted)
  write?.(bounced)
  assert.deepEqual(lines, [
    { event: 'bounced', message_id: 'msg_1', recipient: undefined, destination: 'c.example' },
  ])
})
