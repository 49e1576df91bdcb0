// The names that may be asked for, and that answers may hold.

import { isIP } from 'node:net'

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

/**
 * The name in lower case without a trailing dot, when it is one: labels of 1–63 letters, digits, hyphens or
 * underscores (RFC 1123 §2.1, RFC 8552), 253 bytes in all, and no IP address. Internationalized names come in
 * their ASCII form.
 */
export function normalizeHostName(name: string): string | undefined {
  if (name.length > 254) return undefined
  const plain = (name.endsWith('.') ? name.slice(0, -1) : name).toLowerCase()
  if (plain.length > 253 || isIP(plain) !== 0) return undefined
  const labels = plain.split('.')
  // A last label of digits alone is how addresses look, also those that only some programs read: 127.1.
  if (/^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1)!)) return undefined
  return labels.every((label) => LABEL.test(label)) ? plain : undefined
}
