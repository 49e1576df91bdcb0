// The shape of a line in the tables that say what the words of a reply mean.

import type { AddressCategory, BounceCategory } from '../model/bounce-category.ts'

/** Subject of a failure. `mailbox` with a category of ours (`rate_limited`, `policy`) means that the mailbox exists. */
export type About = 'mailbox' | 'us' | 'content' | 'destination' | 'transport'

/**
 * Evidence for a rule against an address. `provider`: words that one provider uses for this alone; `recipient`: its
 * phrases name the mailbox or its user; `address`: they name an address, an e-mail or a domain, which after DATA may be
 * the message or something in it; `words`: they name nothing.
 */
export type Evidence = 'provider' | 'recipient' | 'address' | 'words'

interface RuleOfWords {
  /** Subject, where it differs from the usual one of the category. */
  readonly about?: About
  readonly greylisted?: true
  /** Only for replies of this class. */
  readonly class?: 4 | 5
  /** Only when the enhanced code, without its class, begins so: `4.1`, or `1` for all of 5.1.x. */
  readonly subject?: readonly string[]
  /** Not when the enhanced code, without its class, begins so. */
  readonly notSubject?: readonly string[]
  /** Not where a fault is found with the recipient: its words are also those of a host. */
  readonly notOfRecipient?: true
  /** Its phrases are parts of names of hosts and of links, which say nothing to the other rules. */
  readonly readsNames?: true
  /** Phrases in the notation of `readPhrase` in reply-text.ts, with commas between them. */
  readonly phrases: string
}

/** Phrases with one meaning. A meaning that counts against the address says what it stands on. */
export type ReplyRule = RuleOfWords &
  (
    | { readonly category: AddressCategory; readonly evidence: Evidence }
    | { readonly category: Exclude<BounceCategory, AddressCategory>; readonly evidence?: undefined }
  )
