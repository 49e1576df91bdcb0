// Words about changes that a message was to get and did not get: tracking, and the footer with the unsubscribe link.

import { messages as words } from '../../texts/en/messages.ts'
import { fill } from '../../texts/texts.ts'
import type { Message } from './calls.ts'

type Reason = keyof typeof words.skips

/** Returns a sentence for each change that was left out, with the reason. */
export function skipsInWords({ tracking, events }: Pick<Message, 'tracking' | 'events'>): readonly string[] {
  const accepted = events.find(({ type }) => type === 'accepted')?.detail as
    | { readonly footer?: { readonly skipped?: Reason } }
    | undefined
  const footer = accepted?.footer?.skipped
  return [
    ...(tracking?.skipped === undefined
      ? []
      : [fill(words.notTracked, { reason: words.skips[tracking.skipped] })]),
    ...(footer === undefined ? [] : [fill(words.noFooter, { reason: words.skips[footer] })]),
  ]
}
