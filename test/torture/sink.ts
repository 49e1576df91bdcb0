// The recipients' mail host in torture runs: a minimal SMTP server in its own process that records every message.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** Arrival of one message for one recipient at the sink. */
export interface Arrival {
  /** Recipient address, by which the sink and the clients identify the message. */
  readonly address: string
  /** Name of the sending node in its EHLO command. */
  readonly node: string
  /** Time at which the complete message had arrived, in milliseconds since 1970. */
  readonly at: number
}

/** SMTP sink, started by `Sink.start` and stopped by `stop`. */
export class Sink {
  readonly port: number
  /** Time from the final dot of a message to the reply, in milliseconds. */
  readonly slowMs: number
  /** Recorded arrivals, oldest first. */
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

/** Serves one SMTP session: replies to commands in turn, and records each message at its final dot. */
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
