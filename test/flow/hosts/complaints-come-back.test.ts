// A complaint becomes an event of the recipient, and the stream sends no more mail to this recipient.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { dkimSign } from 'mailauth/lib/dkim/sign.js'
import { reportMail } from '../../../src/dsn/sample-mail.test-data.ts'
import { listInboxMails } from '../../../src/store/inbound/inbox.ts'
import type { TestApp } from '../../support/app.ts'
import {
  bringBack,
  eventsOf,
  type HandedOver,
  handOver,
  RETURN_PATH_HOST,
  show,
  startInbound,
} from '../../support/inbound.ts'
import { thorough } from '../../support/thorough.ts'

let app: TestApp
let next = 0

/** Turns the addresses for complaints off, so that complaints are found by other means; `reports.test.ts` has these. */
const withoutComplaintAddress = (one: TestApp) =>
  one.store.read.updateTable('domains').set({ cfbl: 0 }).execute()

before(async () => {
  app = await startInbound()
  await withoutComplaintAddress(app)
})
after(() => app.stop())

const somebody = (): string => `c${++next}@receiver.example`

/** Builds a complaint (ARF) about a message; `fields` are the machine-readable part of the report. */
const arf = (fields: string, original: string): Buffer =>
  reportMail({
    from: 'feedback@provider.example',
    subject: 'FW: Hello',
    type: 'feedback-report',
    text: 'This is an email abuse report.',
    report: `${fields}\nUser-Agent: SomeFBL/1.0\nVersion: 1\n`,
    original,
  })
const withReturnPath = ({ raw, returnPath }: HandedOver): string => `Return-Path: <${returnPath}>\n${raw}`
const abuse = `abuse@${RETURN_PATH_HOST}`

async function complained(id: string): Promise<readonly string[]> {
  return eventsOf(await show(app, id), 'complained').map((event) => event.email)
}

test('at abuse@, with the return path in the returned message', async () => {
  const email = somebody()
  const sent = await handOver(app, { to: [{ email }, { email: somebody() }] })
  const own = { ...sent, returnPath: sent.returnPaths.get(email) as string }
  const report = arf('Feedback-Type: abuse', withReturnPath(own))
  assert.match(await bringBack(app, abuse, report, 'fbl@provider.example'), /^250 /)
  assert.match(await bringBack(app, abuse, report, 'fbl@provider.example'), /^250 /)
  const message = await show(app, sent.id)
  assert.equal(message.status, 'delivered')
  assert.deepEqual(
    eventsOf(message, 'complained').map((event) => [event.email, event.detail]),
    [[email, { feedback_type: 'abuse', user_agent: 'SomeFBL/1.0', mx: 'mx.test' }]],
  )
  const again = await app.send({ to: [{ email }] })
  assert.equal((await app.messageIn(again, 'suppressed')).events.at(-1).detail.suppression, 'complaint')
})

test('of a recipient who is already suppressed outranks the earlier reason', async () => {
  const email = somebody()
  const sent = await handOver(app, { to: [{ email }] })
  assert.equal((await app.call('POST', '/v1/suppressions', { email, reason: 'unsubscribe' })).status, 201)
  const report = arf('Feedback-Type: abuse', withReturnPath(sent))
  assert.match(await bringBack(app, abuse, report, 'fbl@provider.example'), /^250 /)
  assert.equal((await app.call('DELETE', `/v1/suppressions/${email}`)).status, 409)
  assert.equal((await app.call('DELETE', `/v1/suppressions/${email}?force=true`)).status, 204)
})

test('at the return path itself, and at postmaster without a domain', async () => {
  const first = await handOver(app, { to: [{ email: somebody() }] })
  await bringBack(app, first.returnPath, arf('Feedback-Type: abuse', ''))
  assert.equal((await complained(first.id)).length, 1)
  const second = await handOver(app, { to: [{ email: somebody() }] })
  const report = arf(`Feedback-Type: fraud\nOriginal-Mail-From: <${second.returnPath}>`, '')
  assert.match(await bringBack(app, 'Postmaster', report), /^250 /)
  assert.equal((await complained(second.id)).length, 1)
})

test('that is forged does not affect other recipients: the Message-ID is in every copy', async () => {
  const [mallory, boss] = [somebody(), somebody()]
  const sent = await handOver(app, { to: [{ email: mallory }, { email: boss }] })
  const kept = async (): Promise<number> => (await listInboxMails(app.store.read, 100)).length
  const before = await kept()
  const madeUp = sent.returnPath.replace(/.@/, (end) => (end === 'a@' ? 'b@' : 'a@'))
  const forged = [
    arf(`Feedback-Type: abuse\nOriginal-Rcpt-To: <${boss}>`, sent.raw),
    arf('Feedback-Type: abuse', `X-HmXmrOriginalRecipient: ${boss}\n${sent.raw}`),
    arf(`Feedback-Type: abuse\nRemoval-Recipient: ${boss}\nOriginal-Mail-From: <${madeUp}>`, sent.raw),
  ]
  for (const report of forged) assert.match(await bringBack(app, abuse, report, mallory), /^250 /)
  assert.deepEqual(await complained(sent.id), [])
  assert.equal(await kept(), before + forged.length, 'each report is kept for the operator')
  const again = await app.send({ to: [{ email: boss }] })
  await app.messageIn(again, 'delivered')
  // The token in the copy of one recipient counts only for this recipient, whatever recipient the report names.
  const own = { ...sent, returnPath: sent.returnPaths.get(mallory) as string }
  const honest = arf(`Feedback-Type: abuse\nOriginal-Rcpt-To: <${boss}>`, withReturnPath(own))
  await bringBack(app, abuse, honest, mallory)
  assert.deepEqual(await complained(sent.id), [mallory])
})

