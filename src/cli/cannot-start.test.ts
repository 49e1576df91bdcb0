// A node that cannot start says why in one sentence with the remedy, and ends with 1.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { freePort } from '../../test/support/postgres.ts'
import { PROGRAM_ENV, PROGRAM_ROOT } from '../../test/support/program.ts'
import { changeRow, DATABASES, testStorage } from '../../test/support/store.ts'
import { holdDataDirectory } from '../store/node/node-lock.ts'

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

  /** One sentence, and nothing of the program's insides. */
  async function refused(
    settings: Record<string, string>,
    sentence: RegExp,
    user?: { readonly uid: number },
  ): Promise<void> {
    const { code, stderr } = await serve(settings, user)
    assert.equal(code, 1, stderr)
    assert.match(stderr, sentence)
    assert.match(stderr, /^postrider: .*\.\n$/)
    assert.doesNotMatch(stderr, /^ +at /m)
  }

  const notOpened = (place: string): RegExp =>
    new RegExp(`^postrider: The store ${place} cannot be opened \\(.+\\); look`)

  test('when the data directory is a file', async () => {
    const file = join(directory, 'file')
    await writeFile(file, '')
    await refused({ POSTRIDER_DATA_DIR: file }, notOpened(`in ${file}`))
  })

  test('when the data directory cannot be made', () =>
    refused({ POSTRIDER_DATA_DIR: '/proc/postrider' }, notOpened('in /proc/postrider')))

  test('when the data directory is of another user, and then it stays as it was', async (context) => {
    if (process.getuid?.() !== 0) return context.skip('only root can become another user')
    const dataDir = await mkdtemp(join(directory, 'of-root-'))
    await writeFile(join(dataDir, 'postrider.db'), '')
    await chmod(directory, 0o755)
    await refused({ POSTRIDER_DATA_DIR: dataDir }, notOpened(`in ${dataDir}`), { uid: 65_534 })
    await chmod(dataDir, 0o755)
    await refused({ POSTRIDER_DATA_DIR: dataDir }, notOpened(`in ${dataDir}`), { uid: 65_534 })
    assert.deepEqual(await readdir(dataDir), ['postrider.db'])
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
          /^postrider: The store .* is of a newer version than this program \(it knows 9999-of-the-future\): .*a backup/
        await refused(settings, sentence)
      } finally {
        await storage.remove()
      }
    })
  }

  test('when what is in the data directory is no database', async () => {
    const dataDir = await mkdtemp(join(directory, 'garbage-'))
    await writeFile(join(dataDir, 'postrider.db'), 'garbage '.repeat(1_000))
    await refused({ POSTRIDER_DATA_DIR: dataDir }, notOpened(`in ${dataDir}`))
  })

  test('when the lock holds bytes of somebody else', async () => {
    const dataDir = await mkdtemp(join(directory, 'lock-'))
    await writeFile(join(dataDir, 'serving.lock'), 'garbage '.repeat(1_000))
    await refused(
      { POSTRIDER_DATA_DIR: dataDir },
      /serving\.lock holds bytes that Postrider has not written.*: remove it/,
    )
  })

  test('when another one serves from the data directory', async () => {
    const dataDir = await mkdtemp(join(directory, 'held-'))
    const release = holdDataDirectory(dataDir)
    await refused({ POSTRIDER_DATA_DIR: dataDir }, /^postrider: Another Postrider serves from /)
    release()
  })

  test('when no database answers', async () => {
    const url = `postgres://me:secret@127.0.0.1:${await freePort()}/none`
    await refused({ POSTRIDER_DATABASE_URL: url }, notOpened('at POSTRIDER_DATABASE_URL'))
  })

  test('when the database does not let us in', async () => {
    const url = new URL(process.env.TEST_DATABASE_URL ?? '')
    url.password = 'wrong-password'
    const { code, stderr } = await serve({ POSTRIDER_DATABASE_URL: url.href })
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
    )
  })

  test('when an address is not of this machine', () =>
    refused(
      { POSTRIDER_SMTP_HOST: '192.0.2.1', POSTRIDER_PLAYGROUND_ON_NETWORK: 'yes' },
      /^postrider: The address 192\.0\.2\.1 is not one of this machine; change POSTRIDER_SMTP_HOST or POSTRIDER_SMTP_PORT\./,
    ))

  test('when the name of an address is none', () =>
    refused(
      { POSTRIDER_HTTP_HOST: 'nowhere.invalid', POSTRIDER_PLAYGROUND_ON_NETWORK: 'yes' },
      /^postrider: The name nowhere\.invalid cannot be looked up \(\w+\); change POSTRIDER_HTTP_HOST\./,
    ))

  test('when a certificate is missing', () =>
    refused(
      { POSTRIDER_SMTP_TLS_CERT: '/nowhere/cert.pem', POSTRIDER_SMTP_TLS_KEY: '/nowhere/key.pem' },
      /^postrider: The certificate for SMTP cannot be used \(.*\/nowhere\/cert\.pem/,
    ))

  test('when the file of settings has a line that is none', async () => {
    const file = join(directory, 'settings')
    await writeFile(file, '# ours\nPOSTRIDER_MODE: production\n')
    const { code, stderr } = await serve({ POSTRIDER_CONFIG: file })
    assert.equal(code, 1)
    assert.match(stderr, new RegExp(`${file}, line 2: what begins with POSTRIDER_MODE is not NAME=value`))
    assert.doesNotMatch(stderr, /^ +at /m)
  })
})
