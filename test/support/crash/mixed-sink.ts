// The receiving side of the mixed run, in a separate process: fast, slow and non-pipelining mail hosts, and the
// receivers of two webhooks. Records every reply with its time.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { DnsZone } from '../dns-host.ts'

/** A mail host of the sink. */
interface SinkHost {
  readonly address: string
  readonly extensions: readonly string[]
  /** Milliseconds from the final dot of DATA to the reply. */
  readonly slowMs: number
}

/** Mail hosts by recipient domain. */
export const SINK_HOSTS: Readonly<Record<string, SinkHost>> = {
  'near.example': { address: '127.0.0.1', extensions: ['PIPELINING', 'CHUNKING'], slowMs: 0 },
  'other.example': { address: '127.0.0.2', extensions: ['PIPELINING'], slowMs: 0 },
  'plain.example': { address: '127.0.0.3', extensions: [], slowMs: 0 },
  'slow.example': { address: '127.0.0.4', extensions: ['PIPELINING'], slowMs: 15 },
}

/** DNS zone with the MX and address records of the mail hosts. */
export const SINK_ZONE: DnsZone = Object.fromEntries(
  Object.entries(SINK_HOSTS).flatMap(([domain, { address }]) => [
    [domain, { MX: [`10 mx.${domain}`] }],
    [`mx.${domain}`, { A: [address] }],
  ]),
)

/** A message that a mail host has accepted for an address. */
export interface TakenMail {
  readonly kind: 'mail'
  readonly address: string
  /** Token of the return path; all copies of a message have the same token. */
  readonly token: string
  /** Time at which the mail host had the complete message, in milliseconds since 1970. */
  readonly at: number
  /** Time of the reply, in milliseconds since 1970; undefined if the sender had disconnected before. */
  readonly answeredAt: number | undefined
}

/** A webhook request to which the receiver responded with 204. */
export interface HookRequest {
  readonly kind: 'request'
  /** URL path of the webhook. */
  readonly webhook: string
  readonly events: readonly string[]
  readonly at: number
}

/** The mail hosts and webhook receivers; a test calls `MixedSink.start` and `stop`. */
export class MixedSink {
  /** Port on which all mail hosts listen. */
  readonly port: number
  readonly hookPort: number
  /** Accepted messages in the order of the replies. */
  readonly mails: readonly TakenMail[]
  readonly requests: readonly HookRequest[]
  readonly #process: ChildProcess

  private constructor(
    process: ChildProcess,
    ports: { readonly port: number; readonly hookPort: number },
    [mails, requests]: readonly [readonly TakenMail[], readonly HookRequest[]],
  ) {
    this.#process = process
    this.port = ports.port
    this.hookPort = ports.hookPort
    this.mails = mails
    this.requests = requests
  }

  static async start(): Promise<MixedSink> {
    const child = fork(import.meta.filename, { env: { ...process.env, NODE_OPTIONS: '' } })
    const [ports] = (await once(child, 'message')) as [{ port: number; hookPort: number }]
    const mails: TakenMail[] = []
    const requests: HookRequest[] = []
    child.on('message', (taken: TakenMail | HookRequest) => {
      if (taken.kind === 'mail') mails.push(taken)
      else requests.push(taken)
    })
    return new MixedSink(child, ports, [mails, requests])
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await ended
  }
}

type Tell = (taken: TakenMail | HookRequest) => void

/** Runs one SMTP session: replies to commands in order, and to each message after the delay of the mail host. */
function serve(socket: Socket, { extensions, slowMs }: SinkHost, tell: Tell): void {
  let input: Buffer = Buffer.alloc(0)
  let sender = ''
  let addresses: string[] = []
  /** `chunk` is the number of missing bytes of a BDAT chunk. */
  let mode: 'commands' | 'data' | 'waits' | { readonly chunk: number; readonly isLast: boolean } = 'commands'
  const reply = (line: string): void => void socket.write(`${line}\r\n`)
  const take = (): void => {
    const at = Date.now()
    const [from, to] = [sender, addresses]
    addresses = []
    mode = 'waits'
    const answer = (): void => {
      const isThere = !socket.destroyed && socket.writable
      if (isThere) reply('250 taken')
      const answeredAt = isThere ? Date.now() : undefined
      const token = from.slice(from.indexOf('+') + 1, from.indexOf('@'))
      for (const address of to) tell({ kind: 'mail', address, token, at, answeredAt })
      mode = 'commands'
      read()
    }
    if (slowMs === 0) answer()
    else setTimeout(answer, slowMs)
  }
  const command = (line: string): void => {
    const verb = line.slice(0, 4).toUpperCase()
    const path = line.slice(line.indexOf('<') + 1, line.indexOf('>'))
    if (verb === 'EHLO')
      reply(
        ['sink.test', ...extensions]
          .map((one, i, all) => `250${i < all.length - 1 ? '-' : ' '}${one}`)
          .join('\r\n'),
      )
    else if (verb === 'MAIL') {
      sender = path
      reply('250 ok')
    } else if (verb === 'RCPT') {
      addresses.push(path)
      reply('250 ok')
    } else if (verb === 'DATA') {
      mode = 'data'
      reply('354 go on')
    } else if (verb === 'BDAT') {
      const [, size, last] = line.split(' ')
      mode = { chunk: Number(size), isLast: last?.toUpperCase() === 'LAST' }
    } else if (verb === 'QUIT') socket.end('221 bye\r\n')
    else {
      addresses = []
      reply('250 ok')
    }
  }
  /** Processes one step of the input; returns false if more bytes are necessary. */
  const step = (): boolean => {
    if (mode === 'waits') return false
    if (typeof mode === 'object') {
      if (input.length < mode.chunk) return false
      input = input.subarray(mode.chunk)
      if (mode.isLast) take()
      else {
        mode = 'commands'
        reply('250 chunk')
      }
      return true
    }
    const mark = mode === 'data' ? '\r\n.\r\n' : '\r\n'
    const end = input.indexOf(mark)
    if (end < 0) return false
    const line = mode === 'data' ? '' : input.toString('latin1', 0, end)
    input = input.subarray(end + mark.length)
    if (mode === 'data') take()
    else command(line)
    return true
  }
  const read = (): void => {
    while (step());
  }
  socket.on('error', () => {})
  socket.on('data', (chunk: Buffer) => {
    input = input.length === 0 ? chunk : Buffer.concat([input, chunk])
    read()
  })
  reply('220 sink.test')
}

/** Creates the webhook receiver, which responds to every request with 204. */
const hookServer = (tell: Tell) =>
  createHttpServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('error', () => {})
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const payload = JSON.parse(Buffer.concat(chunks).toString())
      const events = (Array.isArray(payload) ? payload : [payload]).map(({ data }) => data.id as string)
      response.statusCode = 204
      response.end()
      tell({ kind: 'request', webhook: request.url ?? '', events, at: Date.now() })
    })
  })

async function listen(server: Server, address: string, port = 0): Promise<number> {
  server.listen(port, address)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Main function of the process. */
async function receive(tell: (message: object) => void): Promise<void> {
  process.on('disconnect', () => process.exit())
  let port = 0
  for (const host of Object.values(SINK_HOSTS))
    port = await listen(
      createServer({ noDelay: true }, (socket) => serve(socket, host, tell)),
      host.address,
      port,
    )
  const hookPort = await listen(hookServer(tell), '127.0.0.1')
  tell({ port, hookPort })
}

if (process.argv[1] === import.meta.filename && process.send !== undefined)
  void receive(process.send.bind(process))
