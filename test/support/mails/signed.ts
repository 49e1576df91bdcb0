// Messages with DKIM signatures and ARC seals, DNS records of their senders, and authentication by mailauth and by the
// service.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { authenticate, type DNSResolver, dkimSign, sealMessage } from 'mailauth'
import type { DnsAnswer, Resolver } from '../../../src/dns/resolver.ts'
import { resultsOf } from '../../../src/inbound/authenticate.ts'
import type { MailReading } from '../../../src/inbound/reading.ts'
import type { Authentication } from '../../../src/model/inbound-message.ts'
import { mailOfSeed, pick, type Random, randomOf } from './made.ts'

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
const privateKey = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
const publicKey = keys.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
const KEY = `v=DKIM1; k=rsa; p=${publicKey}`

type Zone = Readonly<Record<string, readonly unknown[] | 'ESERVFAIL' | 'ETIMEOUT'>>

/** DNS records by type and name, such as `TXT good.example`. */
export const ZONE: Zone = {
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

/** Resolver for this zone with the interface of `node:dns`. */
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

/** Returns a resolver for this zone with the interface of the service. */
export function ourResolver(): Resolver {
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

export const mailFrom = (domain: string, body = 'Hello.\r\n'): string =>
  `From: Jo <jo@${domain}>\r\nTo: you@receiver.example\r\nSubject: Hello\r\nDate: Fri, 20 Nov 2026 10:00:00 +0000\r\n` +
  `Message-ID: <1@${domain}>\r\n\r\n${body}`

export async function signed(mail: string | Buffer, domain: string, selector = 's'): Promise<string> {
  const signer = { signingDomain: domain, selector, privateKey }
  const { signatures } = await dkimSign(mail, { ...signer, signatureData: [signer] })
  assert.match(signatures, /^DKIM-Signature:/)
  return `${signatures}${mail.toString('latin1')}`
}

/** Returns a message with an ARC seal, as a mailing list adds one (RFC 8617). */
export async function sealed(mail: string | Buffer): Promise<string> {
  const seal = {
    signingDomain: 'list.example',
    selector: 's',
    privateKey,
    cv: 'none',
    authResults: 'list.example; spf=pass',
  }
  const headers = await sealMessage(Buffer.from(mail), seal as never)
  return `${headers}${mail.toString('latin1')}`
}

/** A received message: its bytes, the envelope sender (empty for the null sender), and the IP address of the client. */
export interface IncomingMail {
  readonly raw: Buffer
  readonly sender: string
  readonly ip: string
}

/** Returns two authentication results: of mailauth with its own DNS lookups, and of the service. */
export async function authenticated(
  reading: MailReading,
  { raw, sender, ip }: IncomingMail,
): Promise<{ readonly theirs: Authentication; readonly ours: Authentication }> {
  const client = { ip, helo: 'mail.client.example', sender }
  const options = { ...client, mta: HOST, resolver: nodeResolver, disableBimi: true }
  const theirs = resultsOf(await authenticate(raw, options))
  const job = { ...client, raw: new Uint8Array(raw), host: HOST }
  return { theirs, ours: await reading.authenticate('a', job, ourResolver()) }
}

const HOST = 'mx.example.test'
const DOMAINS = Object.keys(ZONE).flatMap((key) => /^TXT (\w+\.example)$/.exec(key)?.[1] ?? [])
const SELECTORS = ['s', 's', 's', 's', 'none', 'revoked', 'away']
const CLIENTS = ['192.0.2.7', '198.51.100.1', '203.0.113.1', '2001:db8::5', '2001:db9::7']

/**
 * Returns the message of a seed, with up to two DKIM signatures; some messages have an ARC seal, and some were changed
 * in transit.
 */
export async function signedMailOfSeed(seed: number): Promise<IncomingMail> {
  const random = randomOf(seed)
  const from = pick(random, DOMAINS)
  let mail = mailOfSeed(seed).raw.toString('latin1').replaceAll('author.example', from)
  const layers = Math.floor(random() * 3)
  for (let layer = 0; layer < layers; layer++) {
    const domain = random() < 0.7 ? from : pick(random, DOMAINS)
    mail = await signed(Buffer.from(mail, 'latin1'), domain, pick(random, SELECTORS))
  }
  if (random() < 0.3) mail = await sealed(Buffer.from(mail, 'latin1'))
  return {
    raw: Buffer.from(changed(mail, random), 'latin1'),
    sender: random() < 0.1 ? '' : `jo@${random() < 0.6 ? from : pick(random, DOMAINS)}`,
    ip: pick(random, CLIENTS),
  }
}

/** Returns a message with a change that forwarders and mailing lists make, or an unchanged message. */
function changed(mail: string, random: Random): string {
  const change = random()
  if (change < 0.15) return `${mail}-- \r\nSent by the list\r\n`
  if (change < 0.25) return mail.replace(/^Subject: /m, 'Subject: [list] ')
  if (change < 0.3) return mail.replace(/; bh=./, '; bh=x')
  if (change < 0.35) return mail.replaceAll('\r\n', '\n')
  return mail
}

/** Returns the authentication results of the service that differ from mailauth, with both values. */
export async function otherResults(reading: MailReading, mail: IncomingMail): Promise<string[]> {
  const { theirs, ours } = await authenticated(reading, mail)
  return (Object.keys(theirs) as (keyof Authentication)[])
    .filter((name) => !isDeepStrictEqual(ours[name], theirs[name]))
    .map((name) => `${name}: ${JSON.stringify(ours[name])} instead of ${JSON.stringify(theirs[name])}`)
}
