// A client that repeats each request with the same idempotency key, while the node is killed repeatedly.

import { DnsHost } from '../dns-host.ts'
import { type DatabaseName, lookInto, testStorage } from '../store.ts'
import { CRASH_ZONE } from './crash-run.ts'
import { LoadedNode } from './loaded-node.ts'
import { Receiver } from './receiver.ts'

/** Result of a run. */
export interface KeyFigures {
  readonly kills: number
  readonly requests: number
  /** Number of requests that have a response at the end. */
  readonly answered: number
  /** Number of requests without a response because of a kill. */
  readonly cut: number
  /** Descriptions of the kinds of objects whose number differs from the number of requests. */
  readonly wrong: readonly string[]
}

const ADDRESSES = 5_000
const BATCH = 100
/** Number of rounds after which the messages of a round are erased. */
const KEPT_ROUNDS = 3

interface Made {
  readonly path: string
  readonly body: object | string
  readonly type: string
}

/** Returns the requests of one round; all created objects contain the name of the round. */
function requestsOf(round: number): readonly Made[] {
  const name = `round-${round}`
  const message = {
    from: 'a@example.test',
    to: [{ email: `b@${name}.example` }],
    subject: 's',
    text: 't',
    tag: name,
  }
  const json = (path: string, body: object): Made => ({ path, body, type: 'application/json' })
  const addresses = Array.from({ length: ADDRESSES }, (_, index) => `${index}@${name}.example`)
  return [
    { path: 'suppressions', body: `email\n${addresses.join('\n')}\n`, type: 'text/csv' },
    json('templates', { alias: name, name, subject: name, text: name }),
    json('streams', { alias: name, name, kind: 'broadcast' }),
    json('webhooks', { url: `https://receiver.example/${name}`, name }),
    json('messages', message),
    json(
      'messages/batch',
      Array.from({ length: BATCH }, () => message),
    ),
    json('erasures', { email: `b@round-${round - KEPT_ROUNDS}.example` }),
  ]
}

/** Kills the node once in each round, and afterwards repeats the requests of the round until each has a response. */
export async function runKeys(kills: number, database: DatabaseName): Promise<KeyFigures> {
  const host = await Receiver.start()
  const dns = await DnsHost.start(CRASH_ZONE)
  const storage = await testStorage(database, 'playground')
  const node = await LoadedNode.in(storage, host, dns)
  let answered = 0
  let cut = 0
  try {
    await node.start()
    for (let round = 0; round < kills; round++) {
      const made = requestsOf(round)
      const first = Promise.all(made.map((one, index) => ask(node, one, `${round} ${index}`)))
      await node.killAfter(20 + Math.random() * 400)
      cut += (await first).filter((status) => status === undefined).length
      await node.start()
      for (const [index, one] of made.entries()) {
        if (await answeredAtLast(node, one, `${round} ${index}`)) answered++
      }
    }
    const wrong = await differences(storage, kills)
    return { kills, requests: kills * requestsOf(0).length, answered, cut, wrong }
  } finally {
    await node.kill()
    await Promise.all([host.stop(), dns.stop()])
    await storage.remove()
  }
}

/** Returns the status of the response; undefined if there was no response. */
async function ask(node: LoadedNode, { path, body, type }: Made, key: string): Promise<number | undefined> {
  const { baseUrl, key: secret } = await node.access()
  const headers = { authorization: `Bearer ${secret}`, 'content-type': type, 'idempotency-key': key }
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return fetch(`${baseUrl}/${path}`, { method: 'POST', headers, body: text }).then(
    async (response) => {
      await response.text()
      return response.status
    },
    () => undefined,
  )
}

const TRIES_MS = 60_000
const PAUSE_MS = 200

async function answeredAtLast(node: LoadedNode, made: Made, key: string): Promise<boolean> {
  for (const until = Date.now() + TRIES_MS; Date.now() < until; ) {
    const status = await ask(node, made, key)
    if (status !== undefined && status < 300) return true
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  return false
}

/** Returns descriptions of the kinds of objects whose stored number differs from the number of requests. */
async function differences(storage: Parameters<typeof lookInto>[0], rounds: number): Promise<string[]> {
  const store = await lookInto(storage)
  const { read } = store
  const named = async (table: 'templates' | 'streams' | 'webhooks') =>
    (await read.selectFrom(table).select('name').where('name', 'like', 'round-%').execute()).length
  const counts = {
    templates: await named('templates'),
    streams: await named('streams'),
    webhooks: await named('webhooks'),
    suppressions: (
      await read.selectFrom('suppressions').select('email').where('email', 'like', '%@round-%').execute()
    ).length,
    messages: (await read.selectFrom('messages').select('id').where('tag', 'like', 'round-%').execute())
      .length,
    erasures: (
      await read.selectFrom('audit_log').select('id').where('action', '=', 'erasure.create').execute()
    ).length,
  }
  await store.close()
  const expected = {
    ...{ templates: rounds, streams: rounds, webhooks: rounds, suppressions: rounds * ADDRESSES },
    messages: Math.min(rounds, KEPT_ROUNDS) * (BATCH + 1),
    erasures: rounds,
  }
  return Object.entries(expected).flatMap(([what, count]) => {
    const found = counts[what as keyof typeof counts]
    return found === count ? [] : [`${found} ${what} instead of ${count}`]
  })
}
