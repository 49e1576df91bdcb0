// The rules in which the doors differ: who logs in, who sends, to whom, and what becomes of the message.

import type { Address } from '../model/address.ts'
import type { Reply } from '../model/reply.ts'
import type { UserAndPassword } from './sasl.ts'

/** The client of a dialog. */
export interface Client {
  /** Its IP address. */
  readonly address: string
  /** Such as `TLSv1.3`; null without TLS. */
  tlsVersion(): string | null
  /**
   * Notes that its network has just done what the door is there for: slots are kept for such networks. `account`: the
   * one whose credential it has logged in with.
   */
  vouch(account?: string): void
}

/** The sender that MAIL named. */
export interface Sender<From> {
  readonly from: From
  readonly smtpUtf8: boolean
  /** Bytes of the message, as the client declares them (RFC 1870). */
  readonly size?: number | undefined
}

/** A recipient that RCPT named, and what is known of it. */
export interface Recipient<To> {
  readonly address: Address
  readonly to: To
}

/** RFC 5321 §3.3: the sender and the recipients of a message, each address once. */
export interface MailTransaction<From, To> extends Sender<From> {
  /** The name that the client gave in EHLO or HELO. */
  readonly helo: string
  readonly recipients: Map<string, To>
}

/** The rules of a door for one client. Each method throws `Refusal` or `Problem` for what is refused. */
export interface ListenerRules<From, To> {
  /** True after a login. */
  readonly loggedIn: boolean
  /** Owner of the memory that messages take: the account, or the network of a client that is not known. */
  readonly owner: string
  /** Logs the client in; absent at a door that knows no login. */
  logIn?(given: UserAndPassword): Promise<void>
  /** The sender that a MAIL line names. */
  sender(line: Buffer): Sender<From> | Promise<Sender<From>>
  /** The recipient that a RCPT line names; `said`: what MAIL has said. */
  recipient(line: Buffer, said: Sender<From>): Recipient<To> | Promise<Recipient<To>>
  /** Takes a message that was received in full, durably, and gives the reply to it. */
  take(content: Buffer, transaction: MailTransaction<From, To>): Promise<Reply>
}
