// The outcome of a message so far, and its next step: a status for the list, and sentences for the page of the message.

import { inWords } from '../../parts/in-words.ts'
import { messages as words } from '../../texts/en/messages.ts'
import { fill } from '../../texts/texts.ts'
import { isFinal, type MessageLine, type Recipient, recipientsOf } from './calls.ts'
import { type Held, holdInWords } from './held-words.ts'

/** Outcome of a message in a row of the list. */
export interface Outcome {
  /**
   * Status of the message; `deferred` while the message waits for another attempt, `held` while a pause prevents
   * attempts.
   */
  readonly status: string
  /** Hold of all waiting recipients; undefined if an attempt will be made for any recipient. */
  readonly held: Held | undefined
  /** Reply of the mail host, or the reason, for the first recipient without a delivery. */
  readonly reason: string | undefined
  /** Time of the next attempt (RFC 3339). */
  readonly nextAttemptAt: string | undefined
}

/** Statuses of recipients that the list reports; statuses that can still change come first. */
const REMARKABLE = ['deferred', 'bounced', 'failed', 'suppressed'] as const

export function outcomeOf(message: MessageLine): Outcome {
  const recipients = recipientsOf(message)
  const has = (status: string): boolean => recipients.some((one) => one.status === status)
  const held = holdOf(recipients)
  if (held !== undefined) return { status: 'held', held, reason: undefined, nextAttemptAt: undefined }
  const waits = message.status === 'sending' && !has('sending') && !has('queued') && has('deferred')
  const told = REMARKABLE.map((status) => recipients.find((one) => one.status === status)).find(
    (one) => one !== undefined,
  )
  return {
    status: waits ? 'deferred' : message.status,
    held,
    reason: told && replyOf(told),
    nextAttemptAt: waits ? soonest(recipients) : undefined,
  }
}

/** Returns the hold of a message whose open recipients are all held; undefined for any other message. */
function holdOf(recipients: readonly Recipient[]): Recipient['held'] {
  const open = recipients.filter(({ status }) => !isFinal(status))
  return open.every(({ held }) => held !== undefined) ? open[0]?.held : undefined
}

/** Returns the reply to a recipient in one line. */
const replyOf = ({ status, smtp_code, smtp_response }: Recipient): string =>
  status === 'suppressed'
    ? words.onList
    : [smtp_code, smtp_response].filter((part) => part !== undefined).join(' ')

const soonest = (recipients: readonly Recipient[]): string | undefined =>
  recipients.flatMap(({ next_attempt_at: next }) => (next === undefined ? [] : [next])).sort()[0]

/** Returns a sentence for each status of the recipients, with the result so far and the next attempt. */
export function sentencesOf(message: MessageLine, when: (at: string) => string): readonly string[] {
  const recipients = recipientsOf(message)
  const byStatus = Map.groupBy(recipients, ({ status, held }) => (held === undefined ? status : held.reason))
  return [...byStatus.values()].map((some) => {
    const who = inShort(some, recipients.length)
    const [first] = some
    const { status = 'queued', held } = first ?? {}
    if (held !== undefined) {
      const sentence = fill(words.held, { who, hold: holdInWords(held, when) })
      const reply = first === undefined ? '' : replyOf(first)
      return reply === '' ? sentence : `${sentence} ${fill(words.lastReplyWas, { reply })}`
    }
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

export function inShort(some: readonly Recipient[], all: number): string {
  const [first] = some
  if (some.length === 1 && first !== undefined) return first.email
  return some.length === all
    ? fill(words.allRecipients, { count: all })
    : fill(words.someRecipients, { count: some.length, all })
}
