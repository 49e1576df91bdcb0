// The verdict for every combination of evidence.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { MailboxFinding } from './mailbox-reply.ts'
import {
  type DomainFinding,
  type Evidence,
  type InternalResult,
  internalResultOf,
  type OwnFinding,
  RESULTS,
} from './verdict.ts'

const found = (more: Partial<Evidence>): Evidence => ({ isAddress: true, domain: 'hosts', ...more })

const rows: [string, Evidence, InternalResult][] = [
  ['no address', { isAddress: false }, 'invalid_syntax'],
  ['no address, whatever else', { isAddress: false, domain: 'hosts', mailbox: 'exists' }, 'invalid_syntax'],
  ['nothing yet', { isAddress: true }, 'timeout'],
  ['no such domain', found({ domain: 'domain_not_found' }), 'domain_not_found'],
  ['no mail host', found({ domain: 'no_mail_server' }), 'no_mail_server'],
  ['a null MX', found({ domain: 'null_mx' }), 'null_mx'],
  ['DNS that fails', found({ domain: 'dns_error' }), 'dns_error'],
  ['hosts, and no more', found({}), 'timeout'],
  ['a mailbox, and no word on others', found({ mailbox: 'exists' }), 'catch_all_unknown'],
  [
    'a mailbox of a provider that refuses unknown ones',
    found({ mailbox: 'exists', neverCatchAll: true }),
    'mailbox_exists',
  ],
  [
    'no mailbox, and no word on others',
    found({ mailbox: 'not_found', neverCatchAll: true }),
    'mailbox_not_found',
  ],
  ['a mailbox, not catch-all', found({ mailbox: 'exists', catchAll: false }), 'mailbox_exists'],
  ['any mailbox', found({ mailbox: 'exists', catchAll: true }), 'catch_all'],
  ['no mailbox', found({ mailbox: 'not_found' }), 'mailbox_not_found'],
  ['no mailbox in a catch-all domain', found({ mailbox: 'not_found', catchAll: true }), 'mailbox_not_found'],
  ['a disabled mailbox', found({ mailbox: 'disabled' }), 'mailbox_disabled'],
  ['a full mailbox', found({ mailbox: 'full' }), 'mailbox_full'],
  ['a host that does not serve the domain', found({ mailbox: 'not_served' }), 'no_mail_server'],
  ['greylisting', found({ mailbox: 'greylisted' }), 'greylisted'],
  ['a refusal of us', found({ mailbox: 'blocked' }), 'blocked'],
  ['no connection', found({ mailbox: 'connect_failed' }), 'connect_failed'],
  ['no answer in time', found({ mailbox: 'timeout' }), 'timeout'],
  ['an answer for now', found({ mailbox: 'temporary' }), 'smtp_error'],
  ['nonsense', found({ mailbox: 'smtp_error' }), 'smtp_error'],
  ['a disposable domain', found({ disposable: true }), 'disposable'],
  ['a disposable domain, DNS not asked', { isAddress: true, disposable: true }, 'disposable'],
  ['a disposable domain, DNS fails', found({ disposable: true, domain: 'dns_error' }), 'disposable'],
  [
    'a disposable domain that is gone',
    found({ disposable: true, domain: 'domain_not_found' }),
    'domain_not_found',
  ],
  ['a disposable domain without mail', found({ disposable: true, domain: 'null_mx' }), 'null_mx'],
  ['a disposable mailbox', found({ disposable: true, mailbox: 'exists' }), 'disposable'],
  [
    'a disposable mailbox that is none',
    found({ disposable: true, mailbox: 'not_found' }),
    'mailbox_not_found',
  ],
  ['own mail was taken', found({ own: 'accepted' }), 'mailbox_exists'],
  ['own mail was taken, DNS fails', found({ own: 'accepted', domain: 'dns_error' }), 'mailbox_exists'],
  [
    'own mail was taken, the domain is gone',
    found({ own: 'accepted', domain: 'domain_not_found' }),
    'domain_not_found',
  ],
  ['own mail was taken, disposable', found({ own: 'accepted', disposable: true }), 'disposable'],
  ['own mail bounced', found({ own: 'mailbox_not_found' }), 'mailbox_not_found'],
  ['own mail bounced, disabled', found({ own: 'mailbox_disabled' }), 'mailbox_disabled'],
  [
    'own mail bounced, disposable',
    found({ own: 'mailbox_not_found', disposable: true }),
    'mailbox_not_found',
  ],
  ['suppressed', found({ own: 'suppressed' }), 'suppressed'],
  ['suppressed, disposable', found({ own: 'suppressed', disposable: true }), 'suppressed'],
  ['suppressed, DNS fails', found({ own: 'suppressed', domain: 'dns_error' }), 'suppressed'],
  ['suppressed, the domain is gone', found({ own: 'suppressed', domain: 'null_mx' }), 'null_mx'],
  ['suppressed, no mailbox', found({ own: 'suppressed', mailbox: 'not_found' }), 'mailbox_not_found'],
]

