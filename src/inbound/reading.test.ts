// Tests that the results of SPF, DKIM, DMARC and ARC equal the results of mailauth, for all DNS answers and delays.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  authenticated,
  mailFrom,
  otherResults,
  ourResolver,
  sealed,
  signed,
  signedMailOfSeed,
  ZONE,
} from '../../test/support/mails/signed.ts'
import { thorough } from '../../test/support/thorough.ts'
import type { Resolver } from '../dns/resolver.ts'
import { MailReading } from './reading.ts'

/** Number of signed mails in each run; `npm run inbound` tries more. */
const MAILS = 60

interface Case {
  readonly mail: () => string | Promise<string>
  readonly sender: string
  readonly ip?: string
}

const CASES: Readonly<Record<string, Case>> = {
  'a domain without any record': { mail: () => mailFrom('bare.example'), sender: 'jo@bare.example' },
  ...Object.fromEntries(
    Object.keys(ZONE)
      .flatMap((key) => /^TXT (\w+\.example)$/.exec(key)?.[1] ?? [])
      .map((domain): [string, Case] => [
        `the SPF record of ${domain}`,
        { mail: () => mailFrom(domain), sender: `jo@${domain}`, ip: '192.0.2.7' },
      ]),
  ),
  'SPF for an address of IPv6': {
    mail: () => mailFrom('good.example'),
    sender: 'jo@good.example',
    ip: '2001:db8::5',
  },
  'SPF for another address': {
    mail: () => mailFrom('good.example'),
    sender: 'jo@good.example',
    ip: '203.0.113.1',
  },
  'the null sender': { mail: () => mailFrom('good.example'), sender: '' },
  'a signature of the author': {
    mail: () => signed(mailFrom('good.example'), 'good.example'),
    sender: 'x@else.example',
  },
  'a signature of somebody else': {
    mail: () => signed(mailFrom('good.example'), 'soft.example'),
    sender: 'x@else.example',
  },
  'a body that was changed': {
    mail: async () => `${await signed(mailFrom('good.example'), 'good.example')}changed\r\n`,
    sender: 'x@else.example',
  },
  'a header that was changed': {
    mail: async () =>
      (await signed(mailFrom('good.example'), 'good.example')).replace('Subject: Hello', 'Subject: Hullo'),
    sender: 'x@else.example',
  },
  'a key that is not there': {
    mail: () => signed(mailFrom('good.example'), 'good.example', 'none'),
    sender: '',
  },
  'a key that was revoked': {
    mail: () => signed(mailFrom('good.example'), 'good.example', 'revoked'),
    sender: '',
  },
  'a key that the DNS keeps to itself': {
    mail: () => signed(mailFrom('good.example'), 'good.example', 'away'),
    sender: '',
  },
  'two signatures': {
    mail: async () => signed(await signed(mailFrom('soft.example'), 'soft.example'), 'good.example'),
    sender: 'x@soft.example',
  },
  'a subdomain of a domain with a policy': {
    mail: () => signed(mailFrom('sub.soft.example'), 'soft.example'),
    sender: 'x@sub.soft.example',
  },
  'two authors': {
    mail: () => mailFrom('good.example').replace('\r\n', ', Al <al@soft.example>\r\n'),
    sender: 'jo@good.example',
  },
  'two From fields': {
    mail: () => `From: a@soft.example\r\n${mailFrom('good.example')}`,
    sender: 'jo@good.example',
  },
  'no From field': { mail: () => 'Subject: x\r\n\r\nx\r\n', sender: 'jo@good.example' },
  'an ARC seal': { mail: () => sealed(mailFrom('good.example')), sender: 'x@list.example' },
  'an ARC seal over a changed body': {
    mail: async () => `${await sealed(mailFrom('good.example'))}changed\r\n`,
    sender: 'x@list.example',
  },
  'a large body': {
    mail: () => signed(mailFrom('good.example', `${'x'.repeat(76)}\r\n`.repeat(20_000)), 'good.example'),
    sender: 'jo@good.example',
  },
  'no mail at all': { mail: () => '', sender: 'jo@good.example' },
}

describe('authentication equals that of mailauth for', () => {
  let reading: MailReading
  before(() => {
    reading = new MailReading()
  })
  after(() => reading.stop())

  for (const [name, { mail: made, sender, ip = '192.0.2.9' }] of Object.entries(CASES)) {
    test(name, async () => {
      const { ours, theirs } = await authenticated(reading, { raw: Buffer.from(await made()), sender, ip })
      assert.deepEqual(ours, theirs)
    })
  }

  test(
    'signed mails of many shapes, sealed and changed in transit',
    thorough('2 CPU s; the other tests of the file cover the common cases'),
    async () => {
      for (let seed = 1; seed <= MAILS; seed++) {
        assert.deepEqual(await otherResults(reading, await signedMailOfSeed(seed)), [], `seed ${seed}`)
      }
    },
  )

  test('all intended cases occur: passes, failures and errors of each method', async () => {
    const seen = new Set<string>()
    for (const { mail, sender, ip = '192.0.2.9' } of Object.values(CASES)) {
      const job = { ip, helo: 'mail.client.example', sender, host: 'mx.example.test' }
      const raw = new Uint8Array(Buffer.from(await mail()))
      const { spf, dkim, dmarc, arc } = await reading.authenticate('a', { ...job, raw }, ourResolver())
      for (const [kind, { result }] of Object.entries({ spf, dmarc, arc })) seen.add(`${kind} ${result}`)
      for (const { result } of dkim) seen.add(`dkim ${result}`)
    }
    const wanted = [
      ...['pass', 'fail', 'softfail', 'neutral', 'none', 'permerror', 'temperror'].map((one) => `spf ${one}`),
      ...['pass', 'neutral', 'temperror'].map((one) => `dkim ${one}`),
      ...['pass', 'fail', 'none', 'temperror'].map((one) => `dmarc ${one}`),
      ...['pass', 'fail', 'none'].map((one) => `arc ${one}`),
    ]
    assert.deepEqual(
      wanted.filter((one) => !seen.has(one)),
      [],
      [...seen].sort().join(', '),
    )
  })
})

test('a resolver that never answers does not block authentication: unknown answers are temporary errors', async () => {
  const reading = new MailReading({ dnsMs: 200 })
  const never = new Promise<never>(() => {})
  const resolver = new Proxy({}, { get: () => () => never }) as Resolver
  const raw = new Uint8Array(Buffer.from(await signed(mailFrom('good.example'), 'good.example')))
  const job = { raw, ip: '192.0.2.9', helo: 'h.example', sender: 'jo@good.example', host: 'mx.example.test' }
  const { spf, dkim } = await reading.authenticate('a', job, resolver)
  await reading.stop()
  assert.deepEqual([spf.result, dkim[0]?.result], ['temperror', 'temperror'])
})
