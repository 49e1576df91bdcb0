// Reads and removes the header fields that control the service, and refuses invalid fields.

import { parseWritten } from '../lib/written-numbers.ts'
import { decodeWords } from '../mime/encoded-word.ts'
import type { RawField } from '../mime/raw-message.ts'
import { parseIdempotencyKey } from '../model/idempotency-key.ts'
import { LIMITS } from '../model/send-request.ts'
import type { TrackingWishes } from '../model/tracking.ts'
import type { TemplateChoice } from '../submission/accept.ts'
import { Refusal } from './replies.ts'

/** Options that the header fields set. */
export interface ServiceFields {
  readonly stream: string | null
  readonly tags: readonly string[]
  readonly metadata: Readonly<Record<string, string>> | null
  readonly requireTls: boolean
  readonly tracking: TrackingWishes
  readonly idempotencyKey: string | undefined
  /** The template that provides the content, if the fields name a template. */
  readonly template: Omit<TemplateChoice, 'asRequest'> | null
}

/**
 * Fields to remove: the fields that control the service, Bcc, Return-Path (the service sets the return path), and DKIM
 * signatures. A signature becomes invalid when the service changes the message; the service signs the message again for
 * the domain.
 */
const REMOVED =
  /^(?:Bcc|Resent-Bcc|Return-Path|DKIM-Signature|X-Stream|X-Tag|X-Require-TLS|X-Idempotency-Key|X-Metadata-.*|X-Template-(?:Alias|Model|Layout)|X-Track-(?:Opens|Links))$/i
const SPEAKS_TO_US =
  /^X-(?:Stream|Tag|Send-At|Require-TLS|Idempotency-Key|Template-(?:Alias|Model|Layout)|Track-(?:Opens|Links))$|^X-Metadata-/i
const METADATA = /^X-Metadata-/i
const TEMPLATE = /^X-Template-/i
/** Values that switch an option off, including the values that other services use. */
const OFF = new Set(['', '0', 'false', 'no', 'none', 'off'])
const ON = new Set(['1', 'true', 'yes', 'on'])

/** True for a field that is removed before the message is sent. */
export const isServiceField = (name: string): boolean => REMOVED.test(name)

/** Reads the fields. Throws `Refusal` for an option that cannot be honoured, so that no option is ignored unnoticed. */
export function readServiceFields(fields: readonly RawField[]): ServiceFields {
  const metadata = new Map<string, string>()
  const tags = new Set<string>()
  let stream: string | undefined
  let requireTls = false
  let idempotencyKey: string | undefined
  const tracking: { -readonly [Field in keyof TrackingWishes]: boolean } = {}
  const template = new Map<string, string>()
  for (const { name, value } of fields) {
    if (!SPEAKS_TO_US.test(name)) continue
    const text = decodeWords(value)
    if (METADATA.test(name)) addMetadata(metadata, name.slice('X-Metadata-'.length), text)
    else if (/^X-Tag$/i.test(name)) addTag(tags, text)
    else if (/^X-Require-TLS$/i.test(name)) requireTls ||= readSwitch(name, text)
    else if (/^X-Stream$/i.test(name)) stream = readStream(stream, text)
    else if (/^X-Send-At$/i.test(name)) throw refusal(AT_ONCE)
    else if (/^X-Idempotency-Key$/i.test(name)) idempotencyKey = readIdempotencyKey(idempotencyKey, text)
    else if (TEMPLATE.test(name)) addTemplateField(template, name, text)
    else tracking[trackingField(name)] = readSwitch(name, text)
  }
  const found = metadata.size === 0 ? null : Object.fromEntries(metadata)
  if (found !== null && Buffer.byteLength(JSON.stringify(found)) > LIMITS.metadataBytes) {
    throw refusal(`X-Metadata fields have at most ${LIMITS.metadataBytes} bytes together, as JSON`)
  }
  const choice = templateOf(template)
  return {
    stream: stream ?? null,
    tags: [...tags],
    metadata: found,
    requireTls,
    tracking,
    idempotencyKey,
    template: choice,
  }
}

const AT_ONCE = 'X-Send-At: mail by SMTP is sent at once; for a later time send it over HTTP with send_at'

function readSwitch(name: string, text: string): boolean {
  if (ON.has(text.toLowerCase())) return true
  if (OFF.has(text.toLowerCase())) return false
  throw refusal(`${name} is true or false`)
}

function readStream(before: string | undefined, text: string): string {
  if (before !== undefined) throw refusal('There is more than one X-Stream field')
  if (text.trim() === '') throw refusal('X-Stream is empty; name a stream, or leave the field out')
  return text
}

function addTag(tags: Set<string>, text: string): void {
  if (text.length > LIMITS.tagsLength) throw refusal(`X-Tag has at most ${LIMITS.tagsLength} characters`)
  if (text !== '') tags.add(text)
  if (tags.size > LIMITS.tags) throw refusal(`There are at most ${LIMITS.tags} X-Tag fields`)
}

function readIdempotencyKey(before: string | undefined, text: string): string {
  if (before !== undefined) throw refusal('There is more than one X-Idempotency-Key field')
  const key = parseIdempotencyKey(text)
  if (key === undefined) throw refusal('X-Idempotency-Key has 1 to 255 printable ASCII characters')
  return key
}

/** Adds metadata under a lower-case key, because programs change the case of field names (RFC 5322 §1.2.2). */
function addMetadata(metadata: Map<string, string>, written: string, text: string): void {
  const key = written.toLowerCase()
  if (key === '') throw refusal('A key must follow X-Metadata-')
  if (metadata.has(key)) throw refusal(`There is more than one X-Metadata-${written} field`)
  if (metadata.size === LIMITS.metadataKeys) {
    throw refusal(`There are at most ${LIMITS.metadataKeys} X-Metadata fields`)
  }
  metadata.set(key, text)
}

function addTemplateField(fields: Map<string, string>, name: string, text: string): void {
  const key = name.slice('X-Template-'.length).toLowerCase()
  if (fields.has(key)) throw refusal(`There is more than one ${name} field`)
  fields.set(key, text)
}

function templateOf(fields: ReadonlyMap<string, string>): ServiceFields['template'] {
  if (fields.size === 0) return null
  const alias = fields.get('alias')
  const layout = fields.get('layout')
  const model = readModel(fields.get('model') ?? '{}')
  if (alias !== undefined) return { alias, layout, model }
  if (layout !== undefined) throw refusal('X-Template-Alias is missing; a layout is for a template')
  // A model without a template has no effect, as in a send request.
  return null
}

function readModel(text: string): object {
  let model: unknown
  try {
    model = parseWritten(text)
  } catch {
    throw refusal('X-Template-Model is not JSON')
  }
  if (typeof model !== 'object' || model === null || Array.isArray(model)) {
    throw refusal('X-Template-Model is not a JSON object')
  }
  if (isDeeper(model, MAX_LEVELS)) throw refusal(`X-Template-Model has at most ${MAX_LEVELS} levels`)
  return model
}

/** Maximum depth of a model, as in a JSON body: code that recurses through a deeper model would overflow the stack. */
const MAX_LEVELS = 1_000

function isDeeper(value: object, levels: number): boolean {
  let level: object[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === levels) return true
    level = level.flatMap((one) =>
      Object.values(one).filter((part) => typeof part === 'object' && part !== null),
    )
  }
  return false
}

const trackingField = (name: string): keyof TrackingWishes =>
  /-Opens$/i.test(name) ? 'track_opens' : 'track_links'

const refusal = (text: string): Refusal => new Refusal(554, '5.6.0', text)
