// Tests whether a domain can send, and the reasons why it cannot.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ReadyFacts, readyOf } from './domain-ready.ts'

type Status = ReadyFacts['records'][number]['status']

const facts = (
  status: ReadyFacts['domain']['status'],
  records: { dkim_rsa?: Status; return_path?: Status; dmarc?: Status; claim?: Status } = {},
): ReadyFacts => ({
  domain: { name: 'example.com', status, claim_token: records.claim === undefined ? null : 'x' },
  records: Object.entries({
    ...{ dkim_rsa: 'found', dkim_ed25519: 'missing', return_path: 'found', dmarc: 'found' },
    ...records,
  } as Record<string, Status>).map(([purpose, found]) => ({
    ...{ purpose, status: found },
    required: /dkim_rsa|return_path|claim/.test(purpose) ? 1 : 0,
  })),
})

const told = (found: ReadyFacts, account: 'active' | 'suspended' = 'active'): string => {
  const { transactional, broadcast, reasons } = readyOf(found, account)
  return [`${transactional} ${broadcast}`, ...reasons.map(({ code }) => code)].join(', ')
}

test('a domain can send if it is verified, and to broadcast streams only with DMARC', () => {
  for (const [found, expected] of [
    [facts('verified'), 'true true'],
    // A verified domain can send for some days after its records have disappeared.
    [facts('verified', { dkim_rsa: 'missing' }), 'true true'],
    [facts('verified', { dmarc: 'missing' }), 'true false, dmarc_missing'],
    [facts('verified', { dmarc: 'mismatch' }), 'true false, dmarc_missing'],
    [facts('paused'), 'false false, paused'],
    [facts('paused', { dmarc: 'pending' }), 'false false, paused, dmarc_missing'],
    [facts('pending'), 'false false, not_verified'],
    [facts('pending', { return_path: 'mismatch' }), 'false false, records_missing'],
    [facts('pending', { return_path: 'missing', claim: 'missing' }), 'false false, records_missing'],
    [facts('pending', { claim: 'missing' }), 'false false, claim_missing'],
  ] as const) {
    assert.equal(told(found), expected, JSON.stringify(found))
  }
  assert.equal(told(facts('verified'), 'suspended'), 'false false, account_suspended')
  const [reason] = readyOf(
    facts('pending', { dkim_rsa: 'missing', return_path: 'pending' }),
    'active',
  ).reasons
  assert.equal(
    reason?.message,
    'Publish the required records (dkim_rsa, return_path) of example.com, and verify the domain.',
  )
})
