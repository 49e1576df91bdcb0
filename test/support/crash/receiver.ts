// A receiving host in a process of its own, as in life: what loads the sender does not keep the receiver from answering.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { MailHost } from '../mail-host/mail-host.ts'

/** A message that arrived. */
export interface Arrival {
  /** The message, by the token in its return path. */
  readonly id: string
  /** With its angle brackets; undefined when the header has none. */
  readonly messageIdField: string | undefined
  /** Time at which the host had all of it, in milliseconds since 1970. */
  readonly at: number
}

/** Start with `Receiver.start`, end with `stop`. */
export class Receiver {
  readonly port: number
  /** Every message taken, oldest first. */
  readonly arrivals: readonly Arrival[]
  readonly #process: ChildProcess

  private constructor(process: ChildProcess, port: number, arrivals: readonly Arrival[]) {
    this.#process = process
    this.port = port
    this.arrivals = arrivals
  }

  static async start(): Promise<Receiver> {
    const child = fork(import.meta.filename, { env: { ...process.env, NODE_OPTIONS: '' } })
    const [{ port }] = (await once(child, 'message')) as [{ port: number }]
    const arrivals: Arrival[] = []
    child.on('message', (arrival: Arrival) => arrivals.push(arrival))
    return new Receiver(child, port, arrivals)
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await ended
  }
}

/** Bytes of a message in which its header is looked for. */
const MAX_HEADER = 65_536

/** The process itself: a mail host that tells of every message it has taken, before it says so to the sender. */
async function receive(tell: (message: object) => void): Promise<void> {
  process.on('disconnect', () => process.exit())
  const host = await MailHost.start()
  const store = host.store.bind(host)
  host.store = (mail) => {
    store(mail)
    tell({
      id: `msg_${mail.from.slice('bounces+'.length, 'bounces+'.length + 26).toUpperCase()}`,
      messageIdField: /^Message-ID:\s*(<[^>]+>)/im.exec(mail.data.toString('latin1', 0, MAX_HEADER))?.[1],
      at: Date.now(),
    } satisfies Arrival)
    host.mails.length = 0
    mail.connection.chunks.length = 0
  }
  tell({ port: host.port })
}

if (process.argv[1] === import.meta.filename && process.send !== undefined)
  void receive(process.send.bind(process))
