// The commands `postrider verify` and `postrider credits history`, as an operator uses them.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { run } from '../../../src/cli/run.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { TestApp } from '../../support/app.ts'
import { askedFor, onlyMailboxes, verify } from '../../support/verification.ts'

describe('on the command line', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start({ host: { script: onlyMailboxes('somebody', '=cmd') } })
  })
  after(() => app.stop())

  const cli = (line: string, input = '') =>
    run(line.split(' '), {
      env: {
        POSTRIDER_DATA_DIR: app.storage.dataDir,
        POSTRIDER_DATABASE_URL: app.storage.databaseUrl ?? '',
        POSTRIDER_DNS_SERVERS: app.dns.server,
        POSTRIDER_MX_PORT: String(app.host.port),
        POSTRIDER_HOSTNAME: 'sender.test',
        POSTRIDER_ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8',
      },
      clock: systemClock,
      readInput: async () => input,
    })

  test('an address is verified, with output for users and for programs', async () => {
    const plain = await cli('verify somebody@a.example')
    assert.deepEqual(
      [plain.code, plain.stdout, plain.stderr],
      [0, 'somebody@a.example: deliverable (mailbox_exists)\n', ''],
    )
    const simple = JSON.parse((await cli('verify nobody@a.example --json')).stdout)
    assert.deepEqual(simple, { email: 'nobody@a.example', result: 'undeliverable' })
    const detailed = JSON.parse((await cli('verify somebody+x@a.example --detailed --json')).stdout)
    assert.deepEqual(
      [detailed.internalResult, detailed.tag, detailed.smtpCode],
      ['mailbox_not_found', 'x', 550],
    )
    assert.match((await cli('verify nonsense --detailed')).stdout, /internalResult +invalid_syntax/)
  })

  test('verification takes no credits, and evidence from own mail counts', async () => {
    await app.messageIn(await app.send({ to: [{ email: 'somebody@own.example' }] }), 'delivered')
    const asked = askedFor(app.host).length
    const { stdout } = await cli('verify somebody@own.example')
    assert.match(stdout, /mailbox_exists/)
    assert.equal(askedFor(app.host).length, asked)
    const { stdout: history } = await cli('credits history --json')
    assert.deepEqual(JSON.parse(history).uses, [])
  })

  test('a CSV becomes a CSV in the same order', async () => {
    const csv = 'id,email\n1,somebody@a.example\n2,nobody@b.example\n3,=cmd@c.example\n'
    for (const line of ['verify', 'verify -']) {
      const { code, stdout } = await cli(line, csv)
      assert.equal(code, 0)
      const rows = stdout.trimEnd().split('\n').slice(1)
      assert.deepEqual(
        rows.map((row) => row.split(',').slice(0, 3).join()),
        [
          'somebody@a.example,deliverable,mailbox_exists',
          'nobody@b.example,undeliverable,mailbox_not_found',
          "'=cmd@c.example,deliverable,mailbox_exists",
        ],
      )
    }
    const { data } = JSON.parse((await cli('verify --json', csv)).stdout)
    assert.deepEqual(
      data.map((one: { email: string }) => one.email),
      ['somebody@a.example', 'nobody@b.example', '=cmd@c.example'],
    )
    const refused = await cli('verify', 'name\nx\n')
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /column named email/)
  })

  test('a CSV whose cells would be lost is refused with the lines', async () => {
    const { code, stdout, stderr } = await cli('verify', 'email,name\na@a.example,A\nb@a.example,Doe, J\n')
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /Line 3 has 3 cells, and the first one 2; put cells with a separator into quotes/)
  })

  test('credits are granted with a note, and their history adds up', async () => {
    for (let i = 0; i < 3; i++) await verify(app, 'nonsense')
    assert.equal((await cli('credits grant 500 --note Invoice-7')).code, 0)
    const { stdout } = await cli('credits history --json')
    const history = JSON.parse(stdout)
    assert.equal(history.balance, 10_497)
    assert.deepEqual(
      history.grants.map((one: { credits: number; note: string }) => [one.credits, one.note]),
      [
        [500, 'Invoice-7'],
        [10_000, 'Playground'],
      ],
    )
    assert.deepEqual(history.uses, [{ day: new Date().toISOString().slice(0, 10), credits: 3 }])
    const { stdout: text } = await cli('credits history')
    assert.match(text, /has 10497 verification credits/)
    assert.match(text, /-3 +verifications/)
    assert.match(text, /\+500 +Invoice-7/)
  })
})
