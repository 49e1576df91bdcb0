// Situations of a probe, each at separate mail hosts: the response claims no more than the probe has observed.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { TestApp } from '../../support/app.ts'
import type { DnsZone } from '../../support/dns-host.ts'
import { KEPT_BY_VERIFICATIONS_MS } from '../../support/limits.ts'
import { greylist, type HostAnswer, type HostScript } from '../../support/mail-host/script.ts'
import { askedFor, MADE_UP, onlyMailboxes, verify } from '../../support/verification.ts'

const GONE = '550 5.1.1 No such user'
const exists = onlyMailboxes('somebody')

/** Returns a script that gives this answer to RCPT for the mailbox, and refuses other mailboxes as unknown. */
const says =
  (answer: string | HostAnswer): HostScript =>
  (command) =>
    command.verb === 'RCPT' && !MADE_UP.test(command.address) ? answer : exists(command)

/** Returns a script that accepts the mailbox, and gives this answer to RCPT for the catch-all probe address. */
const madeUp =
  (answer: string | HostAnswer): HostScript =>
  ({ verb, address }) =>
    verb === 'RCPT' && MADE_UP.test(address) ? answer : undefined

const at =
  (verb: string, answer: string | HostAnswer): HostScript =>
  (command) =>
    command.verb === verb ? answer : undefined

/** Returns a script that first defers every mailbox, and then gives the answer of `then`. */
const greylisting = (then: HostScript): HostScript => {
  const list = greylist()
  return (command) => list(command) ?? then(command)
}

/** Returns a script that closes each connection at its second RCPT. */
const oneQuestion = (then: HostScript): HostScript => {
  const asked = new Set<number>()
  return (command) => {
    if (command.verb !== 'RCPT') return undefined
    if (asked.has(command.connection.id)) return { after: 'close' }
    asked.add(command.connection.id)
    return then(command)
  }
}

const all: HostScript = () => undefined

type Wanted = [result: string, catchAll?: boolean]
const FOUND: Wanted = ['deliverable/mailbox_exists', false]
const ANY: Wanted = ['risky/catch_all', true]
const OPEN: Wanted = ['risky/catch_all_unknown']
const MISSING: Wanted = ['undeliverable/mailbox_not_found']
const BLOCKED: Wanted = ['unknown/blocked']

/** Name of the situation, scripts of the mail hosts in order, and response for `somebody`. */
const SITUATIONS: readonly [string, readonly HostScript[], Wanted][] = [
  ['one mailbox is taken, another refused', [exists], FOUND],
  ['every mailbox is taken', [all], ANY],
  ['the mailbox is refused', [onlyMailboxes('other')], MISSING],
  ['a greylist passes on the second try', [greylisting(exists)], FOUND],
  ['a greylist passes on the second try, and then every mailbox', [greylisting(all)], ANY],
  [
    'a greylist puts everything off',
    [at('RCPT', '451 4.7.1 Greylisted, try again later')],
    ['unknown/greylisted'],
  ],
  ['the first host is dead', [at('CONNECT', { after: 'reset' }), exists], FOUND],
  ['the first host refuses at its greeting', [at('CONNECT', '554 5.7.1 Not for you'), exists], FOUND],
  ['the first host is closing down', [at('CONNECT', '421 4.3.2 Shutting down'), exists], FOUND],
  ['the first host refuses for good, the second would take', [onlyMailboxes('other'), all], MISSING],
  [
    'the first host uses greylisting, the second does not',
    [at('RCPT', '451 4.7.1 Greylisted'), exists],
    FOUND,
  ],
  [
    'a list of senders is named',
    [says('550 5.7.1 JunkMail rejected - mx [192.0.2.1] is in an RBL')],
    BLOCKED,
  ],
  [
    'a filter names itself',
    [says('554 5.7.0 Blocked - see https://ipcheck.proofpoint.com/?ip=192.0.2.1')],
    BLOCKED,
  ],
  [
    'a block wears the code of a missing mailbox',
    [says('550 5.1.1 Not today: your network may not send here')],
    BLOCKED,
  ],
  ['the user is called invalid', [says('550 refused: user invalid')], MISSING],
  ['the user is no longer there', [says('550 5.1.1 This user is no longer on server')], MISSING],
  ['no user was found', [says('550 No user found')], MISSING],
  ['the mailbox is full', [says('452 4.2.2 The mailbox is over quota')], ['risky/mailbox_full']],
  [
    'the mailbox is disabled',
    [says('550 5.2.1 The account is disabled')],
    ['undeliverable/mailbox_disabled'],
  ],
  [
    'the mailbox receives too fast',
    [says('450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents it')],
    FOUND,
  ],
  ['the domain is not served', [says('550 5.1.2 Domain not hosted here')], ['undeliverable/no_mail_server']],
  [
    'the address is still verified by the host',
    [says('450 4.1.1 Address verification in progress')],
    ['unknown/smtp_error'],
  ],
  ['the host takes nobody without a login', [says('530 5.7.0 Authentication required')], BLOCKED],
  ['the made-up mailbox is put off by a greylist', [madeUp('451 4.7.1 Greylisted, try again later')], OPEN],
  ['the made-up mailbox is put off once, and refused', [greylistMadeUp(GONE)], FOUND],
  ['the made-up mailbox is put off once, and taken', [greylistMadeUp(undefined)], ANY],
  [
    'the made-up mailbox is put off for want of resources',
    [madeUp('452 4.3.1 Insufficient system storage')],
    OPEN,
  ],
  ['the made-up mailbox is one recipient too many', [madeUp('452 4.5.3 Too many recipients')], OPEN],
  ['the made-up mailbox meets a block', [madeUp('550 5.7.1 Client host blocked using Spamhaus')], OPEN],
  [
    'the made-up mailbox meets a limit of rate',
    [madeUp('450 4.7.1 Too many requests from your IP, try again later')],
    OPEN,
  ],
  [
    'the made-up mailbox meets a limit of unknown users',
    [madeUp('550 5.7.1 Too many invalid recipients, you are blocked')],
    OPEN,
  ],
  ['the made-up mailbox ends the connection', [madeUp({ after: 'close' })], OPEN],
  ['the made-up mailbox breaks the connection', [madeUp({ after: 'reset' })], OPEN],
  ['the made-up mailbox is answered by 421', [madeUp({ reply: '421 4.7.0 Goodbye', after: 'close' })], OPEN],
  ['the made-up mailbox is answered by nonsense', [madeUp({ raw: 'What?\r\n' })], OPEN],
  [
    'the made-up mailbox is unknown for now',
    [madeUp('450 4.1.1 User unknown in local recipient table')],
    FOUND,
  ],
  ['the made-up mailbox is refused without a reason', [madeUp('550 rejected')], FOUND],
  ['the made-up mailbox meets a policy', [madeUp('550 5.7.1 Message rejected due to local policy')], OPEN],
  ['the made-up mailbox meets a filter of spam', [madeUp('554 5.7.1 Rejected as spam')], OPEN],
  ['the made-up mailbox is out of turn', [madeUp('503 5.5.1 Bad sequence of commands')], OPEN],
  ['the made-up mailbox is full', [madeUp('552 5.2.2 Mailbox full')], FOUND],
  ['the made-up mailbox is moved', [madeUp('551 5.1.6 User not local')], FOUND],
  ['one question a connection, the second answered on another', [oneQuestion(exists)], FOUND],
  ['one question a connection, and every mailbox is taken', [oneQuestion(all)], ANY],
  ['MAIL is refused in the words of a missing mailbox', [at('MAIL', '550 5.1.1 User unknown')], BLOCKED],
  [
    'RCPT is answered by 421',
    [at('RCPT', { reply: '421 4.7.0 Too many connections', after: 'close' })],
    BLOCKED,
  ],
]

