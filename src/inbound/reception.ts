// Receives inbound mail: finds the stream of an address, applies limits, and stores the mail before the SMTP reply.

import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { type Rate, RateLimiter } from '../lib/rate-limiter.ts'
import type { Address } from '../model/address.ts'
import { reading, type Store } from '../store/database/store.ts'
import {
  type AcceptInbound,
  acceptInbound,
  isInboundFull,
  type StorageLimits,
} from '../store/inbound/inbound.ts'
import { findInboundTarget, type InboundTarget } from '../store/workspace/inbound-addresses.ts'
import { copyForThreads } from '../threads/shared-bytes.ts'

export type { InboundTarget }

interface InboundLimits {
  /** Maximum size of a message in bytes. */
  readonly maxMessageBytes: number
  /** Maximum rate of messages for one account on this node. */
  readonly accountRate: Rate
  /** Maximum number of bytes of inbound messages that an account stores. */
  readonly accountBytes: number
  /** Maximum number of bytes of all messages of an account without its own limit; undefined for no limit. */
  readonly storedBytesPerAccount: number | undefined
}

export interface InboundReceptionOptions {
  readonly store: Store
  readonly clock: Clock
  readonly limits: InboundLimits
  /** Called when there are messages to process. */
  readonly received: () => void
}

/** A mail received by SMTP. */
export interface InboundMail {
  /** Envelope sender; empty for the null sender. */
  readonly from: string
  /** Inbound streams by recipient address; at least one. */
  readonly targets: ReadonlyMap<string, InboundTarget>
  readonly content: Buffer
  readonly clientAddress: string
  readonly helo: string
  readonly tls: string | null
}

/**
 * Reason why a mail is refused. Temporary reasons are a suspended account (`suspended`), a paused domain (`paused`), an
 * exceeded rate (`busy`) and an exceeded storage limit (`full`); `large`, `loop` and `header` are permanent reasons.
 */
export type NotTaken = 'suspended' | 'paused' | 'busy' | 'full' | 'large' | 'loop' | 'header'

/** Maximum number of hosts that a mail may have passed (RFC 5321 §6.3). */
const MAX_HOPS = 50
/** Maximum size of a header section in bytes, ten times the size of the largest header section in real mail. */
const MAX_HEADER = 256 * 1024
const MAX_HELO = 255

/** Receives mail for inbound streams. Every method throws the `Problem` `unavailable` if the store is unreachable. */
export class InboundReception {
  readonly #options: InboundReceptionOptions
  readonly #rates = new RateLimiter()

  constructor(options: InboundReceptionOptions) {
    this.#options = options
  }

  get maxMessageBytes(): number {
    return this.#options.limits.maxMessageBytes
  }

  /** Finds the inbound stream for an address; undefined if there is no such stream. */
  target(address: Address): Promise<InboundTarget | undefined> {
    return reading(findInboundTarget(this.#options.store.read, address))
  }

  /**
   * Returns the reason why a stream accepts no mail at the moment, if there is a reason. The stream is checked at each
   * RCPT, because a message has one reply for all recipients, and a refusal at the end would withhold the message from
   * the other recipients.
   *
   * @param size size of the message in bytes, if declared by the client
   */
  async refusal(
    { accountId, accountStatus, domainStatus }: InboundTarget,
    size = 1,
  ): Promise<NotTaken | undefined> {
    if (accountStatus !== 'active') return 'suspended'
    if (domainStatus !== 'verified') return 'paused'
    if (!this.#takes(accountId, 0)) return 'busy'
    const { store } = this.#options
    return (await reading(isInboundFull(store.read, accountId, size, this.#storing))) ? 'full' : undefined
  }

  get #storing(): StorageLimits {
    const { storedBytesPerAccount = null, accountBytes } = this.#options.limits
    return { storedBytesLimit: storedBytesPerAccount, inboundBytesLimit: accountBytes }
  }

  /**
   * Stores a mail. Resolves when the mail is on stable storage, or with the reason for a refusal if nothing was stored.
   */
  async receive(mail: InboundMail): Promise<NotTaken | undefined> {
    const { store, received } = this.#options
    const fault = this.#faultOf(mail.content)
    if (fault !== undefined) return fault
    const accounts = new Set([...mail.targets.values()].map(({ accountId }) => accountId))
    if ([...accounts].some((accountId) => !this.#takes(accountId, 1))) return 'busy'
    const mails = (await this.#rowsOf(mail)).map((row) => ({ ...row, ...this.#storing }))
    if ((await store.write(acceptInbound, { mails })) === 'full') return 'full'
    received()
    return undefined
  }

  #faultOf(content: Buffer): NotTaken | undefined {
    if (content.length > this.maxMessageBytes) return 'large'
    const end = content.indexOf('\r\n\r\n')
    const header = end < 0 ? content : content.subarray(0, end)
    if (header.length > MAX_HEADER) return 'header'
    const hops = header.toString('latin1').match(/^received[ \t]*:/gim)?.length ?? 0
    return hops > MAX_HOPS ? 'loop' : undefined
  }

  /** Returns a database row for each stream to which the mail is addressed. */
  async #rowsOf({
    from,
    targets,
    content,
    clientAddress,
    helo,
    tls,
  }: InboundMail): Promise<Pick<AcceptInbound, 'message' | 'raw'>[]> {
    const now = this.#options.clock.now()
    // The content is copied to separate memory, because sending a view to the writer's thread transfers or shares the
    // whole underlying buffer.
    const raw = await copyForThreads(content)
    const byStream = Map.groupBy(targets, ([, { domainId, stream }]) => `${domainId} ${stream}`)
    return [...byStream.values()].flatMap((recipients) => {
      const [first] = recipients
      if (first === undefined) return []
      const [, { accountId, domainId, stream }] = first
      const message = {
        id: newId('inb', now),
        ...{ account_id: accountId, domain_id: domainId, stream, received_at: now, mail_from: from, tls },
        rcpt_to: JSON.stringify(recipients.map(([email]) => email)),
        client_address: clientAddress,
        helo: helo.slice(0, MAX_HELO),
        size: content.length,
      }
      return [{ message, raw }]
    })
  }

  #takes(accountId: string, cost: number): boolean {
    const { clock, limits } = this.#options
    const { allowed, remaining } = this.#rates.take(accountId, limits.accountRate, clock.now(), cost)
    return cost === 0 ? remaining >= 1 : allowed
  }
}
