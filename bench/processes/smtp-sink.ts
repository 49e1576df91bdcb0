// The sink: a process that accepts messages over SMTP as fast as possible, counts the messages, and keeps a few
// samples.

import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createHistogram } from 'node:perf_hooks'
import { answerParent } from '../harness/child.ts'
import { BENCH_FIELD } from '../harness/message.ts'
import { SINK_ADDRESSES } from '../harness/sink-addresses.ts'

const EHLO_REPLY = '250-sink.test\r\n250-PIPELINING\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 SIZE 52428800\r\n'
const OK = '250 2.0.0 Ok\r\n'
const END = Buffer.from('\r\n.\r\n')
const STAMP = Buffer.from(`${BENCH_FIELD}: `)
const LF = 10

/** Report on the messages that arrived since the last `reset`. */
export interface SinkReport {
  readonly messages: number
  /** Number of messages whose counter had already arrived. */
  readonly repeated: number
  /** Arrival time of the first message, in milliseconds since 1970. */
  readonly firstAt: number
  readonly lastAt: number
  /** Median time from the sending of a request to the complete arrival of the message, in milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Maximum number of concurrent connections. */
  readonly mostOpen: number
  /** CPU time of the sink per message, in microseconds. */
  readonly cpuMicros: number
  /** Complete sample messages, without dot-stuffing. */
  readonly kept: readonly Buffer[]
}

let ehloReply = EHLO_REPLY
let messages = 0
let repeated = 0
let firstAt = 0
let lastAt = 0
let keepEvery = 0
let open = 0
let mostOpen = 0
let kept: Buffer[] = []
let seen = new Set<number>()
let cpuBefore = process.cpuUsage()
const latency = createHistogram({ lowest: 1, highest: 3_600_000, figures: 3 })
let awaited: { readonly count: number; reached(): void } | undefined

function onMessage(chunks: readonly Buffer[], stuffed: boolean): void {
  lastAt = Date.now()
  if (messages++ === 0) firstAt = lastAt
  const head = chunks[0]!
  const at = head.indexOf(STAMP)
  if (at >= 0) {
    const from = at + STAMP.length
    latency.record(Math.max(1, lastAt - digits(head, from, 13)))
    const counter = digits(head, from + 14, 8)
    if (seen.has(counter)) repeated++
    seen.add(counter)
  }
  if (keepEvery > 0 && messages % keepEvery === 1)
    kept.push(stuffed ? unstuffed(chunks) : Buffer.concat(chunks))
  if (messages === awaited?.count) awaited.reached()
}

/** Removes the final dot and the dot-stuffing from the data of a message (RFC 5321 §4.5.2). */
function unstuffed(chunks: readonly Buffer[]): Buffer {
  const text = Buffer.concat(chunks).toString('latin1')
  return Buffer.from(text.slice(0, 2 - END.length).replace(/^\.\./gm, '.'), 'latin1')
}

function digits(bytes: Buffer, from: number, count: number): number {
  let value = 0
  for (let i = from; i < from + count; i++) value = value * 10 + (bytes[i]! - 48)
  return value
}

/** One SMTP connection; it reads lines until DATA or BDAT, and then content up to the final dot or the BDAT length. */
class Session {
  readonly #socket: Socket
  #line: Buffer | undefined
  /** Received chunks of the current message. */
  #data: Buffer[] = []
  #mode: 'commands' | 'data' | 'bdat' = 'commands'
  /** Last bytes before the current chunk, in which the final dot may begin. */
  #seam = ''
  /** Remaining bytes of the current BDAT command. */
  #left = 0
  /** True if the current BDAT command is the last BDAT command of the message (RFC 3030 §2). */
  #last = false

  constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk: Buffer) => this.#onData(chunk))
    socket.write('220 sink.test ESMTP\r\n')
  }

  #onData(given: Buffer): void {
    const chunk = this.#line === undefined ? given : Buffer.concat([this.#line, given])
    this.#line = undefined
    let replies = ''
    for (let at = 0; at < chunk.length; ) {
      if (this.#mode === 'commands') {
        const end = chunk.indexOf(LF, at)
        if (end < 0) {
          this.#line = chunk.subarray(at)
          break
        }
        replies += this.#command(chunk.toString('latin1', at, end))
        at = end + 1
      } else {
        const end = this.#mode === 'data' ? this.#endOfData(chunk, at) : this.#endOfBdat(chunk, at)
        const stop = end < 0 ? chunk.length : end
        this.#data.push(chunk.subarray(at, stop))
        at = stop
        if (end >= 0) replies += this.#received()
      }
    }
    if (replies !== '') this.#socket.write(replies, 'latin1')
  }

  #command(line: string): string {
    switch (line.slice(0, 4).toUpperCase()) {
      case 'EHLO':
        return ehloReply
      case 'DATA':
        this.#mode = 'data'
        this.#seam = '\r\n'
        return '354 Go on\r\n'
      case 'BDAT': {
        const [, bytes, last] = line.trim().split(' ')
        this.#left = Number(bytes)
        this.#last = last !== undefined
        if (this.#left === 0) return this.#received()
        this.#mode = 'bdat'
        return ''
      }
      case 'QUIT':
        setImmediate(() => this.#socket.end())
        return '221 2.0.0 Bye\r\n'
      default:
        return OK
    }
  }

  #received(): string {
    const stuffed = this.#mode === 'data'
    this.#mode = 'commands'
    if (stuffed || this.#last) {
      onMessage(this.#data, stuffed)
      this.#data = []
    }
    return OK
  }

  /** Returns the position after the data of the current BDAT command; -1 if the data continues in the next chunk. */
  #endOfBdat(chunk: Buffer, at: number): number {
    const end = at + this.#left
    this.#left = Math.max(0, end - chunk.length)
    return end <= chunk.length ? end : -1
  }

  /** Returns the position after the final dot; -1 if the chunk does not contain the final dot. */
  #endOfData(chunk: Buffer, at: number): number {
    const border = this.#seam + chunk.toString('latin1', at, at + END.length - 1)
    const inBorder = border.indexOf('\r\n.\r\n')
    if (inBorder >= 0) return at + inBorder + END.length - this.#seam.length
    const found = chunk.indexOf(END, at)
    if (found >= 0) return found + END.length
    const most = END.length - 1
    const tail = chunk.length - at < most ? border : chunk.toString('latin1', chunk.length - most)
    this.#seam = tail.slice(-most)
    return -1
  }
}

const servers: Server[] = []

async function listen(host: string, port: number): Promise<number> {
  const server = createServer({ noDelay: true }, (socket) => {
    mostOpen = Math.max(mostOpen, ++open)
    socket.once('close', () => open--)
    new Session(socket)
  })
  servers.push(server)
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))
  return (server.address() as AddressInfo).port
}

/** Starts the sink on the same free port of all its addresses; offers CHUNKING if `chunking` is true. */
async function start({ chunking }: { readonly chunking: boolean }): Promise<{ port: number }> {
  if (chunking) ehloReply = EHLO_REPLY.replace('250 ', '250-CHUNKING\r\n250 ')
  const port = await listen('127.0.0.1', 0)
  await Promise.all(SINK_ADDRESSES.map((address) => listen(address, port)))
  return { port }
}

/** Resets all counters; the sink then keeps one in `keep` messages. */
function reset({ keep }: { readonly keep: number }): void {
  messages = repeated = firstAt = lastAt = 0
  mostOpen = open
  keepEvery = keep
  kept = []
  seen = new Set()
  cpuBefore = process.cpuUsage()
  latency.reset()
}

/** Resolves when `count` messages have arrived, or after `quietMs` milliseconds without an arrival. */
async function until({
  count,
  quietMs,
}: {
  readonly count: number
  readonly quietMs: number
}): Promise<void> {
  if (messages >= count) return
  const started = Date.now()
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (Date.now() - Math.max(lastAt, started) > quietMs) end()
    }, 100)
    const end = (): void => {
      clearInterval(timer)
      awaited = undefined
      resolve()
    }
    awaited = { count, reached: end }
  })
}

function report(_: undefined): SinkReport {
  const { user, system } = process.cpuUsage(cpuBefore)
  return {
    messages,
    repeated,
    firstAt,
    lastAt,
    p50: latency.percentile(50),
    p99: latency.percentile(99),
    mostOpen,
    cpuMicros: (user + system) / messages,
    kept,
  }
}

const calls = { start, reset, until, report }
export type SmtpSinkCalls = typeof calls
answerParent(calls, () => {
  for (const server of servers) server.close()
})
