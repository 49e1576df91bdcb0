// Kills a node under mixed load again and again: what is lost, what comes twice and how long before the kill it had been
// answered, and how many requests of each webhook are repeated.

import { setTimeout as sleep } from 'node:timers/promises'
import { DnsHost } from '../dns-host.ts'
import { randomOf } from '../mails/made.ts'
import { type DatabaseName, testStorage } from '../store.ts'
import { LoadedNode } from './loaded-node.ts'
import { MixedClients } from './mixed-clients.ts'
import { type HookRequest, MixedSink, SINK_HOSTS, SINK_ZONE, type TakenMail } from './mixed-sink.ts'

export interface MixedRun {
  readonly kills: number
  readonly database: DatabaseName
  /** Of the moments and of the load. */
  readonly seed: number
  /** Processes of the node; more than one on PostgreSQL alone. */
  readonly workers?: number
  /** Clients over HTTP and over SMTP, of each as many. */
  readonly clients?: number
}

/** A mail that came twice. */
interface ExtraMail {
  /** By the door that its message came in by. */
  readonly door: string
  readonly address: string
  /** Number of the kill, from 0 on; -1: there was none between both. */
  readonly kill: number
  /** Time from the host's answer to the kill in milliseconds; undefined when the node was killed before the answer. */
  readonly answeredBeforeMs: number | undefined
  /** The journal had it when the node was gone. */
  readonly wasNoted: boolean
}

export interface MixedFigures {
  readonly seed: number
  readonly kills: number
  /** Recipients of all that was accepted. */
  readonly accepted: number
  readonly lost: number
  /** Mails beyond the first for a recipient, of hosts that answer at once. */
  readonly extra: number
  readonly extraAKill: number
  /**
   * The same of the host that takes a while for each message, where the kill came before its answer: as many as there were
   * dialogs with it, since nobody can know an answer that was not given.
   */
  readonly extraOfSlow: number
  /** Extra mails that their host had answered before the kill. */
  readonly answered: readonly ExtraMail[]
  /** By which kill how many extra mails came, of all hosts. */
  readonly extraByKill: readonly number[]
  /** Recipients that got two messages: it was accepted twice. */
  readonly acceptedTwice: number
  /** Requests whose key refuses them to the end. */
  readonly cut: number
  /** Requests by webhook and kill with an event that was answered before. */
  readonly repeatedRequests: Readonly<Record<string, readonly number[]>>
}

interface Kill {
  /** In milliseconds since 1970. */
  readonly at: number
  /** Recipients in the journal at that moment. */
  readonly noted: ReadonlySet<string>
}

const ARRIVAL_MS = 120_000
/** Time in which the sink takes what lay in sockets whose sender is gone. */
const TAKEN_MS = 250
/** Recipients that are accepted after a start before the next kill: the load has come back then. */
const LOADED = 60
const HOOKS = [
  ['/single', 1],
  ['/batched', 50],
] as const

/** Runs it: load goes on while the node is killed and started anew. */
export async function runMixed({
  kills,
  database,
  seed,
  workers = 1,
  clients = 3,
}: MixedRun): Promise<MixedFigures> {
  const random = randomOf(seed)
  const sink = await MixedSink.start()
  const dns = await DnsHost.start(SINK_ZONE)
  const storage = await testStorage(database, 'playground')
  const settings = {
    POSTRIDER_WORKERS: String(workers),
  }
  const node = await LoadedNode.in(storage, sink, dns, workers > 1 ? settings : {})
  const allKills: Kill[] = []
  try {
    await node.start()
    await makeHooks(node, sink)
    const load = new MixedClients(await node.access(), random)
    load.start(clients)
    for (let kill = 0; kill < kills; kill++) {
      await load.grown(LOADED)
      const at = await node.killAfter(random() * 1_500)
      await sleep(TAKEN_MS)
      allKills.push({ at, noted: await node.notedRecipients(workers) })
      await node.start()
    }
    await load.stop()
    await arrived(sink, load.accepted)
    return figuresOf(sink, load, allKills, seed)
  } finally {
    await node.kill()
    await Promise.all([sink.stop(), dns.stop()])
    await storage.remove()
  }
}

async function makeHooks(node: LoadedNode, { hookPort }: MixedSink): Promise<void> {
  const { baseUrl, key } = await node.access()
  for (const [path, batch_size] of HOOKS) {
    const answer = await fetch(`${baseUrl}/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: `http://127.0.0.1:${hookPort}${path}`, batch_size }),
    })
    if (!answer.ok) throw new Error(`no webhook: ${answer.status} ${await answer.text()}`)
  }
}

