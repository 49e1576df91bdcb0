// The service under attack: a node in production mode in its own process, with three tenants, a DNS server, and a mail
// host (sink) for the delivered mail.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createUser } from '../../src/access/accounts.ts'
import { loadConfig } from '../../src/config/load.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { openStore } from '../../src/store/node/open-in-mode.ts'
import { Receiver } from '../support/crash/receiver.ts'
import { DnsHost } from '../support/dns-host.ts'
import { freePort } from '../support/postgres.ts'
import { MAIN } from '../support/program.ts'
import { type TestStorage, testStorage, usualDatabase } from '../support/store.ts'
import { createTenant, type Tenant } from '../support/tenant.ts'
import type { Attacked, Recipe } from './recipe.ts'

const START_MS = 60_000
const SAMPLE_MS = 200

/** DNS zone in which the sink is the mail host of every domain that the recipe does not define. */
const USUAL_ZONE = { '*.test': { MX: ['10 mx.sink.test'] }, 'mx.sink.test': { A: ['127.0.0.1'] } }

/** Setting that allows the PostgreSQL server of the tests, which runs without fsync. */
const OF_A_TEST = { POSTRIDER_ALLOW_UNSAFE_DATABASE: 'yes' }

/** Service under attack, started by `Target.start` and removed by `stop`. */
export class Target {
  readonly attacked: Omit<Attacked, 'load'>
  readonly honest: Tenant
  readonly #storage: TestStorage
  readonly #process: ChildProcess
  readonly #sampling: NodeJS.Timeout
  #peakRssMiB = 0

  private constructor(
    attacked: Omit<Attacked, 'load'>,
    honest: Tenant,
    storage: TestStorage,
    child: ChildProcess,
  ) {
    this.attacked = attacked
    this.honest = honest
    this.#storage = storage
    this.#process = child
    this.#sampling = setInterval(() => this.#sample(), SAMPLE_MS)
  }

  static async start({ settings, zone, fill }: Pick<Recipe, 'settings' | 'zone' | 'fill'>): Promise<Target> {
    const sink = await Receiver.start()
    const dns = await DnsHost.start({ ...USUAL_ZONE, ...zone })
    const storage = await testStorage(usualDatabase())
    const { dataDir, databaseUrl } = storage
    const [httpPort, smtpPort, smtpsPort, inboundPort, adminPort] = await Promise.all(
      Array.from({ length: 5 }, () => freePort()),
    )
    const url = `http://127.0.0.1:${httpPort}`
    const env = {
      POSTRIDER_MODE: 'production',
      POSTRIDER_DATA_DIR: dataDir,
      ...(databaseUrl === undefined ? {} : { POSTRIDER_DATABASE_URL: databaseUrl, ...OF_A_TEST }),
      POSTRIDER_HTTP_PORT: String(httpPort),
      POSTRIDER_ADMIN_PORT: String(adminPort),
      POSTRIDER_PUBLIC_URL: url,
      POSTRIDER_SMTP_PORT: String(smtpPort),
      POSTRIDER_SMTPS_PORT: String(smtpsPort),
      POSTRIDER_INBOUND_PORT: String(inboundPort),
      POSTRIDER_HOSTNAME: 'attacked.test',
      POSTRIDER_DNS_SERVERS: dns.server,
      POSTRIDER_MX_PORT: String(sink.port),
      POSTRIDER_ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8',
      POSTRIDER_LOG_LEVEL: 'warn',
      ...settings,
    }
    const [honest, attacker, accomplice, people] = await makeTenants(env, storage, fill)
    const log = openSync(join(dataDir, 'log'), 'a')
    // The node runs with the options of Node.js that bin/node has given to this process.
    const child = spawn(process.execPath, [...process.execArgv, MAIN, 'serve'], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', log],
    })
    const ports = { smtpPort, smtpsPort, inboundPort } as Pick<
      Attacked,
      'smtpPort' | 'smtpsPort' | 'inboundPort'
    >
    const adminUrl = `http://127.0.0.1:${adminPort}`
    const attacked = { url, adminUrl, ...ports, dataDir, attacker, accomplice, people, dns, sink }
    const target = new Target(attacked, honest, storage, child)
    await target.#untilReady()
    return target
  }

  get url(): string {
    return this.attacked.url
  }

  get sink(): Receiver {
    return this.attacked.sink
  }

  get lives(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null
  }

  /** Peak memory of the node's process (VmHWM), in MiB. */
  get peakRssMiB(): number {
    this.#sample()
    return this.#peakRssMiB
  }

  /** Current memory of the node's process, in MiB. */
  rssMiB(): number {
    return this.#memory('VmRSS') ?? 0
  }

  /** Returns the last 2,000 characters of the node's log. */
  lastWords(): string {
    return readFileSync(join(this.attacked.dataDir, 'log'), 'utf8').slice(-2_000)
  }

  async stop(): Promise<void> {
    clearInterval(this.#sampling)
    if (this.lives) {
      const ended = once(this.#process, 'exit')
      this.#process.kill('SIGKILL')
      await ended
    }
    await Promise.all([this.attacked.sink.stop(), this.attacked.dns.stop()])
    await this.#storage.remove()
  }

  async #untilReady(): Promise<void> {
    for (const until = Date.now() + START_MS; Date.now() < until; await sleep(50)) {
      if (!this.lives) throw new Error(`the service does not start: ${this.lastWords()}`)
      const ready = await fetch(`${this.url}/readyz`).then(
        (response) => response.ok,
        () => false,
      )
      if (ready) return
    }
    throw new Error('the service does not become ready')
  }

  #sample(): void {
    this.#peakRssMiB = Math.max(this.#peakRssMiB, this.#memory('VmHWM') ?? 0)
  }

  /** Reads a memory field of the process from proc(5); returns undefined if the process has ended. */
  #memory(field: 'VmRSS' | 'VmHWM'): number | undefined {
    try {
      const status = readFileSync(`/proc/${this.#process.pid}/status`, 'utf8')
      const kib = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]
      return kib === undefined ? undefined : Number(kib) / 1024
    } catch {
      return undefined
    }
  }
}

/** Number of dashboard users of the honest tenant. */
const PEOPLE = 8

/** Creates the honest tenant with its users, and the two tenants of the attacker, before the service starts. */
async function makeTenants(
  env: Readonly<Record<string, string>>,
  storage: TestStorage,
  fill: Recipe['fill'],
): Promise<[Tenant, Tenant, Tenant, Attacked['people']]> {
  const store = await openStore({ ...loadConfig(env), log: silentLog })
  const honest = await createTenant(store, { domain: 'honest.test' })
  const others: [Tenant, Tenant] = [
    await createTenant(store, { domain: 'attacker.test' }),
    await createTenant(store, { domain: 'accomplice.test' }),
  ]
  await fill?.({ store, storage, attacker: others[0] })
  const people = Array.from({ length: PEOPLE }, (_, i) => ({
    email: `person${i}@honest.test`,
    password: 'a long password',
  }))
  const clock = systemClock
  for (const { email, password } of people) {
    const user = { account_id: honest.account.id, email, password, name: 'Ann', role: 'viewer' } as const
    await createUser({ store, clock }, user)
  }
  await store.close()
  return [honest, ...others, people]
}
