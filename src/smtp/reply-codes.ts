// Meaning of the codes of a reply, for replies whose text contains no known phrase.

import { type BounceCategory, isAboutAddress } from '../model/bounce-category.ts'
import { BEFORE_RCPT, type Stage } from './stage.ts'

/** A reply whose text contains no known phrase. */
interface CodedReply {
  readonly stage: Stage
  readonly code: number
  readonly words: string
  /** The enhanced code without its class, such as `1.1`, if there is one. */
  readonly detail: string | undefined
}

/** True for categories that are about the recipient, permanently or temporarily. */
export const isAboutRecipient = (category: BounceCategory): boolean =>
  isAboutAddress(category) || category === 'mailbox_full'

/**
 * Returns the meaning of the enhanced code (RFC 3463, the IANA registry, and Microsoft's own numbers from 5.7.500 on),
 * otherwise the meaning of the reply code.
 */
export function byCodes(read: CodedReply): BounceCategory {
  const { stage, code, detail } = read
  if (detail !== undefined) {
    const found = BY_ENHANCED[detail] ?? BY_ENHANCED[detail.slice(0, detail.indexOf('.'))]
    if (found !== undefined && !(BEFORE_RCPT.has(stage) && isAboutRecipient(found))) {
      if (code >= 500) return found
      // A 4xx reply does not refuse the address, and 4.7.x asks the sender to send more slowly or later.
      if (isAboutAddress(found)) return 'other'
      return found === 'policy' ? 'rate_limited' : found
    }
  }
  return byCode(read)
}

const BY_ENHANCED: Readonly<Record<string, BounceCategory>> = {
  '1.0': 'mailbox_not_found',
  '1.1': 'mailbox_not_found',
  '1.2': 'domain_invalid',
  '1.3': 'mailbox_not_found',
  '1.4': 'mailbox_not_found',
  '1.6': 'mailbox_disabled',
  '1.7': 'policy',
  '1.8': 'policy',
  '1.10': 'domain_invalid', // null MX, RFC 7505
  '2.1': 'mailbox_disabled',
  '2.2': 'mailbox_full',
  '2.3': 'size',
  '3.4': 'size',
  '4': 'network',
  '4.0': 'other',
  '4.3': 'other',
  '4.4': 'dns',
  '4.5': 'rate_limited',
  '4.6': 'other',
  '4.7': 'expired',
  '5': 'protocol',
  '5.0': 'other',
  '5.3': 'rate_limited',
  '6': 'content',
  '7': 'policy',
  '7.4': 'tls',
  '7.5': 'tls',
  '7.8': 'auth',
  '7.9': 'auth',
  '7.10': 'tls',
  '7.11': 'tls',
  '7.12': 'auth',
  '7.13': 'mailbox_disabled',
  '7.17': 'mailbox_disabled', // RFC 7293
  '7.20': 'auth', // RFC 7372 to 7.26
  '7.21': 'auth',
  '7.22': 'auth',
  '7.23': 'auth',
  '7.24': 'auth',
  '7.26': 'auth',
  '7.28': 'rate_limited',
  '7.29': 'auth',
  '7.30': 'tls', // RFC 8689
  '7.500': 'rate_limited',
  '7.501': 'blocked',
  '7.502': 'blocked',
  '7.503': 'blocked',
  '7.509': 'auth',
  '7.511': 'blocked',
  '7.515': 'auth',
  '7.606': 'blocked',
  '7.705': 'rate_limited',
  '7.708': 'blocked',
}

/** Returns the meaning of a reply code at a stage of the dialog, without an enhanced code (RFC 5321 §4.2.3). */
function byCode({ stage, code, words }: CodedReply): BounceCategory {
  if (stage === 'starttls') return 'tls'
  if (stage === 'auth' || code === 530 || code === 535) return 'auth'
  if (code === 555 || (code >= 500 && code <= 504)) return 'protocol'
  if (code < 500) return 'other'
  if (stage === 'mail') return code === 552 ? 'size' : 'policy'
  // A 554 reply in place of the greeting refuses the client (RFC 5321 §3.1).
  if (BEFORE_RCPT.has(stage)) return 'blocked'
  if (code === 521 || code === 556) return 'domain_invalid' // RFC 7504
  if (code === 552) return stage === 'rcpt' ? 'mailbox_full' : 'size'
  if (code === 551 && words.trim() === '') return 'mailbox_not_found'
  return 'other'
}
