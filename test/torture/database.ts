// The PostgreSQL of the torture runs, with fsync as in production, and its processes in our hands.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgres } from '../support/postgres.ts'

/** A server with one database. */
export class TortureDatabase {
  readonly url: string
  readonly #postmaster: number
  readonly #stop: () => Promise<void>

  private constructor(url: string, postmaster: number, stop: () => Promise<void>) {
    this.url = url
    this.#postmaster = postmaster
    this.#stop = stop
  }

  static async start(): Promise<TortureDatabase> {
    const { url, stop } = await startPostgres([])
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query<{ data_directory: string }>('show data_directory')
    await client.end()
    const [pid] = readFileSync(join(rows[0]?.data_directory as string, 'postmaster.pid'), 'utf8').split('\n')
    return new TortureDatabase(url, Number(pid), stop)
  }

  /** Stops all of its processes where they are: connections stand, and nothing is answered. */
  freeze(): void {
    for (const pid of this.#processes()) process.kill(pid, 'SIGSTOP')
  }

  thaw(): void {
    for (const pid of this.#processes()) process.kill(pid, 'SIGCONT')
  }

  /** Kills a process of the server, which then ends all others and recovers as after a crash. */
  crash(): void {
    const [, victim] = this.#processes()
    if (victim !== undefined) process.kill(victim, 'SIGKILL')
  }

  stop(): Promise<void> {
    return this.#stop()
  }

  /** The postmaster first. */
  #processes(): number[] {
    const children = readdirSync('/proc').filter((name) => {
      if (!/^\d+$/.test(name)) return false
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
        return Number(stat.slice(stat.lastIndexOf(')') + 4).split(' ')[0]) === this.#postmaster
      } catch {
        return false
      }
    })
    return [this.#postmaster, ...children.map(Number)]
  }
}
