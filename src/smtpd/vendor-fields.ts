// Wishes in the header fields of another service, in the terms of this service.

import type { RawField } from '../mime/raw-message.ts'
import type { ServiceFields } from './service-fields.ts'

/** Copies of one message, each for one recipient. */
export interface PersonalCopies {
  /** Mailboxes as text; undefined for the recipients of the envelope. */
  readonly to: readonly string[] | undefined
  /** Values by key, in the order of the recipients; a value may name a section. */
  readonly values: Readonly<Record<string, readonly string[]>>
  readonly sections: Readonly<Record<string, string>>
}

/** Options that the fields of a service set, in addition to our service fields. */
export interface VendorOptions extends Partial<Pick<ServiceFields, 'tags' | 'metadata' | 'tracking'>> {
  /** Time to send the message, in milliseconds since the epoch. */
  readonly sendAt?: number
}

/** Wishes in the fields of a service. */
export interface VendorFields {
  /** Fields of the message, with our service fields in place of the fields of the service. */
  readonly fields: readonly RawField[]
  readonly options?: VendorOptions
  /** Copies of the message, instead of one message for all recipients of the envelope. */
  readonly copies?: PersonalCopies
}

/** Returns one of our service fields. */
export const ownField = (name: string, value: string): RawField => ({
  name,
  value,
  raw: `${name}: ${value}\r\n`,
})
