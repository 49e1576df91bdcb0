// Results of SPF, DKIM, DMARC and ARC are those of mailauth, whatever the DNS says and however long it takes.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { authenticate, type DNSResolver, dkimSign, sealMessage } from 'mailauth'
import type { DnsAnswer, Resolver } from '../dns/resolver.ts'
import { resultsOf } from './authenticate.ts'
import { MailReading } from './reading.ts'

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
const privateKey = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
const publicKey = keys.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
const KEY = `v=DKIM1; k=rsa; p=${publicKey}`

type Zone = Readonly<Record<string, readonly unknown[] | 'ESERVFAIL' | 'ETIMEOUT'>>

/** Records by `TYPE name`. */
const ZONE: Zone = {
  'TXT good.example': ['v=spf1 ip4:192.0.2.0/24 ip6:2001:db8::/32 -all'],
  'TXT soft.example': ['v=spf1 ~all'],
  'TXT neutral.example': ['v=spf1 ?all'],
  'TXT two.example': ['v=spf1 -all', 'v=spf1 +all'],
  'TXT broken.example': ['v=spf1 wrong:thing -all'],
  'TXT includes.example': ['v=spf1 include:a.example include:b.example -all'],
  'TXT a.example': ['v=spf1 include:c.example ?all'],
  'TXT b.example': ['v=spf1 a:host.example mx:mx.example -all'],
  'TXT c.example': ['v=spf1 exists:%{ir}.list.example -all'],
  'TXT loop.example': ['v=spf1 include:loop.example -all'],
  'TXT pointer.example': ['v=spf1 ptr:pointer.example -all'],
  'TXT away.example': 'ESERVFAIL',
  'TXT slow.example': 'ETIMEOUT',
  'TXT redirect.example': ['v=spf1 redirect=good.example'],
  'A host.example': ['198.51.100.1'],
  'MX mx.example': [{ preference: 10, exchange: 'in.mx.example' }],
  'A in.mx.example': ['192.0.2.7'],
  'AAAA in.mx.example': ['2001:db9::7'],
  'PTR 7.2.0.192.in-addr.arpa': ['mail.pointer.example'],
  'A mail.pointer.example': ['192.0.2.7'],
  'TXT s._domainkey.good.example': [KEY],
  'TXT s._domainkey.soft.example': [KEY],
  'TXT revoked._domainkey.good.example': ['v=DKIM1; p='],
  'TXT away._domainkey.good.example': 'ESERVFAIL',
  'TXT s._domainkey.list.example': [KEY],
  'TXT _dmarc.good.example': ['v=DMARC1; p=reject; adkim=s; aspf=s'],
  'TXT _dmarc.soft.example': ['v=DMARC1; p=quarantine'],
  'TXT _dmarc.away.example': 'ESERVFAIL',
  'TXT _dmarc.two.example': ['v=DMARC1; p=none', 'v=DMARC1; p=reject'],
}

const lookUp = (type: string, name: string): readonly unknown[] | string =>
  ZONE[`${type} ${name.toLowerCase().replace(/\.$/, '')}`] ?? 'ENOTFOUND'

/** The zone as `node:dns` would tell it. */
const nodeResolver = (async (name: string, type: string) => {
  const found = lookUp(type, name)
  if (typeof found === 'string') throw Object.assign(new Error(found), { code: found })
  if (type === 'TXT') return found.map((text) => [text])
  if (type !== 'MX') return found
  return (found as { preference: number; exchange: string }[]).map(({ preference, exchange }) => ({
    priority: preference,
    exchange,
  }))
}) as DNSResolver

/** The zone as our resolver tells it. */
function ourResolver(): Resolver {
  const answer = async <T>(type: string, name: string): Promise<DnsAnswer<readonly T[]>> => {
    const found = lookUp(type, name)
    if (found === 'ENOTFOUND') return { kind: 'nxdomain' }
    return typeof found === 'string'
      ? { kind: 'failure', code: found }
      : { kind: 'found', records: found as readonly T[] }
  }
  const arpa = (ip: string): string =>
    ip.includes(':') ? 'x' : `${ip.split('.').reverse().join('.')}.in-addr.arpa`
  return {
    mx: (name) => answer('MX', name),
    a: (name) => answer('A', name),
    aaaa: (name) => answer('AAAA', name),
    txt: (name) => answer('TXT', name),
    cname: (name) => answer('CNAME', name),
    ns: (name) => answer('NS', name),
    ptr: (ip) => answer('PTR', arpa(ip)),
  }
}

const mailFrom = (domain: string, body = 'Hello.\r\n'): string =>
  `From: Jo <jo@${domain}>\r\nTo: you@receiver.example\r\nSubject: Hello\r\nDate: Fri, 20 Nov 2026 10:00:00 +0000\r\n` +
  `Message-ID: <1@${domain}>\r\n\r\n${body}`

async function signed(mail: string, domain: string, selector = 's'): Promise<string> {
  const signer = { signingDomain: domain, selector, privateKey }
  const { signatures } = await dkimSign(mail, { ...signer, signatureData: [signer] })
  assert.match(signatures, /^DKIM-Signature:/)
  return `${signatures}${mail}`
}

/** Sealed by a mailing list (RFC 8617). */
async function sealed(mail: string): Promise<string> {
  const seal = {
    signingDomain: 'list.example',
    selector: 's',
    privateKey,
    cv: 'none',
    authResults: 'list.example; spf=pass',
  }
  const headers = await sealMessage(Buffer.from(mail), seal as never)
  return `${headers}${mail}`
}

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

describe('authentication is that of mailauth for', () => {
  let reading: MailReading
  before(() => {
    reading = new MailReading()
  })
  after(() => reading.stop())

  for (const [name, { mail: made, sender, ip = '192.0.2.9' }] of Object.entries(CASES)) {
    test(name, async () => {
      const mail = await made()
      const client = { ip, helo: 'mail.client.example', sender }
      const options = { ...client, mta: 'mx.example.test', resolver: nodeResolver, disableBimi: true }
      const theirs = resultsOf(await authenticate(Buffer.from(mail), options))
      const job = { ...client, raw: new Uint8Array(Buffer.from(mail)), host: 'mx.example.test' }
      const ours = await reading.authenticate('a', job, ourResolver())
      assert.deepEqual(ours, theirs)
    })
  }

  test('what was meant to be tried: passes, failures and errors of each are among the cases', async () => {
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

test('a resolver that never answers holds nothing up for good: what is not known is a temporary error', async () => {
  const reading = new MailReading({ dnsMs: 200 })
  const never = new Promise<never>(() => {})
  const resolver = new Proxy({}, { get: () => () => never }) as Resolver
  const raw = new Uint8Array(Buffer.from(await signed(mailFrom('good.example'), 'good.example')))
  const job = { raw, ip: '192.0.2.9', helo: 'h.example', sender: 'jo@good.example', host: 'mx.example.test' }
  const { spf, dkim } = await reading.authenticate('a', job, resolver)
  await reading.stop()
  assert.deepEqual([spf.result, dkim[0]?.result], ['temperror', 'temperror'])
})
