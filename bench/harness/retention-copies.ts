// Fills a store with its steady state within minutes: accepts and delivers the messages of the first hours, and copies
// their rows to all later hours by SQL.

import { beforeIdsOf } from '../../src/lib/ids.ts'
import type { Tables } from '../../src/store/database/schema.ts'
import type { Store } from '../../src/store/database/store.ts'
import { positionAt } from '../../src/store/events/position.ts'
import { settled } from '../../test/support/store.ts'
import { fillPast, type Past } from './retention-fill.ts'

/**
 * Duration that the last five characters of an ID's timestamp can represent; the timestamps of a row and its copies
 * differ only in the first five characters.
 */
const WINDOW_MS = 32 ** 5
const UPPER_LENGTH = 'msg_00000'.length
/**
 * First four of the eight digits of a message's number. Copies replace these digits by the number of the copy, because
 * a window has fewer than 10,000 messages.
 */
const NUMBERED = '0000'
const POSITIONS_PER_MS = positionAt(1) - positionAt(0)

/** Columns whose values differ between a row and its copy. */
interface Copied {
  readonly ids: Readonly<Record<string, 'msg' | 'evt'>>
  readonly times?: readonly string[]
  /** Columns that contain the number of the message; the first digits of the number are `NUMBERED`. */
  readonly numbered?: readonly string[]
}

const COPIED: Readonly<Partial<Record<keyof Tables, Copied>>> = {
  messages: {
    ...{ ids: { id: 'msg' }, times: ['created_at', 'updated_at'] },
    numbered: ['subject', 'words', 'metadata'],
  },
  recipients: { ids: { message_id: 'msg' }, times: ['last_event_at'], numbered: ['email'] },
  attempts: { ids: { message_id: 'msg' }, times: ['started_at'] },
  events: { ids: { id: 'evt', message_id: 'msg' }, times: ['at'], numbered: ['email'] },
  event_feed: { ids: { message_id: 'msg', event_id: 'evt' } },
  message_words: { ids: { message_id: 'msg' }, numbered: ['word'] },
  message_contents: { ids: { message_id: 'msg' } },
}

/**
 * Fills an empty store like `fillPast`, for a period rounded up to whole windows of nine hours. The sending statistics
 * cover only the first window.
 */
export async function fillByCopies(
  store: Store,
  execute: (statements: string) => Promise<void>,
  past: Past,
  destinations: readonly string[],
): Promise<void> {
  const from = past.from - (past.from % WINDOW_MS)
  const count = Math.round(WINDOW_MS / past.stepMs)
  await fillPast(store, { ...past, from, count, contentsFrom: 0, transcriptsFrom: 0 }, destinations)
  await settled(store)
  const columns = await columnsIn(store)
  for (const table of columns.keys())
    await execute(
      `create table copied_${table} as select * from ${table} where ${conditionOf(table)} order by ${orderOf(table)}`,
    )
  const end = past.from + past.count * past.stepMs
  for (let at = from + WINDOW_MS; at < end; at += WINDOW_MS) {
    const copies = [...columns].map((table) => copyOf(table, from, at, past))
    await execute(`begin; ${copies.join('; ')}; commit`)
  }
  for (const table of columns.keys()) await execute(`drop table copied_${table}`)
  await execute(`
    update attempts set transcript = ''
      where message_id < '${beforeIdsOf('msg', past.transcriptsFrom)}' and transcript <> '';
    delete from message_contents where message_id < '${beforeIdsOf('msg', past.contentsFrom)}';
    update stored_bytes set bytes = bytes * ${Math.ceil((end - past.contentsFrom) / WINDOW_MS)};
    update event_feed_ends set position =
      (select max(position) from event_feed where event_feed.domain_id = event_feed_ends.domain_id)`)
}

/**
 * Returns the SQL condition for the rows to copy. Only words that occur in exactly one message are copied, because
 * the store keeps a bounded number of rows for a frequent word, and the first window already contains these rows.
 */
const conditionOf = (table: keyof typeof COPIED): string =>
  table === 'message_words'
    ? 'word in (select word from message_words group by word having count(*) = 1)'
    : '1 = 1'

/**
 * Returns the SQL order of the copied rows, which reverses each group of a hundred consecutive messages. Concurrent
 * messages are accepted in no fixed order, which leaves free space in index pages.
 */
function orderOf(table: keyof typeof COPIED): string {
  const id = table === 'messages' ? 'id' : 'message_id'
  return `substr(${id}, 1, ${'msg_'.length + 24}), ${id} desc`
}

/** Returns the column names of each copied table. */
async function columnsIn(store: Store): Promise<Map<keyof typeof COPIED, string[]>> {
  const found = new Map<keyof typeof COPIED, string[]>()
  for (const table of Object.keys(COPIED) as (keyof typeof COPIED)[]) {
    const row = await store.read.selectFrom(table).selectAll().limit(1).executeTakeFirstOrThrow()
    found.set(table, Object.keys(row))
  }
  return found
}

/** Returns SQL that copies a table's rows from the first window to a later window, except rows past their retention. */
function copyOf(
  [table, columns]: readonly [keyof typeof COPIED, readonly string[]],
  from: number,
  at: number,
  { contentsFrom, transcriptsFrom }: Past,
): string {
  const { ids, times = [], numbered = [] } = COPIED[table] as Copied
  const end = at + WINDOW_MS
  const copy = `${Math.round((at - from) / WINDOW_MS)}`.padStart(NUMBERED.length, '0')
  const expressionOf = (column: string): string => {
    const prefix = ids[column]
    if (prefix !== undefined)
      return `'${beforeIdsOf(prefix, at).slice(0, UPPER_LENGTH)}' || substr(${column}, ${UPPER_LENGTH + 1})`
    if (numbered.includes(column)) return `replace(${column}, '${NUMBERED}', '${copy}')`
    if (times.includes(column)) return `${column} + ${at - from}`
    if (table === 'event_feed' && column === 'position') return `position + ${(at - from) * POSITIONS_PER_MS}`
    if (column === 'transcript' && end <= transcriptsFrom) return "''"
    return column
  }
  if (table === 'message_contents' && end <= contentsFrom) return ''
  return `insert into ${table} (${columns.join()}) select ${columns.map(expressionOf).join()} from copied_${table}`
}
