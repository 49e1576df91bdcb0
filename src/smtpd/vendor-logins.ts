// SMTP logins in the form of other services: the user name of a service with a Sending key as the password, and the
// header fields with which the service is controlled.

import type { RawField } from '../mime/raw-message.ts'
import { DEFAULT_STREAM } from '../model/stream.ts'
import { readMailgunFields } from './mailgun-fields.ts'
import type { UserAndPassword } from './sasl.ts'
import { readSmtpApi } from './smtpapi.ts'
import { ownField, type VendorFields } from './vendor-fields.ts'

/** Logins of one service. */
export interface VendorLogin {
  /** Name in error texts. */
  readonly title: string
  /** True for a login in the form of the service. */
  isLogin(given: UserAndPassword): boolean
  /**
   * Reads the fields of the service.
   *
   * @param now time in milliseconds since the epoch
   * @throws Refusal for a wish that cannot be fulfilled
   */
  readFields(fields: readonly RawField[], now: number): VendorFields
}

/** Returns a function that renames fields, by their names in lower case. */
const renaming =
  (names: Readonly<Record<string, string>>) =>
  (fields: readonly RawField[]): VendorFields => ({
    fields: fields.map((field) => {
      const name = field.name.toLowerCase()
      return Object.hasOwn(names, name) ? ownField(names[name] as string, field.value) : field
    }),
  })

/** Our service fields in place of Postmark's, by the name in lower case; documents have both spellings of tracking. */
const POSTMARK: Readonly<Record<string, string>> = {
  'x-pm-tag': 'X-Tag',
  'x-pm-message-stream': 'X-Stream',
  'x-pm-trackopens': 'X-Track-Opens',
  'x-pm-track-opens': 'X-Track-Opens',
  'x-pm-tracklinks': 'X-Track-Links',
  'x-pm-track-links': 'X-Track-Links',
}
const POSTMARK_METADATA = 'x-pm-metadata-'
/** Field that asks to keep the Message-ID, which the service always does. */
const POSTMARK_KEEP_ID = 'x-pm-keepid'

/** Returns the fields of a message with our service fields in place of Postmark's. */
const readPostmarkFields = (fields: readonly RawField[]): VendorFields => ({
  fields: fields.flatMap((field) => {
    const name = field.name.toLowerCase()
    if (name === POSTMARK_KEEP_ID) return []
    if (name.startsWith(POSTMARK_METADATA)) {
      return [ownField(`X-Metadata-${field.name.slice(POSTMARK_METADATA.length)}`, field.value)]
    }
    const own = Object.hasOwn(POSTMARK, name) ? POSTMARK[name] : undefined
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

const named =
  (...names: readonly string[]) =>
  ({ username }: UserAndPassword): boolean =>
    names.includes(username.toLowerCase())

/** All services. The user names differ, so at most one service matches a login. */
const VENDOR_LOGINS: readonly VendorLogin[] = [
  {
    title: 'Resend',
    isLogin: named('resend'),
    readFields: renaming({ 'resend-idempotency-key': 'X-Idempotency-Key' }),
  },
  // The server token is both the user name and the password.
  {
    title: 'Postmark',
    isLogin: ({ username, password }) => username === password,
    readFields: readPostmarkFields,
  },
  { title: 'SendGrid', isLogin: named('apikey'), readFields: readSmtpApi },
  {
    title: 'Mailgun',
    isLogin: ({ username }) => /^[^\s@]+@[^\s@]+$/.test(username),
    readFields: readMailgunFields,
  },
  {
    title: 'Postal',
    isLogin: ({ username }) => /^[^\s@/]+\/[^\s@/]+$/.test(username),
    readFields: renaming({ 'x-postal-tag': 'X-Tag' }),
  },
  { title: 'useSend', isLogin: named('usesend'), readFields: renaming({}) },
]

/** Returns the service in whose form a client logs in; undefined for a login with an SMTP credential. */
export const vendorOfLogin = (given: UserAndPassword): VendorLogin | undefined =>
  VENDOR_LOGINS.find(({ isLogin }) => isLogin(given))
