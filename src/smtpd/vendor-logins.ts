// SMTP logins in the form of other services: the user name of a service with a Sending key as the password, and the
// header fields with which the service is controlled.

import type { RawField } from '../mime/raw-message.ts'
import { readMailgunFields } from './mailgun-fields.ts'
import { readPostmarkFields } from './postmark-fields.ts'
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
