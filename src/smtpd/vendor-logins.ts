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

/** Fields of Postmark, by their names in lower case without `x-pm-` and hyphens. */
const POSTMARK: Readonly<Record<string, string>> = {
  tag: 'X-Tag',
  messagestream: 'X-Stream',
  trackopens: 'X-Track-Opens',
  tracklinks: 'X-Track-Links',
}

/** Returns one of our fields for a field of Postmark; no field for a field that has no effect here. */
function ofPostmark(field: RawField): readonly RawField[] {
  const [, name = ''] = /^x-pm-(.+)$/i.exec(field.name) ?? []
  if (name === '') return [field]
  const [, key] = /^metadata-(.+)$/i.exec(name) ?? []
  if (key !== undefined) return [ownField(`X-Metadata-${key}`, field.value)]
  const own = POSTMARK[name.toLowerCase().replaceAll('-', '')]
  if (own === undefined) return []
  // Links are tracked in HTML only, and Postmark's stream `outbound` has another name here.
  if (own === 'X-Stream') return [ownField(own, field.value === 'outbound' ? DEFAULT_STREAM : field.value)]
  if (own === 'X-Track-Links') return [ownField(own, String(/html/i.test(field.value)))]
  return [ownField(own, field.value)]
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
  { title: 'SendGrid', isLogin: named('apikey'), readFields: readSmtpApi },
  {
    title: 'Postmark',
    isLogin: ({ username, password }) => username === password,
    readFields: (fields) => ({ fields: fields.flatMap(ofPostmark) }),
  },
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
