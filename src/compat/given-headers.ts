// Reads header fields that frameworks write for fields of the request that the other service lacks, or that they give
// twice.

import type { MailboxInput } from '../model/send-request.ts'
import { readMailboxes } from './mailboxes.ts'

/** Header fields of a message, and what some of them mean. */
export interface GivenHeaders {
  /** Fields that are sent as given. */
  readonly headers: Readonly<Record<string, string>>
  readonly replyTo: readonly MailboxInput[]
  readonly tags: readonly string[]
  readonly metadata: Readonly<Record<string, string>>
}

/**
 * Separates header fields: `Reply-To`; `X-Tag` and `X-Metadata-<key>` of Symfony; `X-Tags` and `X-Metadata` of
 * django-anymail, which contain JSON. Tags and metadata are not sent to the recipients.
 */
export function readGivenHeaders(given: Readonly<Record<string, string>>): GivenHeaders {
  const headers: Record<string, string> = {}
  const metadata: Record<string, string> = {}
  const tags: string[] = []
  let replyTo: readonly MailboxInput[] = []
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase()
    const list = lower === 'x-tags' ? textsIn(value) : undefined
    const pairs = lower === 'x-metadata' ? pairsIn(value) : undefined
    if (lower === 'reply-to') replyTo = readMailboxes(value)
    else if (lower === 'x-tag') tags.push(value)
    else if (lower.startsWith('x-metadata-')) metadata[name.slice('x-metadata-'.length)] = value
    else if (list !== undefined) tags.push(...list)
    else if (pairs !== undefined) Object.assign(metadata, pairs)
    else headers[name] = value
  }
  return { headers, replyTo, tags, metadata }
}

/** Returns the texts of a JSON list; undefined for any other text. */
function textsIn(json: string): readonly string[] | undefined {
  const value = parsed(json)
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined
}

/** Returns the values of a JSON object as texts; undefined for any other text, and for values that are no scalars. */
function pairsIn(json: string): Readonly<Record<string, string>> | undefined {
  const value = parsed(json)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const entries = Object.entries(value)
  if (entries.some(([, one]) => typeof one === 'object')) return undefined
  return Object.fromEntries(entries.map(([key, one]) => [key, String(one)]))
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
