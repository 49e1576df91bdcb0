// Converts a usable message into a submission: reads the service fields, and completes the header.

import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { newId } from '../lib/ids.ts'
import { decodeWords } from '../mime/encoded-word.ts'
import { legalName, textField } from '../mime/header-field.ts'
import { countReceived, fieldsNamed, type RawField, type RawMessage } from '../mime/raw-message.ts'
import { parseMailboxList } from '../mime/read-mailboxes.ts'
import { type Address, isAddress, parseAddress } from '../model/address.ts'
import { ownMessageId } from '../model/message.ts'
import { originOf } from '../model/message-origin.ts'
import { LIMITS, type MailboxInput } from '../model/send-request.ts'
import type { MimeSubmission } from '../submission/accept.ts'
import type { CheckedRecipient } from '../submission/validate.ts'
import { HEADER_LIMITS } from './limits.ts'
import { requestOf } from './message-as-request.ts'
import { Refusal } from './replies.ts'
import { isServiceField, readServiceFields, type ServiceFields } from './service-fields.ts'
import type { UsableMessage } from './usable-message.ts'
import type { VendorOptions } from './vendor-fields.ts'

/** Maximum length of the subject that is stored for lists; the message itself keeps the whole subject. */
const SUBJECT_LENGTH = 998

/** Facts about a submission; the `Received` field records most of them. */
export interface Trace {
  /** The name of this installation in greetings. */
  readonly hostName: string
  /** Protocol of the submission (RFC 3848, RFC 6531 §4.3). */
  readonly protocol: string
  /** Time of acceptance, in milliseconds since the epoch. */
  readonly at: number
}

/**
 * Converts a message from `domain` to the envelope's recipients: reads and removes service fields, and adds missing
 * fields and the trace; all other bytes stay unchanged. `given` has options that take precedence over the service
 * fields. Throws `Refusal` for a message that is not accepted.
 */
export function readSubmission(
  { raw, bytes, from, fromName }: UsableMessage,
  domain: string,
  recipients: readonly Address[],
  trace: Trace,
  given: Partial<Pick<ServiceFields, 'stream' | 'tags' | 'idempotencyKey'>> & VendorOptions = {},
): MimeSubmission {
  if (countReceived(raw) > HEADER_LIMITS.received) {
    throw new Refusal(
      554,
      '5.4.6',
      `More than ${HEADER_LIMITS.received} Received fields: this looks like a loop`,
    )
  }
  const { idempotencyKey: key, template, ...service } = { ...readServiceFields(raw.fields), ...given }
  const [subject] = fieldsNamed(raw, 'Subject')
  const [messageIdField] = fieldsNamed(raw, 'Message-ID')
  const id = newId('msg', trace.at)
  const named = namedRecipients(raw, recipients)
  return {
    id,
    from,
    fromName,
    ...service,
    messageIdHeader: /<([^<>\s]+)>/.exec(messageIdField?.value ?? '')?.[1] ?? ownMessageId(id, domain),
    template: template && {
      ...template,
      asRequest: () => requestOf(raw, bytes, { from, fromName, recipients: named, ...service }),
    },
    idempotency: key === undefined ? undefined : { key, bodyHash: contentHash(raw, recipients, given) },
    subject: decodeWords(subject?.value ?? '')
      .slice(0, SUBJECT_LENGTH)
      .toWellFormed(),
    recipients: named,
    origin: originOf(undefined, replyToOf(raw)),
    withFields: (missing) => completed(raw, domain, id, trace, missing),
  }
}

/** Returns the mailboxes of Reply-To that are valid addresses. */
const replyToOf = (raw: RawMessage): MailboxInput[] =>
  fieldsNamed(raw, 'Reply-To').flatMap(({ value }) =>
    parseMailboxList(value).flatMap(({ address, name }) => {
      const read = parseAddress(address)
      if (!isAddress(read)) return []
      const shown = name.slice(0, LIMITS.nameLength).toWellFormed()
      return [{ email: read.email, ...(shown === '' ? {} : { name: shown }) }]
    }),
  )

/** Returns the message to store, in newly allocated memory, because the message goes to another thread. */
function completed(
  raw: RawMessage,
  domain: string,
  id: string,
  trace: Trace,
  missing: Parameters<MimeSubmission['withFields']>[0],
): Buffer {
  let head = receivedField(id, trace)
  for (const field of raw.fields) if (!isServiceField(field.name)) head += field.raw
  head += `${missingFields(raw, domain, id, trace.at)}${written(raw, missing)}\r\n`
  const content = Buffer.allocUnsafeSlow(head.length + raw.body.length)
  content.write(head, 'latin1')
  raw.body.copy(content, head.length)
  return content
}

/**
 * Returns the Received field (RFC 5321 §4.4) without its From clause: the credential identifies the submitter, and
 * recipients of the mail need not learn the client's address and name.
 */
function receivedField(id: string, { hostName, protocol, at }: Trace): string {
  return `Received: by ${hostName} with ${protocol} id ${id};\r\n ${dateTime(at)}\r\n`
}

/** Formatted time of the last message, cached because many messages share one second. */
let lastDateTime = { second: 0, text: '' }

/** Returns a time in the form of RFC 5322 §3.3. */
function dateTime(at: number): string {
  const second = Math.floor(at / 1000)
  if (lastDateTime.second !== second) {
    lastDateTime = { second, text: new Date(at).toUTCString().replace('GMT', '+0000') }
  }
  return lastDateTime.text
}

