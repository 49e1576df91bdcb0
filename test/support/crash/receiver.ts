// A mail host in a separate process, so that the load of the sender does not delay the mail host.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { MailHost } from '../mail-host/mail-host.ts'

/** A message that the mail host received. */
export interface Arrival {
  /** ID of the message, from the token in the return path. */
  readonly id: string
  /** Message-ID with angle brackets; undefined if the message has no Message-ID field. */
  readonly messageIdField: string | undefined
  /** Time at which the mail host had the complete message, in milliseconds since 1970. */
  readonly at: number
}

/** The mail host; a test calls `Receiver.start` and `stop`. */
export class Receiver {
  readonly port: number
  /** Accepted messages, oldest first. */
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

/** Number of bytes of a message in which the Message-ID field is searched. */
const MAX_HEADER = 65_536

/**
 * Main function of the process: runs a mail host that reports every accepted message to the parent before it replies to
 * the sender.
 */
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
