// Reads SendGrid's header field X-SMTPAPI: a JSON object with recipients, substitutions, categories and settings.

import { decodeWords } from '../mime/encoded-word.ts'
import type { RawField } from '../mime/raw-message.ts'
import { LIMITS } from '../model/send-request.ts'
import { Refusal } from './replies.ts'
import type { PersonalCopies, VendorFields, VendorOptions } from './vendor-fields.ts'

const NAME = 'x-smtpapi'
/** Maximum number of recipients of one message. */
const MAX_TO = 1_000

/** Keys that change the meaning of the message and that cannot be fulfilled. */
const REFUSED: Readonly<Record<string, string>> = {
  asm_group_id: 'name a broadcast stream with X-Stream instead',
  ip_pool: 'pools of addresses are chosen by the operator',
  send_each_at: 'use send_at, or send the messages one by one',
}
/** Filters that provide the content. */
const REFUSED_FILTERS: Readonly<Record<string, string>> = {
  templates: 'name a template with X-Template-Alias instead',
  template: 'name a template with X-Template-Alias instead',
  footer: 'put the footer into the message',
  bcc: 'add the recipient to the envelope',
}

/** Reads the first field of this name, and removes all fields of this name. */
export function readSmtpApi(fields: readonly RawField[], now: number): VendorFields {
  const own = fields.filter(({ name }) => name.toLowerCase() === NAME)
  const [first] = own
  if (first === undefined) return { fields }
  // Mail programs encode long texts without spaces, although SendGrid reads only ASCII.
  const value = parsed(decodeWords(first.value))
  for (const [key, remedy] of Object.entries(REFUSED)) {
    if (isGiven(value[key])) throw refusal(`${key} is not available here; ${remedy}`)
  }
  const copies = copiesIn(value)
  return {
    fields: fields.filter((field) => !own.includes(field)),
    options: { ...labelsIn(value), ...trackingIn(value), ...timeIn(value, now) },
    ...(copies === undefined ? {} : { copies }),
  }
}

type Values = Readonly<Record<string, unknown>>

function parsed(text: string): Values {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw refusal('the value is not JSON')
  }
  if (!isObject(value)) throw refusal('the value is not a JSON object')
  return value
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)

/** Returns a list of texts; a single value counts as a list. */
function textsOf(value: unknown, name: string): string[] {
  const list = Array.isArray(value) ? value : isGiven(value) ? [value] : []
  return list.map((one) => {
    if (typeof one === 'object' && one !== null) throw refusal(`${name} has a value that is no text`)
    return String(one ?? '')
  })
}

/** Returns an object of texts. */
function entriesOf(value: unknown, name: string): [string, string][] {
  if (!isGiven(value)) return []
  if (!isObject(value)) throw refusal(`${name} is not a JSON object`)
  return Object.entries(value).map(([key, one]) => {
    if (typeof one === 'object' && one !== null) throw refusal(`${name}.${key} is no text`)
    return [key, String(one ?? '')]
  })
}

/** Returns tags and metadata: categories, the arguments of the caller, and the ID of the batch. */
function labelsIn(value: Values): VendorOptions {
  const tags = [...new Set(textsOf(value.category, 'category'))].filter((tag) => tag !== '')
  if (tags.length > LIMITS.tags || tags.some((tag) => tag.length > LIMITS.tagsLength)) {
    throw refusal(`category has at most ${LIMITS.tags} texts of at most ${LIMITS.tagsLength} characters`)
  }
  const batch = textsOf(value.batch_id, 'batch_id').map((id): [string, string] => ['batch_id', id])
  const metadata = Object.fromEntries([...batch, ...entriesOf(value.unique_args, 'unique_args')])
  const keys = Object.keys(metadata)
  if (
    keys.length > LIMITS.metadataKeys ||
    Buffer.byteLength(JSON.stringify(metadata)) > LIMITS.metadataBytes
  ) {
    throw refusal(`unique_args has at most ${LIMITS.metadataKeys} keys and ${LIMITS.metadataBytes} bytes`)
  }
  return {
    ...(tags.length === 0 ? {} : { tags }),
    ...(keys.length === 0 ? {} : { metadata }),
  }
}

/** Returns the tracking that the filters switch on or off. */
function trackingIn(value: Values): VendorOptions {
  const filters = isObject(value.filters) ? value.filters : {}
  const switchOf = (name: string): boolean | undefined => {
    const filter = filters[name]
    const enable = isObject(filter) && isObject(filter.settings) ? filter.settings.enable : undefined
    return enable === undefined ? undefined : ['1', 'true'].includes(String(enable))
  }
  for (const [name, remedy] of Object.entries(REFUSED_FILTERS)) {
    if (switchOf(name) === true) throw refusal(`the filter ${name} is not available here; ${remedy}`)
  }
  const [opens, links] = [switchOf('opentrack'), switchOf('clicktrack')]
  const tracking = {
    ...(opens === undefined ? {} : { track_opens: opens }),
    ...(links === undefined ? {} : { track_links: links }),
  }
  return Object.keys(tracking).length === 0 ? {} : { tracking }
}

function timeIn({ send_at }: Values, now: number): VendorOptions {
  if (!isGiven(send_at)) return {}
  const sendAt = /^\d{1,12}$/.test(String(send_at)) ? Number(send_at) * 1_000 : Number.NaN
  if (Number.isNaN(sendAt)) throw refusal('send_at is not a Unix time in seconds')
  if (sendAt > now + LIMITS.scheduleMs) {
    throw refusal(`send_at is at most ${LIMITS.scheduleMs / 86_400_000} days ahead`)
  }
  return sendAt > now ? { sendAt } : {}
}

/** Returns the copies that `to`, `sub` and `section` ask for; undefined if the envelope stays. */
function copiesIn(value: Values): PersonalCopies | undefined {
  if (!isGiven(value.to) && !isGiven(value.sub)) return undefined
  const to = isGiven(value.to) ? textsOf(value.to, 'to') : undefined
  if (to !== undefined && to.length > MAX_TO) throw refusal(`to has at most ${MAX_TO} recipients`)
  if (isGiven(value.sub) && !isObject(value.sub)) throw refusal('sub is not a JSON object')
  const subs = isObject(value.sub) ? Object.entries(value.sub) : []
  const values = subs.map(([key, list]) => [key, textsOf(list, `sub.${key}`)] as const)
  return {
    to,
    values: Object.fromEntries(values),
    sections: Object.fromEntries(entriesOf(value.section, 'section')),
  }
}

const refusal = (text: string): Refusal => new Refusal(554, '5.6.0', `X-SMTPAPI: ${text}`)
