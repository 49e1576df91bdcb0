// Rules for header fields: the values that are valid, and the replacements for invalid values (RFC 6409 §8).

import type { Mailbox } from '../content.ts'
import { decodeWords } from '../encoded-word.ts'
import { linkField, textField } from '../header-field.ts'
import { legalText } from '../legal-text.ts'
import { mailboxField } from '../mailbox-field.ts'
import { parseSoleMailbox } from '../read-mailboxes.ts'
import { addressListField, isAddressList, saysNothing } from './address-list.ts'
import { areMessageIds, isLinkValue, isMessageId, linksOf, messageIdOf, messageIdsOf } from './identifiers.ts'
import type { MendProblem } from './problem.ts'
import { findSoleMailbox, isMailbox, soleMailboxField } from './sole-mailbox.ts'
import { parameterField } from './write-field.ts'

/** The sender of a message, used to fill in missing fields. */
export interface Sending {
  /** Address of the envelope sender; the client is allowed to use this address. */
  readonly from: string
  /** Domain of new message IDs. */
  readonly domain: string
}

interface FieldRule {
  /** True if the value can stay unchanged. Runs in linear time. */
  isGood(value: string): boolean
  /** Returns the whole field in ASCII with its final CRLF; undefined drops the field, `same` keeps it. */
  mended(name: string, value: string, sending: Sending): string | undefined | 'same' | MendProblem
}

