// The MX record of an inbound host: this installation must be the only mail host with the best preference.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DnsAnswer, MxRecord, Resolver } from '../dns/resolver.ts'
import type { DomainRecord } from '../store/domains/domain-rows.ts'
import { adviceFor } from './advice.ts'
import { lookUp } from './records.ts'
import { zoneText } from './zone-text.ts'

const recordOf = (name: string): DomainRecord => ({
  domain_id: 'dom_1',
  account_id: 'acc_1',
  purpose: `inbound_mx:${name}`,
  type: 'MX',
  name,
  value: '10 mx.sender.test',
  required: 0,
  status: 'pending',
  found: '[]',
  note: null,
  found_since: null,
})

const CASES: readonly [answer: DnsAnswer<readonly MxRecord[]>, status: string, note: string | null][] = [
  [{ kind: 'found', records: [{ preference: 10, exchange: 'mx.sender.test' }] }, 'found', null],
  [{ kind: 'found', records: [{ preference: 5, exchange: 'mx.sender.test' }] }, 'found', null],
  [
    {
      kind: 'found',
      records: [
        { preference: 10, exchange: 'mx.sender.test' },
        { preference: 20, exchange: 'backup.example' },
      ],
    },
    'found',
    null,
  ],
  [
    {
      kind: 'found',
      records: [
        { preference: 10, exchange: 'mx.sender.test' },
        { preference: 10, exchange: 'mx.else.example' },
      ],
    },
    'mismatch',
    null,
  ],
  [
    {
      kind: 'found',
      records: [
        { preference: 1, exchange: 'mx.else.example' },
        { preference: 10, exchange: 'mx.sender.test' },
      ],
    },
    'mismatch',
    null,
  ],
  [{ kind: 'nodata' }, 'missing', null],
  [{ kind: 'nxdomain' }, 'missing', null],
  [{ kind: 'failure', code: 'ESERVFAIL' }, 'pending', 'unanswered'],
]

for (const [answer, status, note] of CASES) {
  test(`is ${status} for ${JSON.stringify(answer)}`, async () => {
    const resolver = {
      mx: async (name: string) => (name === 'in.example.test' ? answer : { kind: 'nodata' }),
    }
    const record = recordOf('in.example.test')
    const look = await lookUp(resolver as unknown as Resolver, record, 'example.test')
    assert.deepEqual([look.status, look.note], [status, note])
    const shown = { ...record, ...look, found: JSON.stringify(look.found) }
    assert.match(adviceFor(shown, { name: 'example.test', checked_at: 1, rotate_at: null }), /\.$/)
  })
}

test('appears in a zone file as an MX record, and as a comment for the domain itself', () => {
  const text = zoneText({ name: 'example.test' }, [recordOf('in.example.test'), recordOf('example.test')])
  assert.match(text, /^in\.example\.test\.\t3600\tIN\tMX\t10 mx\.sender\.test\.$/m)
  assert.match(text, /^; example\.test\.\t3600\tIN\tMX\t10 mx\.sender\.test\.$/m)
})
