// Replaces halves of surrogate pairs in what was read from JSON, which alone can say them (RFC 8259 §8.2).

/** Escapes of halves of surrogate pairs, whole pairs among them. */
const SURROGATE = /\\u[dD][89a-fA-F]/

/**
 * Replaces each half of a surrogate pair in the texts and names of `value`, which was read from `text`, with U+FFFD, as a
 * client that cut a character in two would see it anyway. UTF-8 has no form for such a half, and each database and
 * protocol has a way of its own to replace or refuse it: two texts that differ here would be one key there.
 */
export function makeWellFormed(text: string, value: unknown): void {
  if (typeof value !== 'object' || value === null || !SURROGATE.test(text)) return
  const open: object[] = [value]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const fields = one as Record<string, unknown>
    for (const name of Object.keys(one)) {
      const part = fields[name]
      const whole = typeof part === 'string' ? part.toWellFormed() : part
      if (!name.isWellFormed()) {
        delete fields[name]
        fields[name.toWellFormed()] = whole
      } else if (whole !== part) fields[name] = whole
      if (typeof part === 'object' && part !== null) open.push(part)
    }
  }
}
