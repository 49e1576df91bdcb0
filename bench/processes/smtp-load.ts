// The SMTP load: a process that submits messages over persistent connections, with STARTTLS and AUTH if a login is set.

import { connect as connectTcp, type Socket } from 'node:net'
import { createHistogram } from 'node:perf_hooks'
import { connect as connectTls } from 'node:tls'
import { answerParent } from '../harness/child.ts'
import { envelope, mimeMessage } from '../harness/message.ts'
import { Stamped } from '../harness/stamped.ts'
import type { LoadResult } from './http-load.ts'

/** Target port, login and recipient domains of a load. */
export interface SmtpLoad {
  readonly port: number
  /** Login to use after STARTTLS; a load without a login uses no TLS. */
  readonly login?: { readonly username: string; readonly password: string } | undefined
  readonly connections: number
  readonly destinations: readonly string[]
}

/** End of a run: after `count` messages, or after `seconds`. */
interface SmtpRun {
  readonly seconds?: number
  readonly count?: number
}

/** Connection that is ready for messages, with the prebuilt commands and message to send. */
interface Line {
  readonly dialog: Dialog
  readonly commands: Stamped
  readonly message: Stamped
}

let lines: Line[] = []

/** SMTP dialog of a client; `command` writes commands and waits for a given number of replies. */
class Dialog {
  #socket: Socket
  #text = ''
  #wanted = 0
  #codes: number[] = []
  #settle: ((codes: number[]) => void) | undefined
  #fail: (error: Error) => void = () => {}

  constructor(socket: Socket) {
    this.#socket = socket
    this.#attach()
  }

  /** Writes the bytes to the server, and returns the codes of the next `count` replies. */
  command(bytes: Buffer | string, count = 1): Promise<number[]> {
    const codes = this.#listen(count)
    if (bytes.length > 0) this.#socket.write(bytes)
    return codes
  }

  async encrypt(): Promise<void> {
    this.#socket.removeAllListeners()
    const socket = connectTls({ socket: this.#socket, rejectUnauthorized: false })
    await new Promise<void>((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject))
    this.#socket = socket
    this.#attach()
  }

  #attach(): void {
    const broken = (error?: Error): void => this.#fail(error ?? new Error('the server closed a connection'))
    this.#socket.on('error', broken)
    this.#socket.on('close', () => broken())
    this.#socket.on('data', (chunk: Buffer) => this.#onData(chunk.toString('latin1')))
  }

  #listen(count: number): Promise<number[]> {
    this.#wanted = count
    this.#codes = []
    return new Promise((resolve, reject) => {
      this.#settle = resolve
      this.#fail = reject
    })
  }

  #onData(text: string): void {
    this.#text += text
    for (let end = this.#text.indexOf('\n'); end >= 0; end = this.#text.indexOf('\n')) {
      // All lines of a reply except the last have a hyphen after the code (RFC 5321 §4.2.1).
      if (this.#text[3] !== '-') this.#codes.push(Number(this.#text.slice(0, 3)))
      this.#text = this.#text.slice(end + 1)
    }
    if (this.#codes.length >= this.#wanted) this.#settle?.(this.#codes)
  }
}

function check(codes: readonly number[], ...wanted: number[]): void {
  if (wanted.some((code, index) => codes[index] !== code)) {
    throw new Error(`the server replied ${codes.join(', ')} instead of ${wanted.join(', ')}`)
  }
}

/** Opens a connection and completes EHLO, STARTTLS and AUTH, so that MAIL is allowed. */
async function open({ port, login }: SmtpLoad): Promise<Dialog> {
  const dialog = new Dialog(connectTcp({ host: '127.0.0.1', port, noDelay: true }))
  check(await dialog.command(''), 220)
  check(await dialog.command('EHLO bench.test\r\n'), 250)
  if (login === undefined) return dialog
  check(await dialog.command('STARTTLS\r\n'), 220)
  await dialog.encrypt()
  check(await dialog.command('EHLO bench.test\r\n'), 250)
  const secret = Buffer.from(`\0${login.username}\0${login.password}`).toString('base64')
  check(await dialog.command(`AUTH PLAIN ${secret}\r\n`), 235)
  return dialog
}

/** Opens the connections, which stay open for all runs. */
async function start(load: SmtpLoad): Promise<void> {
  lines = await Promise.all(
    Array.from({ length: load.connections }, async (_, index) => {
      const destination = load.destinations[index % load.destinations.length]!
      const { from, to } = envelope(destination)
      return {
        dialog: await open(load),
        commands: new Stamped(`MAIL FROM:<${from}>\r\nRCPT TO:<${to}>\r\nDATA\r\n`),
        message: new Stamped(`${mimeMessage(destination)}.\r\n`),
      }
    }),
  )
}

/** Submits messages on all connections, one message after another on each connection. */
async function run({ seconds: length, count }: SmtpRun): Promise<LoadResult> {
  const latency = createHistogram({ lowest: 1, highest: 60_000_000, figures: 3 })
  const cpuBefore = process.cpuUsage()
  const startedAt = Date.now()
  const start = performance.now()
  const until = start + (length ?? Number.POSITIVE_INFINITY) * 1000
  let begun = 0
  let requests = 0
  let refused = 0
  const submit = async ({ dialog, commands, message }: Line): Promise<void> => {
    while (performance.now() < until && begun !== count) {
      const before = performance.now()
      const counter = begun++
      commands.stamp(counter, Date.now())
      message.stamp(counter, Date.now())
      check(await dialog.command(commands.bytes, 3), 250, 250, 354)
      const [code = 0] = await dialog.command(message.bytes)
      if (code !== 250) refused++
      requests++
      latency.record(Math.max(1, Math.round((performance.now() - before) * 1000)))
    }
  }
  await Promise.all(lines.map(submit))
  const seconds = (performance.now() - start) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  return {
    requests,
    refused,
    perSecond: requests / seconds,
    p50: latency.percentile(50) / 1000,
    p99: latency.percentile(99) / 1000,
    max: latency.max / 1000,
    cpuMicros: (user + system) / requests,
    startedAt,
  }
}

const calls = { start, run }
export type SmtpLoadCalls = typeof calls
answerParent(calls)
