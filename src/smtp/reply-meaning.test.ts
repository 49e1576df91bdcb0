// Tests of the meaning of replies: a table of real replies, rules that hold for all replies, and hostile texts.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { cpuWatch } from '../../test/support/cpu-time.ts'
import { POINTING } from './fault-words.ts'
import { KNOWN_WORDS } from './known-words.ts'
import { meaningOf, type ReplyMeaning } from './reply-meaning.ts'
import {
  KNOWN_REPLIES as ALL_REPLIES,
  isHeldOut,
  type KnownReply,
  REFUSALS_OF_MAIL,
  replyOf,
} from './reply-samples.test-data.ts'
import type { DialogErrorCode, Stage } from './stage.ts'

const read = (stage: Stage, wire: string): ReplyMeaning => meaningOf({ stage, reply: replyOf(wire) })

describe('replies of the field', () => {
  for (const [provider, rows] of Map.groupBy(ALL_REPLIES, (row) => row.provider)) {
    const tuned = rows.filter(({ wire }) => !isHeldOut(wire))
    test(`${provider}: ${tuned.length}`, () => {
      for (const { stage, wire, category, greylisted } of tuned) {
        const found = read(stage, wire)
        assert.deepEqual([found.category, found.greylisted], [category, greylisted], `${stage}: ${wire}`)
      }
    })
  }

  test('at least 95 % of the rows that were held out have their category', (t) => {
    const heldOut = ALL_REPLIES.filter(({ wire }) => isHeldOut(wire))
    const right = heldOut.filter(
      ({ stage, wire, category }) => read(stage, wire).category === category,
    ).length
    t.diagnostic(`${right} of ${heldOut.length}`)
    assert.ok(heldOut.length >= ALL_REPLIES.length / 4)
    assert.ok(right / heldOut.length >= 0.95)
  })
})

test('the table is large, and of many providers', () => {
  assert.ok(ALL_REPLIES.length >= 220)
  assert.ok(new Set(ALL_REPLIES.map((row) => row.provider)).size >= 40)
  assert.equal(new Set(ALL_REPLIES.map((row) => `${row.stage} ${row.wire}`)).size, ALL_REPLIES.length)
})

