// An address that a mail host refuses permanently gets no more mail in that stream, beginning with the next accepted
// message.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { plainMail } from '../../src/dsn/sample-mail.test-data.ts'
import { acceptMessage } from '../../src/store/accepting/accept-message.ts'
import { pauseQueue, resumeQueue } from '../../src/store/queue/queue-control.ts'
import { suppress } from '../../src/store/workspace/suppressions.ts'
import type { TestApp } from '../support/app.ts'
import { bringBack, eventsOf, handedOver, handOver, show, startInbound } from '../support/inbound.ts'
import { messageTo } from '../support/queued.ts'

const REFUSALS: Record<string, string> = {
  gone: '550 5.1.1 no such user',
  blocked: '554 5.7.1 Client host blocked using zen.spamhaus.org',
  full: '552 5.2.2 mailbox is full',
  content: '550 5.7.1 message looks like spam',
}

let app: TestApp
const seen: string[] = []

before(async () => {
  app = await startInbound({
    host: {
      script({ verb, address }) {
        if (verb !== 'RCPT') return undefined
        seen.push(address)
        return REFUSALS[address.split(/[.@]/, 1)[0] as string]
      },
    },
  })
})
after(() => app.stop())

const attempts = (email: string): number => seen.filter((one) => one === email).length

test('a refusal at RCPT suppresses the next message at acceptance, which is never attempted', async () => {
  const email = 'gone.1@receiver.example'
  await app.messageIn(await app.send({ to: [{ email }] }), 'bounced')
  const answer = await app.call('POST', '/v1/messages', {
    from: 'hello@example.test',
    to: [{ email }],
    subject: 'Hello again',
    text: 'Hello.',
  })
  assert.deepEqual([answer.status, answer.body.status], [202, 'queued'], 'the message is accepted as before')
  const message = await show(app, answer.body.message_id)
  assert.equal(message.status, 'suppressed')
  assert.deepEqual(
    message.events.map((event: { type: string }) => event.type),
    ['accepted', 'suppressed'],
  )
  assert.equal(message.events[1].detail.suppression, 'hard_bounce')
  assert.equal('smtp_code' in message.to[0], false)
  // The delivery of a later message shows that the queue has continued.
  await app.messageIn(await app.send({ to: [{ email: 'ok@receiver.example' }] }), 'delivered')
  assert.equal(attempts(email), 1)
})

test('the other recipients of the message get it, and the address matches in any case of its domain', async () => {
  const email = 'gone.2@receiver.example'
  await app.messageIn(await app.send({ to: [{ email }] }), 'bounced')
  const id = await app.send({
    to: [{ email: 'gone.2@RECEIVER.example' }, { email: 'fine@receiver.example' }],
  })
  const message = await app.messageIn(id, 'partially_delivered')
  assert.deepEqual(
    message.to.map((one: { status: string }) => one.status),
    ['suppressed', 'delivered'],
  )
  assert.equal(attempts(email), 1)
})

test('a refusal of the sender, of the content, or for now suppresses nobody', async () => {
  for (const local of ['blocked', 'full', 'content']) {
    const email = `${local}.3@receiver.example`
    for (let times = 1; times <= 2; times++) {
      const message = await app.messageIn(await app.send({ to: [{ email }] }), 'bounced')
      assert.equal(eventsOf(message, 'bounced')[0].detail.hard, false)
      assert.equal(attempts(email), times)
    }
  }
})

test('a suppression applies to one stream', async () => {
  const email = 'list@receiver.example'
  /** Creates a message in a broadcast stream directly in the store. */
  const broadcast = async (): Promise<string> => {
    const { account_id, domain_id, key_id } = await app.store.read
      .selectFrom('messages')
      .selectAll()
      .limit(1)
      .executeTakeFirstOrThrow()
    const now = Date.now()
    const usual = messageTo({ accountId: account_id, domainId: domain_id }, [email])
    const request = { from: 'hello@example.test', to: [{ email }], subject: 'News', text: 'News.' }
    await app.store.write(acceptMessage, {
      ...usual,
      message: { ...usual.message, key_id, stream: 'broadcast', created_at: now },
      recipients: usual.recipients.map((one) => ({ ...one, startTag: now })),
      content: JSON.stringify(request),
    })
    return usual.message.id
  }
  const id = await broadcast()
  await app.messageIn(id, 'delivered')
  const dsn = plainMail({
    from: 'MAILER-DAEMON@mx.receiver.example',
    subject: 'failure notice',
    text: `Hi. This is the qmail-send program at mx.receiver.example.
I'm afraid I wasn't able to deliver your message to the following addresses.

<${email}>:
Sorry, no mailbox here by that name. (#5.1.1)`,
  })
  assert.match(await bringBack(app, handedOver(app, id).returnPath, dsn), /^250 /)
  assert.equal((await show(app, id)).status, 'bounced')
  assert.equal((await show(app, await broadcast())).status, 'suppressed')
  await handOver(app, { to: [{ email }] })
})

test('a recipient that waits when its address is suppressed is never attempted', async () => {
  const email = 'waits@paused.example'
  const pause = { kind: 'destination' as const, value: 'paused.example', created_at: Date.now() }
  await app.store.write(pauseQueue, pause)
  const ids = await Promise.all(
    Array.from({ length: 30 }, () => app.send({ to: [{ email }, { email: 'other@paused.example' }] })),
  )
  const { account_id, domain_id } = await app.store.read
    .selectFrom('messages')
    .selectAll()
    .where('id', '=', ids[0] as string)
    .executeTakeFirstOrThrow()
  await app.store.write(suppress, {
    account_id,
    domain_id,
    stream: 'transactional',
    email,
    reason: 'unsubscribe',
    message_id: null,
    created_at: Date.now(),
  })
  await app.store.write(resumeQueue, pause)
  for (const id of ids) {
    const message = await app.messageIn(id, 'partially_delivered')
    assert.deepEqual(
      message.to.map((one: { status: string }) => one.status),
      ['suppressed', 'delivered'],
    )
    assert.equal(eventsOf(message, 'suppressed')[0].detail.suppression, 'unsubscribe')
  }
  assert.equal(attempts(email), 0)
})
