// DKIM signatures, with mailauth as the verifier.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import fc from 'fast-check'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { thorough } from '../../test/support/thorough.ts'
import { type ComposedMessage, type HeaderField, messageChunks } from '../model/composed-message.ts'
import { type DkimAlgorithm, dkimRecord, generateDkimKey, loadDkimKey } from './keys.ts'
import { type Signer, sign } from './sign.ts'

const DOMAIN = 'example.com'
const AT = Date.UTC(2026, 0, 2, 3, 4, 5, 678)
const records = new Map<string, string>()

async function makeSigner(algorithm: DkimAlgorithm, selector: string): Promise<Signer> {
  const { privateKey, publicKey } = await generateDkimKey(algorithm)
  records.set(`${selector}._domainkey.${DOMAIN}`, dkimRecord(algorithm, publicKey))
  return { domain: DOMAIN, selector, algorithm, key: loadDkimKey(algorithm, privateKey) }
}

let signers: readonly Signer[] = []
before(async () => {
  signers = [await makeSigner('rsa-sha256', 'pr1'), await makeSigner('ed25519-sha256', 'pe1')]
})

async function verdicts(bytes: Buffer): Promise<string[]> {
  const resolver = async (name: string) => [[records.get(name) ?? '']]
  const { results } = await dkimVerify(bytes, { resolver, strict: true })
  return results.map((result) => `${result.algo} ${result.status.result}`)
}

function makeMessage(fields: readonly string[], body: string): ComposedMessage {
  const headers = fields.map(
    (raw): HeaderField => ({ name: raw.slice(0, raw.indexOf(':')), raw: `${raw}\r\n` }),
  )
  return { headers, body: Buffer.from(body, 'latin1'), needs8Bit: true, needsSmtpUtf8: true }
}

const FIELDS = [
  'Date: Fri, 02 Jan 2026 03:04:05 +0000',
  'From: "A"\r\n <a@example.com>',
  'To: b@example.net',
  'Subject: Hello  \r\n\tworld ',
  'Message-ID: <1@example.com>',
  'X-Unsigned: x',
  'MIME-Version: 1.0',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: 7bit',
]
const MESSAGE = makeMessage(FIELDS, 'Hello  world \r\n\r\nend\r\n')
const PASS = ['rsa-sha256 pass', 'ed25519-sha256 pass']

async function signed(message: ComposedMessage): Promise<Buffer> {
  return Buffer.concat(messageChunks(message, await sign(message, signers, AT)))
}

test('both signatures verify, and their fields are well formed', async () => {
  const signatures = await sign(MESSAGE, signers, AT)
  assert.deepEqual(await verdicts(Buffer.concat(messageChunks(MESSAGE, signatures))), PASS)
  for (const [i, { name, raw }] of signatures.entries()) {
    assert.equal(name, 'DKIM-Signature')
    const lines = raw.split('\r\n')
    assert.equal(lines.pop(), '')
    assert.ok(
      lines.every((line) => line.length <= 78),
      raw,
    )
    assert.ok(lines.slice(1).every((line) => /^ \S/.test(line)))
    const tags = raw.slice(15).replace(/\r\n /g, ' ').trim().split(/; ?/)
    assert.deepEqual(
      tags.map((tag) => tag.split('=')[0]),
      ['v', 'a', 'c', 't', 'd', 's', 'h', 'bh', 'b'],
    )
    assert.deepEqual(tags.slice(0, 6), [
      'v=1',
      `a=${signers[i]!.algorithm}`,
      'c=relaxed/relaxed',
      't=1767323045',
      'd=example.com',
      `s=${signers[i]!.selector}`,
    ])
  }
})

test('the same message always gets the same signature', async () => {
  const again = makeMessage(FIELDS, MESSAGE.body.toString())
  assert.deepEqual(await sign(MESSAGE, signers, AT), await sign(again, signers, AT + 300))
  assert.deepEqual(await sign(MESSAGE, [], AT), [])
})

test('long domains and selectors are folded', async () => {
  const domain = `${'d'.repeat(63)}.example.com`
  const [field] = await sign(MESSAGE, [{ ...signers[1]!, domain, selector: 's'.repeat(60) }], AT)
  assert.match(field!.raw, new RegExp(`\r\n d=${domain};\r\n s=s{60};\r\n`))
})