describe('certainty before suppression', () => {
  test('no refusal of content, policy, certificate or configuration is hard', (t) => {
    const hard = REFUSALS_OF_MAIL.filter(({ stage, wire }) => read(stage, wire).hard)
    t.diagnostic(`${hard.length} of ${REFUSALS_OF_MAIL.length}`)
    assert.ok(REFUSALS_OF_MAIL.length >= 200)
    assert.deepEqual(
      hard.filter(({ wire }) => !isHeldOut(wire)),
      [],
    )
    assert.equal(hard.length, 0, 'one of those held out')
  })

  test('what is said after DATA is about the message, unless the recipient is named', () => {
    const rows: [string, string, boolean][] = [
      ['554 5.5.2 Invalid data in message', 'content', false],
      ['554 does not exist', 'other', false],
      ['550 not found', 'other', false],
      ['550 Address unknown', 'other', false],
      ['550 5.1.3 Invalid address in To header', 'content', false],
      ['550 5.7.1 message rejected: unknown user in From', 'policy', false],
      ['550 User unknown', 'mailbox_not_found', true],
      ['550 5.1.1 Address unknown', 'mailbox_not_found', true],
      ['550 5.1.1', 'mailbox_not_found', true],
      ['550 5.1.10 RESOLVER.ADR.RecipientNotFound; not found', 'mailbox_not_found', true],
      ['550 5.1.1 Invalid charset', 'content', false],
      ['550 No such mailbox', 'mailbox_not_found', true],
    ]
    for (const [wire, category, hard] of rows) {
      const found = read('end-of-data', wire)
      assert.deepEqual([found.category, found.hard], [category, hard], wire)
    }
  })

  test('a refusal of RCPT is hard by a noun for the mailbox or by its code, never by bare words', () => {
    const rows: [string, string, boolean][] = [
      ['550 User unknown', 'mailbox_not_found', true],
      ['550 5.1.1 unknown', 'mailbox_not_found', true],
      ['550 unknown', 'mailbox_not_found', false],
      ['550 does not exist', 'mailbox_not_found', false],
      ['550 disabled', 'mailbox_disabled', false],
      ['550 Mailbox disabled', 'mailbox_disabled', true],
      ['550 Disabled administratively', 'mailbox_disabled', false],
      ['550 5.2.1 Mailbox disabled administratively', 'mailbox_disabled', true],
      ['550 User has been administratively locked', 'mailbox_disabled', true],
      // A 550 reply may also mean a policy (RFC 5321 §4.2.3), and large providers use 550 for rate limits.
      ['550 Requested action not taken: mailbox unavailable', 'mailbox_not_found', false],
      ['550 5.1.1 Mailbox unavailable', 'mailbox_not_found', true],
      ['550 The recipient may contain a non-existent account', 'mailbox_not_found', false],
      ['550 5.1.1 User unknown or rate limit reached', 'rate_limited', false],
      ['550 5.1.90 You have reached your daily limit for message recipients', 'rate_limited', false],
      ['550 Recipient certificate not found', 'tls', false],
      ['550 Journal mailbox configuration is not valid', 'other', false],
      ['550 Your account has been suspended', 'policy', false],
      ['550 This mailbox no longer accepts messages with attachments', 'policy', false],
      ["554 Sorry, I couldn't find a mail exchanger or IP address. (#5.4.4)", 'domain_invalid', true],
    ]
    for (const [wire, category, hard] of rows) {
      const found = read('rcpt', wire)
      assert.deepEqual([found.category, found.hard], [category, hard], wire)
    }
  })

  test('a full mailbox, in many words', () => {
    const rows = [
      '552 No disk space left for user',
      '552 Not enough disk space in mailbox',
      '452 4.2.2 Too many messages in this mailbox',
      '550 Mailbox holds too many messages',
      '552 5.2.2 message quota of recipient exceeded',
      '552 Quota of messages reached',
      '552 Inbox has no more room',
      '550 Recipient storage exhausted',
    ]
    for (const wire of rows) assert.equal(read('rcpt', wire).category, 'mailbox_full', wire)
    assert.equal(read('rcpt', '452 4.3.1 Insufficient disk space').category, 'other')
  })
})

const REFUSALS_OF_US = new Set(['blocked', 'policy', 'auth', 'rate_limited'])
const DEAD = new Set(['mailbox_not_found', 'mailbox_disabled', 'domain_invalid'])

/** Refusals of the sender or the sending host, in words that replies also use for mailboxes. */
const TRAPS = [
  '550 Mail from IP address 192.0.2.1 temporarily suspended',
  '550 Your IP address 192.0.2.1 is blocked; connection closed',
  '550 Email address of sender does not exist',
  "550 The sender's email address does not exist",
  '550 Invalid MAIL FROM address',
  '550 Unknown host [192.0.2.1]',
  '550 Unknown client',
  '550 Directory harvest attack: too many unknown users',
  '550 Sorry, your domain has no MX record',
  '550 5.1.7 Invalid address',
  '550 5.1.8 Domain not found',
  '550 5.7.1 Your server is unknown to us',
  '550 5.7.1 Recipient address rejected: Access denied',
  '550 5.7.606 Access denied, banned sending IP [192.0.2.1]',
  '554 5.7.1 <unknown[192.0.2.1]>: Client host rejected: Access denied',
  '554 5.7.1 The address 192.0.2.1 is unknown to our resolver',
  '550-Verification failed for <a@example.com> Called: 192.0.2.9 Response: 550 5.1.1 User unknown. Sender verify failed',
  '550 Requested action not taken: mailbox unavailable. Reject due to policy restrictions.',
  '450 4.7.1 <mail.example.com>: Helo command rejected: Host not found',
  '421 Idle: user inactivity timeout',
  '550 IP not found in our directory',
  '550 Sender or recipient cannot be verified',
  '550 User not local or invalid address - Relay denied',
  '550 error: no valid recipients from 192.0.2.1',
  '553 VS10-RT Possible forgery or deactivated due to abuse (#5.1.1) 192.0.2.1',
  '554 One or more of the sender or recipients in your email are invalid and not accepted.',
  '550 La boite du destinataire bloque les messages de votre domaine',
  '550 Le destinataire a bloque votre message',
  '550 La cuenta del remitente esta inactiva',
  '550 mailbox requires authentication of unknown users',
  '550 5.7.0 Access denied: your server 192.0.2.1 does not exist in the list of known hosts',
  "550 We don't accept mail from hosts not found in DNS",
  '550 This host is not found on our partner list',
  '550 Invalid sending address, no such domain',
  '550 5.4.4 Invalid domain in MAIL FROM',
  '550 5.7.1 Your server does not exist in DNS',
  '550 The name you greeted with does not exist',
  '550 Return address does not exist',
  '550 Reply address unknown',
  "550 You sent from an address that doesn't exist",
  '550 Host is not allowed to connect, no such host in DNS',
  '554 5.7.1 Rejected for policy reasons, the client name does not exist',
  '550 Requested action not taken: mailbox unavailable invalid DNS MX or A/AAAA resource record',
]

