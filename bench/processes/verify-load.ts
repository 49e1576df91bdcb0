// The load of verifications: a process that requests verifications over persistent connections, one address after
// another on each connection.

import { connect, type Socket } from 'node:net'
import { createHistogram } from 'node:perf_hooks'
import { answerParent } from '../harness/child.ts'

/** Addresses to verify: `u<n>@d<n mod domains>.test` for `count` numbers n from `first`, in a shuffled order. */
export interface VerifyLoad {
  readonly url: string
  readonly key: string
  readonly connections: number
  readonly first: number
  readonly count: number
  readonly domains: number
}

/** Result of a load; latencies are in milliseconds. */
export interface VerifyLoadResult {
  readonly perSecond: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
  /** Number of responses, by HTTP status and verification result. */
  readonly results: Readonly<Record<string, number>>
}

const HEAD_END = '\r\n\r\n'

/** Sends requests on one connection until `next` returns undefined. */
function askOn(socket: Socket, next: () => string | undefined, took: (ms: number, answer: string) => void) {
  return new Promise<void>((resolve, reject) => {
    let text = ''
    let sentAt = 0
    const ask = (): void => {
      const request = next()
      if (request === undefined) {
        resolve()
        return
      }
      sentAt = performance.now()
      socket.write(request)
    }
    socket.setEncoding('latin1')
    socket.on('error', reject).on('close', () => reject(new Error('the server closed a connection')))
    socket.on('data', (chunk: string) => {
      text += chunk
      const head = text.indexOf(HEAD_END)
      if (head < 0) return
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1])
      if (text.length < head + HEAD_END.length + length) return
      took(performance.now() - sentAt, text)
      text = ''
      ask()
    })
    ask()
  })
}

/** Returns the numbers from 0 to `count - 1` in a shuffled order, which is the same in every run. */
function shuffled(count: number): number[] {
  let seed = 1
  return Array.from({ length: count }, (_, index) => {
    seed = (seed * 48_271) % 2_147_483_647
    return { index, lot: seed }
  })
    .sort((a, b) => a.lot - b.lot)
    .map(({ index }) => index)
}

async function run({ url, key, connections, first, count, domains }: VerifyLoad): Promise<VerifyLoadResult> {
  const { hostname, port, host } = new URL(url)
  const sockets = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true })
      await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
      return socket
    }),
  )
  const order = shuffled(count)
  let asked = 0
  const next = (): string | undefined => {
    if (asked === count) return undefined
    const number = first + (order[asked++] as number)
    const path = `/v1/verifyEmailDetailed?email=u${number}%40d${number % domains}.test`
    return `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`
  }
  const latency = createHistogram({ lowest: 1, highest: 60_000_000, figures: 3 })
  const results: Record<string, number> = {}
  const took = (ms: number, answer: string): void => {
    latency.record(Math.max(1, Math.round(ms * 1000)))
    const name = `${answer.slice(9, 12)} ${/"internalResult":"(\w+)"/.exec(answer)?.[1] ?? ''}`
    results[name] = (results[name] ?? 0) + 1
  }
  const startedAt = performance.now()
  await Promise.all(sockets.map((socket) => askOn(socket, next, took)))
  const seconds = (performance.now() - startedAt) / 1000
  for (const socket of sockets) socket.removeAllListeners('close').destroy()
  const at = (percentile: number): number => latency.percentile(percentile) / 1000
  const { max } = latency
  return { perSecond: count / seconds, p50: at(50), p95: at(95), p99: at(99), max: max / 1000, results }
}

const calls = { run }
export type VerifyLoadCalls = typeof calls
answerParent(calls)
