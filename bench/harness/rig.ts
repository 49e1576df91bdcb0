// The environment (rig) of a measurement: a data directory, a DNS server, and processes; all are removed at the end.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { loadConfig } from '../../src/config/load.ts'
import { silentLog } from '../../src/lib/log.ts'
import { databaseFile, type Store } from '../../src/store/database/store.ts'
import { openStore } from '../../src/store/node/open-in-mode.ts'
import { DnsHost, type DnsZone } from '../../test/support/dns-host.ts'
import { startPostgres } from '../../test/support/postgres.ts'
import type { ServerUnderTestCalls, Started } from '../processes/server-under-test.ts'
import type { SmtpSinkCalls } from '../processes/smtp-sink.ts'
import { type Calls, Child } from './child.ts'
import type { Options } from './options.ts'
import { SINK_ADDRESSES } from './sink-addresses.ts'

/**
 * Directory of the compiled service with `server-under-test`; each run of the measurements compiles the service again.
 */
export const PACKAGED = join(import.meta.dirname, '../../node_modules/.cache/bench/compiled')

/** A running node that is measured. */
export interface Node {
  readonly process: Child<ServerUnderTestCalls>
  readonly started: Started
}

/** A running SMTP sink, which receives all delivered mail. */
export interface Sink {
  readonly process: Child<SmtpSinkCalls>
  readonly port: number
}

/** Environment of a measurement, created by `Rig.open`; `close` stops and removes all parts in reverse order. */
export class Rig {
  readonly destinations: readonly string[]
  readonly #options: Options
  readonly #packaged: string
  readonly #closing: (() => Promise<unknown>)[] = []
  #settings: Record<string, string> = {}

  private constructor(options: Options, packaged: string) {
    this.#options = options
    this.#packaged = packaged
    this.destinations = Array.from({ length: options.destinations }, (_, index) => `inbox-${index}.test`)
  }

  /**
   * Opens a rig (the environment of a measurement).
   *
   * @param zone DNS records in addition to the records of the destinations
   * @param settings settings of the nodes, in addition to the settings of every rig
   * @param packaged directory of the compiled program that the nodes run
   */
  static async open(
    options: Options,
    zone: DnsZone = {},
    settings: Readonly<Record<string, string>> = {},
    packaged = PACKAGED,
  ): Promise<Rig> {
    const rig = new Rig(options, packaged)
    const dataDir = await mkdtemp(join(options.dir ?? tmpdir(), 'postrider-bench-'))
    rig.#closing.push(() => rm(dataDir, { recursive: true, force: true }))
    const dns = await DnsHost.start({ ...zoneOf(rig.destinations), ...zone })
    rig.#closing.push(() => dns.stop())
    rig.#settings = {
      POSTRIDER_MODE: 'playground',
      POSTRIDER_DATA_DIR: dataDir,
      POSTRIDER_HTTP_PORT: '0',
      POSTRIDER_SMTP_PORT: '0',
      POSTRIDER_DNS_SERVERS: dns.server,
      POSTRIDER_ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8',
      POSTRIDER_SENDING_RATE: '1000000/s',
      POSTRIDER_VERIFICATION_RATE: '1000000/s',
      POSTRIDER_LOG_LEVEL: 'warn',
      POSTRIDER_HOSTNAME: 'bench.test',
      POSTRIDER_WEBHOOK_HTTP: 'yes',
      ...settings,
    }
    if (options.database === 'postgres') {
      // PostgreSQL runs with fsync in measurements, unlike in tests.
      const postgres = await startPostgres([])
      rig.#closing.push(() => postgres.stop())
      rig.#settings.POSTRIDER_DATABASE_URL = postgres.url
    }
    return rig
  }

  /** Registers a function that `close` calls. */
  closeLater(close: () => Promise<unknown>): void {
    this.#closing.push(close)
  }

  /** Starts one of the programs in `bench/processes` as a child process. */
  child<C extends Calls>(file: string, flags: readonly string[] = [], folder?: string): Child<C> {
    const child = Child.start<C>(file, flags, folder)
    this.closeLater(() => child.stop())
    return child
  }

  async sink(): Promise<Sink> {
    const process = this.child<SmtpSinkCalls>('smtp-sink.ts')
    const { port } = await process.ask('start', this.#options)
    return { process, port }
  }

  /** Starts a node with these roles. All nodes of a rig share the store. */
  async node(roles: string, sinkPort?: number): Promise<Node> {
    const { profile } = this.#options
    const flags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]
    const process = this.child<ServerUnderTestCalls>('server-under-test.js', flags, this.#packaged)
    const started = await process.ask('start', {
      ...this.#settings,
      POSTRIDER_ROLES: roles,
      ...(sinkPort === undefined ? {} : { POSTRIDER_MX_PORT: String(sinkPort) }),
    })
    return { process, started }
  }

  /** Opens the store of this rig's nodes, even while the nodes run; the caller must close the store. */
  openStore(): Promise<Store> {
    return openStore({ ...loadConfig(this.#settings), log: silentLog })
  }

  /** Location of the store. */
  get storage(): { readonly dataDir: string; readonly databaseUrl: string | undefined } {
    return loadConfig(this.#settings)
  }

  /** Runs an SQL statement on a new connection to the database. */
  async execute(statement: string): Promise<void> {
    const { dataDir, databaseUrl } = this.storage
    if (databaseUrl === undefined) {
      const database = new DatabaseSync(databaseFile(dataDir))
      database.exec('pragma busy_timeout = 30000')
      database.exec(statement)
      database.close()
      return
    }
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }

  /** Returns the DNS records that the playground's domain has to publish, by name. */
  async records(): Promise<ReadonlyMap<string, string>> {
    const store = await this.openStore()
    const rows = await store.read.selectFrom('domain_records').select(['name', 'value']).execute()
    await store.close()
    return new Map(rows.map(({ name, value }) => [name, value]))
  }

  async close(): Promise<void> {
    for (const close of this.#closing.splice(0).reverse()) await close()
  }
}

/**
 * Returns a DNS zone in which every destination has a mail host with its own name and address, like real domains. All
 * these addresses belong to the sink.
 */
function zoneOf(destinations: readonly string[]): DnsZone {
  return Object.fromEntries(
    destinations.flatMap((name, index) => [
      [name, { MX: [`10 mx.${name}`] }],
      [`mx.${name}`, { A: [SINK_ADDRESSES[index % SINK_ADDRESSES.length] as string] }],
    ]),
  )
}
