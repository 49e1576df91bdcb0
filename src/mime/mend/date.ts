// Whether a Date field has a time that every program reads (RFC 5322 §3.3, with the obsolete forms of §4.3).

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Zones of letters are those of RFC 5322 §4.3 and others of up to five, which count as unknown. */
const DATE_TIME =
  /^(?:(?:mon|tue|wed|thu|fri|sat|sun)[ \t]*,[ \t]*)?(\d{1,2})[ \t]+([a-z]{3})[ \t]+(\d{2,4})[ \t]+(\d\d)[ \t]*:[ \t]*(\d\d)(?:[ \t]*:[ \t]*(\d\d))?[ \t]+(?:[+-](\d\d)(\d\d)|[a-z]{1,5})$/i
const MAX_LENGTH = 200

/** True for a date and time in the form of RFC 5322 that exists. The name of the day need not be the right one. */
export function isDateTime(value: string): boolean {
  if (value.length > MAX_LENGTH) return false
  const bare = value.includes('(') ? value.replace(/[ \t]*\([^()\\]*\)[ \t]*/g, ' ').trim() : value
  const found = DATE_TIME.exec(bare)
  if (found === null) return false
  const [day, year, hour, minute, second, zoneHour, zoneMinute] = [1, 3, 4, 5, 6, 7, 8].map((group) =>
    Number(found[group] ?? 0),
  ) as [number, number, number, number, number, number, number]
  const month = MONTHS.indexOf(found[2]!.toLowerCase())
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const days = month === 1 && !isLeap ? 28 : (DAYS[month] ?? 0)
  // RFC 5322 §3.3: a year of four digits is 1900 or later, and a minute may have a leap second.
  if (day < 1 || day > days || (found[3]!.length === 4 && year < 1900)) return false
  return hour < 24 && minute < 60 && second <= 60 && zoneHour < 24 && zoneMinute < 60
}
