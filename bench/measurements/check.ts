// Measures the check of messages: the time for a mail of 100 KB, and the cost of the guard when messages are accepted.

import { checkMail } from '../../src/check/check-mail.ts'
import type { Options } from '../harness/options.ts'
import { figure, goal, heading, line, median } from '../harness/report.ts'
import { Rig } from '../harness/rig.ts'
import type { HttpLoadCalls } from '../processes/http-load.ts'

/** As long as in `accept`. */
const WARM_UP_SECONDS = 6
const SIZE = 100_000
const CHECKS = 1_000

/** Runs the measurement `npm run bench -- check`. */
export async function measureCheck(options: Options): Promise<void> {
  measureChecking()
  await measureAccepting(options)
}

function measureChecking(): void {
  const row =
    '<tr><td style="padding:8px 12px;font:14px/20px Arial,sans-serif;display:block"><a href="https://www.shop.de/orders/12?a=1&amp;b=2">Your order</a> has been sent.</td></tr>\n'
  const head =
    '<html><head><style>td { color: red } @media (max-width: 600px) { td { width: 100% } }</style></head><body><table>\n'
  const html = head + row.repeat(Math.ceil((SIZE - head.length) / row.length))
  const text = 'Your order has been sent.\n'.repeat(200)
  const mail = { html, text, subject: 'Your order', from: 'orders@shop.de' }
  const times: number[] = []
  for (let index = -CHECKS / 5; index < CHECKS; index++) {
    const began = performance.now()
    checkMail({ mail, facts: {}, ignore: [] })
    if (index >= 0) times.push(performance.now() - began)
  }
  times.sort((one, other) => one - other)
  const [p50, p99] = [times[CHECKS / 2] ?? 0, times[Math.floor(CHECKS * 0.99)] ?? 0]
  heading(`check: HTML of ${html.length} characters, ms`)
  line('', 'p50', 'p99')
  line('', figure(p50), figure(p99))
  goal('p99 under 20 ms', p99 < 20)
}

/** The sample message has a link to a host of examples, which the guard would refuse. */
const REFUSING = { guard: 'refuse', ignore: ['link_local'] }

async function measureAccepting(options: Options): Promise<void> {
  const rig = await Rig.open(options)
  try {
    const { started } = await rig.node('api')
    const { url } = started
    const key = started.playground.sending_key
    const load = rig.child<HttpLoadCalls>('http-load.ts')
    const { connections } = options
    const { destinations } = rig
    const round = async (settings: object, seconds: number) => {
      await change(url, key, settings)
      return load.ask('run', { url, key, connections, destinations, seconds })
    }
    await round({ guard: null }, WARM_UP_SECONDS)
    await round(REFUSING, WARM_UP_SECONDS)
    const ratios: number[] = []
    heading(`check: POST /v1/messages, ${connections} connections, ${options.database}, requests/s`)
    line('', 'off', 'refuse', 'ratio', 'refused')
    for (let left = options.rounds; left > 0; left--) {
      const off = await round({ guard: null }, options.seconds)
      const guarded = await round(REFUSING, options.seconds)
      const ratio = guarded.perSecond / off.perSecond
      ratios.push(ratio)
      line('', figure(off.perSecond), figure(guarded.perSecond), figure(ratio), figure(guarded.refused))
    }
    goal('at least three quarters', median(ratios) >= 0.75)
  } finally {
    await rig.close()
  }
}

/** Changes the stream of the load. */
async function change(url: string, key: string, settings: object): Promise<void> {
  const { status } = await fetch(new URL('/v1/streams/transactional', url), {
    method: 'PATCH',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(settings),
  })
  if (status !== 200) throw new Error(`the stream was not changed: status ${status}`)
}
