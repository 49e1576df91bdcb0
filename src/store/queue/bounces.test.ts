// Bounces and complaints on both databases: each report is assigned once, to the right recipient, in any status of the
// recipient.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { claim, createOwner, finish, messageTo, NOW } from '../../../test/support/queued.ts'
import { DATABASES, openTestStore } from '../../../test/support/store.ts'
import { newId } from '../../lib/ids.ts'
import { acceptMessage } from '../accepting/accept-message.ts'
import type { Store } from '../database/store.ts'
import { findInboxMail, keepInboxMail, listInboxMails } from '../inbound/inbox.ts'
import { findMessage, type Owner } from '../messages/messages.ts'
import { suppressedAmong } from '../workspace/suppressions.ts'
import {
  type AsynchronousBounce,
  type Complaint,
  findReportedRecipients,
  type RecordedBounce,
  recordBounce,
} from './bounces.ts'
import { cancelRecipients } from './queue-control.ts'

const BOUNCE: AsynchronousBounce = {
  type: 'bounced',
  category: 'mailbox_not_found',
  hard: true,
  reason: 'A DSN said so.',
  smtpCode: 550,
  diagnostic: '5.1.1 no such user',
  mx: 'mx.inner.example',
  finalRecipient: 'other@inner.example',
}
const COMPLAINT: Complaint = { type: 'complained', feedbackType: 'abuse', userAgent: 'SomeFBL/1.0' }

