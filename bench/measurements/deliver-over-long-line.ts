// Measures delivery over one connection with a long round trip time. Rounds of Postrider's SMTP client and of
// nodemailer's pooled transport alternate.

import { createTransport } from 'nodemailer'
import { ConnectionPool, DEFAULT_LIMITS, type LeaseRequest } from '../../src/egress/pool.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { DialogThreads } from '../../src/smtp/threads/dialog-threads.ts'
import { envelope, mimeMessage } from '../harness/message.ts'
import type { Options } from '../harness/options.ts'
import { figure, goal, heading, line, median } from '../harness/report.ts'
import { Rig } from '../harness/rig.ts'
import { Stamped } from '../harness/stamped.ts'
import type { DelayingProxyCalls } from '../processes/delaying-proxy.ts'

/** One-way delay in milliseconds; the round trip time is 50 ms. */
const DELAY_MS = 25
const HOST = '127.0.0.1'

/** Number of messages that wait for the connection at any time. */
const WAITING = 8

/** SMTP client that sends all messages on one connection. */
interface Client {
  send(message: Buffer, from: string, to: string): Promise<void>
  close(): Promise<void>
}

/** Messages per second of both clients, measured in direct succession. */
interface Pair {
  readonly nodemailer: number
  readonly ours: number
}

/** Runs the measurement `npm run bench -- deliver --proxy`. */
export async function measureOverLongLine(options: Options): Promise<void> {
  const rig = await Rig.open(options)
  try {
    const sink = await rig.sink()
    const proxy = rig.child<DelayingProxyCalls>('delaying-proxy.ts')
    const { port } = await proxy.ask('start', { port: sink.port, delayMs: DELAY_MS })
    const pairs: Pair[] = []
    for (let left = options.rounds; left > 0; left--) {
      pairs.push({
        nodemailer: await messagesPerSecond(nodemailerTo(port), options.seconds),
        ours: await messagesPerSecond(oursTo(port), options.seconds),
      })
    }
    report(pairs, options)
  } finally {
    await rig.close()
  }
}

/** Returns Postrider's SMTP client, whose connection pool is limited to one connection. */
function oursTo(port: number): Client {
  const limits = { ...DEFAULT_LIMITS, perHost: 1, messagesPerConnection: Number.POSITIVE_INFINITY }
  const threads = new DialogThreads(1)
  const pool = new ConnectionPool(systemClock, limits, threads.connect)
  const request: LeaseRequest = {
    addresses: [HOST],
    purpose: 'mail',
    port,
    hostName: 'sink.test',
    heloName: 'bench.test',
    tls: 'never',
  }
  return {
    async send(message, from, to) {
      const leased = await pool.lease(request)
      if (leased.connection === undefined) throw new Error(leased.transcript)
      const { connection } = leased
      const data = { chunks: [message], size: message.length }
      const sent = await connection.send({ from, recipients: [to] }, data)
      pool.release(leased)
      if (sent.recipients[0]?.reply === undefined) throw new Error(sent.transcript)
    },
    async close() {
      await pool.stop()
      await threads.stop()
    },
  }
}

/** Returns nodemailer in its fastest configuration: one connection for all messages, and prebuilt messages. */
function nodemailerTo(port: number): Client {
  const transport = createTransport({
    host: HOST,
    port,
    pool: true,
    maxConnections: 1,
    maxMessages: Number.POSITIVE_INFINITY,
    ignoreTLS: true,
  })
  return {
    send: async (raw, from, to) => void (await transport.sendMail({ envelope: { from, to }, raw })),
    close: async () => transport.close(),
  }
}

/** Returns the messages per second of a client, with `WAITING` concurrent messages after a first message. */
async function messagesPerSecond(client: Client, seconds: number): Promise<number> {
  const destination = 'inbox-0.test'
  const { from, to } = envelope(destination)
  await client.send(new Stamped(mimeMessage(destination)).bytes, from, to)
  const start = performance.now()
  let sent = 0
  const sendOn = async (): Promise<void> => {
    const message = new Stamped(mimeMessage(destination))
    while (performance.now() - start < seconds * 1000) {
      message.stamp(sent++, Date.now())
      await client.send(message.bytes, from, to)
    }
  }
  await Promise.all(Array.from({ length: WAITING }, sendOn))
  const rate = (sent * 1000) / (performance.now() - start)
  await client.close()
  return rate
}

function report(pairs: readonly Pair[], options: Options): void {
  const offered = options.chunking ? 'CHUNKING' : 'no CHUNKING'
  heading(
    `deliver over one connection, round trip ${2 * DELAY_MS} ms, ${offered} offered: ${options.rounds} × ${options.seconds} s`,
  )
  line('', 'nodemailer pool', 'ours')
  const middle = (who: keyof Pair): number => median(pairs.map((pair) => pair[who]))
  line('messages/s', figure(middle('nodemailer')), figure(middle('ours')))
  const ratios = pairs.map(({ nodemailer, ours }) => ours / nodemailer)
  line('ratio, round by round', ratios.map((ratio) => figure(ratio)).join(' '))
  goal('three times nodemailer', median(ratios) >= 3)
}
