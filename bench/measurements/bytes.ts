// Bytes of a delivered message in the store, by what is kept of it: its record, its SMTP dialog, its content.

import { beforeIdsOf } from '../../src/lib/ids.ts'
import { overwriteLog } from '../../src/store/database/space.ts'
import type { Store } from '../../src/store/database/store.ts'
import { storeBytes } from '../../src/store/database/store-size.ts'
import type { Owner } from '../../src/store/messages/messages.ts'
import { settled } from '../../test/support/store.ts'
import { requestBody } from '../harness/message.ts'
import type { Options } from '../harness/options.ts'
import { figure, heading, line } from '../harness/report.ts'
import { fillPast } from '../harness/retention-fill.ts'
import { Rig } from '../harness/rig.ts'

const STEP_MS = 1_000
const PARTS = ['record', 'record, dialog', 'record, dialog, content'] as const

/** `npm run bench -- bytes` */
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
    for (const [index, part] of PARTS.entries()) {
      const end = from + count * STEP_MS
      const transcriptsFrom = index >= 1 ? 0 : end
      const contentsFrom = index >= 2 ? 0 : end
      const past = { owner, count, from, stepMs: STEP_MS, transcriptsFrom, contentsFrom }
      await fillPast(store, past, rig.destinations)
      await settled(store)
      if (index < 2)
        await rig.execute(`delete from message_contents where message_id < '${beforeIdsOf('msg', end)}'`)
      const after = await bytesOf(rig, store)
      line(part, figure((after - before) / count, 'bytes'))
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

/** Without what the next messages fill: a write-ahead log, rows that were replaced. */
async function bytesOf(rig: Rig, store: Store): Promise<number> {
  if (rig.storage.databaseUrl === undefined) await overwriteLog(store.read)
  else await rig.execute('vacuum')
  return storeBytes(store.read, rig.storage)
}
