// A backup that is restored after a kill: mail that was delivered after the backup is not sent again, and a restore
// never overwrites an existing store.

import assert from 'node:assert/strict'
import { chown, copyFile, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { run } from '../../src/cli/run.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { DeliveredJournal } from '../../src/queue/delivered-journal.ts'
import { CRASH_ZONE } from '../support/crash/crash-run.ts'
import { Answers, LoadedNode } from '../support/crash/loaded-node.ts'
import { Receiver } from '../support/crash/receiver.ts'
import { DnsHost } from '../support/dns-host.ts'
import { knowMadeUp } from '../support/made-up-migration.ts'
import { sleep, stays, until } from '../support/test-clock.ts'
import { thorough } from '../support/thorough.ts'

const cliWith = (input: string, settings: Record<string, string>, ...words: string[]) =>
  run([...words, '--json'], { env: settings, clock: systemClock, readInput: async () => input })
const cli = (settings: Record<string, string>, ...words: string[]) => cliWith('', settings, ...words)

describe('a restored backup', { concurrency: 1 }, () => {
  let directory: string
  let host: Receiver
  let dns: DnsHost
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'postrider-restore-'))
    host = await Receiver.start()
    dns = await DnsHost.start(CRASH_ZONE)
  })
  after(async () => {
    await Promise.all([host.stop(), dns.stop()])
    await rm(directory, { recursive: true, force: true })
  })
  const path = (name: string): string => join(directory, name)
  const settings = (dataDir: string) => ({ POSTRIDER_DATA_DIR: dataDir, POSTRIDER_HOSTNAME: 'sender.test' })

  /** Runs a node under load, makes a backup, accepts more mail, kills the node, and moves the data directory away. */
  async function killedAfterBackup(name: string) {
    const dataDir = path(name)
    const node = await LoadedNode.in({ dataDir, databaseUrl: undefined }, host, dns)
    await node.start()
    const answers = new Answers()
    const load = await node.load(answers)
    const had = host.arrivals.length
    await until('mail is delivered', () => host.arrivals.length > had + 20)
    const beforeBackup = new Set(answers.accepted.keys())
    const backup = path(`${name}.backup`)
    const made = await cli(settings(dataDir), 'backup', backup)
    assert.equal(made.code, 0, made.stdout)
    const [before, beforeMail] = [answers.accepted.size, host.arrivals.length]
    await until('more is accepted and delivered than the backup has', () => {
      return answers.accepted.size > before && host.arrivals.length > beforeMail + 20
    })
    const killedAt = await node.killAfter(800)
    await load.stop()
    await sleep(200, 'the mail host reads the bytes of killed senders')
    await rename(dataDir, `${dataDir}.before`)
    const arrived = host.arrivals.map(({ id, at }) => ({ id, at }))
    return { dataDir, node, backup, beforeBackup, killedAt, arrived }
  }

  const timesOf = (id: string): number => host.arrivals.filter((one) => one.id === id).length

  test(
    'sends no message again that the earlier store has as delivered, and loses no message of the backup',
    thorough('3 CPU s: kills nodes and restores their stores'),
    async () => {
      const { dataDir, node, backup, beforeBackup, killedAt, arrived } = await killedAfterBackup('known')
      const { code, stdout } = await cli(
        settings(dataDir),
        'restore',
        backup,
        '--previous',
        `${dataDir}.before`,
      )
      assert.equal(code, 0, stdout)
      const told = JSON.parse(stdout)
      assert.equal(told.held, 0)
      assert.equal(told.previous_unreadable, null)
      assert.ok(told.messages_lost > 0)
      await node.start()
      const underWay = await node.settle(host, new Map([...beforeBackup].map((id) => [id, true])))
      assert.equal(underWay.size, 0)
      assert.deepEqual(
        [...beforeBackup].filter((id) => timesOf(id) === 0),
        [],
      )
      // A delivery that the kill interrupted before it was recorded may be repeated, as after any kill.
      const known = arrived.filter(({ at }) => at < killedAt - 250)
      assert.ok(known.length > 10)
      assert.deepEqual(
        known.filter(({ id }) => timesOf(id) > 1),
        [],
      )
      await node.kill()
    },
  )

  test(
    'holds waiting messages of unknown state, and does not send them by itself',
    thorough('3 CPU s: kills nodes and restores their stores'),
    async () => {
      const { dataDir, node, backup, arrived } = await killedAfterBackup('unknown')
      const { code, stdout } = await cli(settings(dataDir), 'restore', backup)
      assert.equal(code, 0, stdout)
      const { held, restored, waiting, messages_lost } = JSON.parse(stdout)
      assert.deepEqual([waiting, messages_lost], [0, null])
      await node.start()
      const ids = new Set(arrived.map(({ id }) => id))
      const isSentAgain = (id: string): boolean =>
        timesOf(id) !== arrived.filter((one) => one.id === id).length
      await stays('no held message is sent', () => ![...ids].some(isSentAgain), 1_500)
      if (held > 0) {
        const { data } = JSON.parse((await cli(settings(dataDir), 'queue', 'list')).stdout)
        assert.deepEqual([data[0].recipients, data[0].held], [held, held])
        const around = { env: settings(dataDir), clock: systemClock, readInput: async () => '' }
        const { stdout: list } = await run(['queue', 'list'], around)
        assert.match(list, /^\S+ +\d+ +held /m)
        const resumed = await cli(settings(dataDir), 'queue', 'resume', '--restored', restored)
        assert.equal(resumed.code, 0, resumed.stdout)
        await node.settle(host, new Map())
      }
      await node.kill()
    },
  )

  test(
    'never replaces a store, running or not, and leaves none after a failure',
    thorough('1.1 CPU s: kills nodes and restores their stores'),
    async () => {
      const dataDir = path('living')
      const made = await cli(settings(dataDir), 'account', 'create', 'Example')
      assert.equal(made.code, 0)
      const backup = path('living.backup')
      assert.equal((await cli(settings(dataDir), 'backup', backup)).code, 0)
      const refused = async (sentence: RegExp, ...words: string[]): Promise<void> => {
        const { code, stdout } = await cli(settings(dataDir), 'restore', ...words)
        assert.notEqual(code, 0)
        assert.match(stdout, sentence)
      }
      await refused(/is not empty .*--previous/, backup)
      const node = await LoadedNode.in({ dataDir, databaseUrl: undefined }, host, dns)
      await node.start()
      await refused(/is not empty/, backup)
      await refused(/serves from .* already/)
      await node.kill()
      await rename(dataDir, `${dataDir}.before`)
      await mkdir(dataDir)
      await refused(/There is no file/, path('nowhere'))
      await writeFile(path('text'), 'no database at all')
      await refused(/is not a SQLite database; name the file that `postrider backup` wrote/, path('text'))
      await refused(/--previous is the data directory itself/, backup, '--previous', dataDir)
      const other = await cli({ ...settings(dataDir), POSTRIDER_MODE: 'production' }, 'restore', backup)
      assert.equal(other.code, 2)
      assert.deepEqual(
        (await readdir(dataDir)).filter((name) => name !== 'serving.lock'),
        [],
      )
      const done = await cli(settings(dataDir), 'restore', backup, '--previous', path('nowhere'))
      assert.equal(done.code, 0)
      assert.match(JSON.parse(done.stdout).previous_unreadable, /no store/)
      assert.deepEqual((await readdir(dataDir)).toSorted(), ['postrider.db', 'serving.lock'])
    },
  )

  test('takes nothing from an earlier store of an older version, and its suppressions once that is migrated', async () => {
    const dataDir = path('older')
    const older = `${dataDir}.before`
    const ok = async (...words: string[]) => {
      const { code, stdout } = await cli(settings(dataDir), ...words)
      assert.equal(code, 0, stdout)
      return JSON.parse(stdout)
    }
    await ok('account', 'create', 'Example')
    await ok('domain', 'add', 'older.example')
    const backup = path('older.backup')
    await ok('backup', backup)
    const words = ['suppression', 'import', '--domain', 'older.example']
    const imported = await cliWith('email\nAnn@receiver.example\n', settings(dataDir), ...words)
    assert.equal(imported.code, 0, imported.stdout)
    await rename(dataDir, older)
    const forget = knowMadeUp()
    try {
      const before = await ok('restore', backup, '--previous', older)
      assert.match(before.previous_unreadable, /older version.*postrider migrate/)
      assert.equal(before.suppressions_carried_over, 0)
    } finally {
      forget()
    }
    const after = await ok('restore', '--previous', older)
    assert.deepEqual([after.previous_unreadable, after.suppressions_carried_over], [null, 1])
    const exported = await cli(settings(dataDir), 'suppression', 'export', '--domain', 'older.example')
    assert.match(exported.stdout, /ann@receiver\.example/)
  })

  test('put in place by hand has the deliveries that the earlier store had only in its journal', async () => {
    const dataDir = path('by-hand')
    assert.equal((await cli(settings(dataDir), 'account', 'create', 'Example')).code, 0)
    const backup = path('by-hand.backup')
    assert.equal((await cli(settings(dataDir), 'backup', backup)).code, 0)
    await rename(dataDir, `${dataDir}.before`)
    const noted = (messageId: string): string => JSON.stringify({ claimed: { messageId }, lease: 'nod.1' })
    const journal = (directory: string): string => join(directory, 'handed-over.jsonl')
    await writeFile(journal(`${dataDir}.before`), `${noted('msg_a')}\n\0\0${noted('msg_b')}\n`)
    await mkdir(dataDir)
    await copyFile(backup, join(dataDir, 'postrider.db'))
    await writeFile(journal(dataDir), `${noted('msg_c')}\n`)
    // The second restore simulates a repetition after an interruption.
    for (const _ of [1, 2]) {
      const done = await cli(settings(dataDir), 'restore', '--previous', `${dataDir}.before`)
      assert.equal(done.code, 0, done.stdout)
    }
    const left = new DeliveredJournal(dataDir).left().map(({ claimed }) => claimed.messageId)
    assert.deepEqual(left, ['msg_c', 'msg_a', 'msg_b'])
  })

  test('by root belongs to the user of the service, and a copy that is not writable is reported', async (context) => {
    if (process.getuid?.() !== 0 || process.platform !== 'linux')
      return context.skip('only root can become another user')
    const [made, above] = [path('by-root'), path('of-another')]
    assert.equal((await cli(settings(made), 'account', 'create', 'Example')).code, 0)
    const backup = path('by-root.backup')
    assert.equal((await cli(settings(made), 'backup', backup)).code, 0)
    await mkdir(above)
    await chown(above, 65_534, 65_534)
    const dataDir = join(above, 'data')
    assert.equal((await cli(settings(dataDir), 'restore', backup, '--previous', made)).code, 0)
    const belongsToServer = async (): Promise<void> => {
      for (const name of ['', ...(await readdir(dataDir))]) {
        const { uid, gid } = await stat(join(dataDir, name))
        assert.deepEqual([name, uid, gid], [name, 65_534, 65_534])
      }
    }
    await belongsToServer()
    // The data directory has this state after a manual copy.
    await rm(join(dataDir, 'serving.lock'))
    await writeFile(join(made, 'handed-over.jsonl'), '{}\n')
    assert.equal((await cli(settings(dataDir), 'restore', '--previous', made)).code, 0)
    await belongsToServer()
    assert.deepEqual((await readdir(dataDir)).toSorted(), [
      'handed-over.jsonl',
      'postrider.db',
      'serving.lock',
    ])
    const { code, stdout } = await cli(settings(made), 'backup', '/sys/copy.db')
    assert.equal(code, 1)
    assert.match(stdout, /The copy cannot be written to \/sys: this user may not write there/)
  })
})
