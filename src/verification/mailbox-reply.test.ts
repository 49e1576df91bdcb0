// Tests of the findings at the end of a probe: the share of replies that are understood, and refusals of this
// installation, which must never count as a missing mailbox.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  isHeldOut,
  KNOWN_REPLIES,
  NO_SUCH_MAILBOX,
  REFUSALS_OF_MAIL,
  REFUSED_US,
  replyOf,
} from '../smtp/reply-samples.test-data.ts'
import type { DialogErrorCode, Stage } from '../smtp/stage.ts'
import { catchAllFinding, type MailboxFinding, mailboxFinding } from './mailbox-reply.ts'

const at = (stage: Stage, wire: string): MailboxFinding =>
  mailboxFinding({ failure: { stage, reply: replyOf(wire) } })

const DEAD: ReadonlySet<MailboxFinding> = new Set(['not_found', 'disabled', 'not_served'])
const ABOUT_THE_MAILBOX: ReadonlySet<MailboxFinding> = new Set([...DEAD, 'full', 'exists'])

const ABOUT_THE_ADDRESS = ['mailbox_not_found', 'mailbox_disabled', 'domain_invalid']

describe('replies to RCPT', () => {
  const atRcpt = KNOWN_REPLIES.filter((row) => row.stage === 'rcpt')
  const missing = [
    ...NO_SUCH_MAILBOX,
    ...atRcpt.filter((row) => row.category === 'mailbox_not_found').map((row) => row.wire),
  ]
  const refusals = [
    ...REFUSED_US,
    ...atRcpt.filter((row) => !ABOUT_THE_ADDRESS.includes(row.category)).map((row) => row.wire),
    ...REFUSALS_OF_MAIL.filter((row) => row.stage === 'rcpt').map((row) => row.wire),
  ]

  test('the tables are large enough', () => {
    assert.ok(missing.length >= 550, String(missing.length))
    assert.ok(refusals.length >= 550, String(refusals.length))
  })

  const parts = [
    ['the rows that the rules were tuned on', (wire: string) => !isHeldOut(wire)],
    ['the third that was held out', isHeldOut],
  ] as const
  for (const [name, isOfPart] of parts) {
    test(`${name}: at least 95 % of "no such user" are understood`, (t) => {
      const rows = missing.filter(isOfPart)
      const found = rows.filter((wire) => at('rcpt', wire) === 'not_found').length
      t.diagnostic(`${found} of ${rows.length}`)
      assert.ok(found / rows.length >= 0.95)
    })

    test(`${name}: at most 1 % of the others are taken for a dead mailbox`, (t) => {
      const rows = refusals.filter(isOfPart)
      const wrong = rows.filter((wire) => DEAD.has(at('rcpt', wire)))
      t.diagnostic(`${wrong.length} of ${rows.length}`)
      assert.ok(wrong.length / rows.length <= 0.01)
    })
  }

  test('before RCPT none of them is about a mailbox', () => {
    const stages: Stage[] = ['connect', 'greeting', 'ehlo', 'starttls', 'mail']
    for (const wire of [...missing, ...refusals]) {
      for (const stage of stages) assert.ok(!ABOUT_THE_MAILBOX.has(at(stage, wire)), `${stage}: ${wire}`)
    }
  })
})