/** Waits until everything accepted is there, and until no more requests of webhooks come. */
async function arrived(sink: MixedSink, accepted: ReadonlyMap<string, unknown>): Promise<void> {
  let seen = new Set<string>()
  for (const until = Date.now() + ARRIVAL_MS; Date.now() < until; await sleep(250)) {
    seen = new Set(sink.mails.map(({ address }) => address))
    if ([...accepted.keys()].every((address) => seen.has(address))) break
  }
  for (let last = -1; last !== sink.requests.length + sink.mails.length; await sleep(2_000))
    last = sink.requests.length + sink.mails.length
}

function figuresOf(sink: MixedSink, load: MixedClients, kills: readonly Kill[], seed: number): MixedFigures {
  const { accepted, cut } = load
  const byAddress = Map.groupBy(sink.mails, ({ address }) => address)
  const extras = [...byAddress.values()].flatMap((mails) => extrasOf(mails, kills, accepted))
  const unknown = extras.filter(
    ({ address, answeredBeforeMs }) => answeredBeforeMs === undefined && slowMsOf(address) > 0,
  )
  const tokens = [...byAddress.values()].map((mails) => new Set(mails.map(({ token }) => token)).size)
  return {
    ...{ seed, kills: kills.length, accepted: accepted.size, cut },
    lost: [...accepted.keys()].filter((address) => !byAddress.has(address)).length,
    extra: extras.length - unknown.length,
    extraAKill: (extras.length - unknown.length) / Math.max(1, kills.length),
    extraOfSlow: unknown.length,
    answered: extras.filter(({ answeredBeforeMs }) => answeredBeforeMs !== undefined),
    extraByKill: kills.map((_, index) => extras.filter(({ kill }) => kill === index).length),
    acceptedTwice: tokens.filter((count) => count > 1).length,
    repeatedRequests: Object.fromEntries(
      HOOKS.map(([path]) => [
        path,
        repeatedByKill(
          sink.requests.filter(({ webhook }) => webhook === path),
          kills,
        ),
      ]),
    ),
  }
}

/** Time that the host of an address takes for a message, in milliseconds. */
const slowMsOf = (address: string): number => SINK_HOSTS[address.slice(address.indexOf('@') + 1)]?.slowMs ?? 0

/** Copies of one message beyond the first, each by the first kill behind the first copy. */
function extrasOf(
  mails: readonly TakenMail[],
  kills: readonly Kill[],
  accepted: ReadonlyMap<string, string>,
): ExtraMail[] {
  return [...Map.groupBy(mails, ({ token }) => token).values()].flatMap((copies) => {
    const [first, ...others] = copies.toSorted((one, other) => one.at - other.at) as [
      TakenMail,
      ...TakenMail[],
    ]
    return others.map(({ at }): ExtraMail => {
      const kill = killBetween(kills, first.at, at)
      const { address, answeredAt } = first
      const killedAt = kills[kill]?.at
      const wasAnswered = killedAt === undefined || (answeredAt !== undefined && answeredAt < killedAt)
      return {
        ...{ address, kill, door: accepted.get(address) ?? 'unanswered' },
        answeredBeforeMs: wasAnswered ? (killedAt ?? at) - (answeredAt ?? first.at) : undefined,
        wasNoted: kills[kill]?.noted.has(address) ?? false,
      }
    })
  })
}

/** The kill that a mail was sent again for: its host had it just behind that, or before it; -1 without one. */
function killBetween(kills: readonly Kill[], first: number, second: number): number {
  const fromSocket = kills.findLastIndex(({ at }) => at <= first && first - at < TAKEN_MS)
  return fromSocket >= 0 ? fromSocket : kills.findIndex(({ at }) => at > first && at <= second)
}

/**
 * Requests with an event that had come before, each by the kill that it was repeated for: the one behind the request before.
 * A node that is killed soon after its start leaves what it has not come to, to the next one. Those that were tried again
 * without a kill do not count.
 */
function repeatedByKill(requests: readonly HookRequest[], kills: readonly Kill[]): number[] {
  const lastAt = new Map<string, number>()
  const byKill = kills.map(() => 0)
  for (const { events, at } of requests.toSorted((one, other) => one.at - other.at)) {
    const before = Math.max(...events.map((id) => lastAt.get(id) ?? Number.NEGATIVE_INFINITY))
    const kill = Number.isFinite(before) ? killBetween(kills, before, at) : -1
    if (kill >= 0) byKill[kill] = (byKill[kill] ?? 0) + 1
    for (const id of events) lastAt.set(id, at)
  }
  return byKill
}
