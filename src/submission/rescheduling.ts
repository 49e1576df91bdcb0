// Changes the time of a scheduled message, or sends the message now.

import type { Clock } from '../lib/clock.ts'
import { type FieldProblem, invalidFields, Problem } from '../model/problem.ts'
import { reading, type Store } from '../store/database/store.ts'
import { type FoundMessage, findMessage, type Owner } from '../store/messages/messages.ts'
import { rescheduleMessage } from '../store/queue/rescheduling.ts'
import type { Streams } from '../streams/streams.ts'
import type { StartTags } from './accept.ts'
import type { Queue } from './submit.ts'
import { readSendAt } from './validate.ts'

export interface ReschedulingOptions {
  readonly store: Store
  readonly clock: Clock
  readonly streams: Streams
  readonly startTags: StartTags
  /** Queue of this node, if the node delivers mail. */
  readonly queue: Pick<Queue, 'wake'> | undefined
}

/** Changes the time of messages on behalf of their senders. */
export class Rescheduling {
  readonly #options: ReschedulingOptions

  constructor(options: ReschedulingOptions) {
    this.#options = options
  }

  /** Returns the problems of a new time. */
  problemsOf(sendAt: unknown): FieldProblem[] {
    return this.#read(sendAt).problems
  }

  /**
   * Changes the time of a message, and returns the resulting message; null, or a time that has just passed, sends the
   * message now. Repeating the call changes nothing. Throws `not_found`, `validation_failed` for an invalid time, and
   * `conflict` if the message does not wait for its time.
   */
  async change(owner: Owner, messageId: string, given: string | null): Promise<FoundMessage> {
    const { problems, sendAt } = this.#read(given)
    if (problems.length > 0) throw invalidFields(problems)
    const found = await this.#find(owner, messageId)
    if (found.message.status !== 'scheduled') throw tooLate(found)
    if (sendAt === found.message.send_at) return found
    const { store, clock, queue } = this.#options
    const now = clock.now()
    const times = await this.#startTags(owner, found, sendAt, now)
    const result = await store.write(rescheduleMessage, { owner, messageId, sendAt, ...times, now })
    if (result === 'released') throw tooLate(await this.#find(owner, messageId))
    if (sendAt === null) queue?.wake()
    return this.#find(owner, messageId)
  }

  #read(given: unknown): { readonly problems: FieldProblem[]; readonly sendAt: number | null } {
    const problems: FieldProblem[] = []
    const add = (path: string, code: string, message: string): void => {
      problems.push({ path, code, message })
    }
    const sendAt = readSendAt(given, this.#options.clock.now(), 'give null to send the message now', add)
    return { problems, sendAt: sendAt ?? null }
  }

  /** Returns the start tags of the recipients at the new time, as a message that is accepted now would get. */
  async #startTags(
    owner: Owner,
    { message, recipients }: FoundMessage,
    sendAt: number | null,
    now: number,
  ): Promise<{ readonly startTags: readonly number[]; readonly isPaced: boolean }> {
    const stream = await this.#options.streams.find(owner, message.stream)
    const isTest = message.inbox_id !== null
    const spacingMs = isTest ? undefined : stream?.spacingMs
    const own = isTest ? `${message.stream} ${message.inbox_id}` : message.stream
    const flow = sendAt === null ? own : `${own} ${sendAt}`
    const startTags = recipients.map(() =>
      this.#options.startTags.next(owner.domainId, flow, sendAt ?? now, spacingMs),
    )
    return { startTags, isPaced: spacingMs !== undefined }
  }

  async #find(owner: Owner, messageId: string): Promise<FoundMessage> {
    const found = await reading(findMessage(this.#options.store.read, owner, messageId))
    if (found === undefined) throw new Problem('not_found', 'There is no message with this ID.')
    return found
  }
}

const tooLate = ({ message }: FoundMessage): Problem =>
  new Problem(
    'conflict',
    message.status === 'scheduled'
      ? 'The time of this message can no longer be changed: some of its recipients were released already, or are held.'
      : `The time of this message can no longer be changed: its status is ${message.status}, not scheduled.`,
  )