test('providers that say it in their own way', () => {
  const rows: [string, MailboxFinding][] = [
    ['550 5.4.1 Recipient address rejected: Access denied. AS(201806281)', 'not_found'],
    ['450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents', 'exists'],
    ['550 5.2.1 The email account that you tried to reach is disabled', 'disabled'],
    ['452 4.2.2 The email account that you tried to reach is over quota', 'full'],
    ['552 5.2.2 Mailbox full', 'full'],
    ['550 5.7.1 User unknown', 'not_found'],
    ['550 5.7.1 Service unavailable; client [192.0.2.1] blocked using Spamhaus', 'blocked'],
    ['554 5.7.1 Relay access denied', 'blocked'],
    ['556 5.1.10 Recipient address has null MX', 'not_served'],
    ['451 4.7.1 Greylisted, please try again in 300 seconds', 'greylisted'],
    ['451 Internal resources are temporarily unavailable', 'greylisted'],
    ['451 4.3.0 Temporary lookup failure', 'temporary'],
    ['450 4.1.2 Domain not found', 'temporary'],
    ['450 4.1.1 User unknown in local recipient table', 'not_found'],
    ['450 4.7.1 Account temporarily disabled', 'temporary'],
    ['550 5.2.1 Mailbox temporarily disabled', 'temporary'],
    ['451 LDAP server unavailable; user not found', 'temporary'],
    ['450 User unknown, please try again later', 'temporary'],
    ['421 4.3.2 User unknown, closing', 'temporary'],
    ['554 mx.test not accepting messages from 192.0.2.1', 'blocked'],
    ['554 Access denied to your host: unknown', 'blocked'],
    ['550 The sending host does not exist', 'blocked'],
    ['550 From address not valid', 'blocked'],
    ['550 Verification failed: callout to sender failed, no such user', 'blocked'],
    ["550 The email address that you entered couldn't be found", 'not_found'],
    ['550 Ann has left the organisation', 'not_found'],
    ['550 No such user. Check the address and try again', 'not_found'],
    ["550 This user isn't on this server", 'not_found'],
    ['550 5.7.1 recipient not in Domino directory', 'not_found'],
    ['550 Sorry, that user is not one of ours', 'not_found'],
    ['550 Rejected: this address is not configured on the server', 'not_found'],
    ['550 Recipient denied: not in the valid recipients list', 'not_found'],
    ['550 Benutzer existiert hier nicht', 'not_found'],
    ['550 mailbox unavailable invalid DNS MX or A/AAAA resource record', 'blocked'],
    ['550 5.7.1 Mail from 192.0.2.1 has been refused. No such sender', 'blocked'],
    ['421 4.7.0 Too many connections', 'blocked'],
    ['550', 'smtp_error'],
    ['530 5.7.0 Must issue a STARTTLS command first', 'smtp_error'],
  ]
  for (const [wire, expected] of rows) assert.equal(at('rcpt', wire), expected, wire)
})

test('a dialog that stopped without a reply is never about the mailbox', () => {
  const rows: [Stage, DialogErrorCode, MailboxFinding][] = [
    ['connect', 'refused', 'connect_failed'],
    ['connect', 'timeout', 'connect_failed'],
    ['connect', 'unreachable', 'connect_failed'],
    ['connect', 'local', 'connect_failed'],
    ['greeting', 'timeout', 'timeout'],
    ['rcpt', 'timeout', 'timeout'],
    ['greeting', 'reset', 'smtp_error'],
    ['ehlo', 'protocol', 'smtp_error'],
    ['rcpt', 'closed', 'smtp_error'],
    ['starttls', 'tls', 'smtp_error'],
  ]
  for (const [stage, code, expected] of rows) {
    assert.equal(mailboxFinding({ failure: { stage, error: { code, message: 'x' } } }), expected, stage)
  }
  // A host without SMTPUTF8 cannot have this mailbox.
  assert.equal(
    mailboxFinding({ failure: { stage: 'mail', error: { code: 'smtputf8', message: 'x' } } }),
    'not_found',
  )
})

test('a host that takes the recipient has the mailbox', () => {
  assert.equal(mailboxFinding({ reply: replyOf('250 2.1.5 Ok') }), 'exists')
})

test('what the answer to a random mailbox says', () => {
  const rows: [Stage, string, boolean | undefined][] = [
    ['rcpt', '550 5.1.1 No such user', false],
    ['rcpt', '550 rejected', false],
    ['rcpt', '550 5.7.1 Recipient rejected', false],
    ['rcpt', '552 5.2.2 Mailbox full', false],
    ['rcpt', '451 4.7.1 Greylisted', undefined],
    ['rcpt', '451 4.4.4 Recipients belong to multiple regions', undefined],
    ['rcpt', '452 4.5.3 Too many recipients', undefined],
    ['rcpt', '550 Too many invalid recipients', undefined],
    ['rcpt', '550 5.7.1 Client host blocked using Spamhaus', undefined],
    ['mail', '550 5.7.1 No', undefined],
  ]
  for (const [stage, wire, expected] of rows) {
    assert.equal(catchAllFinding({ failure: { stage, reply: replyOf(wire) } }), expected, wire)
  }
  assert.equal(catchAllFinding({ reply: replyOf('250 Ok') }), true)
  assert.equal(
    catchAllFinding({ failure: { stage: 'rcpt', error: { code: 'timeout', message: 'x' } } }),
    undefined,
  )
})
