// The cost of claims does not grow while a database snapshot is open that is older than the whole queue.

import pg from 'pg'
import { silentLog } from '../../../src/lib/log.ts'
import { LowWaterMarks } from '../../../src/queue/low-water-marks.ts'
import { acceptMessage } from '../../../src/store/accepting/accept-message.ts'
import type { Owner } from '../../../src/store/messages/messages.ts'
import { openStore } from '../../../src/store/node/open-in-mode.ts'
import { queueOutlook } from '../../../src/store/queue/queue-moves.ts'
import { claim, createOwner, messageTo } from '../../support/queued.ts'
import { TortureDatabase } from '../database.ts'
import type { Scenario } from '../scenario.ts'

const MAX_CLAIM_MS = 10
/** Maximum duration of a claim as a multiple of the duration without dead rows and without a snapshot. */
const MAX_FACTOR = 1.5
const CLAIMS = 40
const CLAIMED = 64
const ENDED_MINUTES = 10

export const scenario: Scenario = {
  sentence:
    'a snapshot stays open (as in pg_dump) while 300,000 recipients pass through the queue and 300,000 more wait, without statistics',
  async run(small) {
    const recipients = small ? 20_000 : 300_000
    const database = await TortureDatabase.start()
    const store = await openStore({ dataDir: '/tmp', databaseUrl: database.url, log: silentLog })
    const holder = new pg.Client({ connectionString: database.url })
    const changer = new pg.Client({ connectionString: database.url })
    await Promise.all([holder.connect(), changer.connect()])
    try {
      const owner = await createOwner(store)
      const acceptAll = async (): Promise<void> => {
        const now = Date.now()
        const messages = Array.from({ length: 2 * CLAIMS * CLAIMED }, (_, index) => {
          const message = messageTo(owner, [`r${index}@d${index % 8}.example`])
          const [one] = message.recipients
          return { ...message, recipients: [{ ...one!, startTag: now }] }
        })
        await Promise.all(messages.map((message) => store.write(acceptMessage, message)))
      }
      const claimFromZero = async (): Promise<void> => {
        await claim(store, { now: Date.now(), limit: CLAIMED })
      }
      await acceptAll()
      const emptyMs = [...(await timesOf(claimFromZero)), ...(await timesOf(claimFromZero))]
      await holder.query('begin isolation level repeatable read')
      await holder.query('select count(*) from queue')
      const now = Date.now()
      await passThrough(changer, owner, recipients, now)
      await addWaiting(changer, owner, recipients, now)
      await acceptAll()
      const fromZeroMs = await timesOf(claimFromZero)
      const marks = new LowWaterMarks()
      const look = () =>
        marks.check((from) => queueOutlook(store.read, undefined, from), Date.now()).then(() => {})
      await look()
      const looksMs = await timesOf(look)
      const claimsMs = await timesOf(async () => {
        const at = Date.now()
        const found = await claim(store, { now: at, limit: CLAIMED, from: marks.from })
        marks.noteClaim(found, at)
        if (found.recipients.length < CLAIMED)
          throw new Error(`only ${found.recipients.length} recipients were claimed`)
      })
      const figures = {
        recipients,
        emptyP50Ms: percentile(
          emptyMs.sort((a, b) => a - b),
          50,
        ),
        ...{ claimP50Ms: percentile(claimsMs, 50), claimP95Ms: percentile(claimsMs, 95) },
        ...{ lookP50Ms: percentile(looksMs, 50), claimFromZeroP50Ms: percentile(fromZeroMs, 50) },
      }
      const { claimP50Ms, emptyP50Ms } = figures
      return { figures, held: claimP50Ms < Math.max(MAX_CLAIM_MS, MAX_FACTOR * emptyP50Ms) }
    } finally {
      await Promise.all([holder.end(), changer.end()])
      await store.close()
      await database.stop()
    }
  },
}

const COLUMNS =
  'message_id, position, account_id, domain_id, destination, stream, size, state, waits_for, start_tag, due_at, lease, lease_until, active_since, renewed, attempts, faults, possible_duplicate'

/**
 * Inserts rows into the queue, changes their states so that the rows enter each index, and deletes the rows. The open
 * snapshot prevents PostgreSQL from removing the dead index entries.
 */
async function passThrough(
  client: pg.Client,
  { accountId, domainId }: Owner,
  recipients: number,
  now: number,
): Promise<void> {
  const from = now - ENDED_MINUTES * 60_000
  const step = (ENDED_MINUTES * 60_000 - 60_000) / recipients
  await client.query(
    `insert into queue (${COLUMNS}) select 'msg_gone' || n, 0, $1, $2, 'd.example', 'transactional', 10, 'deferred', '',
       $3::bigint + (n * $4::float8)::bigint, $3::bigint + (n * $4::float8)::bigint, null, null, null, 0, 0, 0, 0
     from generate_series(1, $5::int) n`,
    [accountId, domainId, from, step, recipients],
  )
  await client.query("update queue set state = 'ready', due_at = null where message_id like 'msg_gone%'")
  await client.query(
    "update queue set state = 'active', lease = 'x', lease_until = start_tag where message_id like 'msg_gone%'",
  )
  await client.query("delete from queue where message_id like 'msg_gone%'")
}

/** Inserts waiting recipients that come after all other recipients in the queue. */
const addWaiting = (
  client: pg.Client,
  { accountId, domainId }: Owner,
  recipients: number,
  now: number,
): Promise<unknown> =>
  client.query(
    `insert into queue (${COLUMNS}) select 'msg_waits' || n, 0, $1, $2, 'd.example', 'transactional', 10, 'ready', '',
       $3::bigint + n, null, null, null, null, 0, 0, 0, 0 from generate_series(1, $4::int) n`,
    [accountId, domainId, now + 3_600_000, recipients],
  )

/** Runs a function repeatedly; returns the durations in milliseconds, shortest first. */
async function timesOf(run: () => Promise<void>): Promise<number[]> {
  const times: number[] = []
  for (let index = 0; index < CLAIMS; index++) {
    const began = performance.now()
    await run()
    times.push(performance.now() - began)
  }
  return times.sort((a, b) => a - b)
}

const percentile = (sorted: readonly number[], percent: number): number =>
  Math.round(10 * (sorted[Math.floor((sorted.length * percent) / 100)] ?? 0)) / 10
