// Kills loaded nodes while clients consume events by polling, by the event stream and by webhook, and compares the
// received events with the stored events.

import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DnsHost } from '../dns-host.ts'
import { type ReceivedEvent, StreamClient } from '../event-stream.ts'
import { type DatabaseName, lookInto, type TestStorage, testStorage } from '../store.ts'
import { CRASH_ZONE } from './crash-run.ts'
import { Answers, LoadedNode } from './loaded-node.ts'
import { Receiver } from './receiver.ts'
import { type Hooked, WebhookFollower } from './webhook-follower.ts'

/**
 * Number of stored events that a consumer did not receive, and number of events that the consumer received more than
 * once.
 */
interface Followed {
  readonly missed: number
  readonly repeated: number
}

/** Figures of a run. */
export interface FollowFigures {
  readonly nodes: number
  readonly kills: number
  /** Number of accepted messages. */
  readonly accepted: number
  /** Number of stored events. */
  readonly events: number
  readonly polled: Followed
  readonly streamed: Followed
  readonly hooked: Hooked
  /** Median time from an event to its arrival by the event stream, kills included, in milliseconds. */
  readonly streamedP50Ms: number
  readonly streamedP95Ms: number
}

/** Share of the messages that clients send at a steady rate after the last kill. */
const CALM_SHARE = 0.2
const CALM_PER_SECOND = 100

interface FollowRun {
  readonly messages: number
  readonly kills: number
  readonly database: DatabaseName
}

/** Runs one node on SQLite, or two nodes on PostgreSQL that write concurrently. */
export async function runFollowers({ messages, kills, database }: FollowRun): Promise<FollowFigures> {
  const host = await Receiver.start()
  const dns = await DnsHost.start(CRASH_ZONE)
  const storage = await testStorage(database, 'playground')
  const settings = { POSTRIDER_WEBHOOK_HTTP: 'yes' }
  const nodes = [await LoadedNode.in(storage, host, dns, settings)]
  let hook: WebhookFollower | undefined
  const second = await mkdtemp(join(tmpdir(), 'postrider-test-'))
  const answers = new Answers()
  try {
    await nodes[0]?.start()
    await nodes[0]?.access()
    if (database === 'postgres') {
      await cp(join(storage.dataDir, 'playground.json'), join(second, 'playground.json'))
      const other = await LoadedNode.in({ ...storage, dataDir: second }, host, dns, settings)
      await other.start()
      nodes.push(other)
    }
    const follower = new Follower(nodes)
    hook = await WebhookFollower.start(nodes[0] as LoadedNode)
    await killUnderLoad(nodes, answers, { kills, messages: messages * (1 - CALM_SHARE) })
    await nodes[0]?.settle(host, answers.accepted)
    await hook.caughtUp(async () => (await storedEvents(storage)).size)
    const calmFrom = Date.now()
    const calm = await nodes[0]?.load(answers, { perSecond: CALM_PER_SECOND })
    const count = answers.accepted.size + messages * CALM_SHARE
    while (answers.accepted.size < count) await sleep(50)
    await calm?.stop()
    await nodes[0]?.settle(host, answers.accepted)
    const stored = await storedEvents(storage)
    const { polled, streamed } = await follower.end(stored.size)
    const hooked = await hook.end(stored, calmFrom)
    const lags = streamed.map(({ event, at }) => at - Date.parse(event.data.at)).sort((a, b) => a - b)
    return {
      ...{ nodes: nodes.length, kills, accepted: answers.accepted.size, events: stored.size },
      hooked,
      polled: compare(polled, stored),
      streamed: compare(
        streamed.map(({ event }) => event.data.id),
        stored,
      ),
      streamedP50Ms: lags[Math.floor(lags.length * 0.5)] ?? 0,
      streamedP95Ms: lags[Math.floor(lags.length * 0.95)] ?? 0,
    }
  } finally {
    for (const node of nodes) await node.kill()
    await Promise.all([host.stop(), dns.stop(), hook?.stop()])
    await storage.remove()
    await rm(second, { recursive: true, force: true })
  }
}

