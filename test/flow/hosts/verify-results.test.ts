// Every internal result of a verification, caused by scripted mail hosts and DNS records.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { TestApp } from '../../support/app.ts'
import type { HostScript } from '../../support/mail-host/script.ts'
import { askedFor, MADE_UP, verdict, verify } from '../../support/verification.ts'

/** Replies of the mail host to RCPT by local part; only catch-all domains accept catch-all probe addresses. */
const REPLIES: Readonly<Record<string, string>> = {
  gone: '550 5.1.1 The email account that you tried to reach does not exist',
  gone2: '550 5.4.1 Recipient address rejected: Access denied',
  soft: '450 4.1.1 User unknown in local recipient table',
  disabled: '550 5.2.1 The account is disabled',
  full: '452 4.2.2 The mailbox is over quota',
  busy: '450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents it',
  blocked: '550 5.7.1 Service unavailable; client host blocked using zen.spamhaus.org',
  unliked: '554 5.7.1 Relay access denied',
  unserved: '550 5.1.2 Domain not hosted here',
  later: '451 4.3.0 Temporary lookup failure',
  odd: '550 Something',
}

const script: HostScript = ({ verb, address }) => {
  const [local = '', domain = ''] = address.split('@')
  if (verb !== 'RCPT') return undefined
  if (MADE_UP.test(address)) return domain.startsWith('all.') ? undefined : '550 5.1.1 No such user'
  return REPLIES[local]
}

describe('a verification results in', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start({
      host: { script },
      zone: {
        'nowhere.example': 'NXDOMAIN',
        'no-mail.example': { TXT: ['x'] },
        'null.example': { MX: ['0 .'] },
        'servfail.example': 'SERVFAIL',
        'refused.example': { MX: ['10 refused-host.example'] },
        // No server listens at this address.
        'refused-host.example': { A: ['127.0.0.9'] },
        'implicit.example': { A: ['127.0.0.1'] },
        'mailinator.com': { MX: ['10 mx.test'] },
        'workspace.example': { MX: ['10 aspmx.l.google.com'] },
        'aspmx.l.google.com': { A: ['127.0.0.1'] },
      },
    })
  })
  after(() => app.stop())

  const rows: [string, string][] = [
    ['somebody@a.example', 'deliverable/mailbox_exists'],
    ['somebody@implicit.example', 'deliverable/mailbox_exists'],
    ['busy@a.example', 'deliverable/mailbox_exists'],
    ['nobody', 'undeliverable/invalid_syntax'],
    ['a b@a.example', 'undeliverable/invalid_syntax'],
    ['x@[127.0.0.1]', 'undeliverable/invalid_syntax'],
    ['x@a.example.', 'undeliverable/invalid_syntax'],
    [`${'x'.repeat(10_000)}@a.example`, 'undeliverable/invalid_syntax'],
    ['somebody@nowhere.example', 'undeliverable/domain_not_found'],
    ['somebody@no-mail.example', 'undeliverable/no_mail_server'],
    ['unserved@a.example', 'undeliverable/no_mail_server'],
    ['somebody@null.example', 'undeliverable/null_mx'],
    ['gone@a.example', 'undeliverable/mailbox_not_found'],
    ['gone2@a.example', 'undeliverable/mailbox_not_found'],
    ['soft@a.example', 'undeliverable/mailbox_not_found'],
    ['disabled@a.example', 'undeliverable/mailbox_disabled'],
    ['somebody@all.example', 'risky/catch_all'],
    ['somebody@mailinator.com', 'risky/disposable'],
    ['full@a.example', 'risky/mailbox_full'],
    ['somebody@servfail.example', 'unknown/dns_error'],
    ['somebody@refused.example', 'unknown/connect_failed'],
    ['blocked@a.example', 'unknown/blocked'],
    ['unliked@b.example', 'unknown/blocked'],
    ['later@c.example', 'unknown/smtp_error'],
    ['odd@d.example', 'unknown/smtp_error'],
    ['ящик@a.example', 'deliverable/mailbox_exists'],
    ['"a b"@a.example', 'deliverable/mailbox_exists'],
    ['somebody@bücher.example', 'deliverable/mailbox_exists'],
  ]
  for (const [email, expected] of rows) {
    test(`${expected} for ${email.slice(0, 40)}`, async () =>
      assert.equal(await verdict(app, email), expected))
  }

  test('all findings, in the fields of the contract', async () => {
    const { body, headers } = await verify(app, ' Info+news@workspace.example ')
    const { latencyMs, ...rest } = body
    assert.deepEqual(rest, {
      email: 'Info+news@workspace.example',
      result: 'deliverable',
      internalResult: 'mailbox_exists',
      mxServer: 'aspmx.l.google.com',
      mxServerIp: '127.0.0.1',
      esp: 'Google Workspace',
      account: 'Info',
      tag: 'news',
      isRole: true,
      isFree: false,
      isNoReply: false,
      smtpCode: 250,
      catchAll: false,
    })
    assert.ok(Number.isInteger(latencyMs) && latencyMs >= 0)
    assert.match(headers.get('x-verification-credits-remaining') ?? '', /^\d+$/)
  })

  test('no findings that are unknown', async () => {
    assert.deepEqual(Object.keys((await verify(app, 'nobody')).body).sort(), [
      'email',
      'internalResult',
      'latencyMs',
      'result',
    ])
    const { body } = await verify(app, 'noreply@nowhere.example')
    assert.deepEqual(Object.keys(body).sort(), [
      'account',
      'email',
      'internalResult',
      'isFree',
      'isNoReply',
      'isRole',
      'latencyMs',
      'result',
    ])
    assert.equal(body.isNoReply, true)
    const blocked = await verify(app, 'blocked2@refused.example')
    assert.equal('smtpCode' in blocked.body || 'catchAll' in blocked.body, false)
  })

  test('an address whose domain looks misspelt comes with a suggestion', async () => {
    const meant = async (email: string) => (await verify(app, email)).body.didYouMean
    assert.equal(await meant('Ann.Lee@gmial.com'), 'Ann.Lee@gmail.com')
    assert.equal(await meant('ann@gmail,com'), 'ann@gmail.com')
    assert.equal(await meant('ann@harbour-books.con'), 'ann@harbour-books.com')
    assert.equal(await meant('blocked2@refused.example'), undefined)
  })

  test("a probe uses the service's own name, and sends nothing", () => {
    const commands = app.host.connections.flatMap((connection) => connection.commands)
    assert.ok(
      commands.every((line) =>
        /^(EHLO sender\.test|MAIL FROM:<>( SMTPUTF8)?|RCPT TO:<.*>|RSET|QUIT)$/.test(line),
      ),
    )
    assert.equal(app.host.mails.length, 0)
    assert.ok(askedFor(app.host).length > 0)
  })

  test('a catch-all probe is sent only after an accepted mailbox', () => {
    for (const { commands } of app.host.connections) {
      const asked = commands.filter((line) => line.startsWith('RCPT'))
      assert.ok(asked.length === 0 || !MADE_UP.test(asked[0]?.slice(9) ?? ''))
    }
    const madeUp = askedFor(app.host).filter((address) => MADE_UP.test(address))
    assert.ok(madeUp.length > 0)
    assert.equal(new Set(madeUp).size, madeUp.length)
  })
})

