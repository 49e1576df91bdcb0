// The rules of the submission port for one client: a client must log in, and may send from the credential's domain to
// any address.

import type { RequestLog } from '../access/request-log.ts'
import { withFields } from '../mime/raw-message.ts'
import type { Address } from '../model/address.ts'
import { Problem } from '../model/problem.ts'
import type { Reply } from '../model/reply.ts'
import { authorize, domainOfSenders } from '../submission/authorize.ts'
import type { Submission } from '../submission/submit.ts'
import { Pacer } from '../threads/pacer.ts'
import type { Authenticator, Login } from './authenticate.ts'
import { readMailFrom, readRcptTo } from './envelope-commands.ts'
import type {
  Client,
  ListenerRules,
  MailTransaction,
  Recipient,
  RefusedMail,
  Sender,
} from './listener-rules.ts'
import type { Mending } from './mending.ts'
import { submitCopies } from './personal-copies.ts'
import { Refusal, replyWith } from './replies.ts'
import type { UserAndPassword } from './sasl.ts'
import type { SessionSettings } from './session.ts'
import { readSubmission } from './submitted-message.ts'
import { usableAsMended, usableAsReceived } from './usable-message.ts'

/** Settings and components that all clients of the submission port share. */
export interface SubmissionSettings extends SessionSettings {
  readonly authenticator: Authenticator
  readonly submission: Submission
  readonly mending: Mending
  /** Log of the refusals; undefined if refusals are not kept. */
  readonly requestLog?: Pick<RequestLog, 'noteSmtp'> | undefined
}

/** Limits the time that reading and checking messages takes in each turn of the event loop. */
const pacer = new Pacer()

/** Rules of message submission (RFC 6409), with the state of one client. */
export class SubmissionRules implements ListenerRules<Address, Address> {
  readonly #settings: SubmissionSettings
  readonly #client: Client
  #login: Login | undefined
  #failedLogins = 0

  constructor(settings: SubmissionSettings, client: Client) {
    this.#settings = settings
    this.#client = client
  }

  get loggedIn(): boolean {
    return this.#login !== undefined
  }

  get owner(): string {
    return this.#loggedIn().accountId
  }

  async logIn(given: UserAndPassword): Promise<void> {
    try {
      this.#login = await this.#settings.authenticator.login(given, this.#client.address)
    } catch (error) {
      if (error instanceof Refusal && error.reply.code === 535) await this.#failedLogin()
      throw error
    }
    this.#client.vouch(this.#login.accountId)
  }

  async sender(line: Buffer): Promise<Sender<Address>> {
    const sender = readMailFrom(line, this.#settings.maxMessageBytes)
    try {
      authorize(await this.#loggedIn().beginMessage(), sender.from)
    } catch (error) {
      // A revoked or expired login is dropped, so that the client can log in again.
      if (error instanceof Refusal && error.reply.code === 530) this.#login = undefined
      throw error
    }
    return sender
  }

  recipient(line: Buffer, { smtpUtf8 }: Pick<Sender<unknown>, 'smtpUtf8'>): Recipient<Address> {
    const address = readRcptTo(line, smtpUtf8)
    return { address, to: address }
  }

  async take(
    content: Buffer,
    { from, recipients, smtpUtf8 }: MailTransaction<Address, Address>,
  ): Promise<Reply> {
    const { hostName, submission, mending } = this.#settings
    // The login is checked again, because the credential can be revoked during a long message.
    const sender = await this.#loggedIn().sender()
    await pacer.turn()
    const { domainName: domain, accountId } = sender
    const ofSenders = domainOfSenders(sender)
    const mended = { from: from.email, domain: ofSenders ?? from.domain }
    const usable =
      usableAsReceived(content, ofSenders) ??
      usableAsMended(await mending.mended(accountId, content, mended), ofSenders)
    // The protocol names stand for TLS and a login, which every submission has (RFC 3848, RFC 6531 §4.3).
    const protocol = smtpUtf8 ? 'UTF8SMTPSA' : 'ESMTPSA'
    const trace = { hostName, protocol, at: submission.now }
    const read = this.#loggedIn().vendor?.readFields(usable.raw.fields, trace.at)
    const own = read === undefined ? usable : { ...usable, raw: withFields(usable.raw, read.fields) }
    const message = readSubmission(own, domain, [...recipients.values()], trace, read?.options)
    const { message_id: id } =
      read?.copies === undefined
        ? await submission.submitMime(sender, message)
        : await submitCopies(submission, sender, { ...own, message, copies: read.copies })
    return replyWith(250, '2.0.0', `Ok: queued as ${id}`)
  }

  refused({ verb, reply, cause, recipients }: RefusedMail): void {
    const login = this.#login
    if (login === undefined) return
    const { code = reply.enhanced ?? null, errors = [] } = cause instanceof Problem ? cause : {}
    this.#settings.requestLog?.noteSmtp(login.accountId, reply.code, () => ({
      ...{ key_id: login.keyId, domain_id: login.domainId, verb, code, problems: errors, recipients },
    }))
  }

  #loggedIn(): Login {
    if (this.#login !== undefined) return this.#login
    throw new Refusal(530, '5.7.0', 'Log in first: STARTTLS, then AUTH')
  }

  /** Delays the replies to repeated failed logins, and ends the connection after too many failed logins. */
  async #failedLogin(): Promise<void> {
    const { clock, limits } = this.#settings
    this.#failedLogins++
    if (this.#failedLogins >= limits.slowLogins) {
      await new Promise<void>((resolve) => clock.after(limits.loginDelayMs, resolve))
    }
    if (this.#failedLogins >= limits.failedLogins) throw new Refusal(421, '4.7.0', 'Too many failed logins')
  }
}
