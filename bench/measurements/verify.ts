// Measures address verification with mail hosts on this machine: without cached results at two round trip times, with
// cached results, and in lists.

import type { DnsZone } from '../../test/support/dns-host.ts'
import type { Child } from '../harness/child.ts'
import type { Options } from '../harness/options.ts'
import type { ProcessFigures } from '../harness/process-figures.ts'
import { figure, goal, heading, line, median } from '../harness/report.ts'
import { type Node, Rig } from '../harness/rig.ts'
import type { VerifyHostCalls } from '../processes/verify-host.ts'
import type { VerifyLoadCalls, VerifyLoadResult } from '../processes/verify-load.ts'
import { keep, keptValues } from '../record/figures.ts'

const ADDRESSES = 10_000
const DOMAINS = 1_000
const LISTED = 100_000
const ROUND_TRIP_MS = 50
/** Round trips of a verification: greeting, EHLO, MAIL with RCPT, and MAIL with RCPT of a catch-all probe address. */
const ROUND_TRIPS = 4
/** Number of concurrent connections that keeps both cores busy. */
const MANY_CONNECTIONS = 256

/** Runs the measurement `npm run bench -- verify`. */
export async function measureVerify(options: Options): Promise<void> {
  const rig = await Rig.open({ ...options, destinations: 1 }, verificationZone())
  try {
    const bench = { ...(await openBench(rig)), options }
    await asFastAsPossible(bench)
    if (options.short) return
    await overALine(await onANewNode(bench))
    await again(bench)
    await inAList(await onANewNode(bench))
  } finally {
    await rig.close()
  }
}

/** Starts the mail hosts, a node with credits, and the load on a rig with `verificationZone`. */
async function openBench(rig: Rig): Promise<Omit<Bench, 'options'>> {
  const host = rig.child<VerifyHostCalls>('verify-host.ts')
  const { port } = await host.ask('start', undefined)
  const node = await rig.node('api', port)
  await rig.execute('update accounts set verification_credits = 10000000')
  return { rig, port, node, host, load: rig.child<VerifyLoadCalls>('verify-load.ts') }
}

/** Opens a node for rounds of verifications without cached results and without a round trip time. */
export async function openVerifying(rig: Rig) {
  const bench = await openBench(rig)
  const verify = (count: number) => measure(bench, { connections: MANY_CONNECTIONS, count, roundTripMs: 0 })
  return { node: bench.node, verify }
}

/** Returns a DNS zone in which each domain has a mail host with its own address, like real domains. */
export function verificationZone(): DnsZone {
  const names = Array.from({ length: DOMAINS }, (_, index) => index)
  return Object.fromEntries(
    names.flatMap((index) => [
      [`d${index}.test`, { MX: [`10 mx.d${index}.test`] }],
      [`mx.d${index}.test`, { A: [`127.1.${index >> 8}.${index & 255}`] }],
    ]),
  )
}

interface Bench {
  readonly rig: Rig
  /** Port of the mail hosts. */
  readonly port: number
  node: Node
  readonly host: Child<VerifyHostCalls>
  readonly load: Child<VerifyLoadCalls>
  readonly options: Options
}

/** Restarts the node, so that the node has no open connections and no cached results in memory. */
async function onANewNode(bench: Bench): Promise<Bench> {
  await bench.node.process.stop()
  bench.node = await bench.rig.node('api', bench.port)
  return bench
}

let next = 0

async function measure(
  { node, host, load }: Omit<Bench, 'options'>,
  wanted: {
    readonly connections: number
    readonly count: number
    readonly roundTripMs: number
    readonly first?: number
  },
): Promise<VerifyLoadResult> {
  const { url, playground } = node.started
  await host.ask('reset', { roundTripMs: wanted.roundTripMs })
  await node.process.ask('reset', undefined)
  const first = wanted.first ?? next
  if (wanted.first === undefined) next += wanted.count
  const key = playground.verification_key
  return load.ask('run', { url, key, domains: DOMAINS, ...wanted, first })
}

function latencies({ perSecond, p50, p95, p99, max, results }: VerifyLoadResult): void {
  line('verifications/s', figure(perSecond))
  line('p50, p95', figure(p50, 'ms'), figure(p95, 'ms'))
  line('p99, longest', figure(p99, 'ms'), figure(max, 'ms'))
  line(
    'answers',
    Object.entries(results)
      .map(([name, count]) => `${name} ${count}`)
      .join(', '),
  )
}

