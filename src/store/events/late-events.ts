// Late events: events whose feed position comes after events of a later time, because of an outage or of a clock that
// was ahead.

import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { positionAt } from './position.ts'

type LateEvents = Tables['late_events']

const MINUTE_MS = 60_000
/**
 * Allowed difference between the clocks of nodes: an event is late only if its position is later than its time by more
 * than this difference.
 */
const SLACK_MS = 60_000

/** A range of positions in the feeds. */
export interface Range {
  /** Lower bound of the range, exclusive. */
  readonly after: number
  /** Upper bound of the range, inclusive. */
  readonly upTo: number
}

/** Maximum number of `late_events` rows that are read for one list. */
const MAX_READ = 2_000

const isLate = (at: number, position: number): boolean => position > positionAt(at + SLACK_MS)

/**
 * Records which of these events are late, in one row for each combination of the event time's minute and the position's
 * minute.
 */
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
  // Positions are assigned in ascending order, so an existing row has a lower first position.
  await insertRows(
    db,
    'late_events',
    [...rows.values()],
    'on conflict (at_minute, position_minute) do update set last_position=excluded.last_position',
  )
}

/** Removes the records of late events whose feed positions were removed. */
export async function forgetLate(db: Database, before: number): Promise<void> {
  await db.deleteFrom('late_events').where('last_position', '<=', positionAt(before)).execute()
}

/** Returns the query for the records of late events that happened before the given time. */
const lateBefore = (read: Read, before: number) =>
  read
    .selectFrom('late_events')
    .where('at_minute', '<=', Math.floor((before - 1) / MINUTE_MS))
    .where('last_position', '>', positionAt(before + SLACK_MS))

/**
 * Returns the feed ranges that contain all events between two times, the last range first. The position of an event is
 * never before the event's own time. A range may also contain events of other times that lie between the events of the
 * requested times.
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
  // The first range also covers the rows that were not read because of `MAX_READ`.
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

/** Returns a feed position after which no event is from before the given time. */
export async function lastPositionBefore(read: Read, before: number): Promise<number> {
  const row = await lateBefore(read, before)
    .select(({ fn }) => fn.max('last_position').as('last'))
    .executeTakeFirst()
  return Math.max(positionAt(before + SLACK_MS), Number(row?.last ?? 0))
}
