// Reads times as Resend's clients write them: ISO 8601, or English such as `in 1 hour` or `tomorrow at 9am`.

import { parseTime } from '../../lib/rfc3339.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Lengths of units in milliseconds; months and years follow the calendar. */
const UNITS: readonly (readonly [pattern: RegExp, ms: number])[] = [
  [/^s(?:ec(?:ond)?s?)?$/, 1_000],
  [/^m(?:in(?:ute)?s?)?$/, MINUTE],
  [/^h(?:(?:ou)?rs?)?$/, HOUR],
  [/^d(?:ays?)?$/, DAY],
  [/^w(?:(?:ee)?ks?)?$/, 7 * DAY],
]

/** Numbers in words. */
const WORDS: Readonly<Record<string, number>> = {
  ...{ a: 1, an: 1, one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9 },
  ...{ ten: 10, eleven: 11, twelve: 12, fifteen: 15, twenty: 20, thirty: 30, half: 0.5 },
}

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/** Abbreviations of time zones with summer time, and their names. */
const ZONES: Readonly<Record<string, string>> = {
  ...{ et: 'America/New_York', est: 'America/New_York', edt: 'America/New_York' },
  ...{ ct: 'America/Chicago', cst: 'America/Chicago', cdt: 'America/Chicago' },
  ...{ mt: 'America/Denver', mst: 'America/Denver', mdt: 'America/Denver' },
  ...{ pt: 'America/Los_Angeles', pst: 'America/Los_Angeles', pdt: 'America/Los_Angeles' },
  ...{ cet: 'Europe/Berlin', cest: 'Europe/Berlin', bst: 'Europe/London' },
  ...{ utc: 'UTC', gmt: 'UTC', z: 'UTC' },
}

/** Maximum length of a text that is read as English. */
const MAX_LENGTH = 100

/**
 * Returns the time of a `scheduled_at` in milliseconds since the epoch; undefined for a text that is no time.
 *
 * English times are `in 30 minutes`, `in 1 hour and 15 minutes`, `now`, `today`, `tomorrow`, a weekday, or an ISO date,
 * with `at 9am`, `at 15:30` or `at noon` and a time zone (`ET`, `UTC`, `Europe/Paris`, `+02:00`). Without a time zone,
 * times are in UTC; a day without a time of day keeps the present time of day.
 */
export function readScheduledAt(text: string, now: number): number | undefined {
  const exact = parseTime(text.trim())
  if (exact !== undefined) return exact
  if (text.length > MAX_LENGTH) return undefined
  const words = text.trim().toLowerCase().replace(/\s+/g, ' ').replace(/\.$/, '')
  if (words === 'now') return now
  return readDelay(words, now) ?? readMoment(words, text.trim(), now)
}

/** Reads `in 1 hour`, `1h`, `in 2 days and 3 hours` or `5 minutes from now`. */
function readDelay(words: string, now: number): number | undefined {
  const inner = /^in (.+)$/.exec(words)?.[1] ?? /^(.+) from now$/.exec(words)?.[1]
  if (inner === undefined) return undefined
  let at = now
  for (const part of inner.replace(/,? and (?!a half)|, /g, '+').split('+')) {
    const [, amount = '', unit = ''] =
      /^(\d{1,9}(?:\.\d{1,6})?|[a-z]{1,20})(?: an?)? ?([a-z]{1,20})$/.exec(part) ?? []
    const count = /^\d/.test(amount) ? Number(amount) : WORDS[amount]
    const moved = count === undefined ? undefined : after(at, count, unit)
    if (moved === undefined) return undefined
    at = moved
  }
  return at
}

function after(at: number, count: number, unit: string): number | undefined {
  const ms = UNITS.find(([pattern]) => pattern.test(unit))?.[1]
  if (ms !== undefined) return Math.round(at + count * ms)
  const months = /^mo(?:nth)?s?$/.test(unit)
    ? count
    : /^y(?:(?:ea)?rs?)?$/.test(unit)
      ? 12 * count
      : undefined
  if (months === undefined || !Number.isInteger(months) || months > 1_200) return undefined
  const date = new Date(at)
  return date.setUTCMonth(date.getUTCMonth() + months)
}

/** Time of day in milliseconds since midnight. */
type TimeOfDay = number

const AT_TIME =
  /(?:^| )(?:at )?(?:(noon|midday|midnight)|(\d{1,2})(?::(\d\d))?(?::(\d\d))? ?(am|pm|a\.m\.|p\.m\.)?)$/

