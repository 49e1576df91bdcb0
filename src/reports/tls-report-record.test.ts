// The record by which a domain asks for TLS reports: its addresses, and records that strangers make up.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { MAX_ADDRESSES, readReportRecord } from './tls-report-record.ts'

const uris = (...texts: string[]): string[] => readReportRecord(texts).map(({ uri }) => uri)

describe('a record', () => {
  const READ: readonly (readonly [text: string, addresses: readonly string[]])[] = [
    ['v=TLSRPTv1; rua=mailto:tls@example.com', ['mailto:tls@example.com']],
    ['v=TLSRPTv1;rua=mailto:TLS@EXAMPLE.com;', ['mailto:TLS@example.com']],
    [
      'v=TLSRPTv1; rua=mailto:a@example.com , https://reports.example.com/v1/tls?d=1',
      ['mailto:a@example.com', 'https://reports.example.com/v1/tls?d=1'],
    ],
    ['v=TLSRPTv1; x=1; rua=mailto:a@example.com; y=2', ['mailto:a@example.com']],
    ['v=TLSRPTv1; rua=mailto:a%2Bb@example.com?subject=x', ['mailto:a+b@example.com']],
    ['v=TLSRPTv1; rua=mailto:a@example.com,mailto:a@example.com', ['mailto:a@example.com']],
    ['v=TLSRPTv1; rua=mailto:a@bücher.example', ['mailto:a@xn--bcher-kva.example']],
  ]
  for (const [text, addresses] of READ) {
    test(`names the addresses: ${text}`, () => assert.deepEqual(uris(text), addresses))
  }

  const WITHOUT: readonly string[] = [
    'v=TLSRPTv1',
    'v=TLSRPTv1;',
    'v=TLSRPTv1; rua=',
    'v=TLSRPTv1; rua=,,,',
    'v=TLSRPTv2; rua=mailto:a@example.com',
    'v=tlsrptv1; rua=mailto:a@example.com',
    'x; v=TLSRPTv1; rua=mailto:a@example.com',
    'v=TLSRPTv1; rua=mailto:',
    'v=TLSRPTv1; rua=mailto:nobody',
    'v=TLSRPTv1; rua=mailto:a%0d%0aBcc:b@example.com',
    'v=TLSRPTv1; rua=mailto:%ff@example.com',
    'v=TLSRPTv1; rua=http://reports.example.com/',
    'v=TLSRPTv1; rua=https://user:password@reports.example.com/',
    'v=TLSRPTv1; rua=https://',
    'v=TLSRPTv1; rua=file:///etc/passwd,ldap://x,javascript:alert(1)',
    `v=TLSRPTv1; rua=https://reports.example.com/${'x'.repeat(600)}`,
  ]
  for (const text of WITHOUT) {
    test(`names no usable address: ${text.slice(0, 80)}`, () => assert.deepEqual(uris(text), []))
  }

  test('does not count if there are several', () => {
    const record = 'v=TLSRPTv1; rua=mailto:a@example.com'
    assert.deepEqual(uris(record, record), [])
    assert.deepEqual(uris('v=spf1 -all', record), ['mailto:a@example.com'])
  })

  test('with a thousand addresses gets a few reports', () => {
    const all = Array.from({ length: 1_000 }, (_, index) => `mailto:a${index}@example.com`)
    assert.deepEqual(uris(`v=TLSRPTv1; rua=${all.join(',')}`), all.slice(0, MAX_ADDRESSES))
    assert.deepEqual(uris(`v=TLSRPTv1; rua=${'x,'.repeat(100_000)}mailto:a@example.com`), [])
  })
})
