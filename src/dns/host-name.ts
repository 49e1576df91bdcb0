// Normalises the host names in DNS questions and answers.

import { isIP } from 'node:net'

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

/**
 * Returns the name in lower case without a trailing dot; undefined unless the name consists of labels of 1–63 letters,
 * digits, hyphens or underscores (RFC 1123 §2.1, RFC 8552), has at most 253 bytes and is no IP address.
 * Internationalized names must be in ASCII form.
 */
export function normalizeHostName(name: string): string | undefined {
  if (name.length > 254) return undefined
  const plain = (name.endsWith('.') ? name.slice(0, -1) : name).toLowerCase()
  if (plain.length > 253 || isIP(plain) !== 0) return undefined
  const labels = plain.split('.')
  // A name whose last label has only digits looks like an IP address; some programs read 127.1 as an IP address.
  if (/^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1)!)) return undefined
  return labels.every((label) => LABEL.test(label)) ? plain : undefined
}
