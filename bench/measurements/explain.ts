// Measures the response times of `GET /v1/explain`, with a million messages in the store.

import { setTimeout } from 'node:timers/promises'
import { newId } from '../../src/lib/ids.ts'
import { acceptMessage } from '../../src/store/accepting/accept-message.ts'
import type { Store } from '../../src/store/database/store.ts'
import { messageTo } from '../../test/support/queued.ts'
import { settled } from '../../test/support/store.ts'
import { addressOf, endings, type Filled, fillMonth, idOf } from '../harness/dashboard-fill.ts'
import type { Options } from '../harness/options.ts'
import { figure, goal, heading, line, quantile } from '../harness/report.ts'
import { type Node, Rig } from '../harness/rig.ts'

const MESSAGES = 1_000_000
/** Number of messages to the address that has had the most mail. */
const FREQUENT = 20_000
const AT_ONCE = 1_000
const TIMES = 100
const GOAL_MS = 300
const PAUSE_MS = 500

const BUSY = 'everybody@busy.example'

/** Runs the measurement `npm run bench -- explain`. */
export async function measureExplain(options: Options): Promise<void> {
  const rig = await Rig.open(options)
  try {
    const node = await rig.node('api')
    const store = await rig.openStore()
    const count = options.queued ?? MESSAGES
    const filled = await fillMonth(store, count)
    await fillBusy(store, filled)
    await settled(store)
    for (const statement of endings(filled, count)) await rig.execute(statement)
    if (options.database === 'postgres') await rig.execute('vacuum analyze')
    await store.close()
    heading(`explain: ${count} messages in the store, ${options.database}`)
    await measureQuestions(node, filled, count)
  } finally {
    await rig.close()
  }
}

/** Accepts many messages to one address. */
async function fillBusy(store: Store, { owner }: Filled): Promise<void> {
  for (let first = 0; first < FREQUENT; first += AT_ONCE) {
    const batch = Array.from({ length: AT_ONCE }, (_, index) => {
      const { message, ...rest } = messageTo(owner, [BUSY])
      const id = newId('msg')
      const subject = `Number ${first + index}`
      return { ...rest, message: { ...message, id, subject, created_at: Date.now() } }
    })
    await Promise.all(batch.map((one) => store.write(acceptMessage, one)))
  }
}

async function measureQuestions(node: Node, filled: Filled, count: number): Promise<void> {
  const middle = Math.floor(count / 2)
  const ofState = (rest: number, among: number): string => addressOf(middle - (middle % among) + rest)
  const questions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'a delivered message': { email: ofState(1, 100_000) },
    'a bounced message': { email: ofState(0, 100) },
    'a message that was given up': { email: ofState(7, 100_000) },
    'a cancelled message': { email: ofState(3, 1_000) },
    'a suppressed message': { email: ofState(503, 1_000) },
    'a deferred message': { email: ofState(9, 10_000) },
    'a message in the queue': { email: addressOf(count - 1) },
    'a message by its ID': { email: addressOf(middle), message_id: idOf(filled, middle) },
    'a subject': { email: addressOf(middle), subject: 'receipt order' },
    'a day': { email: addressOf(middle), after: new Date(Date.now() - 86_400_000).toISOString() },
    'an address with very many messages': { email: BUSY },
    'a subject among very many messages': { email: BUSY, subject: 'nothing of this' },
    'an address without a message': { email: 'nobody@nowhere.example' },
    'a misspelt address': { email: addressOf(middle).replace('user', 'uesr') },
    'a misspelt domain': { email: addressOf(middle).replace('.example', '.exmaple') },
    'a beginning of very many addresses': { email: 'user@d1.example' },
    'a long address': { email: `${'l'.repeat(64)}@${'d'.repeat(60)}.example` },
  }
  line('', 'p50', 'p95', 'p99', 'longest')
  let worst = 0
  for (const [name, question] of Object.entries(questions)) {
    const times = await timesOf(node, new URLSearchParams(question))
    const p99 = quantile(times, 0.99)
    worst = Math.max(worst, p99)
    const all = [quantile(times, 0.5), quantile(times, 0.95), p99, Math.max(...times)]
    line(name, ...all.map((time) => figure(time, 'ms')))
  }
  goal(`every explanation within ${GOAL_MS} ms (p99)`, worst < GOAL_MS)
}

/** Repeats a question; returns the response times in milliseconds. Waits and retries after a rate limit. */
async function timesOf({ started: { url, playground } }: Node, question: URLSearchParams): Promise<number[]> {
  const headers = { authorization: `Bearer ${playground.sending_key}` }
  const times: number[] = []
  while (times.length < TIMES) {
    const startedAt = performance.now()
    const answer = await fetch(`${url}/v1/explain?${question}`, { headers })
    const text = await answer.text()
    if (answer.status === 429) {
      await setTimeout(PAUSE_MS)
      continue
    }
    times.push(performance.now() - startedAt)
    if (answer.status !== 200) throw new Error(`${question}: ${answer.status} ${text}`)
  }
  return times
}
