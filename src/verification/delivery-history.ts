// Evidence about an address from mail of this installation: the sending account gets all of the evidence, and other
// accounts get only the evidence that a probe would also find.

import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { BounceCategory } from '../model/bounce-category.ts'
import type { Read } from '../store/database/store.ts'
import {
  type EndedMail,
  findAnybodysMail,
  findOwnMail,
  listDomainsBySending,
  type OwnAddress,
  type OwnMail,
} from '../store/messages/own-mail.ts'
import type { OwnFinding } from './verdict.ts'

/** Evidence from an account's own mail. */
export interface AccountEvidence {
  readonly finding: OwnFinding
  /** The host that accepted the mail; mail accepted by a relay, or by a former host of the domain, does not count. */
  readonly mx?: string | undefined
}

/** Reply of a host at RCPT to mail of any account of this installation; a probe would have received the same reply. */
export interface SharedEvidence {
  readonly mailbox: 'exists' | 'not_found' | 'disabled'
  readonly mx: string
  readonly smtpCode: number | undefined
}

const DAY_MS = 24 * 3_600_000
/** Lifetime of evidence, because mailboxes are created and deleted. */
const COUNTS_FOR_MS = 30 * DAY_MS
/**
 * Lifetime of refusals of other accounts' mail; the lifetime is shorter, because a false "not found" costs the user a
 * customer.
 */
const REFUSAL_COUNTS_FOR_MS = 7 * DAY_MS
/**
 * Maximum number of sending domains whose mail is searched for evidence that other accounts may use, most recent
 * senders first; a lookup makes one index search for each domain.
 */
const MAX_DOMAINS = 100
const KEEP_DOMAINS_MS = 1_000

export class DeliveryHistory {
  readonly #read: Read
  readonly #clock: Clock
  readonly #log: Log
  readonly #own: BatchLoader<OwnAddress, OwnMail>
  readonly #anybodys: BatchLoader<string, EndedMail | undefined>
  #domains: readonly string[] = []
  /** Time at which the list of domains expires, in milliseconds of performance.now(). */
  #domainsUntil = 0

  constructor(read: Read, clock: Clock, log: Log) {
    this.#read = read
    this.#clock = clock
    this.#log = log
    this.#own = new BatchLoader((addresses) => findOwnMail(read, addresses, this.#since()))
    this.#anybodys = new BatchLoader((emails) => this.#findAnybodys(emails))
  }

  /**
   * Returns evidence about an address from this account's mail; undefined if there is no evidence, or if the store
   * cannot be read.
   */
  async own(address: OwnAddress): Promise<AccountEvidence | undefined> {
    const mail = await this.#ifReadable(this.#own.ask(address))
    return mail && ownWord(mail)
  }

  /**
   * Returns the reply of a host at RCPT to mail of any account; undefined if no host has replied, or if the store
   * cannot be read.
   */
  async heard(email: string): Promise<SharedEvidence | undefined> {
    const mail = await this.#ifReadable(this.#anybodys.ask(email))
    return mail && heardIn(mail, this.#clock.now() - REFUSAL_COUNTS_FOR_MS)
  }

  /** Returns undefined if the store cannot be read, because a mail host can still be probed. */
  async #ifReadable<T>(look: Promise<T>): Promise<T | undefined> {
    try {
      return await look
    } catch (error) {
      this.#log.warn({ err: error }, 'the evidence from own mail about an address cannot be read')
      return undefined
    }
  }

  #since(): number {
    return this.#clock.now() - COUNTS_FOR_MS
  }

  async #findAnybodys(emails: readonly string[]): Promise<(EndedMail | undefined)[]> {
    if (performance.now() >= this.#domainsUntil) {
      this.#domains = await listDomainsBySending(this.#read, MAX_DOMAINS)
      this.#domainsUntil = performance.now() + KEEP_DOMAINS_MS
    }
    return findAnybodysMail(this.#read, emails, this.#domains, this.#since())
  }
}

function ownWord({ last, suppressed }: OwnMail): AccountEvidence | undefined {
  const { hard, category } = last?.bounce ?? {}
  if (hard && (category === 'mailbox_not_found' || category === 'mailbox_disabled'))
    return { finding: category }
  if (suppressed) return { finding: 'suppressed' }
  return last !== undefined && last.bounce === undefined
    ? { finding: 'accepted', mx: last.mx ?? undefined }
    : undefined
}

const SAID: Partial<Record<BounceCategory, SharedEvidence['mailbox']>> = {
  mailbox_not_found: 'not_found',
  mailbox_disabled: 'disabled',
}

/** Returns the evidence of a reply at RCPT. A later bounce or report counts only for the account that sent the mail. */
function heardIn({ bounce, mx, smtpCode }: EndedMail, refusedSince: number): SharedEvidence | undefined {
  if (mx === null) return undefined
  const said = { mx, smtpCode: smtpCode ?? undefined }
  if (bounce === undefined) return { mailbox: 'exists', ...said }
  if (bounce.stage !== 'rcpt' || !bounce.hard || bounce.at < refusedSince) return undefined
  const mailbox = bounce.category && SAID[bounce.category]
  return mailbox && { mailbox, ...said }
}

/** Maximum number of questions in one lookup. */
const MAX_AT_ONCE = 100

interface Waiting<Question, Answer> extends PromiseWithResolvers<Answer> {
  readonly question: Question
}

/** Batches lookups in the store: questions that arrive during one lookup are combined in the next lookup. */
export class BatchLoader<Question, Answer> {
  readonly #lookUp: (questions: readonly Question[]) => Promise<readonly Answer[]>
  #waiting: Waiting<Question, Answer>[] = []
  #looking = false

  /** @param lookUp returns the answers to up to 100 questions, in their order */
  constructor(lookUp: (questions: readonly Question[]) => Promise<readonly Answer[]>) {
    this.#lookUp = lookUp
  }

  /** Returns the answer to a question; rejects if the lookup rejects. */
  ask(question: Question): Promise<Answer> {
    const waiting = { question, ...Promise.withResolvers<Answer>() }
    this.#waiting.push(waiting)
    if (!this.#looking) void this.#look()
    return waiting.promise
  }

  async #look(): Promise<void> {
    this.#looking = true
    // Other questions of the same turn of the event loop share the query.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      const some = this.#waiting.splice(0, MAX_AT_ONCE)
      try {
        const found = await this.#lookUp(some.map(({ question }) => question))
        for (const [index, { resolve }] of some.entries()) resolve(found[index] as Answer)
      } catch (error) {
        for (const { reject } of some) reject(error)
      }
    }
    this.#looking = false
  }
}