test('a refusal of us is never taken for a dead address', () => {
  for (const wire of TRAPS) {
    const { category, hard } = read('rcpt', wire)
    assert.ok(!DEAD.has(category) && !hard, `${category}: ${wire}`)
  }
  const ours = ALL_REPLIES.filter((row) => REFUSALS_OF_US.has(row.category))
  assert.ok(ours.length > 200)
  assert.deepEqual(
    ours.filter((row) => read(row.stage, row.wire).hard),
    [],
  )
})

test('before RCPT no reply of the table is about a mailbox, the domain or the content', () => {
  const stages: Stage[] = ['connect', 'greeting', 'ehlo', 'starttls', 'auth', 'mail']
  for (const row of ALL_REPLIES) {
    for (const stage of stages) {
      const { category, about, hard } = read(stage, row.wire)
      assert.ok(!DEAD.has(category) && category !== 'mailbox_full' && category !== 'content', row.wire)
      assert.ok(about !== 'mailbox' && !hard, row.wire)
    }
  }
})

test('the vocabulary is sorted, and has no word that may lead to the sender', () => {
  for (const [language, text] of Object.entries(KNOWN_WORDS)) {
    const entries = text.split(',').map((entry) => entry.trim().replaceAll(/\s+/g, ' '))
    assert.deepEqual(entries, [...new Set(entries)].sort(), language)
    assert.deepEqual(
      entries.filter((entry) => POINTING.has(entry)),
      [],
      language,
    )
  }
})

test('a word for the sender leaves the finding open, and an unknown word is never hard', () => {
  const rows: [string, string, boolean][] = [
    ['550 Mailbox does not exist', 'mailbox_not_found', true],
    ['550 The dispatching mailbox does not exist', 'other', false],
    ['550 The mailbox of the issuing party is closed', 'other', false],
    ['550 No mailbox for whoever dispatched this', 'other', false],
    ['550 Das einliefernde Postfach existiert nicht', 'other', false],
    ['550 La casella che ha spedito questo non esiste', 'other', false],
    ['550 The vouchsafing mailbox does not exist', 'mailbox_not_found', false],
    ['550 The mailbox was closed after the merger of both firms', 'mailbox_disabled', true],
    ['550 Recipient not found in your contacts', 'mailbox_not_found', false],
    ['550 5.1.1 mail from this network is refused', 'other', false],
    ['550 5.5.3 RESOLVER.ADR.RecipLimit; too many recipients', 'rate_limited', false],
    ['550 Din server er ukendt', 'policy', false],
    ['550 The mailbox was closed, log in with your own', 'other', false],
    ['550 The user you are writing to does not exist', 'mailbox_not_found', true],
    ['550 5.1.1 The dispatching mailbox does not exist', 'mailbox_not_found', true],
    ['550 We asked mx.example.org and were told: 550 no such user', 'other', false],
  ]
  for (const [wire, category, hard] of rows) {
    const found = read('rcpt', wire)
    assert.deepEqual([found.category, found.hard], [category, hard], wire)
  }
})

