// Measures webhooks: the rate of deliveries to a local receiver while another receiver never responds, the delay of an
// event with and without hostile receivers, and the effect on the acceptance of messages.

import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../test/support/postgres.ts'
import type { Child } from '../harness/child.ts'
import type { Options } from '../harness/options.ts'
import { figure, goal, heading, line, median, quantile } from '../harness/report.ts'
import { type Node, Rig } from '../harness/rig.ts'
import type { BlackHoleCalls } from '../processes/black-hole.ts'
import type { HostileReceiversCalls } from '../processes/hostile-receivers.ts'
import type { HttpLoadCalls, LoadResult } from '../processes/http-load.ts'
import type { WebhookSinkCalls } from '../processes/webhook-sink.ts'

/** Number of messages in one request to the API. */
const PART = 500
/** Number of messages per second in the measurement of the delay. */
const CALM_RATE = 50
/**
 * Usual rate of acceptance as a fraction of the maximum rate; the cost of webhooks is also measured at the usual rate.
 */
const USUAL_SHARE = 0.25
/** Time within which all events have to arrive at the receiver. */
const MAX_WAIT_MS = 120_000

interface Hook {
  readonly webhook_id: string
}

/** Runs the measurement `npm run bench -- webhooks`. */
export async function measureWebhooks(options: Options): Promise<void> {
  const rig = await Rig.open(options)
  try {
    const sink = rig.child<WebhookSinkCalls>('webhook-sink.ts')
    const { url } = await sink.ask('start', undefined)
    const node = await rig.node('api,webhooks')
    const bench: Bench = { rig, node, sink, options, call: callerOf(node) }
    const began = new Date(Date.now() - 1_000).toISOString()
    const events = await fill(bench)
    const hook: Hook = await bench.call('POST', '/webhooks', { url })
    heading(`webhooks: ${options.messages} events, ${options.database}`)
    await measureRate(bench, hook, { events, began })
    await measureLags(bench)
    await measureCost(bench, hook)
  } finally {
    await rig.close()
  }
}

// biome-ignore lint/suspicious/noExplicitAny: responses of the API
type Call = (method: string, path: string, body?: object) => Promise<any>

interface Bench {
  readonly rig: Rig
  readonly node: Node
  readonly sink: Child<WebhookSinkCalls>
  readonly options: Options
  readonly call: Call
}

