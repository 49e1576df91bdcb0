// Formats of numbers in the language of the user.

import { locale } from '../texts/language.ts'

const SECONDS = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
const HUNDREDTHS = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const WHOLE = new Intl.NumberFormat(locale)
const SHORT = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 })
const BYTES = new Intl.NumberFormat(locale, { style: 'unit', unit: 'byte', unitDisplay: 'long' })
const PERCENT = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
const PERMILLE = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 })

/** 1234567 → 1,234,567 */
export const whole = (value: number): string => WHOLE.format(value)

/** 0.5 → 0.50 */
export const hundredths = (value: number): string => HUNDREDTHS.format(value)

/** 1234567 → 1.2M */
export const short = (value: number): string => SHORT.format(value)

/** Returns a part of a total in percent; a dash if the total is zero. */
export function share(part: number, of: number): string {
  if (of === 0) return '–'
  const ratio = part / of
  return (ratio < 0.01 ? PERMILLE : PERCENT).format(ratio)
}

/** Returns a duration in text: 950 → 950 ms, 12345 → 12.3 s, 95000 → 1 min 35 s. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 60_000) return `${SECONDS.format(milliseconds / 1_000)} s`
  const seconds = Math.round(milliseconds / 1_000)
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60)]
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${seconds % 60} s`
}

const partOf = (type: Intl.NumberFormatPartTypes): string =>
  HUNDREDTHS.formatToParts(12_345.5).find((part) => part.type === type)?.value ?? ''

/** Separators for number fields in the language of the user. */
export const SEPARATORS = { thousandSeparator: partOf('group'), decimalSeparator: partOf('decimal') }

const KIB = 1024

/** 1434 → 1.4 KiB */
export function byteSize(count: number): string {
  if (count < KIB) return BYTES.format(count)
  const [size, unit] = count < KIB * KIB ? [count / KIB, 'KiB'] : [count / KIB / KIB, 'MiB']
  return `${size.toLocaleString(locale, { maximumFractionDigits: 1 })} ${unit}`
}
