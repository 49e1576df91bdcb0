// Reads Mailgun's header fields `X-Mailgun-…`, which set the options of a message submitted by SMTP.

import { decodeWords } from '../mime/encoded-word.ts'
import type { RawField } from '../mime/raw-message.ts'
import { LIMITS } from '../model/send-request.ts'
import type { TrackingWishes } from '../model/tracking.ts'
import { Refusal } from './replies.ts'
import { ownField, type VendorFields, type VendorOptions } from './vendor-fields.ts'

const PREFIX = 'x-mailgun-'

/** Our fields with the same meaning. */
const RENAMED: Readonly<Record<string, string>> = {
  'require-tls': 'X-Require-TLS',
  'template-name': 'X-Template-Alias',
  'template-variables': 'X-Template-Model',
}

/** Fields that change the meaning of the message and that cannot be fulfilled, unless they have the value `no`. */
const REFUSED: Readonly<Record<string, string>> = {
  'drop-message': 'use a test credential instead',
  'recipient-variables': 'send the message over HTTP instead',
  'sending-ip': 'the installation chooses the IP address',
  'sending-ip-pool': 'the installation chooses the IP address',
}

const YES = /^(?:yes|true|htmlonly)$/i
const NO = /^(?:no|false)$/i

/**
 * Reads and removes the fields of Mailgun.
 *
 * @param now time in milliseconds since the epoch
 * @throws Refusal for a wish that cannot be fulfilled
 */
export function readMailgunFields(fields: readonly RawField[], now: number): VendorFields {
  const rest: RawField[] = []
  const tags: string[] = []
  const tracking: { -readonly [Name in keyof TrackingWishes]: boolean } = {}
  let more: VendorOptions = {}
  for (const field of fields) {
    if (!field.name.toLowerCase().startsWith(PREFIX)) {
      rest.push(field)
      continue
    }
    const name = field.name.slice(PREFIX.length).toLowerCase()
    const text = decodeWords(field.value)
    const ours = Object.hasOwn(RENAMED, name) ? RENAMED[name] : undefined
    const remedy = Object.hasOwn(REFUSED, name) ? REFUSED[name] : undefined
    if (ours !== undefined)
      rest.push(ownField(ours, name === 'template-name' ? field.value.toLowerCase() : field.value))
    else if (name === 'tag') tags.push(text)
    else if (name === 'variables') more = { ...more, metadata: { ...more.metadata, ...metadataIn(text) } }
    else if (name === 'deliver-by') more = { ...more, ...timeIn(text, now) }
    else if (name.startsWith('track')) Object.assign(tracking, trackingOf(name, text))
    else if (remedy !== undefined && !NO.test(text))
      throw refusal(field.name, `not available here; ${remedy}`)
    else if (name === 'dkim' && NO.test(text)) throw refusal(field.name, 'every message is signed')
  }
  return {
    fields: rest,
    options: {
      ...more,
      ...(tags.length === 0 ? {} : { tags: tagsOf(tags) }),
      ...(Object.keys(tracking).length === 0 ? {} : { tracking }),
    },
  }
}

function tagsOf(tags: readonly string[]): string[] {
  const unique = [...new Set(tags)].filter((tag) => tag !== '')
  if (unique.length <= LIMITS.tags && unique.every((tag) => tag.length <= LIMITS.tagsLength)) return unique
  throw refusal('X-Mailgun-Tag', `at most ${LIMITS.tags} tags of at most ${LIMITS.tagsLength} characters`)
}

function metadataIn(text: string): Record<string, string> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refusal('X-Mailgun-Variables', 'the value is not a JSON object')
  }
  const metadata = Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, typeof one === 'string' ? one : JSON.stringify(one)]),
  )
  const isLong = Buffer.byteLength(JSON.stringify(metadata)) > LIMITS.metadataBytes
  if (!isLong && Object.keys(metadata).length <= LIMITS.metadataKeys) return metadata
  throw refusal(
    'X-Mailgun-Variables',
    `at most ${LIMITS.metadataKeys} keys and ${LIMITS.metadataBytes} bytes`,
  )
}

function timeIn(text: string, now: number): VendorOptions {
  const sendAt = /^[\w,:+ -]{8,60}$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(sendAt)) throw refusal('X-Mailgun-Deliver-By', 'the value is no date')
  if (sendAt > now + LIMITS.scheduleMs) {
    throw refusal('X-Mailgun-Deliver-By', `at most ${LIMITS.scheduleMs / 86_400_000} days ahead`)
  }
  return sendAt > now ? { sendAt } : {}
}

/** Returns the tracking that a field switches on or off: `track`, `track-opens` or `track-clicks`. */
function trackingOf(name: string, text: string): TrackingWishes {
  if (!YES.test(text) && !NO.test(text)) throw refusal(`X-Mailgun-${name}`, 'give yes or no')
  const isOn = YES.test(text)
  return {
    ...(name === 'track-clicks' ? {} : { track_opens: isOn }),
    ...(name === 'track-opens' ? {} : { track_links: isOn }),
  }
}

const refusal = (name: string, text: string): Refusal => new Refusal(554, '5.6.0', `${name}: ${text}`)
