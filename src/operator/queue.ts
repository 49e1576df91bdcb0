// Queue operations of the operator, for the command line and the HTTP API.

import type { Clock } from '../lib/clock.ts'
import { domainName } from '../model/domain.ts'
import { heldView } from '../model/held.ts'
import { Problem } from '../model/problem.ts'
import type { HoldKind, PauseKind } from '../model/queue-state.ts'
import { isFinal } from '../model/recipient.ts'
import { reading, type Store } from '../store/database/store.ts'
import { isDomainOfAnyAccount } from '../store/domains/domain-rows.ts'
import type { Owner } from '../store/messages/owner.ts'
import {
  cancelRecipients,
  type InspectedMessage,
  inspectMessage,
  listPauses,
  type OperatorBatch,
  type Pause,
  pauseQueue,
  type QueueLine,
  type QueueSelection,
  resumeQueue,
  retryRecipients,
  summariseQueue,
} from '../store/queue/queue-control.ts'
import {
  type LastReply,
  lastReplies,
  listWaiting,
  type QueuePlace,
  type Waiting,
} from '../store/queue/waiting.ts'
import { isStreamOfAnyDomain } from '../store/workspace/streams.ts'

/** Recipients that an operator selects, with names as the operator has entered them; all conditions must match. */
export interface Selected {
  /**
   * Owner of the messages, set if a customer makes the request; a customer's retry makes only deferred recipients due.
   */
  readonly owner?: Owner | undefined
  readonly message?: string | undefined
  readonly destination?: string | undefined
  readonly stream?: string | undefined
  readonly domain?: string | undefined
  /** Time of the restore that holds the messages; the time identifies the restore. */
  readonly restored?: string | undefined
}

/** Mail to resume. */
export interface Held {
  readonly kind: HoldKind
  readonly value: string
}

/** Mail to pause. */
export interface Paused extends Held {
  readonly kind: PauseKind
  /** Reason of the pause, for other operators; at most 200 characters. */
  readonly note?: string | undefined
}

/** Recipients that wait for one destination, with the pause of the destination. */
export interface DestinationLine extends QueueLine {
  readonly pause: Pause | undefined
}