test('by the unsubscribe link of a broadcast, which each recipient has for themselves', async () => {
  const [one, two] = [somebody(), somebody()]
  const sent = await handOver(app, { stream: 'broadcast', to: [{ email: one }, { email: two }] })
  const mails = app.host.mails.filter(({ data }) => data.includes(sent.id.slice(4)))
  const copyOf = (email: string): string =>
    mails.find(({ recipients }) => recipients.includes(email))!.data.toString('latin1')
  await bringBack(app, abuse, arf(`Feedback-Type: abuse\nOriginal-Rcpt-To: <${one}>`, copyOf(two)))
  assert.deepEqual(await complained(sent.id), [two])
  const alone = await handOver(app, { to: [{ email: somebody() }] })
  const link = /^List-Unsubscribe:.*(?:\r\n[ \t].*)*/m.exec(copyOf(one))?.[0]
  await bringBack(app, abuse, arf('Feedback-Type: abuse', `${link}\n${alone.raw}`))
  assert.deepEqual(await complained(alone.id), [], 'a link of another message')
})

describe('of a feedback loop that the operator listed', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const record = `v=DKIM1; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`
  // A string in a TXT record has at most 255 bytes (RFC 1035 §3.3).
  const parts = [record.slice(0, 200), record.slice(200)]
  let listening: TestApp
  before(async () => {
    listening = await startInbound({
      env: { POSTRIDER_FEEDBACK_LOOPS: 'feedback@provider.example, fbl.other.example' },
      zone: {
        'sel._domainkey.provider.example': { TXT: [parts] },
        'sel._domainkey.other.example': { TXT: [parts] },
        'sel._domainkey.evil.example': { TXT: [parts] },
        'bounce.provider.example': { TXT: ['v=spf1 ip4:127.0.0.0/8 -all'] },
        'mx.provider.example': { TXT: ['v=spf1 ip4:127.0.0.0/8 -all'] },
        'elsewhere.provider.example': { TXT: ['v=spf1 ip4:192.0.2.0/24 -all'] },
        'evil.example': { TXT: ['v=spf1 +all'] },
      },
    })
    await withoutComplaintAddress(listening)
  })
  after(() => listening.stop())

  async function signed(report: Buffer, signingDomain: string, selector = 'sel'): Promise<Buffer> {
    const signer = {
      signingDomain,
      selector,
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    }
    const { signatures } = await dkimSign(report, {
      ...signer,
      canonicalization: 'relaxed/relaxed',
      signatureData: [signer],
    })
    return Buffer.concat([Buffer.from(signatures), report])
  }
  const from = (report: Buffer, email: string): Buffer =>
    Buffer.from(
      report.toString('latin1').replace('From: feedback@provider.example', `From: ${email}`),
      'latin1',
    )

  test(
    'that DKIM authenticates is matched by the Message-ID alone',
    thorough('0.7 CPU s; the other tests of the file cover the common cases'),
    async () => {
      const [one, two] = [somebody(), somebody()]
      const alone = await handOver(listening, { to: [{ email: one }] })
      const report = arf('Feedback-Type: abuse', alone.raw)
      assert.match(await bringBack(listening, abuse, await signed(report, 'provider.example')), /^250 /)
      assert.equal(eventsOf(await show(listening, alone.id), 'complained').length, 1)

      const several = await handOver(listening, { to: [{ email: two }, { email: somebody() }] })
      const named = from(
        arf(`Feedback-Type: abuse\nOriginal-Rcpt-To: <${two.toUpperCase()}>`, several.raw),
        'any@fbl.other.example',
      )
      assert.match(await bringBack(listening, abuse, await signed(named, 'other.example')), /^250 /)
      const events = eventsOf(await show(listening, several.id), 'complained')
      assert.deepEqual(
        events.map((event) => event.email),
        [two],
      )
    },
  )

  test('of a loop that does not sign is confirmed by SPF of the sending host, for its reverse path or its name', async () => {
    const report = async (): Promise<{ id: string; mail: Buffer }> => {
      const { id, raw } = await handOver(listening, { to: [{ email: somebody() }] })
      return { id, mail: arf('Feedback-Type: abuse', raw) }
    }
    const complaints = async (id: string): Promise<number> =>
      eventsOf(await show(listening, id), 'complained').length
    for (const [from, helo, count] of [
      ['fbl@bounce.provider.example', 'mx.receiver.example', 1],
      ['', 'mx.provider.example', 1],
      ['', 'mx.receiver.example', 0],
      ['fbl@elsewhere.provider.example', 'mx.provider.example', 0],
      ['fbl@evil.example', 'mx.provider.example', 0],
      ['fbl@none.provider.example', 'mx.provider.example', 0],
    ] as const) {
      const { id, mail } = await report()
      await bringBack(listening, abuse, mail, from, helo)
      assert.equal(await complaints(id), count, `${from} ${helo}`)
    }
    // A report with an invalid signature of the author's domain does not count, although a report without a signature
    // would count.
    const { id, mail } = await report()
    const tampered = Buffer.from(
      (await signed(mail, 'provider.example')).toString('latin1').replace('SomeFBL', 'OtherFBL'),
      'latin1',
    )
    await bringBack(listening, abuse, tampered, 'fbl@bounce.provider.example')
    assert.equal(await complaints(id), 0)
    // A signature of another domain proves nothing about the author.
    await bringBack(listening, abuse, await signed(mail, 'evil.example'), 'fbl@bounce.provider.example')
    assert.equal(await complaints(id), 1)
  })

  test('is deferred while the DNS does not identify the sender, and counts later', async () => {
    const { id, raw } = await handOver(listening, { to: [{ email: somebody() }] })
    const report = arf('Feedback-Type: abuse', raw)
    listening.dns.set('away._domainkey.provider.example', 'SERVFAIL')
    const bring = async (selector: string): Promise<string> =>
      bringBack(listening, abuse, await signed(report, 'provider.example', selector))
    assert.match(await bring('away'), /^451 .*DNS/)
    listening.dns.set('unanswered.provider.example', 'SERVFAIL')
    assert.match(await bringBack(listening, abuse, report, 'fbl@unanswered.provider.example'), /^451 .*DNS/)
    assert.deepEqual(eventsOf(await show(listening, id), 'complained'), [])
    assert.match(await bring('sel'), /^250 /)
    assert.equal(eventsOf(await show(listening, id), 'complained').length, 1)
    // The service does not defer a report for a signature of another domain that the DNS cannot verify.
    listening.dns.set('away._domainkey.evil.example', 'SERVFAIL')
    const strangers = await signed(report, 'evil.example', 'away')
    assert.match(await bringBack(listening, abuse, strangers), /^250 /)
  })

  test('without a valid signature, or with one of another domain, waits for the operator', async () => {
    const alone = await handOver(listening, { to: [{ email: somebody() }] })
    const report = arf('Feedback-Type: abuse', alone.raw)
    const good = await signed(report, 'provider.example')
    const tampered = Buffer.from(good.toString('latin1').replace('SomeFBL', 'OtherFBL'), 'latin1')
    const twoAuthors = Buffer.concat([Buffer.from('From: feedback@provider.example\r\n'), good])
    const stranger = from(report, 'somebody@provider.example')
    const forged = [
      report,
      tampered,
      twoAuthors,
      await signed(report, 'evil.example'),
      await signed(stranger, 'provider.example'),
      await signed(from(report, 'feedback@evil.example'), 'evil.example'),
    ]
    const kept = async (): Promise<number> => (await listInboxMails(listening.store.read, 100)).length
    const before = await kept()
    for (const one of forged) assert.match(await bringBack(listening, abuse, one), /^250 /)
    assert.deepEqual(eventsOf(await show(listening, alone.id), 'complained'), [])
    assert.equal(await kept(), before + forged.length)
  })
})

