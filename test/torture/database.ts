// The PostgreSQL servers of the torture runs, with fsync as in production. A torture run can kill and suspend the
// processes of these servers.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { freePort, type PostgresServer, startPostgres, startStandby } from '../support/postgres.ts'

/** A running PostgreSQL server, with the process ID of the postmaster, the parent of all other server processes. */
interface Running extends PostgresServer {
  readonly postmaster: number
}

/** A single PostgreSQL server, or a primary with a synchronous standby. */
export class TortureDatabase {
  /** Database URL that names the hosts of all servers. */
  readonly url: string
  #primary: Running
  #standby: Running | undefined

  private constructor(primary: Running, standby?: Running) {
    this.#primary = primary
    this.#standby = standby
    const hosts = [primary, standby].flatMap((one) => (one === undefined ? [] : [new URL(one.url).host]))
    this.url = primary.url.replace(/@[^/]*/, `@${hosts}`)
  }

  static async start(): Promise<TortureDatabase> {
    return new TortureDatabase(await running(await startPostgres([])))
  }

  /** Starts a primary with a standby that receives each commit before the primary confirms the commit. */
  static async startWithStandby(): Promise<TortureDatabase> {
    const primary = await running(await startPostgres([]))
    return new TortureDatabase(primary, await standbyOf(primary, await freePort()))
  }

  /** Kills all processes of the primary, and promotes the standby to primary. */
  async failOver(): Promise<void> {
    const [dead, next] = [this.#primary, this.#standby]
    if (next === undefined) throw new Error('there is no standby')
    for (const pid of this.#processes()) process.kill(pid, 'SIGKILL')
    await query(next, 'select pg_promote()')
    await dead.stop()
    this.#primary = next
    this.#standby = undefined
    this.#deadPort = Number(new URL(dead.url).port)
  }

  #deadPort = 0

  /** Starts a new standby at the port of the killed server. */
  async restoreStandby(): Promise<void> {
    this.#standby = await standbyOf(this.#primary, this.#deadPort)
  }

  /** Suspends all processes of the primary; connections stay open, and queries get no response. */
  freeze(): void {
    for (const pid of this.#processes()) process.kill(pid, 'SIGSTOP')
  }

  thaw(): void {
    for (const pid of this.#processes()) process.kill(pid, 'SIGCONT')
  }

  /** Kills one process of the primary; PostgreSQL then ends all other processes and recovers as after a crash. */
  crash(): void {
    const [, victim] = this.#processes()
    if (victim !== undefined) process.kill(victim, 'SIGKILL')
  }

  async stop(): Promise<void> {
    await Promise.all([this.#standby?.stop(), this.#primary.stop()])
  }

  /** Returns the process IDs of the primary, the postmaster first. */
  #processes(): number[] {
    const { postmaster } = this.#primary
    const children = readdirSync('/proc').filter((name) => {
      if (!/^\d+$/.test(name)) return false
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
        return Number(stat.slice(stat.lastIndexOf(')') + 4).split(' ')[0]) === postmaster
      } catch {
        return false
      }
    })
    return [postmaster, ...children.map(Number)]
  }
}

async function running(server: PostgresServer): Promise<Running> {
  const [{ data_directory }] = await query<{ data_directory: string }>(server, 'show data_directory')
  const [pid] = readFileSync(join(data_directory, 'postmaster.pid'), 'utf8').split('\n')
  return { ...server, postmaster: Number(pid) }
}

/** Starts a synchronous standby; later commits of the primary wait for the standby. */
async function standbyOf(primary: Running, port: number): Promise<Running> {
  const standby = await running(await startStandby(primary, port))
  await query(primary, "alter system set synchronous_standby_names = '*'")
  await query(primary, 'select pg_reload_conf()')
  return standby
}

async function query<Row>({ url }: PostgresServer, text: string): Promise<[Row, ...Row[]]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows as [Row, ...Row[]]
  } finally {
    await client.end()
  }
}
