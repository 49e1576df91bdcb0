// Kills a node under mixed load repeatedly: counts lost messages, duplicate messages with the time from the reply to
// the kill, and repeated webhook requests.

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
  /** Seed of the random numbers for the kill times and the load. */
  readonly seed: number
  /** Number of worker processes; more than one is possible only on PostgreSQL. */
  readonly workers?: number
  /** Number of HTTP clients, which is also the number of SMTP clients. */
  readonly clients?: number
}

/** A message that a mail host received twice. */
interface ExtraMail {
  /** Way in which the message was submitted. */
  readonly door: string
  readonly address: string
  /** Index of the kill between the two deliveries; -1 if there was none. */
  readonly kill: number
  /** Milliseconds from the reply of the mail host to the kill; undefined if the kill came before the reply. */
  readonly answeredBeforeMs: number | undefined
  /** True if the journal contained the first delivery at the time of the kill. */
  readonly wasNoted: boolean
}

export interface MixedFigures {
  readonly seed: number
  readonly kills: number
  /** Number of recipients of all accepted messages. */
  readonly accepted: number
  readonly lost: number
  /** Number of duplicate messages at mail hosts that reply at once. */
  readonly extra: number
  readonly extraAKill: number
  /**
   * Number of duplicate messages at the slow mail host that were caused by a kill before the reply. The maximum is one
   * per SMTP dialog, because no sender can know a reply that was not sent.
   */
  readonly extraOfSlow: number
  /** Duplicate messages to which the mail host had replied before the kill. */
  readonly answered: readonly ExtraMail[]
  /** Number of duplicate messages at all mail hosts, for each kill. */
  readonly extraByKill: readonly number[]
  /** Number of recipients who got two different messages because their message was accepted twice. */
  readonly acceptedTwice: number
  /** Number of requests whose idempotency key is refused permanently. */
  readonly cut: number
  /** Number of requests that repeat an already acknowledged event, for each webhook and each kill. */
  readonly repeatedRequests: Readonly<Record<string, readonly number[]>>
}

interface Kill {
  /** Time of the kill in milliseconds since 1970. */
  readonly at: number
  /** Recipients in the journal at the time of the kill. */
  readonly noted: ReadonlySet<string>
}

const ARRIVAL_MS = 120_000
/** Time in which the mail hosts read the remaining bytes from sockets whose sender was killed, in milliseconds. */
const TAKEN_MS = 250
/** Number of recipients that a started node must accept before the next kill, to show that the load has resumed. */
const LOADED = 60
const HOOKS = [
  ['/single', 1],
  ['/batched', 50],
] as const

/** Runs all clients continuously while the node is killed and restarted. */
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

/** Waits until all accepted recipients have their message, and no more webhook requests arrive. */
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

/** Returns the time that the mail host of an address waits before its reply, in milliseconds. */
const slowMsOf = (address: string): number => SINK_HOSTS[address.slice(address.indexOf('@') + 1)]?.slowMs ?? 0

/** Returns the copies after the first copy of each message, each with the kill that caused the copy. */
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

/**
 * Returns the index of the kill that caused a second copy: the mail host received the first copy shortly after that
 * kill, or before it. Returns -1 if there was no such kill.
 */
function killBetween(kills: readonly Kill[], first: number, second: number): number {
  const fromSocket = kills.findLastIndex(({ at }) => at <= first && first - at < TAKEN_MS)
  return fromSocket >= 0 ? fromSocket : kills.findIndex(({ at }) => at > first && at <= second)
}

/**
 * Returns the number of requests that repeat an event, for each kill; the kill that caused a repetition is the first
 * one after the previous request. A node that is killed soon after its start leaves its work to the next node. Regular
 * retries do not count.
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
