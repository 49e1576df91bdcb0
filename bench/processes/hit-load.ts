// Generates hits on tracked links over persistent connections, with one request in flight on each connection.

import { connect } from 'node:net'
import { createHistogram } from 'node:perf_hooks'
import { answerParent } from '../harness/child.ts'
import type { LoadResult } from './http-load.ts'

export interface HitLoad {
  readonly url: string
  /** Paths of the tracked links; the load requests the paths in turn. */
  readonly paths: readonly string[]
  readonly connections: number
  readonly seconds: number
  /** Maximum number of hits per second; unlimited if undefined. */
  readonly rate: number | undefined
}

const HEAD_END = '\r\n\r\n'
/** Number of client addresses over which the connections are spread, because limits apply to each client address. */
const CLIENTS = 16

async function run({ url, paths, connections, seconds, rate }: HitLoad): Promise<LoadResult> {
  const { host, hostname, port } = new URL(url)
  const requests = paths.map((path) =>
    Buffer.from(
      `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64) Chrome/149.0\r\n\r\n`,
    ),
  )
  const latency = createHistogram({ lowest: 1, highest: 60_000_000, figures: 3 })
  const cpuBefore = process.cpuUsage()
  const startedAt = Date.now()
  const start = performance.now()
  let next = 0
  let refused = 0

  const follow = (index: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const localAddress = `127.0.0.${2 + (index % CLIENTS)}`
      const socket = connect({ host: hostname, port: Number(port), noDelay: true, localAddress })
      let sentAt = 0
      let pending = ''
      const send = (): void => {
        const now = performance.now()
        if (now - start > seconds * 1_000) {
          resolve()
          socket.destroy()
          return
        }
        const number = next++
        const due = rate === undefined ? now : start + (number * 1_000) / rate
        const write = (): void => {
          // The latency of a hit that is sent late is measured from its due time.
          sentAt = rate === undefined ? performance.now() : Math.max(due, start)
          socket.write(requests[number % requests.length] as Buffer)
        }
        if (due - now > 1) setTimeout(write, due - now)
        else write()
      }
      socket.on('data', (chunk: Buffer) => {
        pending += chunk.toString('latin1')
        const head = pending.indexOf(HEAD_END)
        const length = Number(/content-length: (\d+)/.exec(pending)?.[1] ?? 0)
        if (head < 0 || pending.length < head + HEAD_END.length + length) return
        if (!/^HTTP\/1\.1 (200|302) /.test(pending)) refused++
        pending = ''
        latency.record(Math.max(1, Math.round((performance.now() - sentAt) * 1_000)))
        send()
      })
      socket.once('connect', send).once('error', reject)
    })

  await Promise.all(Array.from({ length: connections }, (_, index) => follow(index)))
  const took = (performance.now() - start) / 1_000
  const { user, system } = process.cpuUsage(cpuBefore)
  return {
    ...{ requests: latency.count, refused, perSecond: latency.count / took },
    ...{ p50: latency.percentile(50) / 1_000, p99: latency.percentile(99) / 1_000, max: latency.max / 1_000 },
    ...{ cpuMicros: (user + system) / latency.count, startedAt },
  }
}

const calls = { run }
export type HitLoadCalls = typeof calls
answerParent(calls)
