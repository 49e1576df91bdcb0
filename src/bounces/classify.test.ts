// Classification of sample bounces of many mail systems: category, hard or soft, and the quoted reply.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readReport } from '../dsn/read-report.ts'
import type { DeliveryReport, RecipientReport } from '../dsn/report.ts'
import { BOUNCE_SAMPLES } from '../dsn/samples.test-data.ts'
import { meaningOf } from '../smtp/reply-meaning.ts'
import { KNOWN_REPLIES, replyOf } from '../smtp/reply-samples.test-data.ts'
import { classify } from './classify.ts'

const report = (...recipients: RecipientReport[]): DeliveryReport => ({
  kind: 'delivery',
  form: 'rfc3464',
  isOfMailSystem: true,
  recipients,
  original: '',
})

describe('samples', () => {
  test('there are more than forty', () => assert.ok(BOUNCE_SAMPLES.length > 40))
  for (const { name, mail, category, hard, code } of BOUNCE_SAMPLES) {
    test(name, () => {
      const classified = classify(readReport(mail) as DeliveryReport, 'nobody@elsewhere.example')
      if (category === undefined) return assert.notEqual(classified.type, 'bounced')
      assert.ok(classified.type === 'bounced')
      assert.deepEqual(
        { category: classified.category, hard: classified.hard, code: classified.smtpCode },
        { category, hard, code },
      )
    })
  }
})

test('a quoted reply means in a report what it means by itself, whatever stands before it', () => {
  const rows = KNOWN_REPLIES.filter(({ stage, wire }) => stage === 'rcpt' && /^5\d\d /.test(wire))
  assert.ok(rows.length > 300)
  const quoted: ((said: string) => string)[] = [
    (said) => `host in.example.net[192.0.2.9] said: ${said} (in reply to RCPT TO command)`,
    (said) =>
      `SMTP error from remote mail server after RCPT TO:<jo@a.example>: host in.example.net [192.0.2.9]: ${said}`,
    (said) => `SMTP error, RCPT TO: Host in.example.net(192.0.2.9) RCPT TO said ${said}`,
    (said) => `192.0.2.9 does not like recipient. Remote host said: ${said} Giving up on 192.0.2.9.`,
    (said) => `(reason: ${said}) ----- Transcript of session follows ----- >>> RCPT To:<jo@a.example>`,
  ]
  for (const [at, { wire }] of rows.entries()) {
    const { category, hard } = meaningOf({ stage: 'rcpt', reply: replyOf(wire) })
    const diagnostic = quoted[at % quoted.length]!(wire)
    const found = classify(report({ action: 'failed', status: '5.0.0', diagnostic }), 'jo@a.example')
    assert.ok(found.type === 'bounced')
    assert.deepEqual([found.category, found.hard], [category, hard], diagnostic)
  }
})

test('of a transcript the reply counts, and not what Sendmail takes it for', () => {
  const diagnostic =
    '(reason: 550 5.7.1 Blocked) ----- Transcript of session follows ----- >>> DATA <<< 550 5.7.1 Blocked 550 5.1.1 <jo@a.example>... User unknown <<< 503 5.0.0 Need RCPT (recipient)'
  const found = classify(report({ action: 'failed', status: '5.1.1', diagnostic }), 'jo@a.example')
  assert.ok(found.type === 'bounced')
  assert.deepEqual([found.category, found.hard, found.smtpCode], ['blocked', false, 550])
})

test('of an alias with two targets each recipient has its own meaning', () => {
  const { mail } = BOUNCE_SAMPLES.find(({ name }) => name === 'two addresses, each with its reason')!
  const read = readReport(mail) as DeliveryReport
  const meaning = (email: string) => {
    const found = classify(read, email)
    assert.ok(found.type === 'bounced')
    return [found.category, found.hard]
  }
  assert.deepEqual(meaning('jo@receiver.example'), ['mailbox_full', false])
  assert.deepEqual(meaning('ann@example.net'), ['mailbox_not_found', true])
})