/** Loads all nodes at full speed until they have accepted enough messages, and kills the nodes in turn meanwhile. */
async function killUnderLoad(
  nodes: readonly LoadedNode[],
  answers: Answers,
  { kills, messages }: Pick<FollowRun, 'kills' | 'messages'>,
): Promise<void> {
  const loads = await Promise.all(nodes.map((node) => node.load(answers)))
  for (let kill = 0; kill < kills || answers.accepted.size < messages; kill++) {
    const node = nodes[kill % nodes.length] as LoadedNode
    if (kill < kills) {
      await node.killAfter(600 + Math.random() * 1_900)
      await node.start()
    } else await sleep(200)
  }
  for (const load of loads) await load.stop()
}

const compare = (got: readonly string[], stored: ReadonlySet<string>): Followed => {
  const distinct = new Set(got)
  return {
    missed: [...stored].filter((id) => !distinct.has(id)).length,
    repeated: got.length - distinct.size,
  }
}

async function storedEvents(storage: TestStorage): Promise<ReadonlySet<string>> {
  const store = await lookInto(storage)
  const rows = await store.read.selectFrom('events').select('id').execute()
  await store.close()
  return new Set(rows.map(({ id }) => id))
}

/** Time without a new event after which the consumer stops waiting, in milliseconds. */
const QUIET_MS = 5_000

/** Consumes events by polling and by the event stream, from any node that answers. */
class Follower {
  readonly #nodes: readonly LoadedNode[]
  readonly #polled: string[] = []
  readonly #streamed: { event: ReceivedEvent; at: number }[] = []
  readonly #running: Promise<void>[]
  #stopped = false

  constructor(nodes: readonly LoadedNode[]) {
    this.#nodes = nodes
    this.#running = [this.#poll(), this.#stream()]
  }

  /** Waits until polling and the event stream have returned enough events, or no event arrives any more. */
  async end(count: number) {
    const got = (): number => Math.min(this.#polled.length, this.#streamed.length)
    for (let last = -1, since = Date.now(); got() < count && Date.now() - since < QUIET_MS; await sleep(50)) {
      if (got() !== last) since = Date.now()
      last = got()
    }
    // Duplicate events would arrive during this time.
    await sleep(1_000)
    this.#stopped = true
    await Promise.all(this.#running)
    return { polled: this.#polled, streamed: this.#streamed }
  }

  async #poll(): Promise<void> {
    for (let turn = 0, cursor = '0'; !this.#stopped; turn++) {
      try {
        const { baseUrl, key } = await this.#node(turn).access()
        const answer = await fetch(`${baseUrl}/events?order=asc&limit=200&cursor=${cursor}`, {
          headers: { authorization: `Bearer ${key}` },
        })
        if (!answer.ok) throw new Error(String(answer.status))
        const page = (await answer.json()) as { data: { id: string }[]; next_cursor: string }
        this.#polled.push(...page.data.map(({ id }) => id))
        cursor = page.next_cursor
        if (page.data.length === 0) await sleep(50)
      } catch {
        await sleep(50)
      }
    }
  }

  async #stream(): Promise<void> {
    for (let turn = 0, last = '0'; !this.#stopped; turn++) {
      try {
        const { baseUrl, key } = await this.#node(turn).access()
        const headers = { authorization: `Bearer ${key}`, 'last-event-id': last }
        const stream = await StreamClient.open(`${baseUrl}/events/stream`, headers, (event) => {
          this.#streamed.push({ event, at: Date.now() })
        })
        const stopped = this.#untilStopped()
        await Promise.race([stream.ended, stopped])
        await stream.close()
        last = stream.lastId === '' ? last : stream.lastId
      } catch {
        await sleep(50)
      }
    }
  }

  async #untilStopped(): Promise<void> {
    while (!this.#stopped) await sleep(50)
  }

  #node(turn: number): LoadedNode {
    return this.#nodes[turn % this.#nodes.length] as LoadedNode
  }
}
