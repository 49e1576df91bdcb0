// Output of commands that show a domain.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DomainRecordView, DomainView } from '../api/contract/domain.ts'
import { domainPage } from './domain-page.ts'

const record = (
  purpose: DomainRecordView['purpose'],
  required: boolean,
  more: Partial<DomainRecordView> = {},
): DomainRecordView => ({
  ...{ purpose, required, type: 'CNAME', name: `${purpose}.shop.test`, host: purpose },
  ...{ value: 'mail.test', status: 'missing', found: [], advice: 'Publish the record.' },
  ...more,
})

const shown = (records: DomainRecordView[], more: Partial<DomainView> = {}): string =>
  domainPage(
    {
      ...{ domain: 'shop.test', status: 'verified', checked_at: null, rotate_every_days: null, bimi: null },
      ...{ records, ...more },
    } as DomainView,
    true,
  )

test('records are required, recommended or optional, with the words of the dashboard', () => {
  const page = shown([
    record('return_path', true, { status: 'found' }),
    record('dkim_ed25519', false, { status: 'mismatch', found: ['x'] }),
    record('dmarc', false),
    record('tracking', false, { status: 'pending' }),
    record('inbound_mx', false, { type: 'MX', name: 'shop.test', value: '10 mail.test' }),
    record('inbound_mx', false, { type: 'MX', name: 'in.shop.test', value: '10 mail.test' }),
  ])
  assert.deepEqual(page.match(/^\S.*: (?:required|recommended|optional), .+$/gm), [
    'Return-Path: required, found',
    'DKIM (Ed25519): recommended, mismatch',
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

test('a record that a check could not look up says so, with the advice', () => {
  const page = shown([record('dmarc', false, { status: 'pending' })], { checked_at: '2027-01-01T00:00:00Z' })
  assert.match(page, /DMARC: recommended, could not be looked up\n(?:.*\n)+ +To do +Publish the record\./)
})

test('the page shows the next step of the calendar, and the findings about a BIMI record', () => {
  const at = '2027-01-01T09:00:00.000Z'
  const withStep = (dkim: object): string =>
    shown([], {
      rotate_every_days: 180,
      dkim: { rotates_at: null, switches_at: null, ...dkim } as DomainView['dkim'],
    })
  assert.match(withStep({ next_step: 'rotate', rotates_at: at }), /every 180 days: .* made on 2027-01-01\./)
  assert.match(withStep({ next_step: 'switch' }), /publish the records of the new keys/)
  assert.match(withStep({ next_step: 'switch', switches_at: at }), /the new keys sign after 2027-01-01/)
  assert.match(withStep({ next_step: 'retire' }), /retired eight days after the switch/)
  assert.doesNotMatch(shown([]), /replaced|BIMI/)
  const page = shown([], {
    bimi: {
      ...{ status: 'failed', name: 'default._bimi.shop.test', record: 'v=BIMI1;\u001b[2J l=x' },
      ...{ logo_url: null, certificate_url: null, logo_checked_at: null },
      findings: [{ code: 'logo_url', severity: 'error', message: 'Give an https URL.' }],
    },
  })
  assert.match(page, /^BIMI: optional, failed$/m)
  assert.match(page, /To do +Give an https URL\./)
  assert.ok(!page.includes('\u001b'))
})
