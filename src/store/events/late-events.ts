// Events that stand late in the feed: written behind those of a later time, after an outage or a clock that was ahead.

import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { positionAt } from './position.ts'

type LateEvents = Tables['late_events']

const MINUTE_MS = 60_000
/** Difference of the clocks of nodes: only an event whose position is so much later than its time is late. */
const SLACK_MS = 60_000

/** Part of the feeds, between two positions. */
export interface Range {
  /** Not part of it. */
  readonly after: number
  /** Part of it. */
  readonly upTo: number
}

/** Rows that one list reads. */
const MAX_READ = 2_000

const isLate = (at: number, position: number): boolean => position > positionAt(at + SLACK_MS)

/** Notes which of these events are late: a row for each pair of the minutes of their times and of their positions. */
export async function noteLate(
  db: Database,
  placed: readonly { readonly at: number; readonly position: number }[],
): Promise<void> {
  const rows = new Map<string, LateEvents>()
  for (const { at, position } of placed) {
    if (!isLate(at, position)) continue
    const at_minute = Math.floor(at / MINUTE_MS)
    const position_minute = Math.floor(position / (positionAt(MINUTE_MS) + 1))
    const key = `${at_minute} ${position_minute}`
    const first_position = rows.get(key)?.first_position ?? position
    rows.set(key, { at_minute, position_minute, first_position, last_position: position })
  }
  // Positions are given in order: what is there has earlier ones.
  await insertRows(
    db,
    'late_events',
    [...rows.values()],
    'on conflict (at_minute, position_minute) do update set last_position=excluded.last_position',
  )
}

/** Forgets what is noted of positions that were removed. */
export async function forgetLate(db: Database, before: number): Promise<void> {
  await db.deleteFrom('late_events').where('last_position', '<=', positionAt(before)).execute()
}

/** Where events before a time are late. */
const lateBefore = (read: Read, before: number) =>
  read
    .selectFrom('late_events')
    .where('at_minute', '<=', Math.floor((before - 1) / MINUTE_MS))
    .where('last_position', '>', positionAt(before + SLACK_MS))

/**
 * The parts of the feeds in which all events from a time until another stand, the last one first. They may have others:
 * the position of an event is never before its time, but others may have come in between.
 */
export async function rangesOf(
  read: Read,
  from: number | undefined,
  before: number | undefined,
): Promise<readonly Range[]> {
  const after = from === undefined ? 0 : positionAt(from)
  if (before === undefined) return [{ after, upTo: Number.MAX_SAFE_INTEGER }]
  const rows = await lateBefore(read, before)
    .select(['first_position', 'last_position'])
    .where('at_minute', '>=', Math.floor((from ?? 0) / MINUTE_MS))
    .orderBy('last_position', 'desc')
    .limit(MAX_READ)
    .execute()
  // Of more than are read, the earlier ones are in the first range.
  const left = rows.length < MAX_READ ? 0 : Number(rows.at(-1)?.last_position)
  const ranges: Range[] = [{ after, upTo: Math.max(left, positionAt(before + SLACK_MS)) }]
  for (const { first_position, last_position } of rows.sort(
    (one, other) => Number(one.first_position) - Number(other.first_position),
  )) {
    const { after: begin, upTo } = ranges.at(-1) as Range
    const last = Math.max(upTo, Number(last_position))
    if (Number(first_position) <= upTo + 1) ranges[ranges.length - 1] = { after: begin, upTo: last }
    else ranges.push({ after: Number(first_position) - 1, upTo: last })
  }
  return ranges.reverse()
}

/** A position behind which no event from before a time stands. */
export async function lastPositionBefore(read: Read, before: number): Promise<number> {
  const row = await lateBefore(read, before)
    .select(({ fn }) => fn.max('last_position').as('last'))
    .executeTakeFirst()
  return Math.max(positionAt(before + SLACK_MS), Number(row?.last ?? 0))
}
