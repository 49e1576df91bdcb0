// Sends the same requests to one node repeatedly, and prints the heap memory that only a full garbage collection frees,
// in bytes per request and by kind of request. Node must run this module with `--expose-gc`.

import { connect, type Socket } from 'node:net'
import { TestApp } from './app.ts'
import { RawSmtpClient } from './raw-smtp-client.ts'

const CONNECTIONS = 16
const ROUNDS = 20
/**
 * Number of full garbage collections during requests; the collections move active objects to the old generation, as
 * under load.
 */
const SEEDS = 12

const { gc } = globalThis
if (gc === undefined) throw new Error('run this program with --expose-gc')

const app = await TestApp.start({
  env: { POSTRIDER_ROLES: 'api,smtp', POSTRIDER_SMTPS_PORT: '0', POSTRIDER_SENDING_RATE: '1000000/s' },
})

/** Sends one more request on an open connection. */
type Ask = () => Promise<void>

const turns = async (count: number): Promise<void> => {
  for (let left = count; left > 0; left--) await new Promise(setImmediate)
}

async function held(asks: readonly Ask[]): Promise<number> {
  const all = (): Promise<unknown> => Promise.all(asks.map((ask) => ask()))
  for (let round = 0; round < 5; round++) await all()
  for (let seed = 0; seed < SEEDS; seed++) {
    const round = all()
    await turns(seed)
    gc?.()
    await round
  }
  const before = await settledHeap()
  for (let round = 0; round < ROUNDS; round++) {
    await all()
    gc?.({ type: 'minor' })
    gc?.({ type: 'minor' })
  }
  const after = process.memoryUsage().heapUsed
  const freed = after - (await settledHeap())
  return Math.min(after - before, freed) / (ROUNDS * asks.length)
}

async function settledHeap(): Promise<number> {
  gc?.()
  gc?.()
  return process.memoryUsage().heapUsed
}

/** Returns functions that send HTTP requests on persistent connections; each response arrives in one chunk. */
function overHttp(method: string, path: string, body: object | undefined, status: number): Ask[] {
  const json = body === undefined ? '' : JSON.stringify(body)
  const bytes = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${new URL(app.app.url).host}`,
    `Authorization: Bearer ${app.playground.sending_key}`,
    ...(body === undefined
      ? []
      : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(json)}`]),
    '',
    json,
  ].join('\r\n')
  const { hostname: host, port } = new URL(app.app.url)
  return Array.from({ length: CONNECTIONS }, () => {
    const socket: Socket & { answered?: () => void } = connect({ host, port: Number(port), noDelay: true })
    socket.on('data', (answer) => {
      if (!answer.toString('latin1', 0, 12).endsWith(String(status))) throw new Error(String(answer))
      socket.answered?.()
    })
    return () =>
      new Promise((resolve) => {
        socket.answered = resolve
        socket.write(bytes)
      })
  })
}

const MESSAGE = {
  from: 'hello@example.test',
  to: [{ email: 'you@receiver.example', name: 'You' }],
  subject: 'Your receipt',
  html: `<p>${'Thank you for your order. '.repeat(100)}</p>`,
}

function overSmtp(clients: readonly RawSmtpClient[]): Ask[] {
  const envelope = 'MAIL FROM:<hello@example.test>\r\nRCPT TO:<you@receiver.example>\r\nDATA\r\n'
  const message = `From: hello@example.test\r\nSubject: Your receipt\r\n\r\n${MESSAGE.html.replaceAll('. ', '.\r\n')}\r\n.\r\n`
  return clients.map((client) => async () => {
    client.send(envelope)
    for (let replies = 3; replies > 0; replies--) await client.reply()
    client.send(message)
    const reply = await client.reply()
    if (!reply.startsWith('250')) throw new Error(reply)
  })
}

const clients = await Promise.all(
  Array.from({ length: CONNECTIONS }, () =>
    RawSmtpClient.loggedIn(app.app.smtpsPort as number, app.playground),
  ),
)
const bytes = {
  accepted: await held(overHttp('POST', '/v1/messages', MESSAGE, 202)),
  refused: await held(overHttp('POST', '/v1/messages', {}, 422)),
  read: await held(overHttp('GET', '/v1/streams', undefined, 200)),
  'accepted by SMTP': await held(overSmtp(clients)),
}
process.stdout.write(JSON.stringify(bytes))
process.exit(0)
