// Sentences about changes that the service did not make to a message: tracking, and the footer with the unsubscribe
// link.

import { messages as words } from '../../texts/en/messages.ts'
import { fill } from '../../texts/texts.ts'

interface Skipped {
  readonly skipped?: keyof typeof words.skips
}

/** Returns a sentence for each change that was left out, from a message or the detail of its `accepted` event. */
export function skipsInWords(accepted: object): readonly string[] {
  const { tracking, footer } = accepted as { readonly tracking?: Skipped; readonly footer?: Skipped }
  const told = [
    { sentence: words.notTracked, reason: tracking?.skipped },
    { sentence: words.noFooter, reason: footer?.skipped },
  ]
  return told.flatMap(({ sentence, reason }) =>
    reason === undefined ? [] : [fill(sentence, { reason: words.skips[reason] })],
  )
}