describe('of several recipients', () => {
  const ann = { action: 'relayed', finalRecipient: 'Ann@a.example' } as const
  const bob = { action: 'failed', finalRecipient: 'x@y.example', originalRecipient: 'bob@a.example' } as const
  test('the one that is named counts, by its final or its first address', () => {
    assert.equal(classify(report(ann, bob), 'ann@a.example').type, 'arrived')
    assert.equal(classify(report(ann, bob), 'bob@a.example').type, 'bounced')
  })
  test('when none is named, the one that failed', () => {
    assert.equal(classify(report(ann, bob), 'team@a.example').type, 'bounced')
    assert.equal(classify(report(ann), 'team@a.example').type, 'arrived')
    assert.equal(classify(report({ action: 'delayed' }), 'team@a.example').type, 'delayed')
  })
})

test('of several parts about one recipient their order decides nothing (RFC 3464 §2.3)', () => {
  const old = {
    action: 'failed',
    finalRecipient: 'old@b.example',
    originalRecipient: 'ann@a.example',
  } as const
  const now = { ...old, action: 'delivered', finalRecipient: 'new@b.example' } as const
  const late = { action: 'delayed', finalRecipient: 'bob@a.example' } as const
  const lost = { ...late, action: 'failed' } as const
  const there = { ...late, action: 'relayed' } as const
  for (const [parts, email, type] of [
    [[old, now], 'ann@a.example', 'arrived'],
    [[old, { ...now, action: 'delayed' } as const], 'ann@a.example', 'bounced'],
    [[late, lost], 'bob@a.example', 'bounced'],
    [[late, there], 'bob@a.example', 'arrived'],
    [[now, { ...old, finalRecipient: 'ann@a.example' }], 'ann@a.example', 'bounced'],
  ] as const) {
    assert.equal(classify(report(...parts), email).type, type)
    assert.equal(classify(report(...parts.toReversed()), email).type, type)
  }
})

test('words that anybody may have written are never hard', () => {
  const failed = {
    action: 'failed',
    finalRecipient: 'a@b.example',
    diagnostic: '550 5.1.1 User unknown',
  } as const
  for (const [isOfMailSystem, hard] of [
    [true, true],
    [false, false],
  ] as const) {
    const classified = classify({ ...report(failed), form: 'outlook', isOfMailSystem }, 'a@b.example')
    assert.ok(classified.type === 'bounced')
    assert.deepEqual([classified.category, classified.hard], ['mailbox_not_found', hard])
  }
})

describe('what is known of a failure', () => {
  const failed = (more: Omit<RecipientReport, 'action'>) => {
    const classified = classify(report({ action: 'failed', ...more }), 'a@b.example')
    assert.ok(classified.type === 'bounced')
    return classified
  }
  test('a status of class 4 is never hard, since it was given up on and not refused', () => {
    const { hard, category } = failed({ status: '4.1.1', diagnostic: 'user unknown' })
    assert.deepEqual({ hard, category }, { hard: false, category: 'mailbox_not_found' })
  })
  test('the reply that was quoted weighs more than the status of the reporter', () => {
    assert.equal(failed({ status: '5.1.1', diagnostic: '451 4.7.1 greylisted' }).hard, false)
    assert.equal(failed({ status: '5.0.0', diagnostic: 'host x said: 550 5.1.1 no' }).hard, true)
  })
  test('a status that the reporter made of a reply without one makes nothing certain', () => {
    const guessed = failed({
      status: '5.1.1',
      diagnostic: '550 Requested action not taken: mailbox unavailable',
    })
    assert.deepEqual([guessed.category, guessed.hard], ['mailbox_not_found', false])
    assert.equal(failed({ status: '5.1.1', diagnostic: '550 User unknown' }).hard, true)
    assert.equal(failed({ status: '5.1.1', diagnostic: '550 5.1.1 rejected' }).hard, true)
  })
  test('a refusal of the content is not hard, whatever its words', () => {
    const refused = failed({ status: '5.0.0', diagnostic: 'host x said: 554 5.5.2 Invalid data in message' })
    assert.deepEqual([refused.category, refused.hard], ['content', false])
  })
  test('the host is named without what stands around it', () => {
    assert.equal(failed({ remoteMta: 'mx.b.example. (192.0.2.1, the server)' }).mx, 'mx.b.example')
    assert.equal(failed({}).mx, undefined)
  })
  test('without a diagnostic the status stands for it', () => {
    assert.equal(failed({ status: '5.1.1' }).diagnostic, '5.1.1')
    assert.equal(failed({}).diagnostic, undefined)
    assert.equal(failed({}).category, 'other')
  })
})
