// A recipient host of the torture runs: a minimal SMTP server in its own process that records every message.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** One message to one address at the sink. */
export interface Arrival {
  /** Recipient address, which identifies the message to both the sink and the clients. */
  readonly address: string
  /** EHLO name of the sending node. */
  readonly node: string
  /** Time at which the sink had received the complete message, in milliseconds since 1970. */
  readonly at: number
}

/** Begin with `Sink.start`, end with `stop`. */
export class Sink {
  readonly port: number
  /** Time from the final dot to the answer. */
  readonly slowMs: number
  /** Arrivals, oldest first. */
  readonly arrivals: readonly Arrival[]
  readonly #process: ChildProcess

  private constructor(process: ChildProcess, port: number, slowMs: number, arrivals: readonly Arrival[]) {
    this.#process = process
    this.slowMs = slowMs
    this.port = port
    this.arrivals = arrivals
  }

  static async start(slowMs: number): Promise<Sink> {
    const env = { ...process.env, NODE_OPTIONS: '', SINK_SLOW_MS: String(slowMs) }
    const child = fork(import.meta.filename, { env })
    const [{ port }] = (await once(child, 'message')) as [{ port: number }]
    const arrivals: Arrival[] = []
    child.on('message', (arrival: Arrival) => arrivals.push(arrival))
    return new Sink(child, port, slowMs, arrivals)
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await ended
  }
}

/** Serves one session: answers commands in turn and records messages at their final dot. */
function serve(socket: Socket, slowMs: number, take: (arrival: Arrival) => void): void {
  let [text, node, inMessage] = ['', '', false]
  let addresses: string[] = []
  const say = (line: string): void => void socket.write(`${line}\r\n`)
  const endMessage = (): void => {
    inMessage = false
    for (const address of addresses) take({ address, node, at: Date.now() })
    addresses = []
    setTimeout(() => say('250 taken'), slowMs)
  }
  const command = (line: string): void => {
    const verb = line.slice(0, 4).toUpperCase()
    if (verb === 'EHLO') {
      node = line.slice(5)
      say('250-sink.test\r\n250 PIPELINING')
    } else if (verb === 'RCPT') {
      addresses.push(line.slice(line.indexOf('<') + 1, line.indexOf('>')))
      say('250 ok')
    } else if (verb === 'DATA') {
      inMessage = true
      say('354 go on')
    } else if (verb === 'RSET') {
      addresses = []
      say('250 ok')
    } else if (verb === 'QUIT') socket.end('221 bye\r\n')
    else say('250 ok')
  }
  socket.setEncoding('latin1')
  socket.on('error', () => {})
  socket.on('data', (chunk: string) => {
    text += chunk
    for (;;) {
      const mark = inMessage ? '\r\n.\r\n' : '\r\n'
      const end = text.indexOf(mark)
      if (end < 0) return
      const line = text.slice(0, end)
      text = text.slice(end + mark.length)
      if (inMessage) endMessage()
      else command(line)
    }
  })
  say('220 sink.test')
}

if (process.argv[1] === import.meta.filename && process.send !== undefined) {
  const tell = process.send.bind(process)
  process.on('disconnect', () => process.exit())
  const server = createServer((socket) => serve(socket, Number(process.env.SINK_SLOW_MS), (it) => tell(it)))
  server.listen(0, '127.0.0.1', () => tell({ port: (server.address() as AddressInfo).port }))
}
