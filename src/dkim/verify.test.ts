// Verification of DKIM signatures that this program, nodemailer and mailauth have made.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { before, test } from 'node:test'
import { dkimSign } from 'mailauth/lib/dkim/sign.js'
import nodemailer from 'nodemailer'
import { type DkimAlgorithm, dkimRecord, generateDkimKey, loadDkimKey } from './keys.ts'
import { sign } from './sign.ts'
import { verifyDkim } from './verify.ts'

const records = new Map<string, string>()
const keys = async (name: string) => {
  const record = records.get(name)
  return record === undefined ? [] : [record]
}

async function makeKey(algorithm: DkimAlgorithm, selector: string): Promise<string> {
  const { privateKey, publicKey } = await generateDkimKey(algorithm)
  records.set(`${selector}._domainkey.example.com`, dkimRecord(algorithm, publicKey))
  return privateKey
}
let rsa = ''
let ed25519 = ''
before(async () => {
  rsa = await makeKey('rsa-sha256', 'r')
  ed25519 = await makeKey('ed25519-sha256', 'e')
})

const FIELDS = ['From: "A"\r\n <a@example.com>', 'To: b@example.net', 'Subject: Hello  \r\n\tworld']
const BODY = 'Hello  world \r\n\r\nend\r\n\r\n\r\n'
const RAW = `${FIELDS.join('\r\n')}\r\n\r\n${BODY}`

async function signedByUs(): Promise<Buffer> {
  const headers = FIELDS.map((raw) => ({ name: raw.slice(0, raw.indexOf(':')), raw: `${raw}\r\n` }))
  const signer = (algorithm: DkimAlgorithm, selector: string, pem: string) => ({
    ...{ domain: 'example.com', selector, algorithm },
    key: loadDkimKey(algorithm, pem),
  })
  const signers = [signer('rsa-sha256', 'r', rsa), signer('ed25519-sha256', 'e', ed25519)]
  const fields = await sign({ headers, body: Buffer.from(BODY) }, signers, Date.UTC(2026, 0, 2))
  return Buffer.from(fields.map(({ raw }) => raw).join('') + RAW)
}

const results = async (raw: Buffer | string): Promise<string[]> =>
  (await verifyDkim(Buffer.from(raw), keys)).map(({ algorithm, result }) => `${algorithm} ${result}`)

test('own signatures pass, and report the fields that they cover and their key', async () => {
  const checked = await verifyDkim(await signedByUs(), keys)
  assert.deepEqual(
    checked.map(({ result, domain, selector, keyName }) => [result, domain, selector, keyName]),
    [
      ['pass', 'example.com', 'r', 'r._domainkey.example.com'],
      ['pass', 'example.com', 'e', 'e._domainkey.example.com'],
    ],
  )
  assert.ok(checked[0]?.covers.includes('subject'))
  assert.match(checked[0]?.explanation ?? '', /r\._domainkey\.example\.com/)
})

test('signatures of others pass in each canonical form', async () => {
  for (const canonicalization of ['relaxed/relaxed', 'simple/simple', 'relaxed/simple', 'simple/relaxed']) {
    for (const [selector, privateKey, algorithm] of [
      ['r', rsa, 'rsa-sha256'],
      ['e', ed25519, 'ed25519-sha256'],
    ] as const) {
      const signer = { signingDomain: 'example.com', selector, privateKey, algorithm }
      const { signatures } = await dkimSign(Buffer.from(RAW), {
        ...signer,
        canonicalization,
        signatureData: [signer],
      })
      assert.deepEqual(await results(signatures + RAW), [`${algorithm} pass`], canonicalization)
    }
  }
  const transport = nodemailer.createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  const { message } = await transport.sendMail({
    ...{ from: 'a@example.com', to: 'b@example.net', subject: 'Grüße', html: '<p>ü</p>', text: 'ü' },
    dkim: { domainName: 'example.com', keySelector: 'r', privateKey: rsa },
  })
  assert.deepEqual(await results(message as Buffer), ['rsa-sha256 pass'])
})

test('a changed message fails', async () => {
  const raw = (await signedByUs()).toString()
  const fail = ['rsa-sha256 fail', 'ed25519-sha256 fail']
  assert.deepEqual(await results(raw.replace('end\r\n', 'END\r\n')), fail)
  assert.deepEqual(await results(raw.replace('Subject: Hello', 'Subject: Hallo')), fail)
  assert.deepEqual(await results(raw.replace('\r\nFrom:', '\r\nFrom: x@evil.example\r\nFrom:')), fail)
  assert.deepEqual(await results(`${raw}more\r\n`), fail)
  assert.deepEqual(await results(RAW), [])
})

test('a signature that cannot be checked is distinguished from a wrong one', async () => {
  const raw = (await signedByUs()).toString()
  const first = async (message: string, lookUp = keys) => (await verifyDkim(Buffer.from(message), lookUp))[0]
  assert.equal((await verifyDkim(Buffer.from(raw), async () => undefined))[0]?.result, 'temperror')
  const cases: [message: string, explanation: RegExp][] = [
    [raw.replace('s=r;', 's=none;'), /No key is published/],
    [raw.replace('s=r;', 's=e;'), /another kind/],
    [raw.replace('s=r;', 's=..;x;'), /No key|domain and selector/],
    [raw.replace('a=rsa-sha256', 'a=rsa-sha1'), /obsolete algorithm/],
    [raw.replace('v=1;', 'v=1; l=3;'), /part of the body/],
    [raw.replace(/h=From:From:/, 'h=X:'), /From field/],
    ['DKIM-Signature: \r\n\r\n', /lacks its tag v=/],
    [`DKIM-Signature: ${'x;'.repeat(50_000)}\r\n\r\n`, /lacks its tag v=/],
  ]
  for (const [message, explanation] of cases) {
    const checked = await first(message)
    assert.equal(checked?.result, 'permerror', explanation.source)
    assert.match(checked?.explanation ?? '', explanation)
  }
  records.set('gone._domainkey.example.com', 'v=DKIM1; k=rsa; p=')
  assert.match((await first(raw.replace('s=r;', 's=gone;')))?.explanation ?? '', /revoked/)
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 768 })
  const short = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  const published = records.get('r._domainkey.example.com') as string
  for (const [record, explanation] of [
    [`v=DKIM1; k=rsa; p=${short}`, /fewer than 1024 bits/],
    [`h=sha1; ${published}`, /another hash/],
    [`s=other; ${published}`, /another service/],
  ] as const) {
    records.set('odd._domainkey.example.com', record)
    assert.match((await first(raw.replace('s=r;', 's=odd;')))?.explanation ?? '', explanation)
  }
})

test('many signatures cost no more than five', async () => {
  const raw = (await signedByUs()).toString()
  const one = raw.slice(0, raw.indexOf('\r\nFrom:') + 2)
  let asked = 0
  const counting = async (name: string) => {
    asked++
    return keys(name)
  }
  assert.equal((await verifyDkim(Buffer.from(one.repeat(40) + RAW), counting)).length, 5)
  assert.equal(asked, 5)
})
