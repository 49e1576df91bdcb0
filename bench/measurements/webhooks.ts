// Deliveries of webhooks: as many as a local receiver takes beside a dead one, and how soon an event is posted.

import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../test/support/postgres.ts'
import type { Options } from '../harness/options.ts'
import { figure, goal, heading, line, median, quantile } from '../harness/report.ts'
import { type Node, Rig } from '../harness/rig.ts'
import type { BlackHoleCalls } from '../processes/black-hole.ts'
import type { WebhookSinkCalls } from '../processes/webhook-sink.ts'

/** Messages of one request to the API. */
const PART = 500
/** Messages a second while it is measured how soon their events are posted. */
const CALM_RATE = 50
/** Time in which all has to arrive. */
const MAX_WAIT_MS = 120_000

interface Hook {
  readonly webhook_id: string
}

/** `npm run bench -- webhooks` */
export async function measureWebhooks(options: Options): Promise<void> {
  const rig = await Rig.open(options)
  try {
    const sink = rig.child<WebhookSinkCalls>('webhook-sink.ts')
    const { url } = await sink.ask('start', undefined)
    const dead = rig.child<BlackHoleCalls>('black-hole.ts')
    const port = await freePort()
    await dead.ask('start', { host: '127.0.0.1', port })
    const node = await rig.node('api,webhooks')
    const call = callerOf(node)
    const began = new Date(Date.now() - 1_000).toISOString()
    const events = await fill(call, options.messages)
    const hook: Hook = await call('POST', '/webhooks', { url })
    await call('POST', '/webhooks', { url: `http://127.0.0.1:${port}/` }).then((other: Hook) =>
      call('POST', `/webhooks/${other.webhook_id}/replay`, { from: began }),
    )
    const rates: number[] = []
    const cpu: number[] = []
    for (let left = options.rounds; left > 0; left--) {
      await sink.ask('reset', undefined)
      await node.process.ask('reset', undefined)
      await call('POST', `/webhooks/${hook.webhook_id}/replay`, { from: began })
      const { tookMs } = await arrived(events)
      rates.push((events * 1_000) / tookMs)
      cpu.push((await node.process.ask('figures', undefined)).cpuMicros / events)
      await untilReplayed(call, hook)
    }
    await sink.ask('reset', undefined)
    const calm = options.seconds * CALM_RATE
    for (let sent = 0; sent < calm; sent++) {
      await call('POST', '/messages', message())
      await sleep(1_000 / CALM_RATE)
    }
    const { lags } = await arrived(calm)
    lags.sort((one, other) => one - other)
    report(options, { rates, cpu, lags })

    async function arrived(count: number) {
      for (const until = Date.now() + MAX_WAIT_MS; Date.now() < until; await sleep(100)) {
        const figures = await sink.ask('figures', undefined)
        if (figures.events >= count) return figures
      }
      throw new Error(`not all of ${count} events came`)
    }
  } finally {
    await rig.close()
  }
}

// biome-ignore lint/suspicious/noExplicitAny: answers of the API
type Call = (method: string, path: string, body?: object) => Promise<any>

function callerOf({ started }: Node): Call {
  const { base_url, sending_key } = started.playground
  return async (method, path, body) => {
    const answer = await fetch(`${base_url}${path}`, {
      method,
      headers: { authorization: `Bearer ${sending_key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
}

const message = () => ({
  ...{ from: 'bench@example.test', to: [{ email: 'to@inbox-0.test' }] },
  ...{ subject: 'Webhooks', text: 'Hello' },
})

/** Accepts messages and waits until their events can be followed; answers how many there are. */
async function fill(call: Call, messages: number): Promise<number> {
  for (let sent = 0; sent < messages; sent += PART) {
    await call('POST', '/messages/batch', Array.from({ length: PART }, message))
  }
  await sleep(2_000)
  return Math.ceil(messages / PART) * PART
}

async function untilReplayed(call: Call, { webhook_id }: Hook): Promise<void> {
  while ((await call('GET', `/webhooks/${webhook_id}`)).replaying) await sleep(50)
}

interface Measured {
  readonly rates: readonly number[]
  readonly cpu: readonly number[]
  readonly lags: readonly number[]
}

function report(options: Options, { rates, cpu, lags }: Measured): void {
  heading(`webhooks: ${options.messages} events beside a dead receiver, ${options.database}`)
  line('deliveries/s', figure(median(rates)))
  line('round by round', rates.map((rate) => figure(rate)).join(' '))
  line('CPU a delivery', figure(median(cpu), 'µs'))
  line('from event to POST, p50', figure(quantile(lags, 0.5), 'ms'))
  line('from event to POST, p95', figure(quantile(lags, 0.95), 'ms'))
  goal('at least 2,000 deliveries/s', median(rates) >= 2_000)
  goal('p95 under 1 s', quantile(lags, 0.95) < 1_000)
}
