// What every torture run works on: a database, nodes, a sink, clients, and the count of what became of each message.

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

/** A run's surroundings. */
export interface Cluster {
  readonly database: TortureDatabase
  readonly nodes: readonly TortureNode[]
  readonly sink: Sink
  /** They send to all nodes but the idle ones. */
  readonly clients: Clients
}

export interface ClusterOptions {
  readonly nodes: number
  /** Of these, the last ones get no mail from clients. */
  readonly idle?: number
  /** Time that the sink takes to answer a message. */
  readonly slowMs?: number
  /** Time that each packet between nodes and database takes, one way, in milliseconds. */
  readonly distanceMs?: number
  /** The database has a synchronous standby. */
  readonly standby?: boolean
  readonly settings?: Readonly<Record<string, string>>
}

/** Sets it up, and takes it down when the work is done. */
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
      // Later nodes have the playground of the first one.
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

/** The start writes the file when everything listens. */
async function keyIn(dataDir: string): Promise<string> {
  for (;;) {
    const text = await readFile(join(dataDir, 'playground.json'), 'utf8').catch(() => '')
    if (text !== '') return (JSON.parse(text) as { sending_key: string }).sending_key
    await sleep(50)
  }
}

/** What became of the messages. `lost` and `early` must be zero. */
export interface Outcome {
  readonly accepted: number
  /** Answers other than 202, and none: each was asked again. */
  readonly refused: number
  /** Accepted and not arrived. */
  readonly lost: number
  /** Arrivals beyond the first of a message. */
  readonly extra: number
  /** Arrived before the time that their sender has chosen, and how long before at most, in milliseconds. */
  readonly early: number
  readonly earliestMs: number
}

/** Waits until all that was accepted has arrived, and a while longer for what comes twice; then counts. */
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
