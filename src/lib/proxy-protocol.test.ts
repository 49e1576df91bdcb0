// Tests of valid, truncated and forged PROXY headers of both versions.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { proxyHeader2 } from '../../test/support/proxy-header.ts'
import { type ProxyHeader, readProxyHeader } from './proxy-protocol.ts'

const read = (bytes: string | Buffer): ProxyHeader =>
  readProxyHeader(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)

const INET = Buffer.from([203, 0, 113, 9, 10, 0, 0, 1, 0x30, 0x39, 0, 25])
const INET6 = Buffer.concat([
  Buffer.from('20010db8000000000000000000000009', 'hex'),
  Buffer.from('fd000000000000000000000000000001', 'hex'),
  Buffer.from([0x30, 0x39, 0, 25]),
])
const UNIX = Buffer.alloc(216, '/x')

/** Complete PROXY headers, each with the address of the client; null for a header without a client. */
const COMPLETE: readonly (readonly [string, string | Buffer, string | null])[] = [
  ['§2.1 TCP4', 'PROXY TCP4 203.0.113.9 10.0.0.1 12345 25\r\n', '203.0.113.9'],
  ['§2.1 TCP6', 'PROXY TCP6 2001:DB8::9 fd00::1 12345 25\r\n', '2001:db8::9'],
  ['§2.1 TCP6, written out', 'PROXY TCP6 2001:db8:0:0:0:0:0:9 fd00::1 12345 25\r\n', '2001:db8::9'],
  ['§2.1 UNKNOWN', 'PROXY UNKNOWN\r\n', null],
  ['§2.1 UNKNOWN with the longest line', `PROXY UNKNOWN ${'f'.repeat(91)}\r\n`, null],
  ['§2.2 INET', proxyHeader2({ family: 1, addresses: INET }), '203.0.113.9'],
  ['§2.2 INET6', proxyHeader2({ family: 2, addresses: INET6 }), '2001:db8::9'],
  ['§2.2 UNIX', proxyHeader2({ family: 3, addresses: UNIX }), null],
  ['§2.2 UNSPEC', proxyHeader2({ family: 0, transport: 0, addresses: Buffer.alloc(7) }), null],
  ['§2.2 INET, transport UNSPEC', proxyHeader2({ family: 1, transport: 0, addresses: INET }), null],
  ['§2.2 LOCAL', proxyHeader2({ command: 0, family: 0, transport: 0, addresses: Buffer.alloc(0) }), null],
  ['§2.2 LOCAL with addresses', proxyHeader2({ command: 0, family: 1, addresses: INET }), null],
  [
    '§2.2.1 with extensions behind the addresses',
    proxyHeader2({ family: 1, addresses: Buffer.concat([INET, Buffer.alloc(1_000, 4)]) }),
    '203.0.113.9',
  ],
]

const MALFORMED: readonly (readonly [string, string | Buffer, RegExp])[] = [
  ['SMTP', 'EHLO mail.test\r\n', /there is none/],
  ['HTTP', 'POST / HTTP/1.1\r\n', /there is none/],
  ['TLS', Buffer.from([22, 3, 1, 2, 0, 1]), /there is none/],
  ['another case', 'proxy TCP4 ', /there is none/],
  ['a line without end', `PROXY UNKNOWN ${'f'.repeat(93)}`, /over 107 bytes/],
  ['a line one byte too long', `PROXY UNKNOWN ${'f'.repeat(92)}\r\n`, /over 107 bytes/],
  ['a line that ends in LF', `PROXY TCP4 203.0.113.9 10.0.0.1 1 2\n${'x'.repeat(100)}`, /over 107 bytes/],
  ['another family', 'PROXY UDP4 203.0.113.9 10.0.0.1 1 2\r\n', /family/],
  ['no family', 'PROXY \r\n', /family/],
  ['IPv6 as TCP4', 'PROXY TCP4 2001:db8::9 10.0.0.1 1 2\r\n', /addresses/],
  ['IPv4 as TCP6', 'PROXY TCP6 203.0.113.9 fd00::1 1 2\r\n', /addresses/],
  ['a zone', 'PROXY TCP6 fe80::1%eth0 fd00::1 1 2\r\n', /addresses/],
  ['a name', 'PROXY TCP4 mail.test 10.0.0.1 1 2\r\n', /addresses/],
  ['two spaces', 'PROXY TCP4  203.0.113.9 10.0.0.1 1 2\r\n', /addresses/],
  ['a port over 65535', 'PROXY TCP4 203.0.113.9 10.0.0.1 65536 2\r\n', /ports/],
  ['a port with a zero before it', 'PROXY TCP4 203.0.113.9 10.0.0.1 01 2\r\n', /ports/],
  ['no ports', 'PROXY TCP4 203.0.113.9 10.0.0.1\r\n', /ports/],
  ['more than ports', 'PROXY TCP4 203.0.113.9 10.0.0.1 1 2 3\r\n', /ports/],
  ['version 3', proxyHeader2({ version: 3, family: 1, addresses: INET }), /version/],
  ['another command', proxyHeader2({ command: 2, family: 1, addresses: INET }), /command/],
  ['another family, binary', proxyHeader2({ family: 4, addresses: INET }), /family/],
  ['UDP', proxyHeader2({ family: 1, transport: 2, addresses: INET }), /stream/],
  ['addresses cut short', proxyHeader2({ family: 2, addresses: INET }), /truncated/],
  ['too many bytes', proxyHeader2({ family: 1, addresses: Buffer.alloc(4_081) }), /over 4096 bytes/],
]

describe('a PROXY header', () => {
  for (const [what, bytes, address] of COMPLETE) {
    const whole = Buffer.from(bytes as string, 'latin1')
    test(`${what} is parsed to its end, and no further`, () => {
      const header = read(Buffer.concat([whole, Buffer.from('EHLO')]))
      assert.equal(header.kind, 'complete')
      if (header.kind !== 'complete') return
      assert.equal(header.length, whole.length)
      assert.equal(header.client?.address ?? null, address)
      if (header.client !== undefined) assert.equal(header.client.port, 12345)
    })

    test(`${what} is incomplete wherever it is cut`, () => {
      for (let end = 0; end < whole.length; end++)
        assert.equal(read(whole.subarray(0, end)).kind, 'incomplete', `${end}`)
    })
  }

  for (const [what, bytes, reason] of MALFORMED) {
    test(`is none: ${what}`, () => {
      const header = read(bytes)
      assert.equal(header.kind, 'malformed')
      if (header.kind === 'malformed') assert.match(header.reason, reason)
    })
  }
})