/** Reads a day, a time of day, and a time zone. */
function readMoment(words: string, written: string, now: number): number | undefined {
  const { zone, rest } = splitZone(words, written)
  if (zone === undefined) return undefined
  const found = AT_TIME.exec(rest)
  const isTime =
    found !== null &&
    (found[1] !== undefined || found[3] !== undefined || found[5] !== undefined || / ?at /.test(found[0]))
  const time = isTime ? timeOfDay(found) : undefined
  if (isTime && time === undefined) return undefined
  const day = (isTime ? rest.slice(0, found.index) : rest).trim().replace(/,$/, '')
  return momentOf(day, time, zone, now)
}

/** Returns the time zone at the end of a text, UTC without a time zone, and the rest of the text. */
function splitZone(
  words: string,
  written: string,
): { readonly zone: Zone | undefined; readonly rest: string } {
  const offset = / ?(?:utc|gmt)?([+-])(\d{1,2}):?(\d\d)?$/.exec(words)
  if (offset !== null && !/^\d{4}-\d\d-\d\d$/.test(words)) {
    const [whole, sign, hours = '', minutes = '0'] = offset
    const ms = (Number(hours) * HOUR + Number(minutes) * MINUTE) * (sign === '-' ? -1 : 1)
    return { zone: () => ms, rest: words.slice(0, -whole.length) }
  }
  const name = / \(?([a-z]+(?:\/[a-z_]+){0,2})\)?$/.exec(words)
  const [whole = '', word = ''] = name ?? []
  if (Object.hasOwn(ZONES, word))
    return { zone: zoneNamed(ZONES[word]!), rest: words.slice(0, -whole.length) }
  if (!word.includes('/')) return { zone: zoneNamed('UTC'), rest: words }
  const named = written.slice(written.lastIndexOf(' ') + 1).replace(/[()]/g, '')
  return { zone: zoneNamed(named), rest: words.slice(0, -whole.length) }
}

/** Returns the offset of a time zone from UTC at a time, in milliseconds. */
type Zone = (at: number) => number

function zoneNamed(timeZone: string): Zone | undefined {
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
    return (at) => {
      const [, sign, hours, minutes] = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(format.format(at)) ?? []
      if (sign === undefined) return 0
      return (Number(hours) * HOUR + Number(minutes) * MINUTE) * (sign === '-' ? -1 : 1)
    }
  } catch {
    return undefined
  }
}

function timeOfDay([, word, hours = '', minutes = '0', seconds = '0', half]: RegExpExecArray):
  | TimeOfDay
  | undefined {
  if (word !== undefined) return word === 'midnight' ? 0 : 12 * HOUR
  const hour = Number(hours)
  if (half !== undefined && (hour < 1 || hour > 12)) return undefined
  if (hour > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined
  const shift = half === undefined ? hour : (hour % 12) + (half.startsWith('p') ? 12 : 0)
  return shift * HOUR + Number(minutes) * MINUTE + Number(seconds) * 1_000
}

/**
 * Returns the time of a day at a time of day in a time zone. A weekday is the next day of this name, and a time of day
 * without a day is the next time with this time of day.
 */
function momentOf(day: string, time: TimeOfDay | undefined, zone: Zone, now: number): number | undefined {
  const local = now + zone(now)
  const midnight = local - (((local % DAY) + DAY) % DAY)
  const at = (start: number): number => {
    const wanted = start + (time ?? local - midnight)
    // The offset is read at the wanted time, because summer time may begin or end before.
    return wanted - zone(wanted - zone(now))
  }
  if (day === '' || day === 'today') {
    if (time === undefined) return day === '' ? undefined : now
    return day === '' && at(midnight) <= now ? at(midnight + DAY) : at(midnight)
  }
  if (day === 'tomorrow') return at(midnight + DAY)
  const date = /^\d{4}-\d\d-\d\d$/.test(day) ? parseTime(`${day}T00:00:00Z`) : undefined
  if (date !== undefined) return time === undefined ? date - zone(date) : at(date)
  const [, name = ''] = /^(?:on |next |this )?([a-z]+)$/.exec(day) ?? []
  const weekday = name.length < 3 ? -1 : WEEKDAYS.findIndex((one) => isDay(name, one))
  if (weekday < 0) return undefined
  const ahead = (weekday - new Date(midnight).getUTCDay() + 7) % 7
  const first = at(midnight + ahead * DAY)
  return first <= now ? at(midnight + (ahead + 7) * DAY) : first
}

const DAY_NAMES: Readonly<Record<string, string>> = {
  ...{ sun: 'sunday', mon: 'monday', tue: 'tuesday', wed: 'wednesday' },
  ...{ thu: 'thursday', fri: 'friday', sat: 'saturday' },
}

/** True if a word is the name of a weekday or its beginning, of at least three letters. */
const isDay = (word: string, short: string): boolean => DAY_NAMES[short]?.startsWith(word) ?? false
