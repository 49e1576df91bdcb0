// Measures hits on tracked links, at the maximum rate and at a fixed rate, while the hits are written as events.

import { setTimeout as sleep } from 'node:timers/promises'
import { OPEN_LINK, trackingKey, trackingToken } from '../../src/model/tracking-link.ts'
import type { Store } from '../../src/store/database/store.ts'
import { installationSecret } from '../../src/store/node/secret-facts.ts'
import { unreadSince } from '../../src/store/readers/log-readers.ts'
import type { Options } from '../harness/options.ts'
import type { ProcessFigures } from '../harness/process-figures.ts'
import { figure, goal, heading, line, median, threadFigures } from '../harness/report.ts'
import { type Node, Rig } from '../harness/rig.ts'
import type { HitLoadCalls } from '../processes/hit-load.ts'
import type { LoadResult } from '../processes/http-load.ts'

const WARM_UP_SECONDS = 2
const MAX_MESSAGES = 5_000
const MAX_BATCH = 500
/** Number of hits per second in the measurement of latency. */
const RATE = 5_000
const TARGET = 'https://shop.example/products/1234?campaign=spring&source=newsletter'

interface Round {
  readonly load: LoadResult
  readonly figures: ProcessFigures
}

/** Runs the measurement `npm run bench -- tracking`. */
export async function measureTracking(options: Options): Promise<void> {
  const rig = await Rig.open(options)
  try {
    const node = await rig.node('api')
    const paths = await acceptedLinks(rig, node, Math.min(options.messages, MAX_MESSAGES))
    const load = rig.child<HitLoadCalls>('hit-load.ts')
    const round = async (rate: number | undefined, seconds: number): Promise<Round> => {
      await node.process.ask('reset', undefined)
      const { connections } = options
      const result = await load.ask('run', { url: node.started.url, paths, connections, seconds, rate })
      return { load: result, figures: await node.process.ask('figures', undefined) }
    }
    await round(undefined, WARM_UP_SECONDS)
    const free: Round[] = []
    const paced: Round[] = []
    const store = await rig.openStore()
    rig.closeLater(() => store.close())
    for (let left = options.rounds; left > 0; left--) {
      free.push(await round(undefined, options.seconds))
      await untilWritten(store)
      paced.push(await round(options.rate ?? RATE, options.seconds))
    }
    report(free, paced, options)
    line('hits written', figure(await untilWritten(store)))
    const metrics = await (await fetch(`${node.started.url}/metrics`)).text()
    line('hits lost', /^postrider_tracking_hits_lost_total (\d+)$/m.exec(metrics)?.[1] ?? '')
  } finally {
    await rig.close()
  }
}

/** Returns the paths of tracked links and open pixels; links of the same message are far apart in the list. */
async function acceptedLinks(rig: Rig, { started }: Node, messages: number): Promise<string[]> {
  const { url, playground } = started
  const message = {
    ...{ from: `news@${playground.domain}`, to: [{ email: 'you@inbox-0.test' }], subject: 'Spring' },
    html: `<a href="${TARGET}">x</a>`,
  }
  for (let sent = 0; sent < messages; sent += MAX_BATCH) {
    const answer = await fetch(`${url}/v1/messages/batch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${playground.sending_key}`, 'content-type': 'application/json' },
      body: JSON.stringify(Array.from({ length: Math.min(MAX_BATCH, messages - sent) }, () => message)),
    })
    if (!answer.ok) throw new Error(`refused: ${await answer.text()}`)
  }
  await rig.execute(`update recipients set status = 'delivered', last_event_at = 0`)
  const store = await rig.openStore()
  const key = trackingKey(await installationSecret(store), new URL(url).hostname)
  const rows = await store.read.selectFrom('recipients').select('message_id').execute()
  await store.close()
  return [0, OPEN_LINK, 1, 2].flatMap((link) =>
    rows.map(({ message_id: messageId }) =>
      link === OPEN_LINK
        ? `/o/${trackingToken(key, { messageId, position: 0, link, url: '' })}`
        : `/c/${trackingToken(key, { messageId, position: 0, link, url: TARGET })}`,
    ),
  )
}

function report(free: readonly Round[], paced: readonly Round[], options: Options): void {
  const { connections, database, rounds, seconds, rate = RATE } = options
  heading(`tracking: hits, ${connections} connections, ${database}, ${rounds} × ${seconds} s`)
  line('', 'as many as come', `${rate}/s`)
  const both = (label: string, of: (round: Round) => number, unit = ''): void =>
    line(label, ...[free, paced].map((all) => figure(median(all.map(of)), unit)))
  both('hits/s', ({ load }) => load.perSecond)
  both('p50', ({ load }) => load.p50, 'ms')
  both('p99', ({ load }) => load.p99, 'ms')
  both('longest', ({ load }) => load.max, 'ms')
  both('CPU a hit', ({ load, figures }) => figures.cpuMicros / load.requests, 'µs')
  both('event loop delay p99', ({ figures }) => figures.loopDelayP99Ms, 'ms')
  both('RSS at the end', ({ figures }) => figures.rssMiB, 'MiB')
  both('CPU of the load a hit', ({ load }) => load.cpuMicros, 'µs')
  both('refused', ({ load }) => load.refused)
  for (const { load, figures } of paced) {
    line('of each thread, µs', threadFigures(figures.threadMicros, load.requests))
  }
  goal('at least 5,000 hits/s', median(free.map(({ load }) => load.perSecond)) >= 5_000)
  goal(`p99 under 20 ms at ${rate}/s`, median(paced.map(({ load }) => load.p99)) < 20)
  goal(
    'none refused',
    [...free, ...paced].every(({ load }) => load.refused === 0),
  )
}

/** Waits until all hits and events are written; returns the number of hits in the store. */
async function untilWritten(store: Store): Promise<number> {
  const counted = async (): Promise<number> => {
    const { sum } = await store.read
      .selectFrom('tracked_links')
      .select(({ fn }) => fn.sum<number>('hits').as('sum'))
      .executeTakeFirstOrThrow()
    return Number(sum)
  }
  for (let before = -1; ; ) {
    const now = await counted()
    const isRead = [...(await unreadSince(store.read)).values()].every((since) => since === undefined)
    if (now === before && isRead) return now
    before = now
    await sleep(1_000)
  }
}
