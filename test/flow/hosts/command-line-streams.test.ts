// Input and output of the command line: other encodings, lines without a line end, and output that no process reads.

import assert from 'node:assert/strict'
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { run } from '../../../src/cli/run.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { DnsHost } from '../../support/dns-host.ts'
import { PROGRAM_ENV, PROGRAM_ROOT } from '../../support/program.ts'
import { thorough } from '../../support/thorough.ts'

type Settings = Readonly<Record<string, string>>

const start = (line: string, env: Settings, stdio?: SpawnOptions['stdio']): ChildProcess =>
  spawn('sh', [join(PROGRAM_ROOT, 'bin/postrider'), ...line.split(' ')], {
    env: { ...PROGRAM_ENV, ...env },
    stdio,
  })

/** Waits for the end of a command; returns its exit code and output. */
async function endOf(child: ChildProcess): Promise<{ code: number; stdout: string; stderr: string }> {
  const exit = once(child, 'exit')
  const said = (stream: ChildProcess['stdout']) => (stream === null || stream.destroyed ? '' : text(stream))
  const [stdout, stderr] = await Promise.all([said(child.stdout), said(child.stderr)])
  const [code] = (await exit) as [number]
  return { code, stdout, stderr }
}

describe('the streams of the command line', { concurrency: 1 }, () => {
  let dataDir: string
  let dns: DnsHost
  let settings: Settings
  const cli = (line: string, input = '', more: Settings = {}) =>
    run(line.split(' '), {
      env: { ...settings, ...more },
      clock: systemClock,
      readInput: async () => input,
    })

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'postrider-streams-'))
    dns = await DnsHost.start()
    settings = {
      POSTRIDER_MODE: 'production',
      POSTRIDER_DATA_DIR: dataDir,
      POSTRIDER_HOSTNAME: 'mail.postrider.test',
      POSTRIDER_DNS_SERVERS: dns.server,
    }
    for (const line of ['migrate', 'account create Acme', 'domain add example.com']) {
      assert.equal((await cli(line)).code, 0, line)
    }
  })
  after(async () => {
    await dns.stop()
    await rm(dataDir, { recursive: true, force: true })
  })

  const csv = 'email,name\nzoë@example.com,Zoë\n'
  for (const [what, line, bytes] of [
    ['a CSV in Latin-1', 'verify', Buffer.from(csv, 'latin1')],
    ['a CSV in UTF-16', 'suppression import', Buffer.from(`\ufeff${csv}`, 'utf16le')],
    ['a CSV in UTF-16 without a mark', 'verify', Buffer.from('email\na@example.com\n', 'utf16le')],
    ['a line in Latin-1', 'user create a@example.com --password -', Buffer.from('pässwörter\n', 'latin1')],
  ] as const) {
    test(`${what} is refused instead of read as something else`, async () => {
      const child = start(line, settings)
      child.stdin?.end(bytes)
      const { code, stdout, stderr } = await endOf(child)
      assert.deepEqual([code, stdout], [1, ''])
      assert.equal(stderr, 'postrider: Standard input is not UTF-8; save or encode it as UTF-8.\n')
    })
  }

  test('input in UTF-8 is read without its byte order mark', async () => {
    const child = start('suppression import --json', settings)
    child.stdin?.end('\ufeffemail\nwith-mark@example.com\n')
    assert.equal(JSON.parse((await endOf(child)).stdout).added, 1)
  })

  test('a directory is refused as input', async () => {
    const directory = await open(dataDir)
    const { code, stderr } = await endOf(start('verify', settings, [directory.fd, 'pipe', 'pipe']))
    await directory.close()
    assert.equal(code, 1)
    assert.equal(stderr, 'postrider: Standard input is a directory; redirect it from a file.\n')
  })

  test(
    'a first line is read without waiting for the end of the input',
    thorough('0.9 CPU s: starts programs whose output nobody reads'),
    async () => {
      const child = start('user create line@example.com --password - --json', settings)
      child.stdin?.write('correct horse battery\r\nmore')
      const { code, stdout, stderr } = await endOf(child)
      assert.equal(code, 0, stderr)
      assert.equal(JSON.parse(stdout).email, 'line@example.com')
      const relay = start('domain relay example.com - --json', settings)
      relay.stdin?.write('smtp://relay.test:587\n')
      assert.equal(JSON.parse((await endOf(relay)).stdout).relay, 'smtp://relay.test:587')
    },
  )

  test('a table is refused in terms of the command line, which has no parameters', async () => {
    for (const line of ['verify', 'suppression import']) {
      const without = await cli(line, 'first,second\na,b\n')
      assert.match(
        without.stderr,
        /no column named email; .* Call the column of the addresses email\.\n$/,
        line,
      )
      const double = await cli(line, 'email,E-Mail\na@example.com,b@example.com\n')
      assert.match(double.stderr, /two columns of addresses, "email" and "E-Mail"; keep one\.\n$/, line)
      assert.match((await cli(line, 'email\n"a\n')).stderr, /Standard input is not CSV: /, line)
      assert.match(
        (await cli(line, 'email\n')).stderr,
        /^postrider: Standard input: The table has no addresses; /,
        line,
      )
    }
  })

  test(
    'the exit code is right even if no process reads the output',
    thorough('0.6 CPU s: starts programs whose output nobody reads'),
    async () => {
      for (const [line, result] of [
        ['doctor --port25-host nowhere.test', 1],
        ['account list', 0],
        ['no-such-command --json', 2],
      ] as const) {
        const child = start(line, settings)
        child.stdout?.destroy()
        assert.equal((await endOf(child)).code, result, line)
      }
    },
  )

  /** Checks that a node serves requests while its standard output is unusable, until the node is stopped. */
  async function serves(child: ChildProcess): Promise<void> {
    const exit = once(child, 'exit')
    let log = ''
    child.stderr?.on('data', (chunk: Buffer) => {
      log += chunk
      if (!log.includes('"started"')) return
      child.stderr?.removeAllListeners('data').resume()
      child.emit('started')
    })
    await Promise.race([once(child, 'started'), exit])
    const url = /"url":"([^"]+)"/.exec(log)?.[1]
    assert.ok(url, log)
    assert.equal((await fetch(`${url}/healthz`)).status, 200)
    child.kill('SIGTERM')
    assert.deepEqual(await exit, [0, null])
  }

  test(
    'a node continues when its standard output is not read, or is full',
    thorough('2 CPU s: starts programs whose output nobody reads'),
    async () => {
      const node = (name: string) => ({
        ...{ POSTRIDER_DATA_DIR: join(dataDir, name), POSTRIDER_HTTP_PORT: '0', POSTRIDER_SMTP_PORT: '0' },
      })
      const unread = start('serve', node('unread'))
      unread.stdout?.destroy()
      await serves(unread)
      if (!existsSync('/dev/full')) return
      const full = await open('/dev/full', 'w')
      await serves(start('serve', node('full'), ['ignore', full.fd, 'pipe']))
      await full.close()
    },
  )

  test(
    'a node in production without a terminal writes only JSON lines, with the one-time link once',
    thorough('0.8 CPU s: starts a program'),
    async () => {
      const child = start('serve', {
        ...settings,
        POSTRIDER_DATA_DIR: join(dataDir, 'lines'),
        ...{ POSTRIDER_HTTP_PORT: '0', POSTRIDER_ADMIN_PORT: '0' },
        ...{ POSTRIDER_SMTP_PORT: '0', POSTRIDER_INBOUND_PORT: '0' },
      })
      const ended = endOf(child)
      child.stderr?.on('data', (chunk: Buffer) => {
        if (chunk.includes('nobody can log in yet')) child.kill('SIGTERM')
      })
      const { code, stdout, stderr } = await ended
      assert.deepEqual([code, stdout], [0, ''])
      const lines = stderr
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      assert.equal(lines.filter(({ url }) => `${url}`.includes('/first-run?token=')).length, 1)
    },
  )

  test(
    'a node stops when its log cannot be written, for example on a full disk or a closed terminal',
    thorough('0.8 CPU s: starts programs whose output nobody reads'),
    async () => {
      if (!existsSync('/dev/full')) return
      const full = await open('/dev/full', 'w')
      const unlogged = { POSTRIDER_DATA_DIR: join(dataDir, 'unlogged'), POSTRIDER_SMTP_PORT: '0' }
      const child = start('serve --json', { ...unlogged, POSTRIDER_HTTP_PORT: '0' }, [
        ...(['ignore', 'pipe'] as const),
        full.fd,
      ])
      const [ready] = await once(child.stdout as NodeJS.ReadableStream, 'data')
      assert.equal((await fetch(`${JSON.parse(String(ready)).url}/healthz`)).status, 200)
      child.kill('SIGTERM')
      assert.deepEqual(await once(child, 'exit'), [0, null])
      await full.close()
    },
  )

  test('settings with which no node would start are reported before a start', async () => {
    const list = join(dataDir, 'domains')
    await writeFile(list, 'good.example\nhttps://bad.example/\n')
    const wrong = {
      POSTRIDER_VERIFY_SENDER: 'nobody',
      POSTRIDER_VERIFY_ALLOW_FILE: join(dataDir, 'no-such-file'),
      POSTRIDER_VERIFY_DENY_FILE: list,
    }
    const checked = await cli('doctor --port25-host nowhere.test', '', wrong)
    assert.match(checked.stdout, /^fail +settings: POSTRIDER_VERIFY_SENDER must be an address/m)
    assert.match(checked.stdout, /^fail +settings: POSTRIDER_VERIFY_ALLOW_FILE cannot be read: ENOENT/m)
    assert.match(checked.stdout, /^fail +settings: POSTRIDER_VERIFY_DENY_FILE cannot be read: line 2 /m)
    assert.match(checked.stdout, /^ok +store: /m)
    const looked = await cli('upgrade --check', '', wrong)
    assert.equal(looked.code, 2)
    assert.equal(looked.stderr.split('\n  POSTRIDER_VERIFY_').length, 4, looked.stderr)
    const pool = { POSTRIDER_VERIFY_SOURCE_POOL: 'none' }
    for (const line of ['doctor', 'upgrade --check']) {
      const { stdout, stderr } = await cli(line, '', pool)
      assert.match(
        stdout + stderr,
        /POSTRIDER_VERIFY_SOURCE_POOL must be a pool of .*; there is no none/,
        line,
      )
    }
  })

  test('the doctor describes the records of a domain and the sealing of the store in sentences', async () => {
    dns.set('bounces.example.com', { CNAME: 'elsewhere.test' })
    await cli('domain verify example.com')
    const { stdout } = await cli('doctor --port25-host nowhere.test')
    assert.match(
      stdout,
      /^warn +domain example\.com: cannot send yet: TXT \S+\._domainkey\.example\.com is not published, CNAME bounces\.example\.com has another value than the one to publish$/m,
    )
    assert.match(
      stdout,
      /^ok +sealing: off: the database and its backups contain the secrets in plain form /m,
    )
  })

  test('no part of a message is shown as kept for longer than its record', async () => {
    const { stdout } = await cli('domain retention example.com --records 7')
    assert.match(
      stdout,
      /contents +7 days +records\n.*transcripts +7 days +records\n.*records +7 days +domain/s,
    )
    const own = await cli('domain retention example.com --contents 3 --transcripts 10')
    assert.match(own.stdout, /contents +3 days +domain\n.*transcripts +7 days +records\n/s)
    const back = await cli('domain retention example.com --records inherit')
    assert.match(back.stdout, /transcripts +10 days +domain\n.*records +400 days +installation/s)
  })
})
