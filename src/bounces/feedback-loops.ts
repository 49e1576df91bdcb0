// The feedback loops that the operator listed: whose complaints are believed without a recipient's token.

import { Fields } from '../dsn/returned-mail.ts'
import { parseSoleMailbox } from '../mime/read-mailboxes.ts'
import type { Authentication } from '../model/inbound-message.ts'
import { Problem } from '../model/problem.ts'

/** The header section of a report is far shorter. */
const MAX_HEAD = 64 * 1024

/** The host that brought a mail, as it named itself, and the reverse path. */
export interface BroughtBy {
  /** IP address. */
  readonly address: string
  readonly helo: string
  /** Empty for the null reverse path. */
  readonly from: string
}

/** A mail as it was brought. */
export interface BroughtMail extends BroughtBy {
  readonly content: Buffer
}

/** Checks the DKIM signatures of a mail, and SPF of the host that brought it (RFC 6376, RFC 7208). */
export type AuthenticateMail = (mail: BroughtMail) => Promise<Pick<Authentication, 'dkim' | 'spf'>>

/** Tells whether a mail was written by one of these senders; without senders nothing is looked up. */
export class FeedbackLoops {
  readonly #senders: ReadonlySet<string>
  readonly #authenticate: AuthenticateMail

  /** @param senders addresses of From fields, or domains whose every address is believed; in lower case */
  constructor(senders: readonly string[], authenticate: AuthenticateMail) {
    this.#senders = new Set(senders)
    this.#authenticate = authenticate
  }

  /**
   * True if the one author of the mail is listed, and a DKIM signature of the author's domain, or of one above it,
   * proves it (the relaxed alignment of RFC 9989); or, where there is no such signature, if SPF of such a domain, or of
   * one below, designates the host that brought it. False when the DNS does not answer.
   */
  async isFromListed(mail: BroughtMail): Promise<boolean> {
    if (this.#senders.size === 0) return false
    const domain = this.#listedDomain(mail.content)
    if (domain === undefined) return false
    const { dkim, spf } = await this.#authenticate(mail)
    // RFC 6376 §8.2: to a body that is signed in part anybody may add another one.
    const whole = dkim.filter(({ partial }) => partial === undefined)
    const aligned = whole.filter(({ domain: signer }) => isAtOrBelow(domain, signer.toLowerCase()))
    if (aligned.length > 0) return isProven(aligned.map(({ result }) => result))
    const designating = spf.domain?.toLowerCase()
    if (designating === undefined) return false
    const isOwn = isAtOrBelow(domain, designating) || isAtOrBelow(designating, domain)
    return isOwn && isProven([spf.result])
  }

  /** The domain of the author, if he is listed. */
  #listedDomain(content: Buffer): string | undefined {
    const text = content.toString('latin1', 0, MAX_HEAD)
    const end = text.indexOf('\r\n\r\n')
    const from = new Fields(end < 0 ? text : text.slice(0, end + 2)).all('from')
    const mailbox = from.length === 1 ? parseSoleMailbox(from[0]!) : undefined
    const email = mailbox?.email.toLowerCase()
    const domain = email?.slice(email.lastIndexOf('@') + 1)
    if (email === undefined || domain === undefined) return undefined
    return this.#senders.has(email) || this.#senders.has(domain) ? domain : undefined
  }
}

/** True if one passes. Throws `Problem` `conflict` if one still might. */
function isProven(results: readonly string[]): boolean {
  if (results.includes('pass')) return true
  if (!results.includes('temperror')) return false
  throw new Problem('conflict', 'The DNS does not tell at the moment who sent this; try again later')
}

/** A signer of a top-level domain alone proves nothing. */
const isAtOrBelow = (domain: string, signer: string): boolean =>
  signer.includes('.') && (domain === signer || domain.endsWith(`.${signer}`))
