// Receives inbound mail: finds the stream of an address, applies its limits, and stores the mail before the reply.

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
  /** Rate of messages for one account on this node. */
  readonly accountRate: Rate
  /** Maximum number of bytes of inbound messages that an account stores. */
  readonly accountBytes: number
  /** Maximum number of bytes of all messages of an account without a limit of its own; undefined for no limit. */
  readonly storedBytesPerAccount: number | undefined
}

export interface InboundReceptionOptions {
  readonly store: Store
  readonly clock: Clock
  readonly limits: InboundLimits
  /** Called when there are messages to process. */
  readonly received: () => void
}

/** A mail as received by SMTP. */
export interface InboundMail {
  /** Reverse path of MAIL; empty for the null sender. */
  readonly from: string
  /** Streams by address; at least one. */
  readonly targets: ReadonlyMap<string, InboundTarget>
  readonly content: Buffer
  readonly clientAddress: string
  readonly helo: string
  readonly tls: string | null
}

/**
 * Reason why a mail is refused: the account is `suspended` or the domain `paused`, or the account exceeds its rate
 * (`busy`) or its storage (`full`); these are temporary. `large`, `loop` and `header` are permanent.
 */
export type NotTaken = 'suspended' | 'paused' | 'busy' | 'full' | 'large' | 'loop' | 'header'

/** RFC 5321 §6.3: maximum number of hosts that a mail may have passed. */
const MAX_HOPS = 50
/** Maximum size of a header section in bytes, ten times the largest in real mail. */
const MAX_HEADER = 256 * 1024
const MAX_HELO = 255

/** Receives mail for inbound streams. Every method throws `Problem` `unavailable` when the store is unreachable. */
export class InboundReception {
  readonly #options: InboundReceptionOptions
  readonly #rates = new RateLimiter()

  constructor(options: InboundReceptionOptions) {
    this.#options = options
  }

  /** Returns the maximum size of a message in bytes. */
  get maxMessageBytes(): number {
    return this.#options.limits.maxMessageBytes
  }

  /** Finds the stream for this address; undefined when there is none. */
  target(address: Address): Promise<InboundTarget | undefined> {
    return reading(findInboundTarget(this.#options.store.read, address))
  }

  /**
   * Returns the reason why a stream takes no mail at the moment, if there is one. Checked at each RCPT, since a message
   * has one reply for all recipients, and a refusal at the end would keep the message from the others.
   *
   * @param size bytes of the message, if declared
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

  /** Resolves when a mail is on stable storage, or with the reason for a refusal, when nothing was stored. */
  async receive(mail: InboundMail): Promise<NotTaken | undefined> {
    const { store, received } = this.#options
    const fault = this.#faultOf(mail.content)
    if (fault !== undefined) return fault
    const accounts = new Set([...mail.targets.values()].map(({ accountId }) => accountId))
    if ([...accounts].some((accountId) => !this.#takes(accountId, 1))) return 'busy'
    const mails = this.#rowsOf(mail).map((row) => ({ ...row, ...this.#storing }))
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

  /** Returns a row for each stream that the mail is for. */
  #rowsOf({
    from,
    targets,
    content,
    clientAddress,
    helo,
    tls,
  }: InboundMail): Pick<AcceptInbound, 'message' | 'raw'>[] {
    const now = this.#options.clock.now()
    // Copied to memory of its own: a value that crosses to the writer's thread takes its whole buffer along, or is
    // shared.
    const raw = copyForThreads(content)
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
