// Header fields that a signature covers, and their relaxed form (RFC 6376 §3.4.2, §5.4).

import type { HeaderField } from '../model/composed-message.ts'

/**
 * Covered once more than they occur, so that adding another one breaks the signature (RFC 6376 §8.15): what
 * a reader sees of the sender, and what says how the body is read.
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

/** Covered where they occur. */
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

/** Each name we cover, in lower case, with what `h=` calls it. */
const COVERED: ReadonlyMap<string, string> = new Map(
  [...OVERSIGNED, ...SIGNED].map((name) => [name.toLowerCase(), name]),
)

export interface SignedFields {
  /** The names of `h=`, in the order in which the fields are hashed. */
  readonly names: readonly string[]
  /** Those fields in their relaxed form, one after the other, as bytes. */
  readonly relaxed: string
}

/** Part of the header that every signature of a message covers, computed once for all of them. */
export function signedFields(headers: readonly HeaderField[]): SignedFields {
  const occurrences = new Map<string, string>()
  const counts = new Map<string, number>()
  for (const { name, raw } of headers) {
    const key = name.toLowerCase()
    const called = COVERED.get(key)
    if (called === undefined) continue
    // RFC 6376 §5.4.2: of several fields the last one comes first.
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
 * RFC 6376 §3.4.2: name in lower case, unfolded, white space reduced to one space and removed around the value.
 *
 * @param key the name in lower case
 * @param nameLength where the colon is
 */
export function relaxedField(key: string, nameLength: number, raw: string): string {
  // CR and LF are those of folds and of the end. `trim` would also take 0xA0, which may be part of UTF-8.
  const value = raw.slice(nameLength + 1).replace(/[ \t\r\n]{2,}|\t/g, ' ')
  const from = value.startsWith(' ') ? 1 : 0
  const to = value.endsWith(' ') && value.length > 1 ? -1 : undefined
  return `${key}:${value.slice(from, to)}\r\n`
}