describe('a host that objects to the service', () => {
  const refusals: [string, HostScript, string, number?][] = [
    [
      'at the greeting',
      ({ verb }) => (verb === 'CONNECT' ? '554 5.7.1 User unknown' : undefined),
      'unknown/blocked',
      554,
    ],
    [
      'at EHLO',
      ({ verb }) => (/EHLO|HELO/.test(verb) ? '550 5.1.1 User unknown' : undefined),
      'unknown/blocked',
      550,
    ],
    [
      'at MAIL',
      ({ verb }) => (verb === 'MAIL' ? '550 5.1.1 User unknown' : undefined),
      'unknown/blocked',
      550,
    ],
    [
      'with 421',
      ({ verb }) =>
        verb === 'RCPT' ? { reply: '421 4.7.0 Too many connections', after: 'close' } : undefined,
      'unknown/blocked',
      421,
    ],
    [
      'by breaking off at the greeting',
      ({ verb }) => (verb === 'CONNECT' ? { after: 'close' } : undefined),
      'unknown/smtp_error',
    ],
    [
      'by breaking off at EHLO',
      ({ verb }) => (verb === 'EHLO' ? { after: 'reset' } : undefined),
      'unknown/smtp_error',
    ],
    [
      'by breaking off at RCPT',
      ({ verb }) => (verb === 'RCPT' ? { after: 'close' } : undefined),
      'unknown/smtp_error',
    ],
    [
      'by talking without end',
      ({ verb }) => (verb === 'RCPT' ? { raw: `250-${'x'.repeat(900)}\r\n`.repeat(5_000) } : undefined),
      'unknown/smtp_error',
    ],
    [
      'by talking nonsense',
      ({ verb }) => (verb === 'RCPT' ? { raw: 'What do you want?\r\n' } : undefined),
      'unknown/smtp_error',
    ],
  ]
  for (const [how, script, expected, code] of refusals) {
    test(`${how} says nothing about the mailbox`, async () => {
      const app = await TestApp.start({ host: { script } })
      try {
        const { body } = await verify(app, 'somebody@a.example')
        assert.equal(`${body.result}/${body.internalResult}`, expected, JSON.stringify(body))
        assert.equal(body.smtpCode, code)
        assert.equal(body.mxServer, 'mx.test')
      } finally {
        await app.stop()
      }
    })
  }

  test('TLS is used where it is offered, and given up where it fails', async () => {
    const app = await TestApp.start({ host: { tls: true } })
    try {
      await verdict(app, 'somebody@a.example')
      assert.equal(app.host.connections[0]?.tls, true)
      app.host.script = ({ verb }) => (verb === 'STARTTLS' ? { reply: '220 Go', after: 'close' } : undefined)
      app.dns.set('broken.example', { MX: ['10 broken-host.example'] })
      app.dns.set('broken-host.example', { A: ['127.0.0.1'] })
      await app.stopNode()
      await app.startNode()
      assert.equal(await verdict(app, 'somebody@broken.example'), 'risky/catch_all')
      assert.equal(app.host.connections.at(-1)?.tls, false)
    } finally {
      await app.stop()
    }
  })
})
