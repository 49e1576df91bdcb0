// Chooses the next step that changes the fate of the mail in question.

import { type BounceCategory, isAboutAddress } from '../model/bounce-category.ts'
import type { SuppressionReason } from '../model/suppression.ts'
import type { MailTo } from '../store/person/explained-mail.ts'
import type { Suppression } from '../store/workspace/suppressions.ts'
import type { NextStep, Verdict } from './explanation.ts'
import type { Question } from './facts.ts'
import { categoryOf } from './mail-facts.ts'

/** Reasons that a sender may withdraw; the recipient has given every other reason. */
const WITHDRAWABLE: ReadonlySet<SuppressionReason> = new Set(['hard_bounce', 'manual'])
/** Codes of refusals that only an operator or the holder of the account can end. */
const OF_THE_ACCOUNT: ReadonlySet<string> = new Set([
  'account_suspended',
  'sending_allowance_exhausted',
  'domain_not_verified',
])

/** Codes of refusals that do not recur when the same request is sent later. */
const TEMPORARY: ReadonlySet<string> = new Set([
  ...['rate_limit_exceeded', 'conflict', 'unavailable', 'internal_error'],
])

/** True for a refusal that does not recur later; a code of SMTP tells so by its class (RFC 3463 §2). */
const isTemporary = (code: string): boolean => TEMPORARY.has(code) || code.startsWith('4.')

type Asked = Pick<Question, 'email' | 'domains'>

const sendTo = (email: string): NextStep['args'] => ({ to: [{ email }] })

/** Returns the next step for a message; null if only time, the recipient or the operator can change anything. */
export function stepOfMail(
  mail: MailTo,
  verdict: Verdict,
  suppression: Suppression | undefined,
  { email, domains }: Asked,
): NextStep | null {
  const message_id = mail.message.id
  switch (verdict) {
    case 'suppressed':
      if (suppression === undefined)
        return { code: 'send_message', operation: 'messages.send', args: sendTo(email) }
      return WITHDRAWABLE.has(suppression.reason) ? removal(suppression, domains) : null
    case 'refused':
    case 'bounced_afterwards':
      return isAboutAddress(categoryOf(mail) as BounceCategory)
        ? { code: 'verify_address', operation: 'verifications.verifyEmail', args: { email } }
        : { code: 'look_at_message', operation: 'messages.get', args: { message_id } }
    case 'given_up':
    case 'cancelled':
      return { code: 'send_message', operation: 'messages.send', args: sendTo(email) }
    case 'held': {
      const { held } = mail.recipient
      if (held?.cause === 'domain_paused')
        return { code: 'resume_domain', operation: 'domains.resume', args: { domain: held.value } }
      return lookAgain(email, message_id)
    }
    case 'waiting':
    case 'scheduled':
      return lookAgain(email, message_id)
    case 'delivered_by_receiver':
      return { code: 'ask_recipient', operation: 'messages.get', args: { message_id } }
    default:
      return null
  }
}

const lookAgain = (email: string, message_id: string): NextStep => ({
  ...{ code: 'look_again', operation: 'explain.get' },
  args: { email, message_id },
})

function removal(
  { email, stream, domain_id, account_id }: Suppression,
  domains: Question['domains'],
): NextStep {
  if (domain_id === account_id) {
    return { code: 'remove_suppression', operation: 'account.deleteSuppression', args: { email } }
  }
  const domain = domains.get(domain_id)
  const args = { email, stream, ...(domain === undefined ? {} : { domain }) }
  return { code: 'remove_suppression', operation: 'suppressions.delete', args }
}

/** Returns the next step after a refused request; null if only the operator or the account can end the refusal. */
export function stepOfRequest(code: string, { email }: Pick<Asked, 'email'>): NextStep | null {
  if (OF_THE_ACCOUNT.has(code)) return null
  const step = isTemporary(code) ? 'send_message' : 'correct_request'
  return { code: step, operation: 'messages.send', args: sendTo(email) }
}

/** Returns the next step if no message to the address is stored. */
export function stepOfNothing(
  { email }: Pick<Asked, 'email'>,
  similar: string | undefined,
  otherDomain: string | undefined,
): NextStep {
  if (similar !== undefined) {
    return { code: 'use_similar_address', operation: 'explain.get', args: { email: similar } }
  }
  if (otherDomain !== undefined) {
    return { code: 'name_domain', operation: 'explain.get', args: { email, domain: otherDomain } }
  }
  return { code: 'send_message', operation: 'messages.send', args: sendTo(email) }
}
