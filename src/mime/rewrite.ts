// Changes the header of a raw message, and converts the message to the form that signing and delivery use.

import type { ComposedMessage, HeaderField } from '../model/composed-message.ts'
import { asciiAddressField } from './address-field.ts'
import { decodeWords } from './encoded-word.ts'
import { ADDRESS_FIELD, LINK_FIELD, STRUCTURED_FIELD } from './field-kinds.ts'
import { legalName, linkField, textField } from './header-field.ts'
import { mailboxField } from './mailbox-field.ts'
import type { RawField, RawMessage } from './raw-message.ts'
import { parseSoleMailbox } from './read-mailboxes.ts'

export interface HeaderEdit {
  /** Names of fields to remove (case-insensitive); all fields with such a name are removed. */
  readonly remove?: Iterable<string>
  /** Fields to add at the top; `append` adds fields at the end. */
  readonly prepend?: readonly (readonly [name: string, value: string])[]
  readonly append?: readonly (readonly [name: string, value: string])[]
}

/**
 * Returns the message with its header changed; the body and the remaining fields keep their bytes. Only fields in bare
 * UTF-8 that can be expressed in ASCII (names, subjects, other free text) are rewritten, since many programs send UTF-8
 * in a header (RFC 6531) but few hosts accept it.
 */
export function rewrite(raw: RawMessage, edit: HeaderEdit = {}): ComposedMessage {
  const gone = new Set(Array.from(edit.remove ?? [], (name) => name.toLowerCase()))
  const kept = raw.fields.filter((field) => !gone.has(field.name.toLowerCase()))
  const headers = [
    ...(edit.prepend ?? []).map(newField),
    ...kept.flatMap(inAscii),
    ...(edit.append ?? []).map(newField),
  ]
  return {
    headers,
    body: withLineEnd(raw.body),
    needs8Bit: raw.has8Bit,
    needsSmtpUtf8: headers.some((field) => NON_ASCII.test(field.raw)),
  }
}

const NON_ASCII = /[\x80-\xff]/
const CRLF = Buffer.from('\r\n')

/** Fields that name exactly one author or sender (RFC 5322 §3.6.2). */
const SENDER_FIELD = /^(?:Resent-)?(?:From|Sender)$/i

function newField([name, value]: readonly [string, string]): HeaderField {
  const legal = legalName(name)
  return { name: legal, raw: LINK_FIELD.test(legal) ? linkField(legal, value) : textField(legal, value) }
}

function inAscii(field: RawField): HeaderField[] {
  const { name, value } = field
  if (!NON_ASCII.test(field.raw) || STRUCTURED_FIELD.test(name) || LINK_FIELD.test(name)) return [field]
  if (SENDER_FIELD.test(name)) return [senderField(field)]
  if (!ADDRESS_FIELD.test(name)) return [newField([name, decodeWords(value)])]
  const raw = asciiAddressField(name, value, true)
  return raw === undefined ? [] : [{ name, raw }]
}

/**
 * Writes a sender field in ASCII. Submission accepts only a field with one valid mailbox; any other value stays
 * unchanged.
 */
function senderField(field: RawField): HeaderField {
  const mailbox = parseSoleMailbox(field.value)
  return mailbox === undefined ? field : { name: field.name, raw: mailboxField(field.name, [mailbox]) }
}

/** Adds a final line end if the body has none (see `ComposedMessage.body`). */
export function withLineEnd(body: Buffer): Buffer {
  return body.length === 0 || body.at(-1) === 10 ? body : Buffer.concat([body, CRLF])
}