test('the echoed address is not read, whatever it is called', () => {
  const expected = (row: KnownReply) => read(row.stage, row.wire).category
  for (const row of ALL_REPLIES.filter((one) => one.wire.includes('<bob@'))) {
    const wire = row.wire.replaceAll(/<bob@[^>]*>/g, '<user-unknown.blocked.spam@dmarc.mailbox-full.example>')
    assert.equal(read(row.stage, wire).category, expected(row), wire)
  }
})

test('whom it is about', () => {
  assert.equal(read('rcpt', '550 5.1.1 User unknown').about, 'mailbox')
  assert.equal(
    read('rcpt', '450 4.2.1 The user is receiving mail at a rate that prevents more').about,
    'mailbox',
  )
  assert.equal(read('rcpt', '550 5.7.1 RESOLVER.RST.AuthRequired; authentication required').about, 'mailbox')
  assert.equal(read('rcpt', '554 5.7.1 Relay access denied').about, 'destination')
  assert.equal(read('rcpt', '550 Blocked').about, 'us')
  assert.equal(read('end-of-data', '550 Spam detected').about, 'content')
})

test('hard is what the address will always be answered with', () => {
  assert.equal(read('rcpt', '550 5.1.1 User unknown').hard, true)
  assert.equal(read('rcpt', '450 4.1.1 User unknown').hard, false)
  assert.equal(read('rcpt', '550 Account disabled').hard, true)
  assert.equal(read('rcpt', '550 Account temporarily disabled').hard, false)
  assert.equal(read('rcpt', '552 5.2.2 Mailbox full').hard, false)
  assert.equal(read('end-of-data', '552 5.3.4 Message too big').hard, false)
})

test('without words the codes decide', () => {
  const rows: [Stage, string, string][] = [
    ['rcpt', '550 5.1.1', 'mailbox_not_found'],
    ['rcpt', '550 5.2.1', 'mailbox_disabled'],
    ['rcpt', '552 5.2.2', 'mailbox_full'],
    ['rcpt', '550 5.1.10', 'domain_invalid'],
    ['rcpt', '556', 'domain_invalid'],
    ['rcpt', '550 5.7.1', 'policy'],
    ['end-of-data', '550 5.7.26', 'auth'],
    ['rcpt', '421 4.7.0', 'rate_limited'],
    ['rcpt', '550', 'other'],
    ['rcpt', '451', 'other'],
    ['greeting', '554', 'blocked'],
    ['starttls', '454', 'tls'],
    ['auth', '535', 'auth'],
    ['mail', '552', 'size'],
    ['mail', '503', 'protocol'],
  ]
  for (const [stage, wire, category] of rows) assert.equal(read(stage, wire).category, category, wire)
})

test('a dialog that stopped without a reply', () => {
  const rows: [DialogErrorCode, string, string][] = [
    ['timeout', 'network', 'transport'],
    ['local', 'network', 'transport'],
    ['certificate', 'tls', 'transport'],
    ['no-auth', 'auth', 'us'],
    ['protocol', 'protocol', 'transport'],
    ['size', 'size', 'content'],
    ['smtputf8', 'content', 'content'],
    ['eight-bit', 'content', 'content'],
  ]
  for (const [code, category, about] of rows) {
    const found = meaningOf({ stage: 'mail', error: { code, message: 'x' } })
    assert.deepEqual(found, { category, about, hard: false, passing: false, greylisted: false })
  }
})

test('a hostile text of 64 KiB is read in a moment', () => {
  const seeds = [
    'user ',
    'user unknow ',
    'address not recipient invali ',
    '> < ',
    'a@',
    '5.1.1 ',
    '用',
    '\ufdfa',
    '((',
    'said: 550 ',
    '@a.',
    'host x] : ',
    'unknown or full ',
    'not be been ',
    'return the ',
  ]
  for (const seed of seeds) {
    const text = seed.repeat(Math.ceil(65_536 / seed.length))
    const spent = cpuWatch()
    meaningOf({ stage: 'rcpt', reply: { code: 550, text } })
    assert.ok(spent() < 500, seed)
  }
})
