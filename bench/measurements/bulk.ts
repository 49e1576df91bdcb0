// Measures the time of a bulk send, from POST /v1/bulk until every row is a message, while the same API key sends
// single messages.

import { setTimeout as sleep } from 'node:timers/promises'
import { TEMPLATE, TEMPLATE_MODEL } from '../harness/message.ts'
import type { Options } from '../harness/options.ts'
import { figure, goal, heading, line, threadFigures } from '../harness/report.ts'
import { Rig } from '../harness/rig.ts'
import type { HttpLoadCalls } from '../processes/http-load.ts'

/** Default number of rows of the bulk. */
const ROWS = 100_000
/** Time in which all rows have to become messages. */
const MAX_SECONDS = 60
/** Default number of single messages per second during the bulk send. */
const BESIDE_RATE = 50
const WARM_UP_SECONDS = 2

interface Api {
  readonly url: string
  readonly key: string
}

/** Runs the measurement `npm run bench -- bulk`. */
export async function measureBulk(options: Options): Promise<void> {
  const rows = options.messages === 20_000 ? ROWS : options.messages
  const rig = await Rig.open(options)
  try {
    const { process: ours, started } = await rig.node('api')
    const api = { url: started.url, key: started.playground.sending_key }
    const load = rig.child<HttpLoadCalls>('http-load.ts')
    const beside = (seconds: number) =>
      load.ask('run', {
        ...{ ...api, connections: 4, destinations: rig.destinations, seconds },
        rate: options.rate ?? BESIDE_RATE,
      })
    await call(api, 'POST', '/v1/templates', JSON.stringify(TEMPLATE), 'application/json')
    const alone = await beside(WARM_UP_SECONDS)
    const body = linesOf(rows, rig.destinations)
    await ours.ask('reset', undefined)
    const began = performance.now()
    const running = beside(MAX_SECONDS / 3)
    const { bulk_id: id } = await call(api, 'POST', '/v1/bulk', body, 'application/x-ndjson')
    const answered = performance.now()
    const bulk = await untilDone(api, String(id))
    const ended = performance.now()
    const { cpuMicros, threadMicros, loopDelayP99Ms, peakRssMiB } = await ours.ask('figures', undefined)
    const meanwhile = await running
    const store = await rig.openStore()
    const stored = await store.read.selectFrom('stored_bytes').select('bytes').executeTakeFirst()
    await store.close()
    const seconds = (ended - began) / 1000
    heading(`bulk: ${rows} rows of a receipt by template, ${options.database}`)
    line('until the 202', figure((answered - began) / 1000, 's'), `${figure(body.length / 1e6)} MB`)
    line('until all rows are messages', figure(seconds, 's'), figure(rows / seconds, '/s'))
    line('accepted, refused', String(bulk.accepted), String(bulk.refused))
    line('CPU a row', figure(cpuMicros / rows, 'µs'), threadFigures(threadMicros, rows))
    line('bytes of content a message', figure(Number(stored?.bytes ?? 0) / rows))
    line('event loop delay p99', figure(loopDelayP99Ms, 'ms'))
    line('peak RSS', figure(peakRssMiB, 'MiB'))
    line('single sends, p50 and p99 alone', figure(alone.p50, 'ms'), figure(alone.p99, 'ms'))
    line('single sends, p50 and p99 beside', figure(meanwhile.p50, 'ms'), figure(meanwhile.p99, 'ms'))
    goal(`accepted in ${MAX_SECONDS} s`, seconds < MAX_SECONDS && bulk.accepted === rows)
  } finally {
    await rig.close()
  }
}

function linesOf(rows: number, destinations: readonly string[]): string {
  const { paragraphs, items, total } = TEMPLATE_MODEL
  const message = {
    ...{ from: 'receipts@example.test', template_alias: TEMPLATE.alias },
    template_model: { paragraphs, items },
  }
  const lines = Array.from({ length: rows }, (_, row) =>
    JSON.stringify({
      to: { email: `customer-${row}@${destinations[row % destinations.length]}`, name: `Customer ${row}` },
      template_model: { order: `order ${row}`, total: `${total} ${row}` },
      metadata: { order: String(row) },
    }),
  )
  return [JSON.stringify(message), ...lines].join('\n')
}

async function untilDone(api: Api, id: string): Promise<{ accepted: number; refused: number }> {
  for (;;) {
    const bulk = await call(api, 'GET', `/v1/bulk/${id}`)
    if (bulk.status === 'done') return bulk as never
    await sleep(100)
  }
}

async function call(
  { url, key }: Api,
  method: string,
  path: string,
  body?: string,
  type = 'application/json',
): Promise<Record<string, string | number>> {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': type }) },
    ...(body === undefined ? {} : { body }),
  })
  const answer = (await response.json()) as Record<string, string | number>
  if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
  return answer
}
