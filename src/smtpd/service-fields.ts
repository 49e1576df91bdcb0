// Header fields that speak to the service (contract §2 "SMTP"): read, obeyed or refused, and removed.

import { decodeWords } from '../mime/encoded-word.ts'
import type { RawField } from '../mime/raw-message.ts'
import { LIMITS } from '../model/send-request.ts'
import { Refusal } from './replies.ts'

/** What the fields say. */
export interface ServiceFields {
  readonly tag: string | null
  readonly metadata: Readonly<Record<string, string>> | null
  readonly requireTls: boolean
}

/**
 * Besides our own: who gets blind copies, the return path, which is ours, and signatures, since what we change
 * breaks them and the domain signs anew.
 */
const REMOVED =
  /^(?:Bcc|Resent-Bcc|Return-Path|DKIM-Signature|X-Stream|X-Tag|X-Require-TLS|X-Metadata-.*|X-Template-.*|X-Track-.*)$/i
const METADATA = /^X-Metadata-/i
const STREAM = 'transactional'
/** What switches something off, in the words of several services. */
const OFF = new Set(['', '0', 'false', 'no', 'none', 'off'])
const ON = new Set(['1', 'true', 'yes', 'on'])

/** Whether the field does not go on with the message. */
export const isServiceField = (name: string): boolean => REMOVED.test(name)

/** Reads the fields. Throws `Refusal` for what cannot be done, since a mail that silently lacks it is a lost one. */
export function readServiceFields(fields: readonly RawField[]): ServiceFields {
  const metadata = new Map<string, string>()
  let tag: string | undefined
  let requireTls = false
  for (const { name, value } of fields) {
    const text = decodeWords(value)
    if (METADATA.test(name)) addMetadata(metadata, name.slice('X-Metadata-'.length), text)
    else if (/^X-Tag$/i.test(name)) tag = readTag(tag, text)
    else if (/^X-Require-TLS$/i.test(name)) requireTls ||= readSwitch(name, text)
    else refuseUnavailable(name, text)
  }
  const found = metadata.size === 0 ? null : Object.fromEntries(metadata)
  if (found !== null && Buffer.byteLength(JSON.stringify(found)) > LIMITS.metadataBytes) {
    throw refusal(`X-Metadata fields have at most ${LIMITS.metadataBytes} bytes together, as JSON`)
  }
  return { tag: tag || null, metadata: found, requireTls }
}

function readSwitch(name: string, text: string): boolean {
  if (ON.has(text.toLowerCase())) return true
  if (OFF.has(text.toLowerCase())) return false
  throw refusal(`${name} is true or false`)
}

function readTag(before: string | undefined, text: string): string {
  if (before !== undefined) throw refusal('There is more than one X-Tag field')
  if (text.length > LIMITS.tagLength) throw refusal(`X-Tag has at most ${LIMITS.tagLength} characters`)
  return text
}

/** Field names have no case (RFC 5322 §1.2.2) and programs change it, so keys are lower case. */
function addMetadata(metadata: Map<string, string>, written: string, text: string): void {
  const key = written.toLowerCase()
  if (key === '') throw refusal('X-Metadata- is to be followed by a key')
  if (metadata.has(key)) throw refusal(`There is more than one X-Metadata-${written} field`)
  if (metadata.size === LIMITS.metadataKeys) {
    throw refusal(`There are at most ${LIMITS.metadataKeys} X-Metadata fields`)
  }
  metadata.set(key, text)
}

function refuseUnavailable(name: string, text: string): void {
  if (/^X-Stream$/i.test(name) && text !== STREAM) {
    throw refusal(`X-Stream: only ${STREAM} is available; other streams are not available yet`)
  }
  if (/^X-Template-/i.test(name)) throw refusal(`${name}: templates are not available over SMTP yet`)
  if (/^X-Track-/i.test(name) && !OFF.has(text.toLowerCase())) {
    throw refusal(`${name}: tracking is not available yet`)
  }
}

const refusal = (text: string): Refusal => new Refusal(554, '5.6.0', text)
