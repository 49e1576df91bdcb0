// The header fields that a signature covers, and their relaxed form (RFC 6376 §3.4.2, §5.4).

import type { HeaderField } from '../model/composed-message.ts'

/**
 * Fields that the signature covers once more than they occur, so that an added field of the same name breaks the
 * signature (RFC 6376 §8.15): fields that readers see, and fields that determine how the body is read.
 */
const OVERSIGNED = [
  'From',
  'To',
  'Cc',
  'Subject',
  'Date',
  'Reply-To',
  'Message-ID',
  'MIME-Version',
  'Content-Type',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
] as const

/** Fields that the signature covers as often as they occur. */
const SIGNED = [
  'Sender',
  'In-Reply-To',
  'References',
  'Content-Transfer-Encoding',
  'Content-Disposition',
  'Content-ID',
  'Content-Description',
  'Content-Language',
  'Auto-Submitted',
  'Precedence',
  'Importance',
  'Feedback-ID',
  'CFBL-Address',
  'TLS-Report-Domain',
  'TLS-Report-Submitter',
  'TLS-Required',
  'List-ID',
  'List-Help',
  'List-Subscribe',
  'List-Post',
  'List-Owner',
  'List-Archive',
  'Resent-Date',
  'Resent-From',
  'Resent-Sender',
  'Resent-To',
  'Resent-Cc',
  'Resent-Message-ID',
] as const

/** Names of covered fields in lower case, with the spelling that `h=` uses. */
const COVERED: ReadonlyMap<string, string> = new Map(
  [...OVERSIGNED, ...SIGNED].map((name) => [name.toLowerCase(), name]),
)

export interface SignedFields {
  /** Names in `h=`, in the order in which the fields are hashed. */
  readonly names: readonly string[]
  /** The covered fields in relaxed form, concatenated, one character per byte. */
  readonly relaxed: string
}

/** Returns the part of the header that every signature of a message covers, computed once for all signers. */
export function signedFields(headers: readonly HeaderField[]): SignedFields {
  const occurrences = new Map<string, string>()
  const counts = new Map<string, number>()
  for (const { name, raw } of headers) {
    const key = name.toLowerCase()
    const called = COVERED.get(key)
    if (called === undefined) continue
    // The last of several fields with the same name comes first (RFC 6376 §5.4.2).
    occurrences.set(called, relaxedField(key, name.length, raw) + (occurrences.get(called) ?? ''))
    counts.set(called, (counts.get(called) ?? 0) + 1)
  }

  const names: string[] = []
  let relaxed = ''
  for (const name of OVERSIGNED) {
    relaxed += occurrences.get(name) ?? ''
    for (let i = counts.get(name) ?? 0; i >= 0; i--) names.push(name)
  }
  for (const name of SIGNED) {
    relaxed += occurrences.get(name) ?? ''
    for (let i = counts.get(name) ?? 0; i > 0; i--) names.push(name)
  }
  return { names, relaxed }
}

/**
 * Returns a field in relaxed form (RFC 6376 §3.4.2): name in lower case, unfolded, white space reduced to one space
 * and removed around the value.
 * @param key name in lower case
 * @param nameLength position of the colon
 */
export function relaxedField(key: string, nameLength: number, raw: string): string {
  // CR and LF occur only in folds and at the end. `trim` would also remove 0xA0, which may be part of UTF-8.
  const value = raw.slice(nameLength + 1).replace(/[ \t\r\n]{2,}|\t/g, ' ')
  const from = value.startsWith(' ') ? 1 : 0
  const to = value.endsWith(' ') && value.length > 1 ? -1 : undefined
  return `${key}:${value.slice(from, to)}\r\n`
}
