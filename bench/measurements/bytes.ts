// Measures the number of bytes that the record, the SMTP transcript and the content of a delivered message take in the
// store.

import { sql } from 'kysely'
import { beforeIdsOf } from '../../src/lib/ids.ts'
import { type Store, storeBytes } from '../../src/store/database/store.ts'
import type { Owner } from '../../src/store/messages/messages.ts'
import { settled } from '../../test/support/store.ts'
import { requestBody } from '../harness/message.ts'
import type { Options } from '../harness/options.ts'
import { figure, heading, line } from '../harness/report.ts'
import { fillPast } from '../harness/retention-fill.ts'
import { Rig } from '../harness/rig.ts'

const STEP_MS = 1_000
/**
 * Parts of a message, in the order of measurement. The first entry is a warm-up that brings tables with constant
 * inserts and deletes to their normal size.
 */
const PARTS = [
  { name: undefined, hasDialog: true, hasContent: false },
  { name: 'record', hasDialog: false, hasContent: false },
  { name: 'record, dialog', hasDialog: true, hasContent: false },
  { name: 'record, dialog, content', hasDialog: true, hasContent: true },
] as const

/** Runs the measurement `npm run bench -- bytes`. */
export async function measureBytes(options: Options): Promise<void> {
  const rig = await Rig.open(options)
  try {
    await rig.node('api')
    const store = await rig.openStore()
    rig.closeLater(() => store.close())
    const owner = await ownerIn(store)
    const count = options.messages
    const content = requestBody(rig.destinations[0] ?? '').length
    heading(`bytes: ${count} delivered messages of ${content} bytes each, ${options.database}`)
    let from = Date.now() - PARTS.length * count * STEP_MS
    let before = await bytesOf(rig, store)
    for (const { name, hasDialog, hasContent } of PARTS) {
      const end = from + count * STEP_MS
      const transcriptsFrom = hasDialog ? 0 : end
      const contentsFrom = hasContent ? 0 : end
      const past = { owner, count, from, stepMs: STEP_MS, transcriptsFrom, contentsFrom }
      await fillPast(store, past, rig.destinations)
      await settled(store)
      if (!hasContent)
        await rig.execute(`delete from message_contents where message_id < '${beforeIdsOf('msg', end)}'`)
      const after = await bytesOf(rig, store)
      if (name !== undefined) line(name, figure((after - before) / count, 'bytes'))
      from = end
      before = after
    }
  } finally {
    await rig.close()
  }
}

function ownerIn(store: Store): Promise<Owner> {
  return store.read
    .selectFrom('domains')
    .select(['id as domainId', 'account_id as accountId'])
    .executeTakeFirstOrThrow()
}

/**
 * Returns the size of the store in bytes, without space that later messages reuse: the write-ahead log, free pages and
 * dead rows.
 */
async function bytesOf(rig: Rig, store: Store): Promise<number> {
  if (rig.storage.databaseUrl !== undefined) {
    await rig.execute('vacuum')
    return storeBytes(store.read, rig.storage)
  }
  const [pages, free, size] = await Promise.all(
    ['page_count', 'freelist_count', 'page_size'].map(async (name) => {
      const { rows } = await sql<Record<string, number>>`pragma ${sql.raw(name)}`.execute(store.read)
      return Number(rows[0]?.[name])
    }),
  )
  return ((pages ?? 0) - (free ?? 0)) * (size ?? 0)
}
