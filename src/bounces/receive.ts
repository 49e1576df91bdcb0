// Receives returned mail: reads the mail, finds the reported recipient, and stores the result before the mail is
// acknowledged.

import { setTimeout as sleep } from 'node:timers/promises'
import { isAutomaticAnswer } from '../dsn/auto-reply.ts'
import { readReport, readSubject } from '../dsn/read-report.ts'
import type { DeliveryReport, FeedbackReport, Report } from '../dsn/report.ts'
import { readReturnedMail } from '../dsn/returned-mail.ts'
import type { Clock } from '../lib/clock.ts'
import type { Figure } from '../lib/figures.ts'
import { newId } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import type { Address } from '../model/address.ts'
import type { LogMail, MailLine } from '../model/mail-log.ts'
import { Problem } from '../model/problem.ts'
import type { Store } from '../store/database/store.ts'
import { keepInboxMail } from '../store/inbound/inbox.ts'
import {
  type AsynchronousBounce,
  type Complaint,
  type ReportedRecipient,
  recordBounce,
} from '../store/queue/bounces.ts'
import { unsubscribe } from '../store/workspace/unsubscribe.ts'
import { type Addressee, findAddressee, findByReporter, findByToken } from './addressee.ts'
import { classify } from './classify.ts'
import type { BroughtBy, FeedbackLoops } from './feedback-loops.ts'

export interface BounceReceptionOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** Logs bounces and complaints; undefined if the settings ask for no lines about mail. */
  readonly logMail?: LogMail | undefined
  /** Secret that authenticates return paths. */
  readonly secret: string
  readonly returnPathHost: string
  readonly feedbackLoops: FeedbackLoops
  /** Keeps a complaint in the list of reports; never rejects. */
  readonly keepComplaint: (recipient: ReportedRecipient, content: Buffer) => Promise<void>
}

/** A mail received by SMTP; its reverse path is usually empty. */
export interface ComingMail extends BroughtBy {
  /** Addressees by email address, at least one. */
  readonly addressees: ReadonlyMap<string, Addressee>
  readonly content: Buffer
}

/** Result of a mail for one of its addressees. */
type Result = 'bounced' | 'complained' | 'unsubscribed' | 'repeated' | 'ignored' | 'kept'

/**
 * Maximum number of tries to write a result while a delivery attempt is under way; the end of the delivery attempt is
 * stored within milliseconds unless another delivery attempt follows.
 */
const MAX_TRIES = 20
const BETWEEN_TRIES_MS = 50

/**
 * Maximum bytes of a mail that is kept for the operator; `MAX_KEPT_TEXT` is the maximum number of characters of each
 * text.
 */
const MAX_KEPT = 64 * 1024
const MAX_KEPT_TEXT = 500
/** Number of bytes of a report that are searched for a return path. */
const MAX_SEARCHED = 1024 * 1024