function callerOf({ started }: Node): Call {
  const { base_url, sending_key } = started.playground
  return async (method, path, body) => {
    const answer = await fetch(`${base_url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${sending_key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer.status === 204 ? undefined : answer.json()
  }
}

const message = () => ({
  ...{ from: 'bench@example.test', to: [{ email: 'to@inbox-0.test' }] },
  ...{ subject: 'Webhooks', text: 'Hello' },
})

/** Accepts messages, and waits until their events are in the event feed; returns the number of events. */
async function fill({ call, options: { messages } }: Bench): Promise<number> {
  for (let sent = 0; sent < messages; sent += PART) {
    await call('POST', '/messages/batch', Array.from({ length: PART }, message))
  }
  await sleep(2_000)
  return Math.ceil(messages / PART) * PART
}

async function arrived({ sink }: Bench, count: number) {
  for (const until = Date.now() + MAX_WAIT_MS; Date.now() < until; await sleep(100)) {
    const figures = await sink.ask('figures', undefined)
    if (figures.events >= count) return figures
  }
  throw new Error(`fewer than ${count} events arrived`)
}

/** Measures the rate of deliveries while another receiver accepts connections and never responds. */
async function measureRate(
  bench: Bench,
  hook: Hook,
  { events, began }: { readonly events: number; readonly began: string },
): Promise<void> {
  const { rig, node, sink, options, call } = bench
  const dead = rig.child<BlackHoleCalls>('black-hole.ts')
  const port = await freePort()
  await dead.ask('start', { host: '127.0.0.1', port })
  const other: Hook = await call('POST', '/webhooks', { url: `http://127.0.0.1:${port}/` })
  await call('POST', `/webhooks/${other.webhook_id}/replay`, { from: began })
  const rates: number[] = []
  const cpu: number[] = []
  for (let left = options.rounds; left > 0; left--) {
    await sink.ask('reset', undefined)
    await node.process.ask('reset', undefined)
    await call('POST', `/webhooks/${hook.webhook_id}/replay`, { from: began })
    const { tookMs } = await arrived(bench, events)
    rates.push((events * 1_000) / tookMs)
    cpu.push((await node.process.ask('figures', undefined)).cpuMicros / events)
    while ((await call('GET', `/webhooks/${hook.webhook_id}`)).replaying) await sleep(50)
  }
  await call('DELETE', `/webhooks/${other.webhook_id}`)
  line('deliveries/s beside a dead receiver', figure(median(rates)))
  line('round by round', rates.map((rate) => figure(rate)).join(' '))
  line('CPU a delivery', figure(median(cpu), 'µs'))
  goal('at least 2,000 deliveries/s', median(rates) >= 2_000)
}

/** Measures the time from an event to its POST request, in alternating rounds without and with hostile receivers. */
async function measureLags(bench: Bench): Promise<void> {
  const { rig, call, options } = bench
  const urls = await rig.child<HostileReceiversCalls>('hostile-receivers.ts').ask('start', undefined)
  const alone: number[] = []
  const beside: number[] = []
  for (let left = options.rounds; left > 0; left--) {
    alone.push(...(await lagsOf(bench)))
    const hostile: Hook[] = []
    for (const url of Object.values(urls)) hostile.push(await call('POST', '/webhooks', { url }))
    beside.push(...(await lagsOf(bench)))
    for (const { webhook_id } of hostile) await call('DELETE', `/webhooks/${webhook_id}`)
  }
  line('from event to POST', 'alone', 'beside hostile')
  for (const part of [0.5, 0.95, 0.99])
    line(`  p${part * 100}`, ...[alone, beside].map((lags) => figure(quantile(lags, part), 'ms')))
  goal('p95 under 1 s', quantile(alone, 0.95) < 1_000)
  goal('p99 beside hostile ones within twice', quantile(beside, 0.99) <= 2 * quantile(alone, 0.99))
}

async function lagsOf(bench: Bench): Promise<number[]> {
  await bench.sink.ask('reset', undefined)
  const count = bench.options.seconds * CALM_RATE
  for (let sent = 0; sent < count; sent++) {
    await bench.call('POST', '/messages', message())
    await sleep(1_000 / CALM_RATE)
  }
  return (await arrived(bench, count)).lags
}

/**
 * Measures the rate of acceptance in alternating rounds without a webhook and with a webhook that receives an event of
 * each message. The first rounds run at the maximum rate, at which webhook deliveries and the receiver take CPU time
 * from acceptance; later rounds run at the usual rate.
 */
async function measureCost(bench: Bench, hook: Hook): Promise<void> {
  const { rig, call, node, options } = bench
  const load = rig.child<HttpLoadCalls>('http-load.ts')
  const round = (enabled: boolean, rate?: number): Promise<LoadResult> =>
    call('PATCH', `/webhooks/${hook.webhook_id}`, { enabled }).then(() =>
      load.ask('run', {
        ...{ url: node.started.url, key: node.started.playground.sending_key, rate },
        ...{ connections: options.connections, destinations: rig.destinations, seconds: options.seconds },
      }),
    )
  const inTurn = async (rate?: number): Promise<[without: LoadResult[], beside: LoadResult[]]> => {
    const rounds: [LoadResult[], LoadResult[]] = [[], []]
    for (let left = options.rounds; left > 0; left--) {
      rounds[0].push(await round(false, rate))
      rounds[1].push(await round(true, rate))
    }
    return rounds
  }
  await round(false)
  const full = await inTurn()
  const rate = Math.round(median(full[0].map(({ perSecond }) => perSecond)) * USUAL_SHARE)
  const usual = await inTurn(rate)
  const rateOf = (rounds: readonly LoadResult[]): number => median(rounds.map(({ perSecond }) => perSecond))
  line('accepted/s', 'without a webhook', 'with one')
  line('  as many as come', ...full.map((rounds) => figure(rateOf(rounds))))
  line(`  ${rate}/s`, ...usual.map((rounds) => figure(rateOf(rounds))))
  line('  p99 at that rate', ...usual.map((rounds) => figure(median(rounds.map(({ p99 }) => p99)), 'ms')))
  goal('accepts at most 5 % less with a webhook', rateOf(usual[1]) >= 0.95 * rateOf(usual[0]))
}
