// A mail host that disconnects at any stage of the SMTP dialog: the outcome names the stage, and the message arrives
// when the mail host works again.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type FirstAttempt, firstAttempt } from '../../support/first-attempt.ts'
import { type ManyHosts, startHosts } from '../../support/mail-host/many-hosts.ts'
import {
  answerTo,
  chunkingExtensions,
  type HostAnswer,
  type HostScript,
  type MailHostOptions,
} from '../../support/mail-host/script.ts'
import { TestClock } from '../../support/test-clock.ts'
import { thorough } from '../../support/thorough.ts'

interface Case {
  readonly name: string
  readonly script: HostScript
  readonly reason: RegExp
  readonly category?: string
  readonly host?: MailHostOptions
}

const at = (verb: string, answer: HostAnswer): HostScript => answerTo(verb, answer)

/** Returns a script that gives this answer to a command under TLS only, such as the second EHLO. */
const again = (verb: string, answer: HostAnswer): HostScript => {
  return (command) => (command.verb === verb && command.connection.tls ? answer : undefined)
}

const tls = { tls: true }
const bdat = { extensions: chunkingExtensions }

const CASES: readonly Case[] = [
  { name: 'closes before its greeting', script: at('CONNECT', { after: 'close' }), reason: /its greeting/ },
  {
    name: 'resets before its greeting',
    script: at('CONNECT', { after: 'reset' }),
    reason: /connecting|its greeting/,
  },
  {
    name: 'closes within its greeting',
    script: at('CONNECT', { raw: '220 host', after: 'close' }),
    reason: /its greeting/,
  },
  { name: 'closes at EHLO', script: at('EHLO', { after: 'close' }), reason: /EHLO/ },
  { name: 'resets at EHLO', script: at('EHLO', { after: 'reset' }), reason: /EHLO/ },
  {
    name: 'closes within its reply to EHLO',
    script: at('EHLO', { raw: '250-host\r\n250-PIPE', after: 'close' }),
    reason: /EHLO/,
  },
  { name: 'closes at EHLO within TLS', host: tls, script: again('EHLO', { after: 'close' }), reason: /EHLO/ },
  { name: 'resets at EHLO within TLS', host: tls, script: again('EHLO', { after: 'reset' }), reason: /EHLO/ },
  { name: 'closes at MAIL', script: at('MAIL', { after: 'close' }), reason: /MAIL FROM/ },
  { name: 'resets at MAIL', script: at('MAIL', { after: 'reset' }), reason: /MAIL FROM/ },
  { name: 'closes at RCPT', script: at('RCPT', { after: 'close' }), reason: /RCPT TO/ },
  {
    name: 'closes within its reply to RCPT',
    script: at('RCPT', { raw: '25', after: 'close' }),
    reason: /RCPT TO/,
  },
  { name: 'closes at DATA', script: at('DATA', { after: 'close' }), reason: /At DATA/ },
  {
    name: 'resets while the message comes',
    script: at('DATA', { reply: '354 Go ahead', after: 'reset' }),
    reason: /(sending the message|end of the message)/,
  },
  {
    name: 'closes at the end of the message',
    script: at('MESSAGE', { after: 'close' }),
    reason: /end of the message.*may have the message/,
  },
  {
    name: 'resets at the end of the message',
    script: at('MESSAGE', { after: 'reset' }),
    reason: /end of the message.*may have the message/,
  },
  {
    name: 'closes within its reply to the message',
    script: at('MESSAGE', { raw: '250 2.0.', after: 'close' }),
    reason: /end of the message.*may have the message/,
  },
  {
    name: 'closes at MAIL of a transaction in one write',
    host: bdat,
    script: at('MAIL', { after: 'close' }),
    reason: /(MAIL FROM|RCPT TO|end of the message)/,
  },
  {
    name: 'closes at the end of BDAT',
    host: bdat,
    script: at('BDAT', { after: 'close' }),
    reason: /end of the message.*may have the message/,
  },
  {
    name: 'announces the end by 421 at MAIL',
    script: at('MAIL', { reply: '421 4.3.2 Closing', after: 'close' }),
    reason: /deferred the message at MAIL FROM/,
    category: 'other',
  },
  {
    name: 'announces the end by 421 at the end of the message',
    script: at('MESSAGE', { reply: '421 4.3.2 Closing', after: 'close' }),
    reason: /deferred the message at the end of the message/,
    category: 'other',
  },
  {
    name: 'says nothing more at RCPT',
    script: at('RCPT', { after: 'hang' }),
    reason: /RCPT TO.*did not answer in time/,
  },
  {
    name: 'says nothing more at the end of the message',
    script: at('MESSAGE', { after: 'hang' }),
    reason: /end of the message.*did not answer in time/,
  },
]

describe('a host that', () => {
  const clock = new TestClock()
  let many: ManyHosts
  const first: FirstAttempt[] = []
  before(async () => {
    many = await startHosts(
      CASES.map(({ host, script }) => ({ ...host, script })),
      { clock, env: { POSTRIDER_REPLY_TIMEOUT: '2s', POSTRIDER_SENDING_RATE: '100000/s' } },
    )
    first.push(...(await Promise.all(CASES.map((_, n) => firstAttempt(many.app, `u@d${n}.example`)))))
  })
  after(() => many.stop())

  for (const [n, { name, reason, category = 'network' }] of CASES.entries()) {
    test(`${name} is distinguished`, () => {
      const ended = first[n]!
      assert.deepEqual([ended.status, ended.category, ended.mx], ['deferred', category, `host${n}.test`])
      assert.match(ended.reason, reason)
      assert.match(ended.transcript, /connecting to host/)
    })
  }

  test(
    'works again gets every message, with the same bytes',
    thorough('0.9 CPU s: every message once more over a connection that broke'),
    async () => {
      for (const host of many.hosts) host.script = undefined
      // The second attempt after an unknown outcome follows after ten minutes.
      clock.advance(12 * 60_000)
      const raws = await Promise.all(
        first.map(async ({ id }) => {
          await many.app.messageIn(id, 'delivered')
          return (await many.app.call('GET', `/v1/messages/${id}/raw`)).body as string
        }),
      )
      for (const [n, host] of many.hosts.entries()) {
        assert.equal(host.mails.at(-1)?.data.toString(), raws[n], CASES[n]!.name)
      }
    },
  )
})