/** Receives bounces, complaints and unsubscribe requests. */
export class BounceReception {
  readonly #options: BounceReceptionOptions
  readonly #counts: Record<Result, number> = {
    bounced: 0,
    complained: 0,
    unsubscribed: 0,
    repeated: 0,
    ignored: 0,
    kept: 0,
  }

  constructor(options: BounceReceptionOptions) {
    this.#options = options
  }

  /**
   * Finds the addressee of mail to this address; returns undefined if the address has no addressee. Throws `Problem`
   * `unavailable`.
   */
  addressee(address: Address): Promise<Addressee | undefined> {
    return findAddressee(address, this.#addressing)
  }

  /**
   * Resolves when the result of the mail is on stable storage. Throws `Problem` `unavailable` or `conflict` for a
   * temporary failure.
   */
  async receive(mail: ComingMail): Promise<void> {
    const report = readReport(mail.content)
    const results = await Promise.all(
      [...mail.addressees.values()].map(async (addressee) => {
        if (addressee.kind === 'unsubscribe') return this.#unsubscribe(mail, report, addressee.token)
        const recipient =
          addressee.kind === 'recipient' ? addressee.recipient : await this.#findReported(report, mail)
        const result = recipient && (await this.#apply(report, recipient))
        if (recipient && result === 'complained') await this.#options.keepComplaint(recipient, mail.content)
        return result
      }),
    )
    if (results.includes(undefined)) {
      await this.#keep(mail, report)
      results.push('kept')
    }
    for (const result of results) if (result !== undefined) this.#counts[result]++
  }

  figures(): Figure[] {
    return [
      {
        name: 'postrider_returned_mails_total',
        help: 'Mail to return paths and to the addresses of the operator, by result',
        kind: 'counter',
        labels: ['result'],
        read: () => Object.entries(this.#counts),
      },
    ]
  }

  get #addressing() {
    const { store, secret, returnPathHost } = this.#options
    return { read: store.read, secret, returnPathHost }
  }

  /**
   * Finds the recipient of a report that came to the operator's address. A complaint without the recipient's own token
   * is accepted only from a listed feedback loop; any other complaint waits for the operator.
   */
  async #findReported(report: Report, mail: ComingMail): Promise<ReportedRecipient | undefined> {
    if (report.kind === 'delivery') {
      return findByToken({ text: report.original, original: '' }, this.#addressing)
    }
    if (report.kind !== 'feedback') return undefined
    const { originalMailFrom = '', originalRecipients: recipients, original } = report
    const text = `${originalMailFrom}\n${original}`
    const found =
      (await findByToken({ text, original }, this.#addressing)) ??
      // Reporters that strip the Return-Path often leave the address in another place of the report.
      (await findByToken(
        { text: mail.content.toString('latin1', 0, MAX_SEARCHED), original: '' },
        this.#addressing,
      ))
    if (found !== undefined) return found
    const isAuthentic = await this.#options.feedbackLoops.isFromListed(mail)
    return isAuthentic ? findByReporter({ original, recipients }, this.#addressing) : undefined
  }

  /** Applies a report to the recipient; returns undefined when the operator must decide. */
  async #apply(report: Report, recipient: ReportedRecipient): Promise<Result | undefined> {
    switch (report.kind) {
      case 'delivery':
        return this.#onDelivery(report, recipient)
      case 'feedback':
        return this.#onFeedback(report, recipient)
      case 'auto-reply':
        this.#explain(recipient, `an automatic reply (${report.reason}) was ignored`)
        return 'ignored'
      case 'unrecognised':
        return undefined
    }
  }

  async #onDelivery(report: DeliveryReport, recipient: ReportedRecipient): Promise<Result> {
    const said = classify(report, recipient.email)
    if (said.type === 'bounced') return this.#record(recipient, said)
    this.#explain(recipient, `a delivery report was ignored: ${said.type}`)
    return 'ignored'
  }

  async #onFeedback(report: FeedbackReport, recipient: ReportedRecipient): Promise<Result> {
    const { feedbackType, userAgent } = report
    if (COMPLAINTS.has(feedbackType)) {
      return this.#record(recipient, { type: 'complained', feedbackType, userAgent })
    }
    this.#explain(recipient, `a feedback report was ignored: ${feedbackType}`)
    return 'ignored'
  }

  async #record(recipient: ReportedRecipient, report: AsynchronousBounce | Complaint): Promise<Result> {
    const { messageId, position } = recipient
    const { store, clock } = this.#options
    const write = () => store.write(recordBounce, { messageId, position, report, now: clock.now() })
    let recorded = await write()
    for (let tries = 1; recorded === 'attempted' && tries < MAX_TRIES; tries++) {
      await sleep(BETWEEN_TRIES_MS)
      recorded = await write()
    }
    if (recorded === 'attempted') {
      throw new Problem('conflict', 'The message is being delivered; try again later')
    }
    this.#explain(recipient, `${report.type}: ${recorded}`)
    if (recorded === 'recorded') {
      this.#options.logMail?.(reportLine(recipient, report))
      return report.type
    }
    return recorded === 'repeated' ? 'repeated' : 'ignored'
  }

  /**
   * Ends a subscription at the request of a mail to an unsubscribe address. A report or an automatic reply never
   * unsubscribes anybody. The text of the mail is ignored, and a program may send the mail on behalf of a person.
   */
  async #unsubscribe({ from, content }: ComingMail, report: Report, token: string): Promise<Result> {
    if (from === '' || report.kind === 'delivery' || report.kind === 'feedback') return 'ignored'
    if (isAutomaticAnswer(readReturnedMail(content))) return 'ignored'
    const { store, clock } = this.#options
    await store.write(unsubscribe, { token, now: clock.now() })
    return 'unsubscribed'
  }

  async #keep({ from, addressees, content }: ComingMail, report: Report): Promise<void> {
    const { store, clock, log } = this.#options
    const now = clock.now()
    const id = newId('inb', now)
    await store.write(keepInboxMail, {
      id,
      received_at: now,
      mail_from: from.slice(0, MAX_KEPT_TEXT),
      rcpt_to: [...addressees.keys()].join(', ').slice(0, MAX_KEPT_TEXT),
      subject: readSubject(content).slice(0, MAX_KEPT_TEXT),
      size: content.length,
      // The content is copied, because sending a view to the writer thread would also send the whole buffer of the
      // view.
      raw: new Uint8Array(content.subarray(0, MAX_KEPT)),
    })
    log.warn({ id, kind: report.kind }, 'a mail waits for the operator: postrider inbox show')
  }

  #explain({ messageId, position }: ReportedRecipient, text: string): void {
    this.#options.log.debug({ message_id: messageId, position }, text)
  }
}

/** Returns the host that a bounce names; undefined if the text is not the name of a host, such as an email address. */
const hostOf = ({ mx = '' }: AsynchronousBounce): string | undefined =>
  /^[\w.-]{1,255}$/.test(mx) ? mx : undefined

/** Returns the mail log line about a recorded report. */
const reportLine = (
  { messageId, email, domainId, stream }: ReportedRecipient,
  report: AsynchronousBounce | Complaint,
): MailLine => ({
  event: report.type,
  messageId,
  email,
  fields: {
    domain_id: domainId,
    stream,
    asynchronous: true,
    ...(report.type === 'bounced'
      ? { mx: hostOf(report), smtp_code: report.smtpCode, category: report.category, hard: report.hard }
      : { feedback_type: report.feedbackType }),
  },
})

/**
 * Feedback types that are complaints: the types of RFC 5965 §7.3, and the last two types from drafts of RFC 5965.
 * `not-spam` and `auth-failure` are not complaints.
 */
const COMPLAINTS: ReadonlySet<string> = new Set(['abuse', 'fraud', 'virus', 'opt-out', 'opt-out-list'])
