// The stored form of a transcript, which omits the last reply, because separate columns of the row contain that reply.

import type { Reply } from './reply.ts'

/** Mark before a reply in a transcript; a stored transcript ends with the mark in place of the last reply. */
const RECEIVED = ' < '

interface StoredAttempt {
  readonly transcript: string
  readonly smtp_code: number | null
  readonly smtp_enhanced: string | null
  readonly smtp_response: string | null
}

/** Returns the line of a single-line reply as the host sent it. */
const lineOf = (code: number, enhanced: string | undefined, text: string): string =>
  [code, ...(enhanced === undefined ? [] : [enhanced]), text].join(' ')

/** Returns the part of a transcript that is stored in addition to the last reply. */
export function storedTranscript(transcript: string, reply: Reply | undefined): string {
  if (reply === undefined) return transcript
  const line = lineOf(reply.code, reply.enhanced, reply.text)
  return transcript.endsWith(RECEIVED + line) ? transcript.slice(0, -line.length) : transcript
}

/** Returns the complete transcript of a stored attempt. */
export function wholeTranscript({
  transcript,
  smtp_code,
  smtp_enhanced,
  smtp_response,
}: StoredAttempt): string {
  if (smtp_code === null || !transcript.endsWith(RECEIVED)) return transcript
  return transcript + lineOf(smtp_code, smtp_enhanced ?? undefined, smtp_response ?? '')
}
