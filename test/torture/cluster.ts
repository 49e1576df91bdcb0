// The environment of a torture run: a database, nodes, a sink and clients, and the counts of lost and
// duplicate messages.

import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DnsHost } from '../support/dns-host.ts'
import { Clients } from './clients.ts'
import { TortureDatabase } from './database.ts'
import { DistantHost } from './distant-host.ts'
import { TortureNode } from './node.ts'
import { type Arrival, Sink } from './sink.ts'

const ZONE = { '*.example': { MX: ['10 mx.test'] }, 'mx.test': { A: ['127.0.0.1'] } }
const NAMES = ['a.sender.test', 'b.sender.test', 'c.sender.test'] as const

/** Environment of a torture run. */
export interface Cluster {
  readonly database: TortureDatabase
  readonly nodes: readonly TortureNode[]
  readonly sink: Sink
  /** Clients that send messages to all nodes except the idle nodes. */
  readonly clients: Clients
}

export interface ClusterOptions {
  readonly nodes: number
  /** Number of idle nodes at the end of the list, which receive no messages from clients. */
  readonly idle?: number
  /** Time after which the sink replies to the end of a message, in milliseconds. */
  readonly slowMs?: number
  /** One-way delay of each packet between the nodes and the database, in milliseconds. */
  readonly distanceMs?: number
  /** True if the database has a synchronous standby. */
  readonly standby?: boolean
  readonly settings?: Readonly<Record<string, string>>
}

/** Starts a cluster, runs `work`, and stops the cluster. */
export async function inCluster<Result>(
  options: ClusterOptions,
  work: (cluster: Cluster) => Promise<Result>,
): Promise<Result> {
  const { nodes: count, idle = 0, slowMs = 0, standby = false, distanceMs = 0, settings = {} } = options
  const directory = await mkdtemp(join(tmpdir(), 'postrider-torture-'))
  const dns = await DnsHost.start(ZONE)
  const sink = await Sink.start(slowMs)
  const database = await (standby ? TortureDatabase.startWithStandby() : TortureDatabase.start())
  const distance = distanceMs === 0 ? undefined : await DistantHost.start(database.url, distanceMs)
  const nodes: TortureNode[] = []
  try {
    for (const name of NAMES.slice(0, count)) {
      const dataDir = join(directory, name)
      const [first] = nodes
      await mkdir(dataDir)
      // Later nodes share the playground objects of the first node.
      if (first !== undefined)
        await cp(join(first.dataDir, 'playground.json'), join(dataDir, 'playground.json'))
      const node = await TortureNode.in(dataDir, name, {
        ...{ POSTRIDER_DATABASE_URL: distance?.url ?? database.url, POSTRIDER_DNS_SERVERS: dns.server },
        ...{ POSTRIDER_MX_PORT: String(sink.port), ...settings },
      })
      await node.start()
      node.key = await keyIn(dataDir)
      nodes.push(node)
    }
    return await work({ database, nodes, sink, clients: new Clients(nodes.slice(0, count - idle)) })
  } finally {
    await Promise.all(nodes.map((node) => node.kill()))
    await Promise.all([distance?.stop(), database.stop(), sink.stop(), dns.stop()])
    await rm(directory, { recursive: true, force: true })
  }
}

/** Reads the sending key from playground.json, which a node writes once all its listeners are ready. */
async function keyIn(dataDir: string): Promise<string> {
  for (;;) {
    const text = await readFile(join(dataDir, 'playground.json'), 'utf8').catch(() => '')
    if (text !== '') return (JSON.parse(text) as { sending_key: string }).sending_key
    await sleep(50)
  }
}

/** Counts of accepted, lost and duplicate messages; `lost` and `early` must be zero. */
export interface Outcome {
  readonly accepted: number
  /** Number of requests without a response of status 202; the client repeated each of these requests. */
  readonly refused: number
  /** Number of accepted messages that did not arrive. */
  readonly lost: number
  /** Number of duplicates: arrivals after the first arrival of a message. */
  readonly extra: number
  /** Number of messages that arrived before their scheduled time. */
  readonly early: number
  /** Maximum time by which a message arrived before its scheduled time, in milliseconds. */
  readonly earliestMs: number
}

/** Waits until all accepted messages have arrived, waits longer for duplicates, and counts the arrivals. */
export async function count(
  { clients, sink }: Cluster,
  { withinMs, afterwardsMs = 3_000 }: { readonly withinMs: number; readonly afterwardsMs?: number },
): Promise<Outcome & { readonly extras: readonly Arrival[] }> {
  await clients.settled()
  const { accepted } = clients
  const isMissing = (arrived: ReadonlySet<string>): boolean =>
    [...accepted.keys()].some((address) => !arrived.has(address))
  const addresses = (): Set<string> => new Set(sink.arrivals.map(({ address }) => address))
  for (const until = Date.now() + withinMs; Date.now() < until && isMissing(addresses()); ) await sleep(200)
  await sleep(afterwardsMs)
  const seen = new Set<string>()
  const extras: Arrival[] = []
  for (const arrival of sink.arrivals) {
    if (seen.has(arrival.address)) extras.push(arrival)
    seen.add(arrival.address)
  }
  const early = sink.arrivals
    .map(({ address, at }) => (accepted.get(address) ?? 0) - at)
    .filter((ms) => ms > 0)
  return {
    accepted: accepted.size,
    refused: clients.refused,
    lost: [...accepted.keys()].filter((address) => !seen.has(address)).length,
    extra: extras.length,
    early: early.length,
    earliestMs: Math.max(0, ...early),
    extras,
  }
}