async function processes({ node, host }: Bench, count: number): Promise<ProcessFigures> {
  const figures = await node.process.ask('figures', undefined)
  const { cpuMicros, rssMiB, peakRssMiB, loopDelayP99Ms } = figures
  const { connections, mostOpen, recipients } = await host.ask('report', undefined)
  line('CPU a verification', figure(cpuMicros / count, 'µs'))
  line('RSS now, peak', figure(rssMiB, 'MiB'), figure(peakRssMiB, 'MiB'))
  line('event loop delay p99', figure(loopDelayP99Ms, 'ms'))
  line('connections, open at once', String(connections), String(mostOpen))
  line('RCPT', String(recipients))
  return figures
}

async function asFastAsPossible(bench: Bench): Promise<void> {
  await measure(bench, { connections: MANY_CONNECTIONS, count: 2 * DOMAINS, roundTripMs: 0 })
  heading(`verify: ${ADDRESSES} addresses of ${DOMAINS} domains, no round trip, ${bench.options.database}`)
  const rates: number[] = []
  const costs: number[] = []
  const memory: number[] = []
  for (let round = 0; round < bench.options.rounds; round++) {
    const result = await measure(bench, { connections: MANY_CONNECTIONS, count: ADDRESSES, roundTripMs: 0 })
    latencies(result)
    const { cpuMicros, peakRssMiB } = await processes(bench, ADDRESSES)
    rates.push(result.perSecond)
    costs.push(cpuMicros / ADDRESSES)
    memory.push(peakRssMiB)
  }
  const bare = median(keptValues('bare_rate'))
  if (!Number.isNaN(bare))
    keep(
      'verify_ratio',
      rates.map((rate) => rate / bare),
    )
  keep('verify_cpu', costs)
  keep('verify_memory', memory)
  goal('2,000 verifications/s', median(rates) >= 2_000)
}

async function overALine(bench: Bench): Promise<void> {
  const fresh = await measure(bench, { connections: 16, count: DOMAINS, roundTripMs: ROUND_TRIP_MS })
  heading(`verify: one address of each of ${DOMAINS} domains, ${ROUND_TRIP_MS} ms round trip, 16 connections`)
  latencies(fresh)
  line('round trips needed', figure(ROUND_TRIPS * ROUND_TRIP_MS, 'ms'))
  goal('p50 within 1.2 times these', fresh.p50 <= 1.2 * ROUND_TRIPS * ROUND_TRIP_MS)
  const { connections } = bench.options
  const result = await measure(bench, { connections, count: ADDRESSES, roundTripMs: ROUND_TRIP_MS })
  heading(
    `verify: ${ADDRESSES} addresses of these domains, ${ROUND_TRIP_MS} ms round trip, ${connections} connections`,
  )
  latencies(result)
  await processes(bench, ADDRESSES)
}

async function again(bench: Bench): Promise<void> {
  const { connections } = bench.options
  const wanted = { connections, count: ADDRESSES, roundTripMs: 0, first: next - ADDRESSES }
  await measure(bench, wanted)
  const result = await measure(bench, wanted)
  heading(`verify: the same ${ADDRESSES} addresses again, ${connections} connections`)
  latencies(result)
  await processes(bench, ADDRESSES)
  goal('cached p99 under 20 ms', result.p99 < 20)
}

async function inAList(bench: Bench): Promise<void> {
  const { node, host } = bench
  const { url, playground } = node.started
  await host.ask('reset', { roundTripMs: 0 })
  await node.process.ask('reset', undefined)
  const headers = {
    authorization: `Bearer ${playground.verification_key}`,
    'content-type': 'application/json',
  }
  const addresses = Array.from({ length: LISTED }, (_, index) => `u${next + index}@d${index % DOMAINS}.test`)
  const startedAt = performance.now()
  const response = await fetch(`${url}/v1/verifications`, {
    method: 'POST',
    headers,
    body: JSON.stringify(addresses),
  })
  const { verification_id } = (await response.json()) as { verification_id: string }
  const acceptedAt = performance.now()
  let status = ''
  while (status !== 'done') {
    await new Promise((resolve) => setTimeout(resolve, 250))
    const view = await fetch(`${url}/v1/verifications/${verification_id}`, { headers })
    status = ((await view.json()) as { status: string }).status
  }
  const seconds = (performance.now() - acceptedAt) / 1000
  heading(`verify: a list of ${LISTED} addresses of ${DOMAINS} domains, no round trip`)
  line('taken after', figure(acceptedAt - startedAt, 'ms'))
  line('addresses/s', figure(LISTED / seconds))
  await processes(bench, LISTED)
  const { peakRssMiB } = await node.process.ask('figures', undefined)
  goal('RSS under 300 MiB', peakRssMiB < 300)
}
