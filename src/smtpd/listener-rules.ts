// Rules that differ between the SMTP ports: rules about the login, the sender, the recipients, and the acceptance of
// the message.

import type { Address } from '../model/address.ts'
import type { Reply } from '../model/reply.ts'
import type { UserAndPassword } from './sasl.ts'

/** The client of a dialog. */
export interface Client {
  /** IP address of the client. */
  readonly address: string
  /** Returns the TLS version, such as `TLSv1.3`; null without TLS. */
  tlsVersion(): string | null
  /**
   * Records that the client's network has proved itself, because slots are reserved for such networks. `account` is the
   * account of the credential with which the client has logged in.
   */
  vouch(account?: string): void
}

/** The sender that MAIL named. */
export interface Sender<From> {
  readonly from: From
  readonly smtpUtf8: boolean
  /** Size of the message in bytes, as the client declares it (RFC 1870). */
  readonly size?: number | undefined
}

/** A recipient that RCPT named, and the result of its lookup. */
export interface Recipient<To> {
  readonly address: Address
  readonly to: To
}

/** The sender and the recipients of a message, each address once (RFC 5321 §3.3). */
export interface MailTransaction<From, To> extends Sender<From> {
  /** The name that the client gave in EHLO or HELO. */
  readonly helo: string
  readonly recipients: Map<string, To>
}

/** A refused recipient, or a refused message with its recipients, as the client has written them. */
export interface RefusedMail {
  /** The refused command. */
  readonly verb: 'MAIL' | 'RCPT' | 'DATA'
  readonly reply: Reply
  /** The error that the reply follows from. */
  readonly cause: unknown
  readonly recipients: readonly string[]
}

/** The rules of a port for one client. Each method throws `Refusal` or `Problem` to refuse. */
export interface ListenerRules<From, To> {
  /** True after a login. */
  readonly loggedIn: boolean
  /** Owner of the memory that messages take: the account, or the network of a client without a login. */
  readonly owner: string
  /** Logs the client in; absent at a port without login. */
  logIn?(given: UserAndPassword): Promise<void>
  /** Returns the sender that a MAIL line names. */
  sender(line: Buffer): Sender<From> | Promise<Sender<From>>
  /** Returns the recipient that a RCPT line names; `said` is the sender that MAIL named. */
  recipient(line: Buffer, said: Sender<From>): Recipient<To> | Promise<Recipient<To>>
  /** Stores or processes a completely received message durably, and returns the reply to DATA. */
  take(content: Buffer, transaction: MailTransaction<From, To>): Promise<Reply>
  /** Notes a refusal after its reply; absent at a port that keeps no refusals. */
  refused?(refusal: RefusedMail): void
}
