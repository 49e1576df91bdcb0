// Loads the mail of `received` events for each webhook request, within memory that accounts share.

import { CONTENT_BYTES, ContentMemory, HeldMemory } from '../lib/content-memory.ts'
import type { FeedEvent } from '../store/events/feed.ts'
import type { Owner } from '../store/messages/owner.ts'
import { type DeliveredEvent, isOfMessage } from './webhook-feed.ts'

/** An event of a message with the data for a payload. */
export interface MessagePayload extends FeedEvent {
  /** Parsed JSON of the mail of a `received` event; undefined if the mail was removed. */
  readonly inbound?: object | undefined
}

/** An event with the data for a payload. */
export type PayloadEvent = Exclude<DeliveredEvent, FeedEvent> | MessagePayload

/** Reserves memory for a mail of this many bytes before the mail is read. */
type Admit = (bytes: number) => Promise<void>

/** Reads the parsed JSON of an inbound message; undefined if the owner does not have the message. */
export type ReadReceived = (owner: Owner, inboundId: string, admit: Admit) => Promise<object | undefined>

/** True for an event that is sent in a separate request, because its mail may be large. */
export const isSentAlone = ({ type }: Pick<DeliveredEvent, 'type'>): boolean => type === 'received'

/** Adds received mails to the events of webhook requests. */
export class ReceivedMail {
  readonly #read: ReadReceived
  readonly #memory = new ContentMemory(CONTENT_BYTES.webhook_mails())

  constructor(read: ReadReceived) {
    this.#read = read
  }

  /** Returns the events of a request; a `received` event that is sent alone gets its mail. */
  async of(events: readonly DeliveredEvent[], admit: Admit): Promise<readonly PayloadEvent[]> {
    const [event] = events
    if (event === undefined || events.length > 1 || !isOfMessage(event) || !isSentAlone(event)) return events
    return [{ ...event, inbound: await this.#read(event, event.messageId, admit) }]
  }

  /**
   * Waits for memory, loads the mail of the events and makes the request; the memory is held until the request has
   * ended.
   */
  async during<T>(
    events: readonly DeliveredEvent[],
    request: (events: readonly PayloadEvent[]) => Promise<T>,
  ): Promise<T> {
    const held = new HeldMemory(this.#memory, events[0]?.accountId ?? '')
    try {
      // Requests have a time limit, so memory always becomes free.
      const admit: Admit = async (bytes) => {
        while (!(await held.holdLater(bytes)));
      }
      return await request(await this.of(events, admit))
    } finally {
      held.release()
    }
  }
}
