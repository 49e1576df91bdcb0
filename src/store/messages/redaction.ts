// Redaction: removes the content of a message once the message is final, for streams that store no content.

import { sql } from 'kysely'
import type { Sweep } from '../../model/retention.ts'
import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { LoggedStream } from '../events/event-log.ts'

/**
 * Records new messages of streams that store no content, for the sweeps of `listRedactions`. Runs in the `figures`
 * reader of the event log, so that no message is missed.
 */
export async function noteRedactions(db: Database, logged: readonly LoggedStream[]): Promise<void> {
  if (!logged.some(([, , , events]) => events.some(isFirst))) return
  const streams = await redactingStreams(db)
  if (streams.length === 0) return
  const redacting = new Set(streams.map(({ domain_id, alias }) => `${domain_id} ${alias}`))
  const rows = logged.flatMap(([, domain_id, stream, events]) =>
    redacting.has(`${domain_id} ${stream}`)
      ? events.filter(isFirst).map(([, , message_id]) => ({ ...KIND, domain_id, stream, message_id }))
      : [],
  )
  await insertRows(db, 'retention_skipped', rows, 'on conflict do nothing')
}

const KIND = { kind: 'content' } as const

/** True for the first event of a message, the only event with the search words of the message. */
const isFirst = ([, , , , , words]: LoggedStream[3][number]): boolean => (words ?? null) !== null

/** Returns the streams that store no content. */
export const redactingStreams = (db: Database | Read) =>
  (db as Read)
    .selectFrom('streams')
    .select(['domain_id', 'alias'])
    // A literal value, instead of a parameter, lets databases use the index of these streams.
    .where('store_content', '=', sql.lit(0))
    .execute()

/** Returns the sweeps that remove the content of recorded messages as soon as the messages are final. */
export async function listRedactions(read: Read): Promise<Sweep[]> {
  const streams = await redactingStreams(read)
  return streams.map(({ domain_id, alias }) => ({
    ...{ kind: 'content', domainId: domain_id, stream: alias, keptMs: 0 },
  }))
}
