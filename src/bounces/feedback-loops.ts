// Checks whether a mail is from a feedback loop that the operator listed; complaints from a listed feedback loop need
// no token of the recipient.

import { Fields } from '../dsn/returned-mail.ts'
import { parseSoleMailbox } from '../mime/read-mailboxes.ts'
import type { Authentication } from '../model/inbound-message.ts'
import { Problem } from '../model/problem.ts'

/** Maximum number of bytes read to find the header section; the header section of a report is far shorter. */
const MAX_HEAD = 64 * 1024

/** The host that delivered a mail to this installation, the HELO name of the host, and the reverse path. */
export interface BroughtBy {
  /** IP address. */
  readonly address: string
  readonly helo: string
  /** Empty for the null reverse path. */
  readonly from: string
}

/** A mail, with the host that delivered it. */
export interface BroughtMail extends BroughtBy {
  readonly content: Buffer
}

/** Checks the DKIM signatures of a mail, and SPF of the host that delivered it (RFC 6376, RFC 7208). */
export type AuthenticateMail = (mail: BroughtMail) => Promise<Pick<Authentication, 'dkim' | 'spf'>>

/** Checks whether a listed sender wrote a mail; an empty list of senders causes no DNS queries. */
export class FeedbackLoops {
  readonly #senders: ReadonlySet<string>
  readonly #authenticate: AuthenticateMail

  /** @param senders addresses of From fields, or domains whose addresses are all trusted, in lower case */
  constructor(senders: readonly string[], authenticate: AuthenticateMail) {
    this.#senders = new Set(senders)
    this.#authenticate = authenticate
  }

  /**
   * Returns true if the sole author of the mail is listed, and a DKIM signature of the author's domain or of a parent
   * domain proves the authorship (the relaxed alignment of RFC 9989). SPF of the author's domain, a parent domain or a
   * subdomain must designate the delivering host if the mail has no such signature. Throws `Problem` `conflict` when a
   * temporary DNS error leaves the result open.
   */
  async isFromListed(mail: BroughtMail): Promise<boolean> {
    if (this.#senders.size === 0) return false
    const domain = this.#listedDomain(mail.content)
    if (domain === undefined) return false
    const { dkim, spf } = await this.#authenticate(mail)
    // Anybody can append content to a partially signed body (RFC 6376 §8.2).
    const whole = dkim.filter(({ partial }) => partial === undefined)
    const aligned = whole.filter(({ domain: signer }) => isAtOrBelow(domain, signer.toLowerCase()))
    if (aligned.length > 0) return isProven(aligned.map(({ result }) => result))
    const designating = spf.domain?.toLowerCase()
    if (designating === undefined) return false
    const isOwn = isAtOrBelow(domain, designating) || isAtOrBelow(designating, domain)
    return isOwn && isProven([spf.result])
  }

  /** Returns the domain of the author, if the author is listed. */
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

/** True if one result is `pass`. Throws `Problem` `conflict` if a temporary error leaves the result open. */
function isProven(results: readonly string[]): boolean {
  if (results.includes('pass')) return true
  if (!results.includes('temperror')) return false
  throw new Problem(
    'conflict',
    'The sender of this mail cannot be verified, because of a temporary DNS error; try again later',
  )
}

/** True if the domain is the signer's domain or a subdomain. A top-level domain as the signer proves nothing. */
const isAtOrBelow = (domain: string, signer: string): boolean =>
  signer.includes('.') && (domain === signer || domain.endsWith(`.${signer}`))
