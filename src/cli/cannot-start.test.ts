// A node that cannot start reports the reason and the remedy in one sentence. The exit code is 2 if a restart would not
// help, otherwise 1.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { freePort } from '../../test/support/postgres.ts'
import { PROGRAM_ENV, PROGRAM_ROOT } from '../../test/support/program.ts'
import { changeRow, DATABASES, testStorage } from '../../test/support/store.ts'
import { thorough } from '../../test/support/thorough.ts'
import { SETTINGS, type Setting } from '../config/settings.ts'
import { systemClock } from '../lib/clock.ts'
import { holdDataDirectory } from '../store/node/node-lock.ts'
import { run } from './run.ts'

describe('wrong settings end a command with 2', () => {
  async function ended(env: Record<string, string>, command = 'serve'): Promise<void> {
    const dataDir = { POSTRIDER_DATA_DIR: join(tmpdir(), 'postrider-is-never-made') }
    const surroundings = { env: { ...dataDir, ...env }, clock: systemClock, readInput: async () => '' }
    const { code, stderr } = await run(command.split(' '), surroundings)
    assert.equal(code, 2, stderr)
    assert.match(stderr, /^postrider: The settings cannot be used:\n {2}POSTRIDER_/)
  }

  test('for every setting that does not take everything', async () => {
    const refusing = (Object.values(SETTINGS) as Setting<unknown>[]).flatMap(({ name, kind }) => {
      const wrong = ['no such value!', '-1', 'a,,b'].find((value) => {
        try {
          kind.read(value)
          return false
        } catch {
          return true
        }
      })
      return wrong === undefined ? [] : [{ [name]: wrong }]
    })
    assert.ok(refusing.length > Object.keys(SETTINGS).length * 0.8, `${refusing.length} settings refuse`)
    for (const env of refusing) await ended(env)
  })

  const together: Record<string, Record<string, string>> = {
    'an unknown name': { POSTRIDER_NONSENSE: '1' },
    'workers on SQLite': { POSTRIDER_WORKERS: '2' },
    'a file of settings that is not there': { POSTRIDER_CONFIG: '/nowhere/settings' },
    'a certificate without its key': { POSTRIDER_SMTP_TLS_CERT: '/etc/cert.pem' },
    'one port for two listeners': { POSTRIDER_HTTP_PORT: '8025', POSTRIDER_SMTP_PORT: '8025' },
    'the playground on the network': { POSTRIDER_HTTP_HOST: '0.0.0.0' },
  }
  for (const [what, env] of Object.entries(together)) test(`for ${what}`, () => ended(env))

  test('in every command that reads them', () => ended({ POSTRIDER_HTTP_PORT: 'abc' }, 'account list'))
})

