// What became of a message so far, and what comes next: a state for the list, a sentence for the top of its page.

import { inWords } from '../../parts/in-words.ts'
import { messages as words } from '../../texts/en/messages.ts'
import { fill } from '../../texts/texts.ts'
import { type MessageLine, type Recipient, recipientsOf } from './calls.ts'

/** What a row of the list says of a message. */
export interface Outcome {
  /** That of the message, or `deferred` while it waits for another attempt. */
  readonly status: string
  /** The reply of the host, or the reason, of the first recipient that it was not delivered to. */
  readonly reason: string | undefined
  /** Time of the next attempt (RFC 3339). */
  readonly nextAttemptAt: string | undefined
}

/** Recipients of which something has to be told, those that can still change first. */
const REMARKABLE = ['deferred', 'bounced', 'failed', 'suppressed'] as const

export function outcomeOf(message: MessageLine): Outcome {
  const recipients = recipientsOf(message)
  const has = (status: string): boolean => recipients.some((one) => one.status === status)
  const waits = message.status === 'sending' && !has('sending') && !has('queued') && has('deferred')
  const told = REMARKABLE.map((status) => recipients.find((one) => one.status === status)).find(
    (one) => one !== undefined,
  )
  return {
    status: waits ? 'deferred' : message.status,
    reason: told && replyOf(told),
    nextAttemptAt: waits ? soonest(recipients) : undefined,
  }
}

/** The reply that a recipient got, in one line. */
const replyOf = ({ status, smtp_code, smtp_response }: Recipient): string =>
  status === 'suppressed'
    ? words.onList
    : [smtp_code, smtp_response].filter((part) => part !== undefined).join(' ')

const soonest = (recipients: readonly Recipient[]): string | undefined =>
  recipients.flatMap(({ next_attempt_at: next }) => (next === undefined ? [] : [next])).sort()[0]

/** What happened and what will, in a sentence for each state that recipients are in. */
export function sentencesOf(message: MessageLine, when: (at: string) => string): readonly string[] {
  const recipients = recipientsOf(message)
  const byStatus = Map.groupBy(recipients, ({ status }) => status)
  return [...byStatus].map(([status, some]) => {
    const who = inShort(some, recipients.length)
    const [first] = some
    if (status !== 'deferred') {
      const known = (words.sentences as Readonly<Record<string, string>>)[status]
      const sentence = known === undefined ? `${inWords(status)}: ${who}.` : fill(known, { who } as never)
      const reply = status === 'bounced' && first !== undefined ? replyOf(first) : ''
      return reply === ''
        ? sentence
        : `${sentence} ${fill(some.length === 1 ? words.reply : words.oneReply, { reply })}`
    }
    const next = soonest(some)
    const again =
      next === undefined || Date.parse(next) <= Date.now()
        ? fill(words.deferredSoon, { who })
        : fill(words.deferredUntil, { who, when: when(next) })
    const reply = first === undefined ? '' : replyOf(first)
    return reply === '' ? again : `${again} ${fill(words.lastReplyWas, { reply })}`
  })
}

function inShort(some: readonly Recipient[], all: number): string {
  const [first] = some
  if (some.length === 1 && first !== undefined) return first.email
  return some.length === all
    ? fill(words.allRecipients, { count: all })
    : fill(words.someRecipients, { count: some.length, all })
}
