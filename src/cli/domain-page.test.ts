// Output of commands that show a domain.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Domain, DomainRecord } from '../store/domains/domain-rows.ts'
import { domainPage } from './domain-page.ts'

const domain: Domain = {
  ...{ id: 'dom_1', account_id: 'acc_1', name: 'shop.test', status: 'verified', claim_token: null },
} as Domain

const record = (purpose: DomainRecord['purpose'], required: 0 | 1, more: Partial<DomainRecord> = {}) =>
  ({
    ...{ domain_id: 'dom_1', purpose, required, type: 'CNAME', name: `${purpose}.shop.test` },
    ...{ value: 'mail.test', status: 'missing', found: '[]', note: null },
    ...more,
  }) as DomainRecord

test('records are required, recommended or optional, with the words of the dashboard', () => {
  const page = domainPage(
    {
      domain,
      records: [
        record('return_path', 1, { status: 'found' }),
        record('dmarc', 0),
        record('tracking', 0, { status: 'pending' }),
        record('dkim_ed25519', 0, { status: 'pending', note: 'unanswered' }),
        record('inbound_mx:shop.test', 0, { type: 'MX', name: 'shop.test', value: '10 mail.test' }),
        record('inbound_mx:in.shop.test', 0, { type: 'MX', name: 'in.shop.test', value: '10 mail.test' }),
      ],
    },
    true,
  )
  assert.deepEqual(page.match(/^\S.*: (?:required|recommended|optional), .+$/gm), [
    'Return-Path: required, found',
    'DKIM (Ed25519): recommended, could not be looked up',
    'DMARC: recommended, missing',
    'Tracking: optional, not checked yet',
    'Inbound mail (MX): optional, missing',
    'Inbound mail (MX): optional, missing',
  ])
  // Only the record of the domain itself redirects mail that another host receives now.
  assert.equal(
    page.match(/Warning {3}takes all mail of shop\.test away from its present mail host/g)?.length,
    1,
  )
})
