// A node of the torture runs, in its own process, with its own data directory and its own clock.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../support/postgres.ts'
import { MAIN } from '../support/program.ts'

const ROOT = join(import.meta.dirname, '../..')
const START_MS = 90_000

/** Starts, stops and kills one node, and shifts the node's clock. */
export class TortureNode {
  /** EHLO name of the node. */
  readonly name: string
  readonly dataDir: string
  readonly #env: NodeJS.ProcessEnv
  readonly #port: number
  readonly #clockFile: string
  /** Sending key of the playground, which all nodes share. */
  key = ''
  #process: ChildProcess | undefined

  private constructor(name: string, dataDir: string, port: number, env: NodeJS.ProcessEnv) {
    this.name = name
    this.dataDir = dataDir
    this.#port = port
    this.#clockFile = join(dataDir, 'clock-offset')
    this.#env = { ...env, TORTURE_CLOCK_FILE: this.#clockFile }
  }

  static async in(
    dataDir: string,
    name: string,
    settings: Readonly<Record<string, string>>,
  ): Promise<TortureNode> {
    const [port, smtpPort] = [await freePort(), await freePort()]
    return new TortureNode(name, dataDir, port, {
      ...process.env,
      NODE_OPTIONS: `--import=${join(import.meta.dirname, 'clock-offset.ts')}`,
      POSTRIDER_DATA_DIR: dataDir,
      POSTRIDER_HTTP_PORT: String(port),
      POSTRIDER_SMTP_PORT: String(smtpPort),
      POSTRIDER_HOSTNAME: name,
      POSTRIDER_ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8',
      POSTRIDER_LOG_LEVEL: 'silent',
      POSTRIDER_RETRY_SCHEDULE: '1s,1s,2s,5s,5s,5s,5s,5s,5s,5s,5s,5s,5s,5s,5s,5s',
      ...settings,
    })
  }

  get #pid(): number {
    return this.#process?.pid as number
  }

  /** Starts the node, and waits until the node accepts requests. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, [MAIN, 'serve'], {
      cwd: ROOT,
      env: this.#env,
      // The closed IPC channel tells the node that this process has ended.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      detached: true,
    })
    this.#process = child
    for (const until = Date.now() + START_MS; Date.now() < until; await sleep(50)) {
      if (child.exitCode !== null) throw new Error(`${this.name} ended with ${child.exitCode}`)
      const answered = await fetch(`http://127.0.0.1:${this.#port}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      )
      if (answered) return
    }
    throw new Error(`${this.name} does not start`)
  }

  /** Returns the status of `GET /readyz`; 0 if no response arrives. */
  ready(): Promise<number> {
    return fetch(`http://127.0.0.1:${this.#port}/readyz`).then(
      ({ status }) => status,
      () => 0,
    )
  }

  /** Posts JSON with the sending key, and returns the HTTP status. Throws if no response arrives in time. */
  async post(
    path: string,
    body: string,
    headers: Readonly<Record<string, string>>,
    withinMs: number,
  ): Promise<number> {
    const response = await fetch(`http://127.0.0.1:${this.#port}/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json', ...headers },
      body,
      signal: AbortSignal.timeout(withinMs),
    })
    await response.arrayBuffer()
    return response.status
  }

  /** Sets the clock offset of the node, before the start or at run time. */
  setClock(offsetMs: number): Promise<void> {
    return writeFile(this.#clockFile, String(offsetMs))
  }

  /** Empties the data directory except for playground.json, like a new container without the old disk. */
  async loseDisk(): Promise<void> {
    const names = await readdir(this.dataDir)
    const lost = names.filter((name) => name !== 'playground.json' && name !== basename(this.#clockFile))
    await Promise.all(lost.map((name) => rm(join(this.dataDir, name), { recursive: true })))
  }

  /** Stops the node by SIGTERM, like an upgrade. */
  async stop(): Promise<void> {
    const child = this.#process
    if (child === undefined) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }

  /** True until the node's process has ended. */
  get lives(): boolean {
    return this.#process?.exitCode === null && this.#process.signalCode === null
  }

  /** Returns the process IDs of the running workers of a node with several workers. */
  async workers(): Promise<readonly number[]> {
    const children = await readFile(`/proc/${this.#pid}/task/${this.#pid}/children`, 'utf8')
    return children.split(' ').filter(Boolean).map(Number)
  }

  freeze(): void {
    process.kill(-this.#pid, 'SIGSTOP')
  }

  thaw(): void {
    process.kill(-this.#pid, 'SIGCONT')
  }

  async kill(): Promise<void> {
    if (this.#process === undefined || !this.lives) return
    const ended = once(this.#process, 'exit')
    process.kill(-this.#pid, 'SIGKILL')
    await ended
  }
}
