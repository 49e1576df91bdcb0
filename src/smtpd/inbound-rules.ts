// The rules of the inbound door for one client: mail for a return path of ours, or for the operator only.

import type { Addressee } from '../bounces/addressee.ts'
import type { BounceReception } from '../bounces/receive.ts'
import { clientNetwork } from '../lib/client-network.ts'
import type { Rate, RateLimiter } from '../lib/rate-limiter.ts'
import { findBareNewline } from '../mime/raw-message.ts'
import type { Reply } from '../model/reply.ts'
import type { Client, ListenerRules, MailTransaction, Recipient, Sender } from './listener-rules.ts'
import { readReversePath } from './mail-from.ts'
import { readRcptTo } from './rcpt-to.ts'
import { Refusal, replyWith } from './replies.ts'
import type { SessionSettings } from './session.ts'

/** A rate limit by client network. */
export interface Allowance {
  readonly limiter: RateLimiter
  readonly rate: Rate
}

/** Settings and parts that all clients of the inbound door share. */
export interface InboundSettings extends SessionSettings {
  readonly bounces: BounceReception
  readonly returnPathHost: string
  /** Unknown recipients. */
  readonly strangers: Allowance
  readonly mails: Allowance
}

const TAKEN = replyWith(250, '2.0.0', 'Ok')

/** RFC 5321 without a login. Any sender is taken: not all bounces have an empty return path. */
export class InboundRules implements ListenerRules<string, Addressee> {
  readonly loggedIn = false
  readonly #settings: InboundSettings
  readonly #client: Client

  constructor(settings: InboundSettings, client: Client) {
    this.#settings = settings
    this.#client = client
  }

  sender(line: Buffer): Sender<string> {
    const { path, smtpUtf8 } = readReversePath(line, this.#settings.maxMessageBytes)
    if (!this.#allows(this.#settings.mails, 1)) {
      throw new Refusal(451, '4.7.1', 'Too many messages from your address; please try again later')
    }
    return { from: path, smtpUtf8 }
  }

  async recipient(line: Buffer, smtpUtf8: boolean): Promise<Recipient<Addressee>> {
    const { bounces, returnPathHost, strangers } = this.#settings
    if (!this.#allows(strangers, 0)) {
      throw new Refusal(421, '4.7.0', 'Too many unknown recipients from your address')
    }
    const address = readRcptTo(line, smtpUtf8, returnPathHost)
    const to = await bounces.addressee(address)
    if (to !== undefined) return { address, to }
    this.#allows(strangers, 1)
    // One answer, whether the token was made up, the message is gone, or there never was such an address.
    throw new Refusal(550, '5.1.1', 'There is no such address here')
  }

  async take(
    content: Buffer,
    { from, recipients: addressees }: MailTransaction<string, Addressee>,
  ): Promise<Reply> {
    // SMTP smuggling: what is refused here was no message of its own at the host that sent it.
    const problem = findBareNewline(content)
    if (problem !== undefined) throw new Refusal(550, '5.6.0', problem)
    await this.#settings.bounces.receive({ from, addressees, content })
    // The operator's addresses are public; a token of ours is known only to those who were sent a message.
    if ([...addressees.values()].some(({ kind }) => kind !== 'operator')) this.#client.vouch()
    return TAKEN
  }

  /** Takes `cost` of what the client's network may do; with 0 it only asks whether there is any left. */
  #allows({ limiter, rate }: Allowance, cost: number): boolean {
    const now = this.#settings.clock.now()
    const { allowed, remaining } = limiter.take(clientNetwork(this.#client.address), rate, now, cost)
    return cost === 0 ? remaining >= 1 : allowed
  }
}
