// What became of a message so far, and what comes next: a state for the list, a sentence for the top of its page.

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
    ? 'On the suppression list'
    : [smtp_code, smtp_response].filter((part) => part !== undefined).join(' ')

const soonest = (recipients: readonly Recipient[]): string | undefined =>
  recipients.flatMap(({ next_attempt_at: next }) => (next === undefined ? [] : [next])).sort()[0]

const SENTENCES: Readonly<Record<string, (who: string) => string>> = {
  scheduled: (who) => `Scheduled for ${who}.`,
  queued: (who) => `Queued for ${who}.`,
  sending: (who) => `Being sent to ${who}.`,
  delivered: (who) => `Delivered to ${who}.`,
  bounced: (who) => `Bounced for ${who}: it is not sent again.`,
  suppressed: (who) => `Not sent to ${who}: on the suppression list.`,
  failed: (who) => `Failed for ${who}: it is not tried any more.`,
  cancelled: (who) => `Cancelled for ${who}.`,
}

/** What happened and what will, in a sentence for each state that recipients are in. */
export function sentencesOf(message: MessageLine, when: (at: string) => string): readonly string[] {
  const recipients = recipientsOf(message)
  const byStatus = Map.groupBy(recipients, ({ status }) => status)
  return [...byStatus].map(([status, some]) => {
    const who = inShort(some, recipients.length)
    const [first] = some
    if (status !== 'deferred') {
      const sentence = SENTENCES[status]?.(who) ?? `${status}: ${who}.`
      const reply = status === 'bounced' && first !== undefined ? replyOf(first) : ''
      return reply === '' ? sentence : `${sentence} ${some.length === 1 ? 'Reply' : 'One reply'}: ${reply}`
    }
    const next = soonest(some)
    const again =
      next === undefined || Date.parse(next) <= Date.now()
        ? 'it is about to be tried again'
        : `the next attempt is ${when(next)}`
    const reply = first === undefined ? '' : replyOf(first)
    return `Deferred for ${who}: ${again}.${reply === '' ? '' : ` Last reply: ${reply}`}`
  })
}

function inShort(some: readonly Recipient[], all: number): string {
  const [first] = some
  if (some.length === 1 && first !== undefined) return first.email
  return some.length === all ? `all ${all} recipients` : `${some.length} of ${all} recipients`
}
