// Header fields that the service writes on mail of broadcast streams, for one recipient.

import type { MessageIdentity, RecipientLink } from './composition.ts'

type Field = readonly [name: string, value: string]

/** RFC 2369 §3.2 and RFC 8058 §3.1; signatures cover both. */
export const unsubscribeFields = ({ url, address }: RecipientLink): Field[] => [
  ['List-Unsubscribe', `<${url}>, <mailto:${address}?subject=unsubscribe>`],
  ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
]

/**
 * Fields that tell a stream's mail from other mail: List-ID (RFC 2919) for filters, and the Feedback-ID that Gmail
 * counts complaints by, from the narrowest to the sender. One that the sender gives stands instead.
 *
 * @param names of the fields that the sender gives
 */
export function listFields(
  tag: string | null,
  names: readonly string[],
  { stream, domainName }: MessageIdentity,
  { installation }: RecipientLink,
): Field[] {
  const given = new Set(names.map((name) => name.toLowerCase()))
  const part = (text: string): string => text.replace(/[^\w.-]+/g, '-').slice(0, MAX_FEEDBACK_PART)
  const fields = [
    ['List-ID', `<${stream}.${domainName}>`],
    ['Feedback-ID', [part(tag ?? ''), stream, domainName, installation].join(':')],
  ] as const
  return fields.filter(([name]) => !given.has(name.toLowerCase()))
}

const MAX_FEEDBACK_PART = 64
