// Cancels a message: recipients without a final status and without a running attempt never get the message.

import type { Clock } from '../lib/clock.ts'
import { Problem } from '../model/problem.ts'
import { reading, type Store } from '../store/database/store.ts'
import { type FoundMessage, findMessage, type Owner } from '../store/messages/messages.ts'
import { cancelRecipients } from '../store/queue/queue-control.ts'

/** Cancels messages on behalf of their senders. */
export class Cancellation {
  readonly #store: Store
  readonly #clock: Clock

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /**
   * Cancels all recipients of a message that have no final status and no running attempt, and returns the resulting
   * message. Repeating the call changes nothing. Throws `not_found`, or `conflict` if it is too late for all
   * recipients.
   */
  async cancel(owner: Owner, messageId: string): Promise<FoundMessage> {
    if ((await this.#find(owner, messageId)) === undefined) throw notFound()
    const { recipients: cancelled } = await this.#store.write(cancelRecipients, {
      selection: { owner, messageId },
      by: 'sender',
      now: this.#clock.now(),
    })
    const found = await this.#find(owner, messageId)
    if (found === undefined) throw notFound()
    if (cancelled > 0 || found.recipients.some(({ status }) => status === 'cancelled')) return found
    throw new Problem(
      'conflict',
      `This message can no longer be cancelled: its status is ${found.message.status}${found.message.status === 'sending' ? ', and an attempt is running' : ''}.`,
    )
  }

  #find(owner: Owner, messageId: string): Promise<FoundMessage | undefined> {
    return reading(findMessage(this.#store.read, owner, messageId))
  }
}

const notFound = (): Problem => new Problem('not_found', 'There is no message with this ID.')