describe('verdicts', () => {
  for (const [what, evidence, expected] of rows) {
    test(`${what}: ${expected}`, () => assert.equal(internalResultOf(evidence), expected))
  }

  test('every internal result is reached', () => {
    assert.deepEqual(
      Object.keys(RESULTS).filter((one) => !rows.some(([, , expected]) => expected === one)),
      [],
    )
  })
})

const DOMAINS: (DomainFinding | undefined)[] = [
  undefined,
  'hosts',
  'domain_not_found',
  'no_mail_server',
  'null_mx',
  'dns_error',
]
const OWN: (OwnFinding | undefined)[] = [
  undefined,
  'accepted',
  'mailbox_not_found',
  'mailbox_disabled',
  'suppressed',
]
const MAILBOX: (MailboxFinding | undefined)[] = [
  undefined,
  'exists',
  'not_found',
  'disabled',
  'full',
  'not_served',
  'greylisted',
  'temporary',
  'blocked',
  'connect_failed',
  'timeout',
  'smtp_error',
]

function* everything(): Generator<Evidence> {
  for (const domain of DOMAINS)
    for (const own of OWN)
      for (const mailbox of MAILBOX)
        for (const catchAll of [undefined, true, false])
          for (const disposable of [true, false])
            for (const neverCatchAll of [true, undefined])
              yield { isAddress: true, domain, own, mailbox, catchAll, disposable, neverCatchAll }
}

test('nothing is called undeliverable without a word about the domain or the mailbox', () => {
  for (const evidence of everything()) {
    if (RESULTS[internalResultOf(evidence)] !== 'undeliverable') continue
    const said =
      ['domain_not_found', 'no_mail_server', 'null_mx'].includes(evidence.domain ?? '') ||
      ['not_found', 'disabled', 'not_served'].includes(evidence.mailbox ?? '') ||
      ['mailbox_not_found', 'mailbox_disabled'].includes(evidence.own ?? '')
    assert.ok(said, JSON.stringify(evidence))
  }
})

test('nothing is called deliverable that was not seen to take mail, where others were not seen to be refused', () => {
  for (const evidence of everything()) {
    if (internalResultOf(evidence) !== 'mailbox_exists') continue
    const { mailbox, own, catchAll, neverCatchAll } = evidence
    const isTold = mailbox === 'exists' && !catchAll && (catchAll === false || neverCatchAll === true)
    assert.ok(isTold || own === 'accepted', JSON.stringify(evidence))
    assert.ok(!evidence.disposable, JSON.stringify(evidence))
  }
})

test('a temporary answer is never more than unknown or risky', () => {
  for (const mailbox of [
    'greylisted',
    'temporary',
    'blocked',
    'connect_failed',
    'timeout',
    'smtp_error',
  ] as const) {
    const result = RESULTS[internalResultOf(found({ mailbox }))]
    assert.equal(result, 'unknown', mailbox)
  }
})
