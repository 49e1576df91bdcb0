// Sentences about messages without an attempt: who holds the mail, and why a retry on request made no attempt.

import { messages as words } from '../../texts/en/messages.ts'
import { fill } from '../../texts/texts.ts'
import { isFinal, type MessageLine, type Recipient, recipientsOf } from './calls.ts'

export type Held = NonNullable<Recipient['held']>

/** Returns who holds the mail and since when, in a sentence; `when` puts a time (RFC 3339) in words. */
export const holdInWords = (
  { cause, value, since }: Pick<Held, 'cause' | 'value' | 'since'>,
  when: (at: string) => string,
): string => fill(words.holds[cause], { value, when: when(since) } as never)

/** Returns the reason why a retry on request made no attempt, in a sentence. */
export function whyNotTried(message: MessageLine, when: (at: string) => string): string {
  const recipients = recipientsOf(message)
  const held = recipients.find((one) => one.held !== undefined)?.held
  if (held !== undefined) return holdInWords(held, when)
  if (isFinal(message.status)) return words.notTriedFinal
  return recipients.some(({ status }) => status === 'sending') ? words.notTriedActive : words.notTriedQueued
}
