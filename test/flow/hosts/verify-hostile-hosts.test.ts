// Mail hosts that flood, reset, send garbage or disconnect at any stage: the response comes in time, and never claims
// anything about the mailbox.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { TestApp } from '../../support/app.ts'
import type { DnsZone } from '../../support/dns-host.ts'
import { MISSED_AFTER_MUCH_WORK_MS } from '../../support/limits.ts'
import type { HostAnswer } from '../../support/mail-host/script.ts'
import { verify } from '../../support/verification.ts'

const TIMEOUT_MS = MISSED_AFTER_MUCH_WORK_MS
/** Maximum latency of a response, shorter than the timeout of any SMTP reply. */
const MAX_LATENCY_MS = 12_000
const STAGES = ['CONNECT', 'EHLO', 'STARTTLS', 'MAIL', 'RCPT'] as const
const LINE = `250-${'550 5.1.1 No such user '.repeat(20)}\r\n`

const behaviours: readonly [string, HostAnswer][] = [
  ['lines without end', { raw: LINE.repeat(20_000), after: 'hang' }],
  ['a line without end', { raw: `550-${'x'.repeat(5_000_000)}`, after: 'hang' }],
  ['bytes of no protocol', { raw: Buffer.alloc(100_000, 0xff), after: 'hang' }],
  ['a code that is none', { raw: '999 5.1.1 No such user\r\n', after: 'hang' }],
  ['a reset', { after: 'reset' }],
  ['an end', { after: 'close' }],
  ['half a reply and a reset', { raw: '550 5.1.1 No such', after: 'reset' }],
]
const count = STAGES.length * behaviours.length
/**
 * Zone with a domain and an address for each behaviour, because the state remembered about one mail host must not
 * affect the next test.
 */
const zone: DnsZone = Object.fromEntries(
  Array.from({ length: count }, (_, index) => [
    [`d${index}.example`, { MX: [`10 mx${index}.example`] }],
    [`mx${index}.example`, { A: [`127.0.6.${index + 1}`] }],
  ]).flat(),
)

describe('a host that answers with', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start({
      host: { address: '0.0.0.0', tls: true },
      zone,
      env: { POSTRIDER_VERIFY_TIMEOUT_MS: String(TIMEOUT_MS), POSTRIDER_VERIFICATION_RATE: '1000/s' },
    })
  })
  after(() => app.stop())

  let next = 0
  for (const [what, answer] of behaviours) {
    for (const stage of STAGES) {
      const domain = `d${next++}.example`
      test(`${what} at ${stage} says nothing about the mailbox`, async () => {
        app.host.script = ({ verb }) => (verb === stage ? answer : undefined)
        const { status, body } = await verify(app, `somebody@${domain}`)
        assert.equal(status, 200)
        assert.ok(body.latencyMs <= MAX_LATENCY_MS, String(body.latencyMs))
        // The mailbox is probed in plaintext after TLS has failed; this mail host accepts every mailbox.
        const known = stage === 'STARTTLS' ? ['risky', 'unknown'] : ['unknown']
        assert.ok(known.includes(body.result), JSON.stringify(body))
        assert.notEqual(body.internalResult, 'mailbox_not_found')
        assert.equal(body.mxServerIp?.startsWith('127.0.6.'), true)
      })
    }
  }
})
