// Reads the header fields with which clients control Postmark over SMTP.

import type { RawField } from '../mime/raw-message.ts'
import { DEFAULT_STREAM } from '../model/stream.ts'
import { ownField, type VendorFields } from './vendor-fields.ts'

/** Our service fields in place of Postmark's, by the name in lower case; documents have both spellings of tracking. */
const NAMES: Readonly<Record<string, string>> = {
  'x-pm-tag': 'X-Tag',
  'x-pm-message-stream': 'X-Stream',
  'x-pm-trackopens': 'X-Track-Opens',
  'x-pm-track-opens': 'X-Track-Opens',
  'x-pm-tracklinks': 'X-Track-Links',
  'x-pm-track-links': 'X-Track-Links',
}
const METADATA = 'x-pm-metadata-'
/** Field that asks to keep the Message-ID, which the service always does. */
const KEEP_ID = 'x-pm-keepid'

/** Returns the fields of a message with our service fields in place of Postmark's. */
export const readPostmarkFields = (fields: readonly RawField[]): VendorFields => ({
  fields: fields.flatMap((field) => {
    const name = field.name.toLowerCase()
    if (name === KEEP_ID) return []
    if (name.startsWith(METADATA)) {
      return [ownField(`X-Metadata-${field.name.slice(METADATA.length)}`, field.value)]
    }
    const own = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined
    return own === undefined ? [field] : [ownField(own, ownValue(own, field.value.trim()))]
  }),
})

/** Returns the value of our service field. */
function ownValue(own: string, value: string): string {
  if (own === 'X-Stream') return value.toLowerCase() === 'outbound' ? DEFAULT_STREAM : value
  if (own !== 'X-Track-Links') return value
  // Only links in HTML are tracked.
  if (/^(?:None|TextOnly)$/i.test(value)) return 'false'
  return /^Html(?:Only|AndText)$/i.test(value) ? 'true' : value
}