const FROM: FieldRule = {
  isGood: (value) => soleMailboxOf(value) !== undefined,
  mended: (name, value, { from }) => {
    if (/^[\s<>"]*$/.test(value)) return mailboxField(name, [{ email: from }])
    // A name without a domain, such as `root (Cron)`, names a local user of the sending program.
    const text = decodeWords(value)
    if (/^[^@,;:\\]+$/.test(text) && !/[@,;:\\]/.test(value)) {
      return mailboxField(name, [{ email: from, name: localName(text) }])
    }
    return soleField(name, value)
  },
}

/** Returns the words around a local name in angle brackets, or the local name if there are no such words. */
function localName(text: string): string {
  const words = (written: string): string => written.replace(/[\s"()<>]+/g, ' ').trim()
  return words(text.replace(/<[^<>]*>/g, ' ')) || words(text)
}

const OTHER_SENDER: FieldRule = {
  isGood: (value) => soleMailboxOf(value) !== undefined,
  mended: (name, value) => (value.includes('@') || value.includes('=?') ? soleField(name, value) : undefined),
}

const ADDRESSES: FieldRule = { isGood: isAddressList, mended: addressListField }

/**
 * Drops the field only if it is empty, and keeps any other value: mail clients do not show these fields, and programs
 * also write text other than addresses into them.
 */
const NOT_EMPTY: FieldRule = { isGood: (value) => !saysNothing(value), mended: () => undefined }

const MESSAGE_ID: FieldRule = {
  isGood: isMessageId,
  mended: (name, value, { domain }) => {
    const id = messageIdOf(value, domain)
    return id === undefined ? undefined : `${name}: ${id}\r\n`
  },
}

const MESSAGE_IDS: FieldRule = {
  isGood: areMessageIds,
  mended: (name, value) => {
    const ids = messageIdsOf(value)
    return ids.length === 0 ? undefined : linkField(name, ids.join(' '))
  },
}

/** Drops an unreadable date: the time of acceptance replaces it. */
const DATE: FieldRule = { isGood: isDateTime, mended: () => undefined }

const LINKS: FieldRule = {
  isGood: isLinkValue,
  mended: (name, value) => {
    const links = linksOf(value)
    return links === undefined || links === value ? 'same' : linkField(name, links)
  },
}

/**
 * Rule for List-ID: a phrase, which may be encoded, and an ID in angle brackets, which must not be encoded (RFC 2919
 * §2).
 */
const LIST_ID: FieldRule = {
  isGood: (value) => !value.includes('=?') || value.endsWith('>'),
  mended: (name, value) => {
    const [, phrase = '', id] = /^([^<>]*)(<[!-;=?-~]{1,250}>)$/.exec(decodeWords(value).trim()) ?? []
    if (id === undefined) return 'same'
    return phrase.trim() === ''
      ? `${name}: ${id}\r\n`
      : `${textField(name, phrase.trim()).trimEnd()}\r\n ${id}\r\n`
  },
}

/** Encodes non-ASCII parameters (RFC 2231 §4), since hosts without SMTPUTF8 do not accept bare UTF-8. */
const PARAMETERS: FieldRule = { isGood: (value) => !/[^\0-\x7f]/.test(value), mended: parameterField }

/** Rule for values with a fixed grammar that allows no encoded-words (RFC 2047 §5 (3)). */
const TOKEN: FieldRule = {
  isGood: (value) => !value.includes('=?'),
  mended: (name, value) => {
    const text = legalText(decodeWords(value)).trim()
    return /^[ -~]{1,900}$/.test(text) ? `${name}: ${text}\r\n` : 'same'
  },
}

/** Rules by field name in lower case. */
export const FIELD_RULES: ReadonlyMap<string, FieldRule> = new Map(
  Object.entries({
    from: FROM,
    sender: OTHER_SENDER,
    'resent-from': OTHER_SENDER,
    'resent-sender': OTHER_SENDER,
    to: ADDRESSES,
    cc: ADDRESSES,
    'reply-to': ADDRESSES,
    'resent-to': NOT_EMPTY,
    'resent-cc': NOT_EMPTY,
    'errors-to': NOT_EMPTY,
    'disposition-notification-to': NOT_EMPTY,
    'return-receipt-to': NOT_EMPTY,
    'mail-followup-to': NOT_EMPTY,
    'mail-reply-to': NOT_EMPTY,
    'message-id': MESSAGE_ID,
    references: MESSAGE_IDS,
    'in-reply-to': MESSAGE_IDS,
    date: DATE,
    'list-unsubscribe': LINKS,
    'list-help': LINKS,
    'list-subscribe': LINKS,
    'list-post': LINKS,
    'list-owner': LINKS,
    'list-archive': LINKS,
    'list-id': LIST_ID,
    'list-unsubscribe-post': TOKEN,
    'mime-version': TOKEN,
    'content-transfer-encoding': TOKEN,
    'content-type': PARAMETERS,
    'content-disposition': PARAMETERS,
    'auto-submitted': TOKEN,
    precedence: TOKEN,
    importance: TOKEN,
    'x-priority': TOKEN,
  }),
)

/**
 * Fields that may occur only once (RFC 5322 §3.6, RFC 2045 §3). Mail programs differ on which of two fields with the
 * same name they use, so the displayed field could differ from the signed field.
 */
export const SINGLE_FIELDS: readonly string[] = [
  'From',
  'Sender',
  'Reply-To',
  'To',
  'Cc',
  'Date',
  'Message-ID',
  'Subject',
  'MIME-Version',
  'Content-Type',
  'Content-Transfer-Encoding',
]

/**
 * Returns the mailbox that all mail programs agree on, even programs that search for the first or the last `<`, and
 * programs that read an encoded-word next to a bare address as a part of the address.
 */
export function soleMailboxOf(value: string): Mailbox | undefined {
  const angle = value.indexOf('<')
  const isOpen = angle !== value.lastIndexOf('<') || (angle < 0 && value.includes('=?'))
  return isOpen ? undefined : parseSoleMailbox(value)
}

function soleField(name: string, value: string): string | MendProblem {
  const found = findSoleMailbox(value)
  if (isMailbox(found)) return soleMailboxField(name, found)
  return { fault: 'sender', problem: `The ${name} field ${found.reason}` }
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/**
 * Date and time (RFC 5322 §3.3), also with a zone name of up to five letters; a zone name that is not in §4.3 means an
 * unknown zone.
 */
const DATE_TIME =
  /^(?:(?:mon|tue|wed|thu|fri|sat|sun)[ \t]*,[ \t]*)?(\d{1,2})[ \t]+([a-z]{3})[ \t]+(\d{2,4})[ \t]+(\d\d)[ \t]*:[ \t]*(\d\d)(?:[ \t]*:[ \t]*(\d\d))?[ \t]+(?:[+-](\d\d)(\d\d)|[a-z]{1,5})$/i
const MAX_LENGTH = 200

/** True for an existing date and time in the form of RFC 5322. The name of the day may be wrong. */
function isDateTime(value: string): boolean {
  if (value.length > MAX_LENGTH) return false
  const bare = value.includes('(')
    ? value
        .replace(/\([^()\\]*\)/g, ' ')
        .replace(/[ \t]+/g, ' ')
        .trim()
    : value
  const found = DATE_TIME.exec(bare)
  if (found === null) return false
  const [day, year, hour, minute, second, zoneHour, zoneMinute] = [1, 3, 4, 5, 6, 7, 8].map((group) =>
    Number(found[group] ?? 0),
  ) as [number, number, number, number, number, number, number]
  const month = MONTHS.indexOf(found[2]!.toLowerCase())
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const days = month === 1 && !isLeap ? 28 : (DAYS[month] ?? 0)
  // A four-digit year is 1900 or later, and second 60 is a leap second (RFC 5322 §3.3).
  if (day < 1 || day > days || (found[3]!.length === 4 && year < 1900)) return false
  return hour < 24 && minute < 60 && second <= 60 && zoneHour < 24 && zoneMinute < 60
}