test("does not follow from other mail, or from a report about another installation's message", async () => {
  const sent = await handOver(app, { to: [{ email: somebody() }] })
  for (const type of ['not-spam', 'auth-failure', 'other']) {
    assert.match(await bringBack(app, abuse, arf(`Feedback-Type: ${type}`, withReturnPath(sent))), /^250 /)
  }
  const forged = sent.returnPath.replace(/.@/, (end) => (end === 'a@' ? 'b@' : 'a@'))
  const elsewhere = sent.raw.replace(/^Message-ID: <(.*)@.*>/m, 'Message-ID: <$1@elsewhere.example>')
  const madeUp = sent.raw.replace(/^Message-ID: <.{26}/m, 'Message-ID: <01KZZZZZZZZZZZZZZZZZZZZZZZ')
  for (const original of [elsewhere, madeUp, `Return-Path: <${forged}>\n${madeUp}`]) {
    assert.match(await bringBack(app, abuse, arf('Feedback-Type: abuse', original)), /^250 /)
  }
  const report = reportMail({
    from: 'MAILER-DAEMON@x.example',
    subject: 'Undelivered',
    text: 'x',
    report: 'Final-Recipient: rfc822; a@b.example\nAction: failed\nStatus: 5.1.1\n',
    original: sent.raw,
  })
  assert.match(await bringBack(app, abuse, report), /^250 /, 'a bounce is not believed for a Message-ID')
  const message = await show(app, sent.id)
  assert.deepEqual(eventsOf(message, 'complained'), [])
  assert.equal(message.status, 'delivered')
})