/** Returns the missing fields, folded and encoded. */
function written(raw: RawMessage, missing: Parameters<MimeSubmission['withFields']>[0]): string {
  const names = raw.fields.filter(({ name }) => !isServiceField(name)).map(({ name }) => name)
  return missing(names)
    .map(([name, value]) => textField(legalName(name), value))
    .join('')
}

/** Returns the fields that a submission server may add (RFC 6409 §8). */
function missingFields(raw: RawMessage, domain: string, id: string, now: number): string {
  const has = (name: string): boolean => fieldsNamed(raw, name).length > 0
  let added = ''
  if (!has('Message-ID')) added += `Message-ID: <${ownMessageId(id, domain)}>\r\n`
  if (!has('Date')) added += `Date: ${dateTime(now)}\r\n`
  if (raw.has8Bit && !has('MIME-Version')) {
    added += 'MIME-Version: 1.0\r\n'
    // A body without Content-Type would be read as US-ASCII (RFC 2045 §5.2), but this body has other characters.
    if (!raw.fields.some(isContentField)) {
      const charset = isUtf8(raw.body) ? 'utf-8' : 'windows-1252'
      added += `Content-Type: text/plain; charset=${charset}\r\nContent-Transfer-Encoding: 8bit\r\n`
    }
  }
  return added
}

const isContentField = ({ name }: RawField): boolean => /^Content-/i.test(name)

/**
 * Fields that programs generate for each message, fields that hosts on the way add, and X-Idempotency-Key, because one
 * key can be written in two ways.
 */
const VARYING = /^(?:Message-ID|Date|Received|Return-Path|DKIM-Signature|X-Idempotency-Key)$/i
/**
 * Boundary of a multipart (RFC 2046 §5.1.1), in the parameter or a delimiter line; programs generate a new boundary for
 * each message.
 */
const BOUNDARY = /(\bboundary="?|^--)([^"\s;]{1,72})/gim
const MAX_BOUNDARIES = 50
/**
 * Maximum number of possible boundaries that are examined; the text after the last examined boundary is hashed
 * unchanged.
 */
const MAX_PLACES = 10_000

/**
 * Hashes content and recipients for X-Idempotency-Key. The hash is the same for a message that a program has built
 * again: the number of a boundary is hashed in place of the boundary.
 */
function contentHash(
  { fields, body }: RawMessage,
  recipients: readonly Address[],
  { stream, tags }: Partial<Pick<ServiceFields, 'stream' | 'tags'>>,
): string {
  const header = fields
    .filter(({ name }) => !VARYING.test(name))
    .map(({ name, value }) => `${name.toLowerCase()}:${value}\n`)
    .join('')
  const to = recipients.map(({ email }) => email).sort()
  const options = stream === undefined && tags === undefined ? '' : JSON.stringify([stream, tags])
  const hash = createHash('sha256').update(`${to.join('\n')}\n${options}\n`)
  const text = `${header}\n${body.toString('latin1')}`
  let from = 0
  for (const [at, end, number] of boundariesIn(text)) {
    hash.update(`${text.slice(from, at)}boundary ${number}`)
    from = end
  }
  return hash.update(text.slice(from)).digest('hex')
}

/**
 * Yields the places of boundaries, each with the boundary's number. Reads the text in one pass, because a boundary may
 * be a single letter that occurs in another boundary.
 */
function* boundariesIn(text: string): Generator<[at: number, end: number, number: number]> {
  const numbers = new Map<string, number>()
  let places = 0
  for (const { 1: before = '', 2: found = '', index } of text.matchAll(BOUNDARY)) {
    if (++places > MAX_PLACES) return
    // The line after the last part has two more dashes.
    const isLine = before === '--'
    const boundary = isLine && !numbers.has(found) ? found.replace(/--$/, '') : found
    if (!isLine && !numbers.has(boundary) && numbers.size < MAX_BOUNDARIES)
      numbers.set(boundary, numbers.size)
    const number = numbers.get(boundary)
    const at = index + before.length
    if (number !== undefined) yield [at, at + boundary.length, number]
  }
}

const FIELDS = [
  ['To', 'to'],
  ['Cc', 'cc'],
] as const
const ORDER = { to: 0, cc: 1, bcc: 2 }

/**
 * Returns the recipients of the envelope with the role and the name that the header gives them, in the order to, cc,
 * bcc, and within each role in the order of the envelope.
 */
function namedRecipients(raw: RawMessage, recipients: readonly Address[]): CheckedRecipient[] {
  const wanted = new Set(recipients.map(keyOf))
  const named = new Map<string, Pick<CheckedRecipient, 'role' | 'name'>>()
  for (const [field, role] of FIELDS) {
    for (const { value } of fieldsNamed(raw, field)) {
      for (const { address, name } of parseMailboxList(value)) {
        const read = parseAddress(address)
        const key = isAddress(read) ? keyOf(read) : ''
        if (!wanted.has(key) || named.has(key)) continue
        named.set(key, { role, name: name.slice(0, LIMITS.nameLength).toWellFormed() || null })
      }
    }
  }
  return recipients
    .map((address): CheckedRecipient => ({ role: 'bcc', name: null, ...named.get(keyOf(address)), address }))
    .sort((a, b) => ORDER[a.role] - ORDER[b.role])
}

/**
 * Returns the address in lower case, because people and programs write the same mailbox in upper and lower case,
 * although a host may distinguish the spellings (RFC 5321 §2.4).
 */
const keyOf = ({ email }: Address): string => email.toLowerCase()
