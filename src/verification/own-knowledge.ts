// What an account's own mail has shown of an address. Nobody else's is looked at.

import type { Clock } from '../lib/clock.ts'
import { findOwnMail, type OwnAddress, type OwnMail } from '../store/own-mail.ts'
import type { Read } from '../store/store.ts'
import type { OwnFinding } from './verdict.ts'

/** Mailboxes come and go: what was seen longer ago does not count. */
const COUNTS_FOR_MS = 30 * 24 * 3_600_000
const MOST_AT_ONCE = 100

interface Waiting extends PromiseWithResolvers<OwnMail> {
  readonly address: OwnAddress
}

/** Looks up addresses, those that are asked for while a look-up is under way together. */
export class OwnKnowledge {
  readonly #read: Read
  readonly #clock: Clock
  #waiting: Waiting[] = []
  #looking = false

  constructor(read: Read, clock: Clock) {
    this.#read = read
    this.#clock = clock
  }

  /** What the mail of this account says of an address. Rejects when the store cannot be read. */
  async find(address: OwnAddress): Promise<OwnFinding | undefined> {
    const waiting = { address, ...Promise.withResolvers<OwnMail>() }
    this.#waiting.push(waiting)
    if (!this.#looking) void this.#look()
    return ownFinding(await waiting.promise)
  }

  async #look(): Promise<void> {
    this.#looking = true
    // Whatever else comes in the same moment is looked up with it.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      const some = this.#waiting.splice(0, MOST_AT_ONCE)
      try {
        const since = this.#clock.now() - COUNTS_FOR_MS
        const found = await findOwnMail(
          this.#read,
          some.map(({ address }) => address),
          since,
        )
        for (const [index, { resolve }] of some.entries()) resolve(found[index] as OwnMail)
      } catch (error) {
        for (const { reject } of some) reject(error)
      }
    }
    this.#looking = false
  }
}

function ownFinding({ last, suppressed }: OwnMail): OwnFinding | undefined {
  if (last !== undefined && last !== 'delivered' && last.hard) {
    const { category } = last
    if (category === 'mailbox_not_found' || category === 'mailbox_disabled') return category
  }
  if (suppressed) return 'suppressed'
  return last === 'delivered' ? 'accepted' : undefined
}