test('a change to fields that readers see breaks both signatures', async () => {
  const whole = (await signed(MESSAGE)).toString('latin1')
  const fail = ['rsa-sha256 fail', 'ed25519-sha256 fail']
  const second = [
    'From: x@example.org',
    'Subject: x',
    'Content-Type: text/html',
    'To: x@example.org',
    'Cc: x@example.org',
    'Date: Fri, 02 Jan 2026 03:04:06 +0000',
    'Reply-To: x@example.org',
    'Message-ID: <2@example.com>',
    'MIME-Version: 1.0',
    'List-Unsubscribe: <https://example.org/>',
    'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
  ]
  for (const field of second) {
    assert.deepEqual(await verdicts(Buffer.from(`${field}\r\n${whole}`, 'latin1')), fail, `${field} on top`)
    const below = whole.replace('\r\n\r\n', `\r\n${field}\r\n\r\n`)
    assert.deepEqual(await verdicts(Buffer.from(below, 'latin1')), fail, `${field} below`)
  }
  const changes: [string, string][] = [
    ['Hello  \r\n\tworld', 'Hello world!'],
    ['<a@example.com>', '<b@example.com>'],
    ['Content-Transfer-Encoding: 7bit', 'Content-Transfer-Encoding: base64'],
    ['t=1767323045', 't=1767323046'],
  ]
  for (const [from, to] of changes) {
    const changed = whole.replaceAll(from, to)
    assert.notEqual(changed, whole)
    assert.deepEqual(await verdicts(Buffer.from(changed, 'latin1')), fail, to)
  }
  const longer = await verdicts(Buffer.from(`${whole}more\r\n`, 'latin1'))
  assert.ok(longer.length === 2 && longer.every((verdict) => !verdict.endsWith('pass')), longer.join())
})

test('a change that the relaxed form allows does not break them', async () => {
  const whole = (await signed(MESSAGE)).toString('latin1')
  const changed = whole
    .replace('X-Unsigned: x', 'X-Unsigned: y')
    .replace('Subject: Hello  \r\n\tworld ', 'SUBJECT:Hello world')
    .replace('Hello  world \r\n', 'Hello world\r\n')
  assert.deepEqual(await verdicts(Buffer.from(`Received: x\r\n${changed}\r\n\r\n`, 'latin1')), PASS)
})

test(
  '1,000 random messages verify under both algorithms',
  thorough('3 CPU s; the other tests of the file cover the common cases'),
  async () => {
    const word = fc.oneof(
      fc.string({
        unit: fc.constantFrom('a', 'B', '1', '=', ':', '\xe9', '.', '-'),
        minLength: 1,
        maxLength: 12,
      }),
    )
    const space = fc.constantFrom(' ', '  ', '\t', ' \t ', '\r\n ', '\r\n\t ')
    const value = fc.array(fc.tuple(space, word), { maxLength: 6 }).map((pairs) => pairs.flat().join(''))
    const name = fc.constantFrom(
      'To',
      'cc',
      'Subject',
      'References',
      'Feedback-ID',
      'X-A',
      'Content-Type',
      'list-unsubscribe',
      'Sender',
    )
    const field = fc.tuple(name, value).map(([name, value]) => `${name}:${value}`)
    const fields = fc.array(field, { maxLength: 8 }).map((more) => ['From: a@example.com', ...more])
    const body = fc
      .array(fc.oneof(word, fc.constantFrom(' ', '  ', '\t', '\r\n', '\r\n\r\n', ' \r\n')), { maxLength: 30 })
      .map((pieces) => pieces.join(''))
    await fc.assert(
      fc.asyncProperty(fields, body, async (fields, body) => {
        assert.deepEqual(await verdicts(await signed(makeMessage(fields, body))), PASS)
      }),
      { numRuns: 1000 },
    )
  },
)

test('names that would add tags are refused, and a wrong key is an error', async () => {
  const signer = signers[1]!
  for (const domain of ['example.com; l=0', 'a b', '', 'é.com', 'a\r\nb']) {
    await assert.rejects(sign(MESSAGE, [signers[0]!, { ...signer, domain }], AT), TypeError)
    await assert.rejects(sign(MESSAGE, [signers[0]!, { ...signer, selector: domain }], AT), TypeError)
  }
  await assert.rejects(sign(MESSAGE, [{ ...signer, algorithm: 'rsa-sha256' }], AT))
})
