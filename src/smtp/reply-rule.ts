// The type of the rules in the tables of reply phrases.

import type { AddressCategory, BounceCategory } from '../model/bounce-category.ts'

/** Subject of a failure. `mailbox` with a category about us (`rate_limited`, `policy`) means that the mailbox exists. */
export type About = 'mailbox' | 'us' | 'content' | 'destination' | 'transport'

/**
 * Evidence for a rule against an address. `provider`: words that one provider uses for this alone; `recipient`: the
 * phrases name the mailbox or its user; `address`: the phrases name an address, an e-mail or a domain, which after DATA
 * may be the message or a part of it; `words`: the phrases name no subject.
 */
export type Evidence = 'provider' | 'recipient' | 'address' | 'words'

interface RuleOfWords {
  /** Subject, if it differs from the usual one of the category. */
  readonly about?: About
  readonly greylisted?: true
  /** Only for replies of this class. */
  readonly class?: 4 | 5
  /** Only if the enhanced code, without its class, begins with one of these: `4.1`, or `1` for all of 5.1.x. */
  readonly subject?: readonly string[]
  /** Not if the enhanced code, without its class, begins with one of these. */
  readonly notSubject?: readonly string[]
  /** Not for a reply that finds fault with the recipient, since the same words are said of hosts. */
  readonly notOfRecipient?: true
  /** Its phrases are parts of host names and links, which other rules do not read. */
  readonly readsNames?: true
  /** Phrases in the notation of `readPhrase` in reply-text.ts, with commas between them. */
  readonly phrases: string
}

/** Phrases with one meaning. A meaning that counts against the address states its evidence. */
export type ReplyRule = RuleOfWords &
  (
    | { readonly category: AddressCategory; readonly evidence: Evidence }
    | { readonly category: Exclude<BounceCategory, AddressCategory>; readonly evidence?: undefined }
  )
