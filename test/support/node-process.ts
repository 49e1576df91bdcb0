// A node in a process of its own, which tests kill and start again on the same store.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { PlaygroundFile } from '../../src/playground/setup.ts'
import type { DnsHost } from './dns-host.ts'
import type { MailHost } from './mail-host/mail-host.ts'
import { MAIN } from './program.ts'
import type { TestStorage } from './store.ts'

/** Storage and hosts of a node in a process; `env` overrides the usual settings. */
export interface NodeWorld {
  readonly storage: TestStorage
  readonly dns: DnsHost
  readonly host: MailHost
  readonly env?: Readonly<Record<string, string>>
}

/** Starts and kills nodes of one store, one node after another, each on free ports. */
export class NodeProcess {
  readonly #world: NodeWorld
  #child: ChildProcess | undefined
  #playground: PlaygroundFile | undefined

  constructor(world: NodeWorld) {
    this.#world = world
  }

  /** Addresses and secrets of the running node. */
  get playground(): PlaygroundFile {
    if (this.#playground === undefined) throw new Error('the node has not started')
    return this.#playground
  }

  /** Starts a node, after a node that still runs was killed; resolves when the node listens. */
  async start(): Promise<void> {
    // A node that a failed test left running would keep the test run from ending.
    await this.kill()
    const { storage, dns, host, env } = this.#world
    const child = spawn(process.execPath, [MAIN, 'serve', '--json'], {
      env: {
        ...process.env,
        POSTRIDER_DATA_DIR: storage.dataDir,
        POSTRIDER_DATABASE_URL: storage.databaseUrl ?? '',
        POSTRIDER_HTTP_PORT: '0',
        POSTRIDER_SMTP_PORT: '0',
        POSTRIDER_HOSTNAME: 'sender.test',
        POSTRIDER_DNS_SERVERS: dns.server,
        POSTRIDER_MX_PORT: String(host.port),
        POSTRIDER_ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8',
        POSTRIDER_LOG_LEVEL: 'silent',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#child = child
    this.#playground = await playgroundOf(child)
  }

  /** Kills the node with SIGKILL, and waits for its end. */
  async kill(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
}

/** Returns the playground in the first document that a node prints; throws if the node ends before. */
async function playgroundOf(child: ChildProcess): Promise<PlaygroundFile> {
  let output = ''
  for await (const piece of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    output += piece
    // The document ends with the only line that begins with a brace.
    if (/^}\n/m.test(output)) break
  }
  const { playground } = JSON.parse(output) as { readonly playground: PlaygroundFile }
  return playground
}
