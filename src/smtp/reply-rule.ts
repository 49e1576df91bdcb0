// The type of the rules in the tables of reply phrases.

import type { AddressCategory, BounceCategory } from '../model/bounce-category.ts'

/**
 * Subject of a failure. `mailbox` with a category about the sender (`rate_limited`, `policy`) means that the mailbox
 * exists.
 */
export type About = 'mailbox' | 'us' | 'content' | 'destination' | 'transport'

/**
 * Evidence of the phrases of a rule against an address. `provider`: one provider uses the words only with this meaning;
 * `recipient`: the phrases name the mailbox or its user; `address`: the phrases name an address, an e-mail or a domain,
 * which after DATA may mean the message or a part of the message; `words`: the phrases name no subject.
 */
export type Evidence = 'provider' | 'recipient' | 'address' | 'words'

interface RuleOfWords {
  /** Subject of the failure, if different from the usual subject of the category. */
  readonly about?: About
  readonly greylisted?: true
  /** Class of the replies to which the rule applies; undefined for both classes. */
  readonly class?: 4 | 5
  /** Prefixes of the enhanced code without its class, of which one must match: `4.1`, or `1` for all of 5.1.x. */
  readonly subject?: readonly string[]
  /** Prefixes of the enhanced code without its class, for which the rule does not apply. */
  readonly notSubject?: readonly string[]
  /**
   * True if the rule does not apply to a reply that finds fault with the recipient, because the same words describe
   * hosts.
   */
  readonly notOfRecipient?: true
  /** True if the phrases are parts of host names and links, which other rules do not read. */
  readonly readsNames?: true
  /** Phrases in the notation of `readPhrase` in reply-text.ts, separated by commas. */
  readonly phrases: string
}

/** Phrases with one meaning. A category that counts against the address states its evidence. */
export type ReplyRule = RuleOfWords &
  (
    | { readonly category: AddressCategory; readonly evidence: Evidence }
    | { readonly category: Exclude<BounceCategory, AddressCategory>; readonly evidence?: undefined }
  )