describe('a node that cannot start', { concurrency: 2 }, () => {
  let directory: string
  const listener = createServer()
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'postrider-start-'))
    listener.listen(0, '127.0.0.1')
    await once(listener, 'listening')
  })
  after(async () => {
    listener.close()
    await rm(directory, { recursive: true, force: true })
  })

  let made = 0
  const newDirectory = (): string => join(directory, `data${++made}`)

  async function serve(
    settings: Record<string, string>,
    user: { readonly uid?: number } = {},
  ): Promise<{ code: number; stderr: string }> {
    const child = spawn('sh', [join(PROGRAM_ROOT, 'bin/postrider'), 'serve'], {
      env: {
        ...PROGRAM_ENV,
        POSTRIDER_DATA_DIR: newDirectory(),
        POSTRIDER_HTTP_PORT: '0',
        POSTRIDER_SMTP_PORT: '0',
        ...settings,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: 60_000,
      killSignal: 'SIGKILL',
      ...user,
    })
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    return { code: code as number, stderr }
  }

  /** Exit codes for problems that a restart does not solve, and for problems that may end by themselves. */
  const [LASTING, PASSING] = [2, 1]

  /** Requires that the start fails with one sentence and this exit code, and without a stack trace. */
  async function refused(
    settings: Record<string, string>,
    sentence: RegExp,
    exitCode: number,
    user?: { readonly uid: number },
  ): Promise<void> {
    const { code, stderr } = await serve(settings, user)
    assert.equal(code, exitCode, stderr)
    assert.match(stderr, sentence)
    assert.match(stderr, /^postrider: .*\.\n$/)
    assert.doesNotMatch(stderr, /^ +at /m)
  }

  const notOpened = (place: string): RegExp =>
    new RegExp(`^postrider: The store ${place} cannot be opened \\(.+\\); check that`)

  test('when the data directory is a file', async () => {
    const file = join(directory, 'file')
    await writeFile(file, '')
    await refused({ POSTRIDER_DATA_DIR: file }, notOpened(`in ${file}`), LASTING)
  })

  test('when the data directory cannot be made', () =>
    refused({ POSTRIDER_DATA_DIR: '/proc/postrider' }, notOpened('in /proc/postrider'), LASTING))

  test('when the data directory belongs to another user, and the directory stays unchanged', async (context) => {
    if (process.getuid?.() !== 0) return context.skip('only root can become another user')
    const dataDir = await mkdtemp(join(directory, 'of-root-'))
    await writeFile(join(dataDir, 'postrider.db'), '')
    await chmod(directory, 0o755)
    await refused({ POSTRIDER_DATA_DIR: dataDir }, notOpened(`in ${dataDir}`), LASTING, { uid: 65_534 })
    await chmod(dataDir, 0o755)
    await refused({ POSTRIDER_DATA_DIR: dataDir }, notOpened(`in ${dataDir}`), LASTING, { uid: 65_534 })
    assert.deepEqual(await readdir(dataDir), ['postrider.db'])
  })

  test(
    'when the database is read-only, and its other files are not left behind',
    thorough('1.0 CPU s: starts the program on a server or a port of its own'),
    async (context) => {
      if (process.getuid?.() !== 0) return context.skip('only root can become another user')
      const dataDir = newDirectory()
      const env = { POSTRIDER_DATA_DIR: dataDir }
      assert.equal((await run(['migrate'], { env, clock: systemClock, readInput: async () => '' })).code, 0)
      const file = join(dataDir, 'postrider.db')
      await chmod(directory, 0o755)
      for (const path of [dataDir, file]) await chown(path, 65_534, 65_534)
      await chmod(file, 0o400)
      await refused(env, notOpened(`in ${dataDir}`), LASTING, { uid: 65_534 })
      assert.deepEqual(await readdir(dataDir), ['postrider.db'])
      await chmod(file, 0o600)
      await writeFile(`${file}-shm`, '')
      await refused(env, /EACCES.*postrider\.db-shm'\); check that/, LASTING, { uid: 65_534 })
    },
  )

  test('when the data directory of a node on PostgreSQL belongs to another user', async (context) => {
    if (process.getuid?.() !== 0) return context.skip('only root can become another user')
    await chmod(directory, 0o755)
    const storage = await testStorage('postgres', 'tables')
    const dataDir = await mkdtemp(join(directory, 'of-root-'))
    await chmod(dataDir, 0o755)
    const settings = { POSTRIDER_DATA_DIR: dataDir, POSTRIDER_DATABASE_URL: storage.databaseUrl ?? '' }
    try {
      await refused(settings, /^postrider: .*serving\.lock cannot be locked/, LASTING, { uid: 65_534 })
    } finally {
      await storage.remove()
    }
  })

  test(
    'when a port may not be opened by this user',
    thorough('0.8 CPU s: starts the program on a server or a port of its own'),
    async (context) => {
      const least = await readFile('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8').catch(() => '0')
      if (process.getuid?.() !== 0 || Number(least) <= 999)
        return context.skip('every user may open ports here')
      await chmod(directory, 0o755)
      const dataDir = await mkdtemp(join(directory, 'of-nobody-'))
      await chown(dataDir, 65_534, 65_534)
      const settings = { POSTRIDER_DATA_DIR: dataDir, POSTRIDER_SMTP_PORT: '999' }
      const sentence =
        /^postrider: The address 127\.0\.0\.1:999 may not be opened by this user; change POSTRIDER_SMTP_HOST or POSTRIDER_SMTP_PORT, or give the service the capability CAP_NET_BIND_SERVICE \(in a systemd unit: AmbientCapabilities=CAP_NET_BIND_SERVICE/
      await refused(settings, sentence, LASTING, { uid: 65_534 })
    },
  )

  test('when a worker has settings that cannot be used', async () => {
    const storage = await testStorage('postgres', 'tables')
    const { code, stderr } = await serve({
      ...{ POSTRIDER_DATA_DIR: storage.dataDir, POSTRIDER_DATABASE_URL: storage.databaseUrl ?? '' },
      ...{ POSTRIDER_HTTP_PORT: String(await freePort()), POSTRIDER_SMTP_PORT: String(await freePort()) },
      ...{ POSTRIDER_SMTP_TLS_CERT: '/nowhere/cert.pem', POSTRIDER_SMTP_TLS_KEY: '/nowhere/key.pem' },
      POSTRIDER_WORKERS: '2',
    })
    await storage.remove()
    assert.equal(code, LASTING, stderr)
    assert.match(stderr, /^postrider: Worker 1 did not start \(exit code 2\)\.$/m)
  })

  for (const database of DATABASES) {
    test(`when the store on ${database} is of a newer version, and then it stays as it was`, async () => {
      const storage = await testStorage(database, 'tables')
      try {
        const newer = ['9999-of-the-future', '2099-01-01T00:00:00.000Z']
        await changeRow(storage, 'insert into kysely_migration values ($1, $2)', newer)
        const settings = {
          POSTRIDER_DATA_DIR: storage.dataDir,
          POSTRIDER_DATABASE_URL: storage.databaseUrl ?? '',
        }
        const sentence =
          /^postrider: The store .* is from a newer version than this program \(the store has the migrations 9999-of-the-future\): .*an earlier backup/
        await refused(settings, sentence, LASTING)
      } finally {
        await storage.remove()
      }
    })
  }

  test('when what is in the data directory is no database', async () => {
    const dataDir = await mkdtemp(join(directory, 'garbage-'))
    await writeFile(join(dataDir, 'postrider.db'), 'garbage '.repeat(1_000))
    await refused({ POSTRIDER_DATA_DIR: dataDir }, notOpened(`in ${dataDir}`), LASTING)
  })

  test('when the lock file holds foreign bytes', async () => {
    const dataDir = await mkdtemp(join(directory, 'lock-'))
    await writeFile(join(dataDir, 'serving.lock'), 'garbage '.repeat(1_000))
    await refused(
      { POSTRIDER_DATA_DIR: dataDir },
      /serving\.lock contains bytes that Postrider has not written.*: remove it/,
      LASTING,
    )
  })

  test(
    'when another node serves from the data directory',
    thorough('0.7 CPU s: starts the program on a server or a port of its own'),
    async () => {
      const dataDir = await mkdtemp(join(directory, 'held-'))
      const release = holdDataDirectory(dataDir)
      await refused({ POSTRIDER_DATA_DIR: dataDir }, /^postrider: Another Postrider serves from /, PASSING)
      release()
    },
  )

  test('when no database answers', async () => {
    const url = `postgres://me:secret@127.0.0.1:${await freePort()}/none`
    await refused({ POSTRIDER_DATABASE_URL: url }, notOpened('at POSTRIDER_DATABASE_URL'), PASSING)
  })

  test('when the database refuses the login', async () => {
    const storage = await testStorage('postgres')
    const url = new URL(storage.databaseUrl ?? '')
    url.password = 'wrong-password'
    const { code, stderr } = await serve({ POSTRIDER_DATABASE_URL: url.href })
    await storage.remove()
    assert.equal(code, 1)
    assert.match(stderr, /^postrider: The store at POSTRIDER_DATABASE_URL cannot be opened \(password/)
    assert.doesNotMatch(stderr, /wrong-password/)
  })

  test('when a port is taken', () => {
    const { port } = listener.address() as AddressInfo
    return refused(
      { POSTRIDER_HTTP_PORT: String(port) },
      new RegExp(
        `^postrider: The address 127\\.0\\.0\\.1:${port} is taken by another program; change POSTRIDER_HTTP_HOST or POSTRIDER_HTTP_PORT\\.`,
      ),
      PASSING,
    )
  })

  test('when this machine does not have an address', () =>
    refused(
      { POSTRIDER_SMTP_HOST: '192.0.2.1', POSTRIDER_PLAYGROUND_ON_NETWORK: 'yes' },
      /^postrider: The address 192\.0\.2\.1 is not one of this machine; change POSTRIDER_SMTP_HOST or POSTRIDER_SMTP_PORT\./,
      PASSING,
    ))

  test('when a host name does not resolve', () =>
    refused(
      { POSTRIDER_HTTP_HOST: 'nowhere.invalid', POSTRIDER_PLAYGROUND_ON_NETWORK: 'yes' },
      /^postrider: The name nowhere\.invalid cannot be looked up \(\w+\); change POSTRIDER_HTTP_HOST\./,
      PASSING,
    ))

  test('when a certificate is missing', () =>
    refused(
      { POSTRIDER_SMTP_TLS_CERT: '/nowhere/cert.pem', POSTRIDER_SMTP_TLS_KEY: '/nowhere/key.pem' },
      /^postrider: The certificate for SMTP cannot be used \(.*\/nowhere\/cert\.pem/,
      LASTING,
    ))

  test('when the settings file has an invalid line', async () => {
    const file = join(directory, 'settings')
    await writeFile(file, '# ours\nPOSTRIDER_MODE: production\n')
    const { code, stderr } = await serve({ POSTRIDER_CONFIG: file })
    assert.equal(code, LASTING)
    assert.match(stderr, new RegExp(`${file}, line 2: what begins with POSTRIDER_MODE is not NAME=value`))
    assert.doesNotMatch(stderr, /^ +at /m)
  })
})
