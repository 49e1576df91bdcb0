// Writes down that a host has taken a message, as soon as its answer has been read.

import { writeSync } from 'node:fs'
import type { Attempt } from '../model/attempt.ts'
import type { JournalPlace } from '../model/journal-place.ts'

/** Answer of a host that has taken a message. */
export type Taken = Required<Pick<Attempt, 'mx' | 'address' | 'reply'>> & Pick<Attempt, 'tls'>

/** Characters of a reply's text that are kept where an entry with all of it is too long. */
const SHORTENED = [300, 0]

/**
 * Writes the entry: one line of JSON with `attempt`, `now`, and the properties of the record. Never throws: a full disk
 * must not keep the answer from being reported.
 */
export function writeEntry(
  { file, position, maxBytes, startedAt, record }: JournalPlace,
  taken: Taken,
): void {
  const now = Date.now()
  const lineOf = (reply: Taken['reply']): string => {
    const attempt: Attempt = { startedAt, durationMs: now - startedAt, ...taken, reply, transcript: '' }
    return `{"attempt":${JSON.stringify(attempt)},"now":${now},${record.slice(1)}\n`
  }
  let line = lineOf(taken.reply)
  for (const length of SHORTENED) {
    if (Buffer.byteLength(line) <= maxBytes) break
    line = lineOf({ ...taken.reply, text: taken.reply.text.slice(0, length) })
  }
  if (Buffer.byteLength(line) > maxBytes) return
  try {
    writeSync(file, line, position)
  } catch {
    // Where the store has room for it, the outcome is written there all the same.
  }
}