for (const database of DATABASES) {
  describe(`reports on ${database}`, () => {
    let store: Store
    let owner: Owner
    before(async () => {
      store = await openTestStore(database)
      owner = await createOwner(store)
    })
    after(() => store.close())

    /**
     * Accepts a message to these addresses, and ends the attempt of each recipient with the given status or as
     * delivered.
     */
    async function sent(emails: readonly string[], ...statuses: ('delivered' | 'deferred' | 'bounced')[]) {
      const item = messageTo(owner, emails)
      await store.write(acceptMessage, item)
      const { recipients } = await claim(store)
      for (const claimed of recipients) {
        const status = statuses[claimed.position] ?? 'delivered'
        await finish(store, claimed, status, status === 'deferred' ? NOW + 1_000_000 : null)
      }
      return item.message.id
    }
    const report = (
      messageId: string,
      position: number,
      what: AsynchronousBounce | Complaint,
      now = NOW + 10,
    ) => store.write(recordBounce, { messageId, position, report: what, now })
    const look = async (id: string) => (await findMessage(store.read, owner, id))!
    const isSuppressed = async (email: string): Promise<boolean> =>
      (await suppressedAmong(store.read, [{ domainId: owner.domainId, stream: 'transactional', email }])).has(
        0,
      )

    test('a report that came before the delivery was written is recorded after it', async () => {
      for (const what of [BOUNCE, COMPLAINT]) {
        const id = await sent([`early-${what.type}@x.example`])
        assert.equal(await report(id, 0, what, NOW - 10), 'recorded')
        const { events } = await look(id)
        assert.deepEqual(events.map(({ type }) => type).slice(-2), ['delivered', what.type])
      }
    })

    test('a bounce moves a recipient out of delivered, once', async () => {
      const id = await sent(['a1@x.example', 'a2@x.example'])
      assert.equal((await look(id)).message.status, 'delivered')
      const results = await Promise.all([report(id, 1, BOUNCE), report(id, 1, BOUNCE)])
      assert.deepEqual(results.sort(), ['recorded', 'repeated'] satisfies RecordedBounce[])
      const { message, recipients, events } = await look(id)
      assert.equal(message.status, 'partially_delivered')
      assert.deepEqual(
        recipients.map((one) => [one.status, one.smtp_code, one.smtp_response, one.mx]),
        [
          ['delivered', 250, '2.0.0 ok', 'mx.example.com'],
          ['bounced', 550, '5.1.1 no such user', 'mx.inner.example'],
        ],
      )
      const bounced = events.filter((one) => one.type === 'bounced')
      assert.deepEqual(
        bounced.map((one) => [one.email, JSON.parse(one.detail)]),
        [
          [
            'a2@x.example',
            {
              asynchronous: true,
              reason: 'A DSN said so.',
              category: 'mailbox_not_found',
              hard: true,
              mx: 'mx.inner.example',
              smtp_code: 550,
              diagnostic: '5.1.1 no such user',
              final_recipient: 'other@inner.example',
            },
          ],
        ],
      )
      assert.equal(await isSuppressed('a2@x.example'), true)
      assert.equal(await isSuppressed('a1@x.example'), false)
    })

    test('a soft bounce ends the recipient without a suppression', async () => {
      const id = await sent(['soft@x.example'])
      assert.equal(await report(id, 0, { ...BOUNCE, category: 'mailbox_full', hard: false }), 'recorded')
      assert.equal((await look(id)).message.status, 'bounced')
      assert.equal(await isSuppressed('soft@x.example'), false)
    })

    test('a bounce ends a deferred recipient', async () => {
      const id = await sent(['again@x.example'], 'deferred')
      assert.equal(await report(id, 0, BOUNCE), 'recorded')
      const [recipient] = (await look(id)).recipients
      assert.deepEqual([recipient?.status, recipient?.next_attempt_at], ['bounced', null])
      assert.deepEqual((await claim(store, { now: NOW + 2_000_000 })).recipients, [])
    })

    test('a bounce waits for the end of the current attempt', async () => {
      const item = messageTo(owner, ['running@x.example'])
      await store.write(acceptMessage, item)
      const [claimed] = (await claim(store)).recipients
      assert.equal(await report(item.message.id, 0, BOUNCE), 'attempted')
      assert.equal(await finish(store, claimed!, 'delivered'), true)
      assert.equal(await report(item.message.id, 0, BOUNCE), 'recorded')
      const { events } = await look(item.message.id)
      assert.deepEqual(
        events.map((one) => one.type),
        ['accepted', 'sending', 'delivered', 'bounced'],
      )
    })

    test('a complaint is an event and a suppression, once, and the state stays', async () => {
      const id = await sent(['c@x.example'])
      const results = await Promise.all([report(id, 0, COMPLAINT), report(id, 0, COMPLAINT)])
      assert.deepEqual(results.sort(), ['recorded', 'repeated'])
      const { message, events } = await look(id)
      assert.equal(message.status, 'delivered')
      assert.deepEqual(
        events.slice(-1).map((one) => [one.type, JSON.parse(one.detail)]),
        [['complained', { feedback_type: 'abuse', user_agent: 'SomeFBL/1.0', mx: 'mx.example.com' }]],
      )
      assert.equal(await isSuppressed('c@x.example'), true)
    })

    test('a recipient that ended otherwise or does not exist stays as it is', async () => {
      const id = await sent(['e@x.example'], 'bounced')
      assert.equal(await report(id, 0, BOUNCE), 'repeated')
      const cancelled = messageTo(owner, ['f@x.example'])
      await store.write(acceptMessage, cancelled)
      await store.write(cancelRecipients, {
        selection: { messageId: cancelled.message.id },
        by: 'operator',
        now: NOW,
      })
      assert.equal(await report(cancelled.message.id, 0, BOUNCE), 'ended')
      assert.equal(await report(id, 7, BOUNCE), 'unknown')
      assert.equal(await report(newId('msg'), 0, COMPLAINT), 'unknown')
    })

    test('the recipients of a message are found without its owner', async () => {
      const id = await sent(['g@x.example', 'h@x.example'])
      const { domainId } = owner
      const of = { domainId, domainName: `${domainId.slice(-26)}.test`, stream: 'transactional' }
      assert.deepEqual(await findReportedRecipients(store.read, id), [
        { messageId: id, position: 0, email: 'g@x.example', ...of },
        { messageId: id, position: 1, email: 'h@x.example', ...of },
      ])
      assert.deepEqual(await findReportedRecipients(store.read, newId('msg')), [])
    })

    test('the inbox keeps the newest thousand', async () => {
      const mail = (at: number) => ({
        id: newId('inb', at),
        received_at: at,
        mail_from: 'MAILER-DAEMON',
        rcpt_to: 'postmaster@rp.example.com',
        subject: 'x',
        size: 1,
        raw: Buffer.from('x'),
      })
      const mails = Array.from({ length: 1_050 }, (_, index) => mail(NOW + index))
      const last = mails.pop() as (typeof mails)[0]
      await Promise.all(mails.map((one) => store.write(keepInboxMail, one)))
      // Two concurrent commits do not see each other's rows; the next commit sees the rows of both commits.
      await store.write(keepInboxMail, last)
      const listed = await listInboxMails(store.read, 2_000)
      assert.equal(listed.length, 1_000)
      assert.equal(listed[0]?.id, last.id)
      assert.equal(Buffer.from((await findInboxMail(store.read, listed[0]!.id))!.raw).toString(), 'x')
      assert.equal(await findInboxMail(store.read, mails[0]!.id), undefined)
    })
  })
}
