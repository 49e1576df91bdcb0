// Writes a delivery into the journal as soon as the reply of the host is read.

import { writeSync } from 'node:fs'
import type { Attempt } from '../model/attempt.ts'
import type { JournalPlace } from '../model/journal-place.ts'

/** The reply of a host that has accepted a message. */
export type Taken = Required<Pick<Attempt, 'mx' | 'address' | 'reply'>> & Pick<Attempt, 'source' | 'tls'>

/** Maximum lengths of the reply text, in characters, tried in this order if the full journal entry is too long. */
const SHORTENED = [300, 0]

/**
 * Writes the journal entry: one line of JSON with `attempt`, `now`, and the properties of the record. Never throws: a
 * full disk must not prevent the reply from being reported.
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
    // The database may still accept the outcome if the journal cannot be written.
  }
}
