// The mail of `received` events: read for each request, and charged to memory that accounts share.

import { CONTENT_BYTES, ContentMemory, HeldMemory } from '../lib/content-memory.ts'
import type { FeedEvent } from '../store/events/feed.ts'
import type { Owner } from '../store/messages/owner.ts'

/** An event for a payload. */
export interface PayloadEvent extends FeedEvent {
  /** Parsed JSON of the mail of a `received` event; undefined if the mail was removed. */
  readonly inbound?: object | undefined
}

/** Takes the memory for a mail of this many bytes before it is read. */
type Admit = (bytes: number) => Promise<void>

/** Reads the parsed JSON of an inbound message; undefined if the owner does not have it. */
export type ReadReceived = (owner: Owner, inboundId: string, admit: Admit) => Promise<object | undefined>

/** True for an event that is sent in a request of its own, because its mail may be large. */
export const isSentAlone = ({ type }: Pick<FeedEvent, 'type'>): boolean => type === 'received'

/** Adds mails to the events of requests. */
export class ReceivedMail {
  readonly #read: ReadReceived
  readonly #memory = new ContentMemory(CONTENT_BYTES.webhook_mails())

  constructor(read: ReadReceived) {
    this.#read = read
  }

  /** Returns the events of a request, with the mail of an event that is sent alone. */
  async of(events: readonly FeedEvent[], admit: Admit): Promise<readonly PayloadEvent[]> {
    const [event] = events
    if (event === undefined || events.length > 1 || !isSentAlone(event)) return events
    return [{ ...event, inbound: await this.#read(event, event.messageId, admit) }]
  }

  /**
   * Makes a request of events with their mail, whose memory is held until the request has ended; waits for that memory.
   */
  async during<T>(
    events: readonly FeedEvent[],
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
