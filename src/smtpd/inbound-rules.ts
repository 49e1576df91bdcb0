// The rules of the inbound SMTP port for one client: mail is accepted for return paths, the operator, inbound streams and
// the addresses for reports of domains.

import type { Addressee } from '../bounces/addressee.ts'
import type { BounceReception } from '../bounces/receive.ts'
import type { InboundReception, InboundTarget, NotTaken } from '../inbound/reception.ts'
import { clientNetwork } from '../lib/client-network.ts'
import type { Rate, RateLimiter } from '../lib/rate-limiter.ts'
import { findBareNewline } from '../mime/raw-message.ts'
import type { Address } from '../model/address.ts'
import type { Reply } from '../model/reply.ts'
import type { ReportedDomain, ReportIntake } from '../reports/intake.ts'
import { Pacer } from '../threads/pacer.ts'
import { readRcptTo, readReversePath } from './envelope-commands.ts'
import type { Client, ListenerRules, MailTransaction, Recipient, Sender } from './listener-rules.ts'
import { Refusal, replyWith } from './replies.ts'
import type { SessionSettings } from './session.ts'

/** A rate limit by client network. */
export interface Allowance {
  readonly limiter: RateLimiter
  readonly rate: Rate
}

/** Settings and components that all clients of the inbound port share. */
export interface InboundSettings extends SessionSettings {
  readonly bounces: BounceReception
  readonly streams: InboundReception
  readonly reports: ReportIntake
  readonly returnPathHost: string
  /** Limits unknown recipients. */
  readonly strangers: Allowance
  readonly mails: Allowance
}

const TAKEN = replyWith(250, '2.0.0', 'Ok')

const pacer = new Pacer()

/** The destination of a mail at the inbound port. */
export type InboundRecipient =
  | Addressee
  | { readonly kind: 'stream'; readonly target: InboundTarget }
  | { readonly kind: 'reports'; readonly domain: ReportedDomain }

const NOT_TAKEN: Readonly<Record<NotTaken, Reply>> = {
  suspended: replyWith(450, '4.2.1', 'This address takes no mail at the moment; please try again later'),
  paused: replyWith(450, '4.2.1', 'This address takes no mail at the moment; please try again later'),
  busy: replyWith(451, '4.7.1', 'This address gets too much mail at the moment; please try again later'),
  full: replyWith(452, '4.2.2', 'This mailbox is full; please try again later'),
  large: replyWith(552, '5.3.4', 'The message is larger than this address takes'),
  loop: replyWith(554, '5.4.6', 'Too many hops: a mail loop'),
  header: replyWith(554, '5.6.0', 'The header section is too large'),
}

/**
 * Throws the refusal for the given reason, for which a stream does not accept a mail; does nothing without a reason.
 */
export function refuseNotTaken(reason: NotTaken | undefined): void {
  if (reason !== undefined) throw new Refusal(NOT_TAKEN[reason])
}

/** SMTP without a login (RFC 5321). Any sender is allowed, because some bounces do not have the null sender. */
export class InboundRules implements ListenerRules<string, InboundRecipient> {
  readonly loggedIn = false
  readonly owner: string
  readonly #settings: InboundSettings
  readonly #client: Client

  constructor(settings: InboundSettings, client: Client) {
    this.#settings = settings
    this.#client = client
    this.owner = clientNetwork(client.address)
  }

  sender(line: Buffer): Sender<string> {
    const { path: from, ...asked } = readReversePath(line, this.#settings.maxMessageBytes)
    if (!this.#allows(this.#settings.mails, 1)) {
      throw new Refusal(451, '4.7.1', 'Too many messages from your address; please try again later')
    }
    return { from, ...asked }
  }

  async recipient(line: Buffer, said: Sender<string>): Promise<Recipient<InboundRecipient>> {
    const { returnPathHost, strangers } = this.#settings
    if (!this.#allows(strangers, 0)) {
      throw new Refusal(421, '4.7.0', 'Too many unknown recipients from your address')
    }
    const address = readRcptTo(line, said.smtpUtf8, returnPathHost)
    const to = await this.#find(address, said.size)
    if (to !== undefined) return { address, to }
    this.#allows(strangers, 1)
    // The reply is the same for an invalid token, a message that no longer exists, and an address that never existed.
    throw new Refusal(550, '5.1.1', 'There is no such address here')
  }

  async #find(address: Address, size: number | undefined): Promise<InboundRecipient | undefined> {
    const { bounces, streams, reports } = this.#settings
    const domain = await reports.domainOf(address)
    if (domain !== undefined) return { kind: 'reports', domain }
    const addressee = await bounces.addressee(address)
    if (addressee !== undefined) return addressee
    const target = await streams.target(address)
    if (target === undefined) return undefined
    refuseNotTaken(await streams.refusal(target, size))
    return { kind: 'stream', target }
  }

  async take(
    content: Buffer,
    { from, helo, recipients }: MailTransaction<string, InboundRecipient>,
  ): Promise<Reply> {
    // A message with a bare newline may be part of another message at the sending host (SMTP smuggling).
    const problem = await findBareNewline(content, () => pacer.turn())
    if (problem !== undefined) throw new Refusal(550, '5.6.0', problem)
    const addressees = new Map<string, Addressee>()
    const targets = new Map<string, InboundTarget>()
    const domains: ReportedDomain[] = []
    for (const [email, to] of recipients) {
      if (to.kind === 'stream') targets.set(email, to.target)
      else if (to.kind === 'reports') domains.push(to.domain)
      else addressees.set(email, to)
    }
    const { bounces, streams, reports } = this.#settings
    // Bounces are received before mail for streams: the host repeats the mail if either step fails, and a repeated
    // bounce changes nothing, but a repeated mail is stored twice.
    const { address } = this.#client
    if (domains.length > 0) {
      refuseNotTaken(await reports.receive({ domains, from, clientAddress: address, helo, content }))
    }
    if (addressees.size > 0) await bounces.receive({ address, helo, from, addressees, content })
    if (targets.size > 0) {
      const client = { clientAddress: address, helo, tls: this.#client.tlsVersion() }
      refuseNotTaken(await streams.receive({ ...client, from, targets, content }))
    }
    // The addresses of the operator and of streams are public; only recipients of a message know the token of the
    // message.
    if ([...addressees.values()].some(({ kind }) => kind !== 'operator')) this.#client.vouch()
    return TAKEN
  }

  /** Takes `cost` from the allowance of the client's network; a cost of 0 only checks whether any allowance is left. */
  #allows({ limiter, rate }: Allowance, cost: number): boolean {
    const now = this.#settings.clock.now()
    const { allowed, remaining } = limiter.take(this.owner, rate, now, cost)
    return cost === 0 ? remaining >= 1 : allowed
  }
}