/** Returns a script that defers the catch-all probe address once, and then gives the answer of `then`. */
function greylistMadeUp(then: string | undefined): HostScript {
  const list = greylist()
  return (command) => {
    if (command.verb !== 'RCPT' || !MADE_UP.test(command.address)) return undefined
    return list(command) ?? then
  }
}

const addressOf = (situation: number, host: number): string => `127.1.${situation + 1}.${host + 1}`

const zone: DnsZone = Object.fromEntries(
  SITUATIONS.flatMap(([, hosts], index) => [
    [`s${index}.example`, { MX: hosts.map((_, host) => `${10 + host} mx${index}-${host}.example`) }],
    ...hosts.map((_, host) => [`mx${index}-${host}.example`, { A: [addressOf(index, host)] }]),
  ]),
)

describe('a probe in each situation', { concurrency: true }, () => {
  const scripts = new Map(
    SITUATIONS.flatMap(([, hosts], index) => hosts.map((script, host) => [addressOf(index, host), script])),
  )
  let app: TestApp
  before(async () => {
    app = await TestApp.start({
      host: {
        address: '0.0.0.0',
        script: (command) => scripts.get(command.connection.localAddress)?.(command),
      },
      zone: {
        ...zone,
        'null.example': { MX: ['0 .'] },
        'provider.example': { MX: ['10 gmail-smtp-in.l.google.com'] },
        'gmail-smtp-in.l.google.com': { A: ['127.2.0.1'] },
      },
      env: {
        POSTRIDER_VERIFICATION_RATE: '1000/s',
        POSTRIDER_VERIFY_TIMEOUT_MS: String(KEPT_BY_VERIFICATIONS_MS),
      },
    })
  })
  after(() => app.stop())

  for (const [index, [what, , [expected, catchAll]]] of SITUATIONS.entries()) {
    test(`${what}: ${expected}`, async () => {
      const { body } = await verify(app, `somebody@s${index}.example`)
      assert.deepEqual([`${body.result}/${body.internalResult}`, body.catchAll], [expected, catchAll])
    })
  }

  test('a null MX: no host is asked', async () => {
    assert.equal((await verify(app, 'somebody@null.example')).body.internalResult, 'null_mx')
  })

  test('a provider that accepts no unknown names gets no catch-all probe', async () => {
    const { body } = await verify(app, 'somebody@provider.example')
    assert.deepEqual([body.internalResult, 'catchAll' in body], ['mailbox_exists', false])
    const asked = askedFor(app.host).filter((address) => address.endsWith('@provider.example'))
    assert.deepEqual(asked, ['somebody@provider.example'])
  })
})