/** Lists and changes the recipients in the queue. All methods throw `Problem`. */
export class QueueControl {
  readonly #store: Store
  readonly #clock: Clock

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** Lists the number of queued recipients by destination, longest queue first, starting after `after`. */
  async list(
    limit: number,
    after?: Pick<QueueLine, 'recipients' | 'destination'>,
  ): Promise<DestinationLine[]> {
    const [lines, pauses] = await Promise.all([
      reading(summariseQueue(this.#store.read, limit, after)),
      this.pauses(),
    ])
    return lines.map((line) => {
      const pause = pauses.find(({ kind, value }) => kind === 'destination' && value === line.destination)
      // No attempt follows for a recipient whose retry time comes during the pause.
      return { ...line, pause, nextAttemptAt: pause === undefined ? line.nextAttemptAt : null }
    })
  }

  /** Returns the last SMTP reply of each of these destinations to a recipient that is still queued. */
  lastReplies(destinations: readonly string[]): Promise<LastReply[]> {
    return reading(lastReplies(this.#store.read, destinations))
  }

  pauses(): Promise<Pause[]> {
    return reading(listPauses(this.#store.read))
  }

  /** Lists queued recipients, the next due first, starting after `after`. */
  async waiting(selected: Selected, limit: number, after?: QueuePlace): Promise<Waiting[]> {
    return reading(listWaiting(this.#store.read, await this.#selection(selected), limit, after))
  }

  /** Returns a message with its attempts. Throws `not_found`. */
  async show(messageId: string): Promise<InspectedMessage> {
    const found = await reading(inspectMessage(this.#store.read, messageId))
    if (found === undefined) throw noMessage(messageId)
    return found
  }

  /**
   * Makes the selected recipients due immediately, or cancels the recipients; returns the number of recipients.
   * Recipients with an attempt in progress are left out. Throws `not_found` for a message, domain or stream that does
   * not exist, and for a restore that holds no message; throws `conflict` if no recipient of the message is waiting.
   */
  async act(action: 'retry' | 'cancel', selected: Selected): Promise<number> {
    const { restored } = selected
    if (restored !== undefined && !(await this.pauses()).some((one) => isRestore(one, restored))) {
      throw notHeldBy(restored)
    }
    const selection = await this.#selection(selected)
    const write = action === 'retry' ? retryRecipients : cancelRecipients
    const now = this.#clock.now()
    let recipients = 0
    for (let after: OperatorBatch['next']; ; ) {
      const done: OperatorBatch = await this.#store.write(write, { selection, after, by: 'operator', now })
      recipients += done.recipients
      after = done.next
      if (after === undefined) break
    }
    if (recipients > 0 || selected.message === undefined) return recipients
    throw new Problem('conflict', nothingToDo(await this.show(selected.message)))
  }

  /**
   * Pauses mail. Returns the pause with its canonical name; `changed` is true if the pause is new. Throws `not_found`
   * for a domain or stream that does not exist.
   */
  async pause({
    kind,
    value: given,
    note: written,
  }: Paused): Promise<Paused & { readonly changed: boolean }> {
    const value = await this.#knownName(kind, given)
    const note = written?.trim() || null
    const changed = await this.#store.write(pauseQueue, { kind, value, created_at: this.#clock.now(), note })
    return { kind, value, changed }
  }

  /** Ends a pause, or resumes the mail that a restore holds. Throws `not_found` if no such pause or restore exists. */
  async resume({ kind, value: given }: Held): Promise<Held> {
    const value = usualName(kind, given)
    if (await this.#store.write(resumeQueue, { kind, value })) return { kind, value }
    if (kind === 'restored') throw notHeldBy(value)
    throw new Problem('not_found', `The ${kind} ${value} is not paused.`)
  }

  async #selection(selected: Selected): Promise<QueueSelection> {
    const { owner, message, destination, stream, domain, restored } = selected
    if (message !== undefined) await this.show(message)
    return {
      owner,
      messageId: message,
      restored,
      destination: destination === undefined ? undefined : await this.#knownName('destination', destination),
      stream: stream === undefined ? undefined : await this.#knownName('stream', stream),
      domainName: domain === undefined ? undefined : await this.#knownName('domain', domain),
    }
  }

  /**
   * Returns the canonical name of a destination, or of a stream or sending domain of any account. Throws `not_found`
   * for an unknown stream or domain, because a mistyped name would look like an empty queue, or would be paused by
   * mistake.
   */
  async #knownName(kind: PauseKind, given: string): Promise<string> {
    const name = usualName(kind, given)
    if (kind === 'destination' || (await reading(IS_KNOWN[kind](this.#store.read, name)))) return name
    throw new Problem('not_found', `No account has the ${kind} ${name}.`)
  }
}

const IS_KNOWN = { domain: isDomainOfAnyAccount, stream: isStreamOfAnyDomain }

/** Returns the reason why a retry or a cancellation found no recipient of a message, in a sentence. */
function nothingToDo({ message: { id }, recipients }: InspectedMessage): string {
  const open = recipients.filter(({ status }) => !isFinal(status))
  const held = open.find((one) => one.held !== null)?.held
  if (open.length === 0) return `No recipient of ${id} is waiting: each recipient has its final status.`
  if (held != null)
    return `${id} is held, and no attempt is made until it is resumed. ${heldView(held).reason}`
  if (open.some(({ status }) => status === 'sending')) return `An attempt for ${id} is in progress.`
  return open.every(({ status }) => status === 'scheduled')
    ? `${id} is scheduled; the time that its sender chose does not change.`
    : `${id} is already queued, and is attempted as soon as its turn comes.`
}

const noMessage = (id: string): Problem =>
  new Problem(
    'not_found',
    `There is no message ${JSON.stringify(id)}: check the ID. A message is removed after its retention (POSTRIDER_RECORD_RETENTION).`,
  )

const isRestore = ({ kind, value }: Pause, time: string): boolean => kind === 'restored' && value === time

const notHeldBy = (time: string): Problem =>
  new Problem(
    'not_found',
    `No message is held by a restore at ${time}; \`postrider queue list\` shows the restores that hold mail.`,
  )

const usualName = (kind: HoldKind, given: string): string =>
  kind === 'stream' || kind === 'restored' ? given : domainName(given, kind)
