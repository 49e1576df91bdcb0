// Each setting of verification has its effect, and the start fails with the name of an invalid setting.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { TestApp } from '../../support/app.ts'
import { MISSED_AFTER_WORK_MS, MISSED_MS } from '../../support/limits.ts'
import { askedFor, onlyMailboxes, verdict, verify } from '../../support/verification.ts'

describe('the setting', () => {
  let app: TestApp
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postrider-test-'))
    app = await TestApp.start({
      host: { address: '0.0.0.0', script: onlyMailboxes('somebody') },
      zone: {
        'mailinator.com': { MX: ['10 mx.test'] },
        'behind.example': { MX: ['10 mail.mailinator.com'] },
        'mail.mailinator.com': { A: ['127.0.0.1'] },
        'xn--bcher-kva.example': { MX: ['10 mx.test'] },
      },
    })
  })
  after(async () => {
    await app.stop()
    await rm(folder, { recursive: true })
  })
  beforeEach(() => app.stopNode())

  const last = () => app.host.connections.at(-1)!
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text)
    return join(folder, name)
  }

  test('VERIFY_SENDER is the address of MAIL FROM, which is empty without it', async () => {
    await app.startNode()
    await verify(app, 'a@one.example')
    assert.ok(last().commands.includes('MAIL FROM:<>'))
    await app.stopNode()
    await app.startNode({ POSTRIDER_VERIFY_SENDER: 'Probe@Sender.test' })
    await verify(app, 'b@one.example')
    assert.ok(last().commands.includes('MAIL FROM:<Probe@sender.test>'))
    await app.stopNode()
    await assert.rejects(
      app.startNode({ POSTRIDER_VERIFY_SENDER: 'nobody' }),
      /POSTRIDER_VERIFY_SENDER must be an address/,
    )
  })

  test('HOSTNAME is the name that hosts get', async () => {
    await app.startNode({ POSTRIDER_HOSTNAME: 'mail.sender.test' })
    await verify(app, 'c@one.example')
    assert.equal(last().helo, 'mail.sender.test')
  })

  test('VERIFY_SOURCE_POOL is the source address, always the same one, under its name', async () => {
    const pools = 'mail=127.0.0.31, probe=127.0.0.32@probe.sender.test+127.0.0.33'
    await app.startNode({ POSTRIDER_SOURCE_ADDRESSES: pools, POSTRIDER_VERIFY_SOURCE_POOL: 'probe' })
    for (let i = 0; i < 5; i++) {
      await verify(app, `x${i}@pool${i}.example`)
      assert.deepEqual([last().remoteAddress, last().helo], ['127.0.0.32', 'probe.sender.test'])
    }
    await app.stopNode()
    await assert.rejects(
      app.startNode({ POSTRIDER_SOURCE_ADDRESSES: pools, POSTRIDER_VERIFY_SOURCE_POOL: 'other' }),
      /POSTRIDER_VERIFY_SOURCE_POOL must be a pool .* no other/,
    )
  })

  test('VERIFY_DENY_FILE makes domains disposable, including their subdomains', async () => {
    await app.startNode({
      POSTRIDER_VERIFY_DENY_FILE: await file('deny', 'Bad.example # known\n*.bücher.example\n'),
    })
    assert.equal(await verdict(app, 'somebody@x.bad.example'), 'risky/disposable')
    assert.equal(await verdict(app, 'somebody@bücher.example'), 'risky/disposable')
    assert.equal(await verdict(app, 'somebody@worse.example'), 'deliverable/mailbox_exists')
  })

  test('VERIFY_ALLOW_FILE keeps domains from counting as disposable, by list or by mail host', async () => {
    await app.startNode()
    assert.equal(await verdict(app, 'somebody@mailinator.com'), 'risky/disposable')
    assert.equal(await verdict(app, 'somebody@behind.example'), 'risky/disposable')
    await app.stopNode()
    const allowed = await file('allow', 'mailinator.com\nbehind.example\n')
    await app.startNode({ POSTRIDER_VERIFY_ALLOW_FILE: allowed })
    assert.equal(await verdict(app, 'somebody@mailinator.com'), 'deliverable/mailbox_exists')
    assert.equal(await verdict(app, 'somebody@behind.example'), 'deliverable/mailbox_exists')
  })

  test('either file stops the start when it cannot be read, or contains an invalid domain', async () => {
    const wrong = await file('wrong', 'good.example\nhttps://bad.example/\n')
    for (const name of ['POSTRIDER_VERIFY_ALLOW_FILE', 'POSTRIDER_VERIFY_DENY_FILE']) {
      await assert.rejects(app.startNode({ [name]: join(folder, 'none') }), new RegExp(`${name} .*ENOENT`))
      await assert.rejects(app.startNode({ [name]: wrong }), new RegExp(`${name} .*line 2`))
    }
  })

  test('VERIFY_TIMEOUT_MS ends a verification that takes longer', async () => {
    await app.startNode({ POSTRIDER_VERIFY_TIMEOUT_MS: String(MISSED_MS) })
    const { script } = app.host
    app.host.script = ({ verb }) => (verb === 'RCPT' ? { after: 'hang' } : undefined)
    const { body } = await verify(app, 'somebody@late.example')
    app.host.script = script
    assert.equal(body.internalResult, 'timeout')
    assert.ok(body.latencyMs >= MISSED_MS - 10 && body.latencyMs < 2_000, String(body.latencyMs))
  })

  test('VERIFY_DESTINATION_RATE limits the verifications of a domain', async () => {
    await app.startNode({
      POSTRIDER_VERIFY_DESTINATION_RATE: '2/m',
      POSTRIDER_VERIFY_TIMEOUT_MS: String(MISSED_AFTER_WORK_MS),
    })
    const asked = askedFor(app.host).length
    const verdicts: string[] = []
    for (let i = 0; i < 3; i++) verdicts.push(await verdict(app, `nobody${i}@rate.example`))
    const gone = 'undeliverable/mailbox_not_found'
    assert.deepEqual(verdicts, [gone, gone, 'unknown/timeout'])
    assert.equal(askedFor(app.host).length, asked + 2)
    assert.equal(await verdict(app, 'nobody@other-rate.example'), gone)
  })
})
